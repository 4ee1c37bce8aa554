package calibrate

// Record is a calibration in the stable form for other programs: times in seconds, sizes
// in bytes.
type Record struct {
	Machine    string           `json:"machine"`
	Threshold  int64            `json:"rendezvous_threshold"` // 0: none was seen
	Before     int64            `json:"largest_eager"`
	Above      int64            `json:"smallest_rendezvous"`
	Latency    float64          `json:"latency_s"`
	Parameters []Parameter      `json:"parameters"`
	Quantities []QuantityRecord `json:"quantities"`
	Progress   string           `json:"progress,omitempty"`
	Missing    []string         `json:"not_determined"`
	Doubts     []string         `json:"does_not_fit"`
}

// QuantityRecord is a measured time by size, and that of the machine.
type QuantityRecord struct {
	Name        string        `json:"name"`
	Sources     []string      `json:"sources"`
	Breakpoints []int64       `json:"breakpoints"`
	Pieces      []PieceRecord `json:"pieces"`
	Residuals   Residuals     `json:"residuals"`
	HeldOut     Residuals     `json:"held_out"`
	Line        Residuals     `json:"held_out_line"`    // of a straight line
	Nearest     Residuals     `json:"held_out_nearest"` // of the nearest size
	Repeat      Residuals     `json:"repeatability"`
	TwoTimes    []Mode        `json:"two_times,omitempty"`
}

// PieceRecord is a straight part of a measured curve.
type PieceRecord struct {
	From    int64   `json:"from"`
	Time    float64 `json:"time_s"`
	PerByte float64 `json:"per_byte_s"`
}

// Record returns the report as plain data.
func (r *Report) Record() *Record {
	record := &Record{Machine: r.Name, Threshold: r.Eager, Before: r.Before, Above: r.Above, Latency: r.Machine.Network.Latency.Seconds(),
		Parameters: r.Parameters, Progress: r.Data.Progress(), Missing: r.Missing(), Doubts: r.Doubts()}
	for _, q := range r.Data.Quantities() {
		record.Quantities = append(record.Quantities, r.quantity(q))
	}
	return record
}

func (r *Report) quantity(q Quantity) QuantityRecord {
	one := QuantityRecord{Name: q.String(), Sources: r.Data.Sources[q], Breakpoints: []int64{}, Residuals: Summarize(r.Against[q]),
		HeldOut: Summarize(r.HeldOut[q]), Line: Summarize(r.Line[q]), Nearest: Summarize(r.Nearest[q]), Repeat: Summarize(r.Repeat[q]),
		TwoTimes: r.Modes[q]}
	for i, p := range r.Curves[q] {
		one.Pieces = append(one.Pieces, PieceRecord{p.From, p.Base, p.PerByte})
		if i > 0 {
			one.Breakpoints = append(one.Breakpoints, p.From)
		}
	}
	return one
}
