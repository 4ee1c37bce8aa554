package calibrate

import (
	"fmt"

	"overlapsim/scenarios/report"
)

// Page shows the times that were measured and the times of the machine.
func (r *Report) Page() *report.Page {
	wrong := r.Worse()
	if contradiction := r.contradiction(); contradiction != "" {
		wrong = append(wrong, contradiction)
	}
	p := &report.Page{Title: "Calibration of " + r.Name, Subtitle: r.Machine.Title, Lead: r.verdict(), Wrong: wrong, Sections: r.details()}
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
