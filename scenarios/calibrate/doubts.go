package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"overlapsim/scenarios/keys"
)

// off is the smallest residual of a size that is reported.
const off = 0.1

// mostDoubts is the largest number of ranges of sizes that are named for a quantity.
const mostDoubts = 3

// stretch is a range of sizes at which the machine is off.
type stretch struct {
	points []Comparison
	weight float64 // sum of the residuals
}

// Doubts says in words where the machine does not fit, and why.
func (r *Report) Doubts() (all []string) {
	if contradiction := r.contradiction(); contradiction != "" {
		all = append(all, contradiction)
	}
	all = append(append(all, r.Data.disagreements()...), r.Data.limit.doubts()...)
	for _, q := range r.Data.Quantities() {
		stretches := r.stretches(q)
		slices.SortStableFunc(stretches, func(a, b stretch) int { return cmp.Compare(b.weight, a.weight) })
		shown := stretches[:min(mostDoubts, len(stretches))]
		slices.SortFunc(shown, func(a, b stretch) int { return cmp.Compare(a.points[0].Bytes, b.points[0].Bytes) })
		for _, s := range shown {
			all = append(all, r.doubt(q, s))
		}
		if len(shown) < len(stretches) {
			all = append(all, fmt.Sprintf("%s: %d of %d sizes are off by more than %.0f %%, the most in these ranges; --html shows all.",
				keys.Capital(q.String()), r.off(q), len(r.Against[q]), 100*off))
		}
	}
	return all
}

// off counts the sizes at which the machine is off.
func (r *Report) off(q Quantity) (n int) {
	for _, c := range r.Against[q] {
		if math.Abs(c.Error()) > off {
			n++
		}
	}
	return n
}

// stretches are the ranges of sizes that are off in one direction. A size or two in between may fit.
func (r *Report) stretches(q Quantity) (all []stretch) {
	var now stretch
	between := 0
	for _, c := range r.Against[q] {
		e := c.Error()
		switch {
		case math.Abs(e) <= off:
			if between++; between <= 2 || now.points == nil {
				continue
			}
		case now.points == nil || now.points[0].Error() > 0 == (e > 0):
			now.points, now.weight, between = append(now.points, c), now.weight+math.Abs(e), 0
			continue
		}
		if all = append(all, now); math.Abs(e) > off {
			now = stretch{[]Comparison{c}, math.Abs(e)}
		} else {
			now = stretch{}
		}
		between = 0
	}
	if now.points != nil {
		all = append(all, now)
	}
	return all
}

// doubt is a sentence about a range.
func (r *Report) doubt(q Quantity, s stretch) string {
	first, last := s.points[0], s.points[len(s.points)-1]
	where := fmt.Sprintf("from %s to %s", keys.FormatBytes(first.Bytes), keys.FormatBytes(last.Bytes))
	if first.Bytes == last.Bytes {
		where = "at " + keys.FormatBytes(first.Bytes)
	}
	errors := make([]float64, len(s.points))
	for i, c := range s.points {
		errors[i] = math.Abs(c.Error())
	}
	direction := "longer"
	if first.Error() < 0 {
		direction = "shorter"
	}
	by := fmt.Sprintf("%.0f %% %s", 100*median(errors), direction)
	if len(s.points) > 1 {
		by += fmt.Sprintf(" in the median of %d sizes", len(s.points))
	}
	return fmt.Sprintf("%s %s: the machine's is %s. %s", keys.Capital(q.String()), where, by, r.reason(q, s))
}

// reason is the first cause that applies.
func (r *Report) reason(q Quantity, s stretch) string {
	first, last := s.points[0].Bytes, s.points[len(s.points)-1].Bytes
	for _, m := range r.Modes[q] {
		if m.From <= last && first <= m.To {
			return "Messages take either of two times there, so that the median is now one, now the other; a machine has one time for a size."
		}
	}
	if scatter := r.scatter(q, s); scatter > off {
		return fmt.Sprintf("The calls themselves scatter: one half of them differs from the other by %.0f %%; more calls of each size would "+
			"tell.",
			100*scatter)
	}
	if r.alternates(q, first, last) {
		return "Neighbouring sizes take either of two times; no curve of the size follows that."
	}
	return r.cause(q, s)
}

// alternates tells whether the residuals of the sizes around a range fall into two groups.
func (r *Report) alternates(q Quantity, first, last int64) bool {
	var ratios []float64
	for _, c := range r.Against[q] {
		if c.Bytes > first/2 && c.Bytes < 2*last {
			ratios = append(ratios, c.Measured/c.Simulated)
		}
	}
	_, _, _, ok := two(ratios)
	return ok
}

// scatter is the median difference of one half of the calls from the other.
func (r *Report) scatter(q Quantity, s stretch) float64 {
	here := Samples{}
	for _, c := range s.points {
		here[c.Bytes] = r.Data.Samples[q][c.Bytes]
	}
	return summarize(here.repeat()).Median
}

// cause is an effect in a quantity that the model does not have.
func (r *Report) cause(q Quantity, s stretch) string {
	short, above := s.points[0].Error() < 0, r.Above > 0 && s.points[0].Bytes > r.Eager
	switch {
	case q == Collective:
		return "The library changes its algorithm or protocol there; the machine has one ring."
	case q == Stream || q == Successive || q == Crowd:
		if short {
			return "Messages that follow each other wait for something that one alone does not, such as copies or room in a buffer; it is not " +
				"in the fit."
		}
		return "Messages of a window overlap in parts of the way that the model takes for one NIC; it was fitted to messages alone."
	case q == BothStreams || q == PingPing || q == Exchange:
		if short {
			return "Messages of both directions share something, such as a bus, memory or the CPU; the model keeps directions apart. In shared " +
				"memory it is the CPUs, if they copy in and out: --runtime openmpi-4.1-shm-copies is such a library."
		}
		return "Both directions together are faster than the model's one NIC and CPU; it was fitted to messages alone."
	case q == LateReceive && above:
		return "Above the threshold only one number of the late receive is in the fit, the delay of requests; the rest depends on the protocol of the " +
			"library; --runtime names one."
	case q == SendCPU && above:
		return "Above the threshold MPI_Isend costs what the library says, o(0)."
	}
	return "The times change too much from size to size for straight pieces; more sizes there would tell more."
}
