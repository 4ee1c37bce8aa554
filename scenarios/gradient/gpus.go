package gradient

import (
	"math"

	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
)

// KeysNote says what the table of keys has.
const KeysNote = "Elasticity: per cent of the makespan for each per cent of the key, between both. Keys that change nothing are left out."

// OnGPUs is the section on the critical path of a run on GPUs, and on the keys that its makespan depends on.
func OnGPUs(o *outcomes.Outcome, found sensitivity.Keys) report.Section {
	s := report.Section{Title: "What the makespan depends on", Note: pathNote(o), Figures: []report.Figure{shares(o)},
		Table: &report.Table{Head: []string{"Key", "Smaller", "Makespan", "Larger", "Makespan", "Elasticity"},
			Words: []bool{true, false, false, false, false, false}, Note: KeysNote}}
	var swings []report.Swing
	for _, c := range found.Changes {
		row, swing := []report.Cell{{Text: c.Path}}, report.Swing{Name: c.Path, Low: []float64{0}, High: []float64{0}}
		for _, r := range []*sensitivity.Rerun{c.Smaller, c.Larger} {
			if r == nil {
				row = append(row, report.Cell{Text: report.Dash}, report.Cell{Text: "not possible"})
				continue
			}
			part := r.Makespan/found.Makespan - 1
			swing.Low[0], swing.High[0] = min(swing.Low[0], 100*part), max(swing.High[0], 100*part)
			row = append(row, report.Cell{Text: r.Value}, report.Cell{Text: percent(part)})
		}
		s.Table.Rows = append(s.Table.Rows, append(row, report.Cell{Text: Elasticity(c.Elasticity)}))
		if math.Abs(swing.Low[0])+math.Abs(swing.High[0]) >= 100*leastSwing && len(swings) < mostSwings {
			swings = append(swings, swing)
		}
	}
	if swings != nil {
		side := func(name string) []report.Part { return []report.Part{{Name: name, Color: holds}} }
		s.Figures = append(s.Figures, report.Tornado(report.Bars{Title: "What moves the makespan most", Unit: "%",
			Note: "Each key about a tenth smaller and larger, in re-runs."}, side("re-runs"), side("re-runs"), swings))
	}
	return s
}
