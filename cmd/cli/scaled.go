package cli

import (
	"fmt"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// scaledLines say from what a run on a machine was scaled.
func scaledLines(s *results.Scaled, machine string, ranks int) []string {
	if s == nil {
		return nil
	}
	by, to := "the kernels of a trace", s.To
	if s.Step != nil {
		by = "a step of " + report.Seconds(*s.Step)
	}
	by += fmt.Sprintf(", measured on %d GPUs", s.Ranks)
	if s.Layout != "" {
		by, to = fmt.Sprintf("%s (%s, %s)", by, s.Layout, keys.Plural(int(s.Batch), "sequence")), fmt.Sprintf("%d (%s)", ranks, to)
	}
	if s.Machine != "" && s.Machine != machine {
		by, to = by+" of "+s.Machine, to+" of "+machine
	}
	text := fmt.Sprintf("Scaled from %s, to %s.", by, to)
	if s.Layout == "" {
		text += " Kernels stay as traced on any machine."
	}
	if s.Assumed {
		text += " The measured layout is that of what precedes the measurement, as workload.measured_layout does not name another."
	}
	if s.BatchAs != "" {
		text += " The measured batch is " + s.BatchAs + ", as workload.measured_batch gives no other."
	}
	return []string{text}
}

// scaledTable shows what is scaled from measurement, and what is the model's.
func scaledTable(s *results.Scaled) []report.Section {
	if s == nil {
		return nil
	}
	t := report.Section{Title: "Scaled from measurement", Note: fmt.Sprintf("Measured and model: time of a GPU on the %d GPUs that were measured. "+
		"The factor holds there and here.", s.Ranks), Table: &report.Table{Head: []string{"Part", "By", "Measured", "Model", "Factor", "Longer", ""},
		Words: []bool{true, true, false, false, false, false, true}}}
	for _, p := range s.Parts {
		row := []string{p.Name, p.By, "", "", "", "", p.Why}
		for at, v := range map[int]*float64{2: p.Measured, 3: p.Model, 5: p.Longer} {
			if v != nil {
				row[at] = report.Seconds(*v)
			}
		}
		if p.Factor > 0 {
			row[4] = fmt.Sprintf("%.3g", p.Factor)
		}
		t.Table.Rows = append(t.Table.Rows, report.Cells(row...))
	}
	return []report.Section{t}
}
