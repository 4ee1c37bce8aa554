package gradient

import (
	"math"
	"strconv"
	"strings"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/report"
)

// Words write the value of a parameter and the derivative by it.
type Words struct {
	Value, Derivative func(nodes.Slope) string
}

// Slopes is the section on the critical path of a run and the derivatives along it.
func (w Words) Slopes(o *scenarios.Outcome) report.Section {
	t := &report.Table{Head: []string{"Parameter", "Value", "Derivative", "Elasticity", "1 % better"}, Words: []bool{true, false, false, false, false}, Note: elasticityNote}
	for _, s := range o.Slopes() {
		if !Nothing(s) {
			t.Rows = append(t.Rows, append(w.slope(s), report.Cell{Text: percent(-math.Abs(s.Elasticity) / 100)}))
		}
	}
	return report.Section{Title: "Critical path", Note: pathNote(o), Figures: []report.Figure{Shares(o)}, Table: t}
}

// Ranges is the section with how far the derivatives hold, and what is beyond.
func (w Words) Ranges(o *scenarios.Outcome, all []scenarios.Sensitivity) report.Section {
	s := report.Section{
		Title: "What the makespan depends on", Note: pathNote(o),
		Figures: []report.Figure{Shares(o)}, Table: w.table(all),
	}
	if t := w.tornado(all); t != nil {
		s.Figures = append(s.Figures, t)
	}
	if s.Small = responses(all); s.Small != nil {
		s.SmallTitle = "Makespan over each parameter"
		s.SmallNote = "To the left it is better, to the right worse, with the same axes for all. Dark: today's derivative holds; pale: beyond. The ring is today, a dot is a run; between the runs the makespan is no less than drawn, and no more than dashed."
	}
	return s
}

const elasticityNote = "Elasticity: per cent of the makespan for each per cent of the parameter. Derivative: seconds for each second, that is how often it is on the path; of costs by bytes, how many bytes; of rates, seconds for each unit of the rate."

// table has everything that is known of each parameter.
func (w Words) table(all []scenarios.Sensitivity) *report.Table {
	t := &report.Table{
		Head:  []string{"Parameter", "Value", "Derivative", "Elasticity", "Holds from", "to", "A tenth better", "Twice as good", "Half as bad again"},
		Words: []bool{true, false, false, false, false, false, false, false, false},
		Note:  elasticityNote + " It holds from and to these changes of the parameter; below them are the elasticity outside, of today's makespan and value, and the parameter that makes more of the path there. Twice as good: half of a cost, twice a rate; half as bad again: half more of a cost, a rate by 1.5.",
	}
	for i := range all {
		s := &all[i]
		if Nothing(s.Slope) {
			continue
		}
		row := append(w.slope(s.Slope), end(&s.Down), end(&s.Up))
		for _, cost := range []float64{scenarios.TenthBetter, scenarios.TwiceAsGood, scenarios.HalfAgain} {
			row = append(row, report.Cell{Text: gain(s, cost)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// slope writes the first columns of a row.
func (w Words) slope(s nodes.Slope) []report.Cell {
	return []report.Cell{{Text: s.Parameter}, {Text: w.Value(s)}, {Text: minus(w.Derivative(s))}, {Text: elasticity(s.Elasticity)}}
}

// end writes the end of a range, and what is outside.
func end(b *scenarios.Bound) report.Cell {
	c := report.Cell{Text: change(b)}
	if b.Runs > 0 && !b.Open {
		c.Note = elasticity(b.Then)
		if b.Takes != "" {
			c.Note += ", " + b.Takes
		}
	}
	return c
}

// Nothing tells whether a parameter is 0 that few machines have.
func Nothing(s nodes.Slope) bool { return s.Value == 0 && strings.HasSuffix(s.Parameter, ".base") }

func elasticity(e float64) string { return minus(strconv.FormatFloat(e, 'f', 4, 64)) }

// minus writes the sign as the page does.
func minus(text string) string { return strings.Replace(text, "-", "−", 1) }

// percent writes a change.
func percent(part float64) string {
	if math.IsNaN(part) {
		return "–"
	}
	if part == 0 {
		part = 0 // not -0
	}
	text := strconv.FormatFloat(100*part, 'f', decimals(part), 64)
	if part > 0 {
		text = "+" + text
	}
	return minus(text) + "\u00a0%"
}

// decimals leaves small changes two digits that count.
func decimals(part float64) int {
	switch size := math.Abs(part); {
	case size >= 0.01 || size < 5e-7:
		return 1
	case size >= 0.001:
		return 2
	case size >= 0.0001:
		return 3
	}
	return 4
}

// change writes the end of a range as a change of the parameter.
func change(b *scenarios.Bound) string {
	switch {
	case b.Runs == 0:
		return "–"
	case b.Open && b.Factor < 1:
		return "below"
	case b.Open:
		return "above"
	}
	return percent(b.Factor - 1)
}

// moved is by which part of today's the makespan is longer at a cost; NaN: unknown.
func moved(s *scenarios.Sensitivity, cost float64) float64 {
	today, _ := s.Makespan(1)
	least, _ := s.Makespan(cost)
	return least/today - 1
}

func gain(s *scenarios.Sensitivity, cost float64) string { return percent(moved(s, cost)) }
