package gradient

import (
	"math"

	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
)

// KeysNote says what the table of keys has.
const KeysNote = "Elasticity: per cent of the makespan for each per cent of the key, between both. Keys that change nothing are omitted."

// OfKey writes the elasticity of a key, unless the difference that it is made of is below the noise of the run.
func OfKey(c *sensitivity.Change, found sensitivity.Keys) string {
	both := c.Smaller != nil && c.Larger != nil
	if c.Below || both && report.BelowNoise((c.Larger.Makespan-c.Smaller.Makespan)/found.Makespan, found.Noise.Part) {
		return report.InCell
	}
	return Elasticity(c.Elasticity)
}

// OnGPUs is the section on the critical path of a run on GPUs, and on the keys that its makespan depends on.
func OnGPUs(o *outcomes.Outcome, found sensitivity.Keys) report.Section {
	s := report.Section{Title: "What the makespan depends on", Note: pathNote(o), Figures: []report.Figure{shares(o)},
		Table: &report.Table{Head: []string{"Key", "Smaller", "Makespan", "Larger", "Makespan", "Elasticity"},
			Words: []bool{true, false, false, false, false, false}, Note: KeysNote + cellNote(found.Noise.Part)}}
	var swings []report.Swing
	for _, c := range found.Changes {
		row, swing := []report.Cell{{Text: c.Path}}, report.Swing{Name: c.Path, Low: []float64{0}, High: []float64{0}}
		for _, r := range []*sensitivity.Rerun{c.Smaller, c.Larger} {
			if r == nil {
				row = append(row, report.Cell{Text: report.Dash}, report.Cell{Text: "not possible"})
				continue
			}
			part := r.Makespan/found.Makespan - 1
			drawn := 100 * above(found.Noise.Part, part)
			swing.Low[0], swing.High[0] = min(swing.Low[0], drawn), max(swing.High[0], drawn)
			row = append(row, report.Cell{Text: r.Value}, report.Cell{Text: told(part, found.Noise.Part)})
		}
		s.Table.Rows = append(s.Table.Rows, append(row, report.Cell{Text: OfKey(&c, found)}))
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
