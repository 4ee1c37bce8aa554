package calibrate

import "strings"

// CalibrationRecord is a calibration in the stable form for other programs: times in seconds, sizes
// in bytes.
type CalibrationRecord struct {
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

// QuantityRecord is a measured time by size, and the time of the machine.
type QuantityRecord struct {
	Name        string   `json:"name"`
	Sources     []string `json:"sources"`
	Breakpoints []int64  `json:"breakpoints"`
	Pieces      Pieces   `json:"pieces"`
	Errors
	TwoTimes  []Mode           `json:"two_times,omitempty"`
	Protocols []ProtocolErrors `json:"protocols,omitempty"` // if they are shown one by one
}

// Errors are the errors of a quantity.
type Errors struct {
	Fit     Residuals `json:"residuals"`
	HeldOut Residuals `json:"held_out"`
	Line    Residuals `json:"held_out_line"`       // of a straight line
	Logs    Residuals `json:"held_out_logarithms"` // of a line in logarithms from one size to the next
	Nearest Residuals `json:"held_out_nearest"`    // of the nearest size
	Repeat  Residuals `json:"repeatability"`
}

// ProtocolErrors are the errors of the messages of one protocol.
type ProtocolErrors struct {
	Protocol string `json:"protocol"`
	Errors
}

// Errors returns the errors of a quantity.
func (r *Report) Errors(q Quantity) Errors {
	return r.errors(q, func(all []Comparison) []Comparison { return all })
}

// ByProtocol returns the errors of each protocol, if they are to be shown one by one.
func (r *Report) ByProtocol(q Quantity) []ProtocolErrors {
	if r.Above == 0 || q != LateReceive {
		return nil
	}
	return []ProtocolErrors{{"eager", r.errors(q, r.EagerOnly)}, {"rendezvous", r.errors(q, r.RendezvousOnly)}}
}

// errors returns the errors of some comparisons of a quantity.
func (r *Report) errors(q Quantity, of func([]Comparison) []Comparison) Errors {
	return Errors{summarize(of(r.Against[q])), summarize(of(r.HeldOut[q])), summarize(of(r.Line[q])), summarize(of(r.Logs[q])), summarize(of(r.Nearest[q])),
		summarize(of(r.Repeat[q]))}
}

// Record returns the report as plain data.
func (r *Report) Record() *CalibrationRecord {
	record := &CalibrationRecord{Machine: r.Name, Threshold: r.Eager, Before: r.Before, Above: r.Above, Latency: r.Machine.Network.Latency.Seconds(),
		Parameters: r.Parameters, Progress: strings.Join(r.Progress(), " "), Missing: append([]string{}, r.Missing()...), Doubts: append([]string{},
			r.Doubts()...)}
	for _, q := range r.Data.Quantities() {
		record.Quantities = append(record.Quantities, r.quantity(q))
	}
	return record
}

func (r *Report) quantity(q Quantity) QuantityRecord {
	one := QuantityRecord{Name: q.String(), Sources: r.Data.Sources[q], Breakpoints: []int64{}, Pieces: r.Curves[q], Errors: r.Errors(q), TwoTimes: r.Modes[q],
		Protocols: r.ByProtocol(q)}
	for _, p := range one.Pieces[min(1, len(one.Pieces)):] {
		one.Breakpoints = append(one.Breakpoints, p.From)
	}
	return one
}
