package calibrate

import (
	"math"
	"slices"

	"overlapsim/scenarios/calibrate/outputs"
)

// Quantity is a time that is measured by message size.
type Quantity uint8

// The quantities. The first three give the parameters. The next ones bound the parameters
// that these leave open.
const (
	SendCPU Quantity = iota // CPU time of MPI_Isend
	LateReceive
	OneWay
	Stream      // from message to message, of a window
	Crowd       // the same of all pairs together, several at once
	Successive  // the same, of a few sent one after the other
	BothStreams // the same, while as many come the other way
	PingPing    // one message each way at once
	Exchange    // two messages each way at once
	Collective  // of GPUs
	numQuantities
)

// traits are the properties of a quantity.
type traits struct {
	name   string
	test   outputs.Test
	column string // what a source says
}

var quantities = [numQuantities]traits{
	SendCPU:     {"Isend CPU time", outputs.Sends, "the CPU time of MPI_Isend"},
	LateReceive: {"late receive", outputs.LateRecvs, "receives of messages that were there"},
	OneWay:      {"one-way time", outputs.PingPong, "one-way times"},
	Stream:      {"windows of messages", outputs.Stream, "time from message to message in a window"},
	Crowd:       {"windows of several pairs", outputs.Stream, "time from message to message of several pairs at once"},
	Successive:  {"successive messages", outputs.Successive, "time from message to message"},
	BothStreams: {"windows both ways", outputs.BothStreams, "time from message to message, both ways"},
	PingPing:    {"one message each way", outputs.PingPing, "times of one message each way"},
	Exchange:    {"two messages each way", outputs.Exchange, "times of two messages each way"},
	Collective:  {"collective of GPUs", outputs.Collective, "times of a collective"},
}

func (q Quantity) String() string { return quantities[q].name }

// Quantities returns those that were measured.
func (d *Data) Quantities() (all []Quantity) {
	for q, s := range d.Samples {
		if len(s.Medians()) > 0 {
			all = append(all, Quantity(q))
		}
	}
	return all
}

// quantity returns what a test measures.
func quantity(test outputs.Test) (Quantity, bool) {
	i := slices.IndexFunc(quantities[:], func(t traits) bool { return t.test == test })
	return Quantity(max(i, 0)), i >= 0
}

// Samples are the times in seconds of each size, in the order of the files.
type Samples map[int64][]float64

// Medians returns the median time of each size, in ascending order of size, except sizes
// whose median is too short for the clock (0).
func (s Samples) Medians() []Point {
	var points []Point
	for b, times := range s {
		if t := median(times); t > 0 {
			points = append(points, Point{Bytes: b, Seconds: t})
		}
	}
	slices.SortFunc(points, func(a, b Point) int { return int(a.Bytes - b.Bytes) })
	return points
}

// median returns the middle of the times, 0 of none.
func median(times []float64) float64 {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// smallest is the time of the smallest size.
func smallest(points []Point) float64 {
	if len(points) == 0 {
		return math.NaN()
	}
	return points[0].Seconds
}
