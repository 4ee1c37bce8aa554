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

	open   bool // it reaches the largest value
	closed bool // it reaches the smallest one
}

// asGood is how much worse a value may be that is as good as the best one.
const asGood = report.LeastShare / 2

// plateau finds the values around the best one that are as good; nil: there are none, or all are the same. A value that could
// not be run ends a plateau.
func (o *Optimum) plateau(ordered bool) *Plateau {
	switch {
	case o.Flat():
		return nil
	case !ordered:
		return o.asGood()
	}
	l := &Plateau{}
	good := func(i int) bool {
		worse := math.Inf(1)
		if i >= 0 && i < len(o.Points) && o.Points[i].Result != nil {
			worse = o.worse(&o.Points[i])
		}
		if worse <= asGood {
			l.Within = max(l.Within, worse)
		}
		return worse <= asGood
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
	l.From, l.To, l.closed, l.open = o.Points[from].Value, o.Points[to].Value, from == 0, to+1 == len(o.Points)
	return l
}

// worse is by how much a value is worse than the best one, as a part of its result.
func (o *Optimum) worse(p *Point) float64 {
	return (*p.Result - *o.Best.Result) / math.Abs(*o.Best.Result)
}

// asGood lists the words that are as good as the best one.
func (o *Optimum) asGood() *Plateau {
	l := &Plateau{}
	for _, p := range o.Ranking(len(o.Points)) {
		if o.worse(p) <= asGood {
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

// values names the values of a plateau.
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

// best returns the best value, or all of the plateau that it is on.
func (o *Optimum) best() []Point {
	if o.Flat() {
		return o.Points
	}
	from, to := o.Best.Value, o.Best.Value
	if o.Plateau != nil && o.Plateau.Words == nil {
		from, to = o.Plateau.From, o.Plateau.To
	}
	at := func(value string) int {
		return slices.IndexFunc(o.Points, func(p Point) bool { return p.Value == value })
	}
	return o.Points[at(from) : at(to)+1]
}
