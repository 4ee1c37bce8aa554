package calibrate

import (
	"fmt"

	"overlapsim/scenarios/report"
)

// Page shows the times that were measured and those of the machine.
func (r *Report) Page() *report.Page {
	p := &report.Page{Title: "Calibration of " + r.Name, Subtitle: r.Machine.Title, Warnings: r.Worse(), First: []report.Section{r.table()}}
	for _, words := range []struct {
		title string
		lines []string
	}{{"Not determined, and what would tell", r.Missing()}, {"Where the machine does not fit", r.Doubts()}} {
		if len(words.lines) > 0 {
			s := report.Section{Title: words.title, Table: &report.Table{Head: []string{""}, Words: []bool{true}}}
			for _, line := range words.lines {
				s.Table.Rows = append(s.Table.Rows, []report.Cell{{Text: line}})
			}
			p.First = append(p.First, s)
		}
	}
	for _, q := range r.Data.Quantities() {
		c := &report.Curves{
			Title: q.String(), XName: "message size", XUnit: "B", YUnit: "s", XLog: true, YLog: true,
			Note: fmt.Sprintf("relative error: median %.1f %%, 9 sizes in 10 within %.1f %%", 100*summarize(r.Against[q]).Median,
				100*summarize(r.Against[q]).Tenth),
		}
		measured, simulated := report.Curve{Name: "measured, median", Dashed: true}, report.Curve{Name: "simulated"}
		for _, point := range r.Against[q] {
			x := float64(point.Bytes)
			measured.X, measured.Y = append(measured.X, x), append(measured.Y, point.Measured)
			simulated.X, simulated.Y = append(simulated.X, x), append(simulated.Y, point.Simulated)
		}
		c.Curves = []report.Curve{measured, simulated}
		p.Figures = append(p.Figures, c)
	}
	return p
}

// table shows the parameters.
func (r *Report) table() report.Section {
	t := &report.Table{Head: []string{"Parameter", "Value", "Low", "High", "Low to high", "How"},
		Words: []bool{true, false, false, false, true, true}}
	for i := range r.Parameters {
		var cells []report.Cell
		for _, text := range r.Parameters[i].Row() {
			cells = append(cells, report.Cell{Text: text})
		}
		cells[0].Note = r.Parameters[i].Source
		t.Rows = append(t.Rows, cells)
	}
	return report.Section{Title: "Parameters", Table: t}
}
