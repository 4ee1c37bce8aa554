package gradient

import (
	"fmt"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
)

// Slopes is the section on the critical path of a run and the derivatives along it.
func Slopes(o *outcomes.Outcome) report.Section {
	if o.Result.On == results.GPUs {
		return report.Section{Title: "Critical path", Note: pathNote(o) + " " + outcomes.OnGPUs, Figures: []report.Figure{shares(o)}}
	}
	if o.Unstable() {
		s := report.Section{Title: "Critical path", Figures: []report.Figure{shares(o)}}
		s.Note = pathNote(o) + " " + outcomes.Instead
		return s
	}
	t := &report.Table{Head: []string{"Parameter", "Value", "Derivative", "Elasticity", "1 % better"},
		Words: []bool{true, false, false, false, false}, Note: elasticityNote}
	for _, s := range o.Slopes() {
		if !Nothing(s) {
			t.Rows = append(t.Rows, append(slope(s), report.Cell{Text: percent(better(s))}))
		}
	}
	return report.Section{Title: "Critical path", Note: pathNote(o), Figures: []report.Figure{shares(o)}, Table: t}
}

// Ranges is the section that shows how far the derivatives hold, and what is beyond.
// Where they are unstable, it also shows differences.
func Ranges(o *outcomes.Outcome, noise *float64, all []sensitivity.Sensitivity) report.Section {
	s := report.Section{
		Title: "What the makespan depends on", Note: pathNote(o),
		Figures: []report.Figure{shares(o)}, Table: table(all, noise),
	}
	told, _, leftOut := Split(all, noise)
	if o.Unstable() {
		s.Table = differenceTable(o, noise, told)
	}
	if len(leftOut) > 0 && s.Table != nil {
		s.Table.Note += " " + LeftOut(leftOut)
	}
	if o.Unstable() {
		return s
	}
	if t := tornado(all, noise); t != nil {
		s.Figures = append(s.Figures, t)
	}
	if s.Small = responses(all, noise); s.Small != nil {
		s.SmallTitle = "Makespan over each parameter"
		s.SmallNote = "To the left it is better, to the right worse, with the same axes for all. Dark: today's derivative holds; pale: " +
			"beyond. The ring is today, a dot is a run; between the runs the makespan is no less than the line and no more than the dashed one, " +
			"unless messages overtake each other or share something."
	}
	return s
}

const elasticityNote = "Elasticity: per cent of the makespan for each per cent of the parameter. Derivative: of times, seconds for each " +
	"second: how often the time is on the path; of costs per byte, the number of bytes; of rates and slow-downs, seconds for each unit."

// table shows everything that is known about each parameter.
func table(all []sensitivity.Sensitivity, noise *float64) *report.Table {
	t := &report.Table{
		Head: []string{"Parameter", "Value", "Derivative", "Elasticity", "Holds from", "to", "A tenth better", "Twice as good",
			"1.5 times as bad"},
		Words: []bool{true, false, false, false, false, false, false, false, false},
		Note: elasticityNote + " It holds from and to these changes of the parameter; below them are the elasticity outside, of today's " +
			"makespan and value, and the parameter that makes more of the path there. Twice as good: half a cost, twice a rate; 1.5 times as " +
			"bad: a cost times 1.5, a rate by 1.5." + cellNote(noise),
	}
	if report.Noisy(noise) {
		t.Note += " " + NoiseNote + "."
	}
	if head, rows := Sides(all, noise); rows != nil {
		t.Note += " " + SidesNote
		for _, row := range rows {
			t.Note += fmt.Sprintf(" %s: %s %s, %s %s.", row[0], head[1], row[1], head[2], row[2])
		}
	}
	for i := range all {
		s := &all[i]
		if Nothing(s.Slope) {
			continue
		}
		row := append(slope(s.Slope), end(&s.Down), end(&s.Up))
		if s.Below(noise) {
			dash := report.Cell{Text: report.Dash}
			row = append(row[:2], dash, report.Cell{Text: report.InCell}, dash, dash)
		}
		for _, bad := range []float64{sensitivity.TenthBetter, sensitivity.TwiceAsGood, sensitivity.HalfAgain} {
			row = append(row, report.Cell{Text: gain(s, bad, noise)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cellNote says what stands in cells of what is below the noise of the run.
func cellNote(noise *float64) string {
	if !report.Noisy(noise) {
		return ""
	}
	return " Cells with \"" + report.InCell + "\" are " + report.Below(*noise) + ", so that they may be chance."
}

// elasticity writes the elasticity of a parameter, unless what it does is below the noise of the run.
func elasticity(s *sensitivity.Sensitivity, noise *float64) string {
	if s.Below(noise) {
		return report.InCell
	}
	return Elasticity(s.Elasticity)
}

// slope writes the first columns of a row.
func slope(s results.Slope) []report.Cell {
	return []report.Cell{{Text: s.Parameter}, {Text: Value(s)}, {Text: Derivative(s)}, {Text: Elasticity(s.Elasticity)}}
}

// end writes the end of a range, and the elasticity outside it.
func end(b *sensitivity.Bound) report.Cell {
	c := report.Cell{Text: Change(b)}
	if b.Runs > 0 && !b.Open && !b.Noise {
		c.Note = "then elasticity " + Elasticity(b.Then)
		if b.Takes != "" {
			c.Note += ", by " + b.Takes
		}
	}
	return c
}

// NoiseNote says what stands in the place of the end of a range that may be chance.
const NoiseNote = "noise: chance may end the range, before the parameter moves the makespan by a thousandth"

// Change writes the end of a range as a change of the parameter.
func Change(b *sensitivity.Bound) string {
	switch {
	case b.Runs == 0:
		return report.Dash
	case b.Open && b.Factor < 1:
		return "below"
	case b.Open:
		return "above"
	case b.Noise:
		return "noise"
	}
	return percent(b.Factor - 1)
}
