package optimize

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/scenarios/report"
)

// Plateau are values as good as the best one. Of numbers these are all that were run from one to another; of words those that
// are listed, the best one first.
type Plateau struct {
	From   string   `json:"from,omitempty"`
	To     string   `json:"to,omitempty"`
	Words  []string `json:"words,omitempty"`
	Within float64  `json:"within"` // the most that one of them is worse, as a part of the best result

	points []Point // of numbers
	open   bool    // it reaches the largest value
	closed bool    // it reaches the smallest one
}

// asGood is how much worse a value may be that is as good as the best one; if the noise is larger, that.
const asGood = report.LeastShare / 2

// plateau finds the values around the best one that are as good; nil: there are none, or all are the same. A value that could
// not be run ends a plateau.
func (o *Optimum) plateau(ordered bool) *Plateau {
	switch {
	case o.Flat():
		return nil
	case !ordered:
		return o.wordsAsGood()
	}
	l := &Plateau{}
	good := func(i int) bool {
		worse := math.Inf(1)
		if i >= 0 && i < len(o.Points) && o.Points[i].Result != nil {
			worse = o.worse(&o.Points[i])
		}
		if worse <= o.asGood() {
			l.Within = max(l.Within, worse)
		}
		return worse <= o.asGood()
	}
	best := slices.IndexFunc(o.Points, func(p Point) bool { return p.index == o.Best.index })
	from, to := best, best
	for good(from - 1) {
		from--
	}
	for good(to + 1) {
		to++
	}
	if from == to {
		return nil
	}
	l.points = o.Points[from : to+1]
	l.From, l.To, l.closed, l.open = o.Points[from].Value, o.Points[to].Value, from == 0, to+1 == len(o.Points)
	return l
}

// worse is by how much a value is worse than the best one, as a part of its result.
func (o *Optimum) worse(p *Point) float64 {
	return (*p.Result - *o.Best.Result) / math.Abs(*o.Best.Result)
}

// asGood is how much worse a value may be that is as good as the best one of this run.
func (o *Optimum) asGood() float64 {
	if report.Noisy(o.Noise) {
		return max(asGood, *o.Noise)
	}
	return asGood
}

// onPlateau are the numbers on the plateau; without one the best value alone.
func (o *Optimum) onPlateau() []Point {
	if o.Plateau == nil {
		return []Point{*o.Best}
	}
	return o.Plateau.points
}

// wordsAsGood lists the words that are as good as the best one.
func (o *Optimum) wordsAsGood() *Plateau {
	l := &Plateau{}
	for _, p := range o.Ranking(len(o.Points)) {
		if o.worse(p) <= o.asGood() {
			l.Words, l.Within = append(l.Words, p.Value), max(l.Within, o.worse(p))
		}
	}
	if len(l.Words) < 2 {
		return nil
	}
	return l
}

// PlateauText says which values are as good as the best one; "": there are none.
func (o *Optimum) PlateauText() string {
	l := o.Plateau
	if l == nil {
		return ""
	}
	if l.Within < 0.0005 {
		return fmt.Sprintf("%s: as good are %s", o.Run, l.values())
	}
	return fmt.Sprintf("%s: as good, within %s, are %s", o.Run, report.Share(l.Within), l.values())
}

// AsGood names the values that are as good as the best one; a dash: there are none.
func (o *Optimum) AsGood() string {
	if o.Plateau == nil {
		return report.Dash
	}
	return o.Plateau.values()
}

func (l *Plateau) values() string {
	switch {
	case l.Words != nil:
		return strings.Join(l.Words, ", ")
	case l.open && l.closed:
		return "all values"
	case l.open:
		return l.From + " or more"
	case l.closed:
		return l.To + " or less"
	}
	return l.From + " to " + l.To
}
