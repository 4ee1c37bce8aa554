package calibrate

import (
	"fmt"
	"slices"
	"sort"

	"overlapsim/scenarios/files"
)

// Fit is a machine, and how well it reproduces the measurements.
type Fit struct {
	Name    string
	Text    []byte // the machine file
	Machine *files.Machine
	Curves  [numQuantities]Pieces // of the measured times
	Eager   int64                 // rendezvous threshold
	Before  int64                 // the largest size measured that was eager
	Above   int64                 // the next one; 0: no rendezvous was seen
	Against [numQuantities][]Comparison
}

// Comparison is a measured time and the machine's time, in seconds.
type Comparison struct {
	Bytes               int64
	Measured, Simulated float64
}

// Error is the relative error.
func (c Comparison) Error() float64 { return c.Simulated/c.Measured - 1 }

// New finds the parameters of a machine from the medians of measurements, with
// a communication library ("": the rules of LogGOPS).
//
// The rendezvous threshold is where the late receive, fitted by straight pieces, jumps to about the
// one-way time. Below it the late receive is the overhead of a receive, and the one-way time is L + o
// + o + G(s). Above it, G(s) is the one-way time minus that of a simulated machine whose bytes take no
// time.
func New(d *Data, name, runtime string) (*Fit, error) {
	f := &Fit{Name: name}
	points := d.medians()
	f.Curves[LateReceive], f.Curves[OneWay] = Segment(points[LateReceive]), Segment(points[OneWay])
	f.threshold(points[LateReceive], points[OneWay])
	for q, all := range points {
		if below, above := f.split(all); len(below) == 0 || f.Above > 0 && len(above) == 0 {
			return nil, fmt.Errorf("%s: no size on each side of the rendezvous threshold, between %d and %d B", Quantity(q), f.Before, f.Above)
		}
	}
	f.Curves[SendCPU] = f.regimes(points[SendCPU])
	p := params{name: name, runtime: runtime, files: d.Files, eager: f.Eager, before: f.Before, above: f.Above, send: f.Curves[SendCPU]}
	below, above := f.split(points[LateReceive])
	p.receive = Segment(below)
	if f.Above > 0 {
		p.receive = append(p.receive, Piece{From: f.Eager + 1, Base: p.receive.At(0)})
		f.Curves[LateReceive] = append(slices.Clone(p.receive[:len(p.receive)-1]), from(f.Eager+1, Segment(above))...)
	}
	if err := p.network(f, points[OneWay]); err != nil {
		return nil, err
	}
	f.Text = p.file()
	var err error
	if f.Machine, err = files.ReadMachine(name, f.Text); err != nil {
		return nil, fmt.Errorf("the fit gave no machine: %w", err)
	}
	return f, f.compare(points)
}

// present divides late receives by their part of the one-way time. That of an eager
// message takes less, as its bytes are there already. That of a rendezvous takes more, as
// its bytes only leave then.
const present = 0.5

// threshold finds the largest eager size: where the late receive has its largest jump,
// from below present to above it.
func (f *Fit) threshold(late, oneWay []Point) {
	curve, whole, highest := f.Curves[LateReceive], f.Curves[OneWay], 0.0
	for i := 1; i < len(curve); i++ {
		at := curve[i].From
		before, after := curve[i-1].time(at), curve[i].time(at)
		if way := whole.At(at); before < present*way && after > present*way && after/before > highest {
			highest, f.Above = after/before, at
		}
	}
	if f.Above > 0 {
		first := sort.Search(len(late), func(i int) bool { return late[i].Bytes >= f.Above })
		f.Before = late[first-1].Bytes
		f.Eager = between(f.Before, f.Above)
	}
}

// between returns a size in the gap between the last eager size and the first other one:
// the multiple of the highest power of two, since libraries choose such limits.
func between(before, above int64) int64 {
	for step := int64(1) << 62; ; step /= 2 {
		if last := (above - 1) / step * step; last >= before {
			return last
		}
	}
}

// split cuts points at the threshold.
func (f *Fit) split(points []Point) (eager, rendezvous []Point) {
	if f.Above == 0 {
		return points, nil
	}
	i := sort.Search(len(points), func(i int) bool { return points[i].Bytes > f.Eager })
	return points[:i], points[i:]
}

// regimes fits eager and other messages separately.
func (f *Fit) regimes(points []Point) Pieces {
	below, above := f.split(points)
	if above == nil {
		return Segment(below)
	}
	return append(Segment(below), from(f.Eager+1, Segment(above))...)
}

// from makes a curve begin at a size.
func from(bytes int64, curve Pieces) Pieces {
	curve[0].From = bytes
	return curve
}

// compare simulates the measurements.
func (f *Fit) compare(points [numQuantities][]Point) error {
	for q := range numQuantities {
		for _, p := range points[q] {
			simulated, err := simulate(f.Machine.Machine, q, p.Bytes)
			if err != nil {
				return err
			}
			f.Against[q] = append(f.Against[q], Comparison{p.Bytes, p.Seconds, simulated.Seconds()})
		}
	}
	return nil
}

// Half returns the measurements of every other size.
func (d *Data) Half(second bool) *Data {
	half := &Data{Files: d.Files}
	for q, s := range d.Samples {
		half.Samples[q] = Samples{}
		for i, p := range s.Medians() {
			if i%2 == 1 == second {
				half.Samples[q][p.Bytes] = s[p.Bytes]
			}
		}
	}
	return half
}

// medians returns the medians of every quantity.
func (d *Data) medians() (points [numQuantities][]Point) {
	for q, s := range d.Samples {
		points[q] = s.Medians()
	}
	return points
}
