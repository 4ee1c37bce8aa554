package calibrate

import (
	"fmt"

	"overlapsim/scenarios/report"
)

// Quantities returns all quantities.
func Quantities() []Quantity { return []Quantity{SendCPU, LateReceive, OneWay} }

// Record is a calibration in the stable form for other programs: times in seconds, sizes
// in bytes.
type Record struct {
	Machine    string           `json:"machine"`
	Threshold  int64            `json:"rendezvous_threshold"` // 0: none was seen
	Before     int64            `json:"largest_eager"`
	Above      int64            `json:"smallest_rendezvous"`
	Latency    float64          `json:"latency_s"`
	Quantities []QuantityRecord `json:"quantities"`
}

// QuantityRecord is a measured time by size, and that of the machine.
type QuantityRecord struct {
	Name        string        `json:"name"`
	Breakpoints []int64       `json:"breakpoints"`
	Pieces      []PieceRecord `json:"pieces"`
	Residuals   Residuals     `json:"residuals"`
	HeldOut     Residuals     `json:"held_out"`
	Repeat      Residuals     `json:"repeatability"`
}

// PieceRecord is a straight part of a measured curve.
type PieceRecord struct {
	From    int64   `json:"from"`
	Time    float64 `json:"time_s"`
	PerByte float64 `json:"per_byte_s"`
}

// Record returns the report as plain data.
func (r *Report) Record() *Record {
	record := &Record{Machine: r.Name, Threshold: r.Eager, Before: r.Before, Above: r.Above, Latency: r.Machine.Network.Latency.Seconds()}
	for _, q := range Quantities() {
		one := QuantityRecord{Name: q.String(), Breakpoints: []int64{}, Residuals: Summarize(r.Against[q]), HeldOut: Summarize(r.HeldOut[q]),
			Repeat: r.Repeat[q]}
		for i, p := range r.Curves[q] {
			one.Pieces = append(one.Pieces, PieceRecord{p.From, p.Base, p.PerByte})
			if i > 0 {
				one.Breakpoints = append(one.Breakpoints, p.From)
			}
		}
		record.Quantities = append(record.Quantities, one)
	}
	return record
}

// Page shows the times that were measured and those of the machine.
func (r *Report) Page() *report.Page {
	p := &report.Page{Title: "Calibration of " + r.Name, Subtitle: r.Machine.Title}
	for _, q := range Quantities() {
		c := &report.Curves{
			Title: q.String(), XName: "message size", XUnit: "B", YUnit: "s", XLog: true, YLog: true,
			Note: fmt.Sprintf("relative error: median %.1f %%, 9 sizes in 10 within %.1f %%", 100*Summarize(r.Against[q]).Median,
				100*Summarize(r.Against[q]).Tenth),
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
