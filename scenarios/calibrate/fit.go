package calibrate

import (
	"fmt"
	"sort"

	"overlapsim/scenarios/files"
)

// Fit is a machine, and how well it reproduces the measurements.
type Fit struct {
	Name       string
	Text       []byte // the machine file
	Machine    *files.Machine
	Curves     [numQuantities]Pieces // of the measured times
	Eager      int64                 // rendezvous threshold
	Before     int64                 // the largest size measured that was eager
	Above      int64                 // the next one; 0: no rendezvous was seen
	How        string                // how the threshold was found
	Step       Step                  // the largest of one-way times, if they were asked for the threshold
	Least      float64               // the least step of a rendezvous, in seconds
	Late       bool                  // late receives take longer than the one-way time leaves for an overhead
	AtOnce     bool                  // windows tell what a byte costs, and nothing whether process or NIC takes that time: both do, at once
	GapOpen    bool                  // nothing tells how much of the gap per byte passes while processes copy
	Parameters []Parameter
	Against    [numQuantities][]Comparison

	ring  ring // of GPUs; its time is a closed form
	pairs int  // of Crowd
}

// Comparison is a measured time and the machine's time, in seconds.
type Comparison struct {
	Bytes               int64
	Measured, Simulated float64
}

// Error is the relative error.
func (c Comparison) Error() float64 { return c.Simulated/c.Measured - 1 }

// newFit finds the parameters of a machine from the medians of measurements, with a
// communication library ("": the rules of LogGOPS).
//
// Below the rendezvous threshold the one-way time is L + o + p + G(s). Above it, G(s) is
// the one-way time minus the one-way time of a simulated machine whose bytes take no time. The
// overheads o and p are measured in their own calls, or assumed within what the one-way
// time and the time from message to message leave. The time of a late receive beyond its
// overhead is the cost of an unexpected message.
func newFit(d *Data, name, runtime string) (*Fit, error) {
	s := &fitting{Fit: &Fit{Name: name, pairs: d.pairs}, data: d, points: d.medians()}
	for q, all := range s.points {
		s.Curves[q] = segment(all)
	}
	s.library(runtime)
	if err := s.pipeline(); err != nil {
		return nil, err
	}
	if err := s.threshold(); err != nil {
		return nil, err
	}
	if err := s.costs(); err != nil {
		return nil, err
	}
	machine, err := s.machine()
	if err != nil {
		return nil, err
	}
	s.Machine, s.Text = machine, s.file()
	s.Parameters = s.parameters()
	return s.Fit, s.compare(s.points)
}

// costs finds what a message costs, by messages of two processes or else by a ring of GPUs.
func (s *fitting) costs() error {
	if s.data.gpusOnly() {
		s.ringMachine()
		return nil
	}
	s.overheads()
	if err := s.network(); err != nil {
		return err
	}
	if err := s.unexpectedCost(); err != nil {
		return err
	}
	return s.requestDelay()
}

// fitting is a fit in the making. Times are in seconds.
type fitting struct {
	*Fit
	data   *Data
	points [numQuantities][]Point

	base       string  // library that was given
	matching   float64 // what it spends to match a message: a part of what receives were measured to take
	inWindow   float64 // the same in a window of messages
	within     bool    // its threshold is in the gap that was measured, and is taken
	fragments  bool    // the given library copies messages that are not eager in fragments
	pipelined  bool    // and does not say what that costs
	progress   value   // who makes progress, by the collectives; unset: unknown
	send       curve
	receive    curve
	transfer   curve
	delivery   curve // beyond latency, overheads and transfer; without pieces: nothing tells
	unexpected curve
	latency    value
	gap        value
	asking     curve // how long the request of a rendezvous is held back
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
	if len(below) == 0 || len(above) == 0 {
		return segment(points)
	}
	return append(segment(below), from(f.Eager+1, segment(above))...)
}

// from returns a curve that begins at a size.
func from(bytes int64, curve Pieces) Pieces {
	curve[0].From = bytes
	return curve
}

// network finds L and G from one-way times, or G alone from windows of messages.
func (s *fitting) network() error {
	oneWay := s.points[OneWay]
	if len(oneWay) == 0 {
		s.transfer = curve{Pieces: segment(s.points[Stream]), kind: measured, source: s.data.says(Stream)}
		s.latency = value{kind: undetermined, source: "no one-way time was measured; osu_latency, IMB PingPong or NetPIPE tell"}
		return nil
	}
	below, above := s.split(oneWay)
	if len(below) == 0 { // every size measured is above the threshold
		below, above = oneWay, nil
	}
	s.latency.kind = derived
	if each := s.steady(); len(each) > 0 {
		return s.byWindows(below, above, each)
	}
	s.transfer = curve{kind: derived, source: s.data.says(OneWay) + ", less latency and overheads"}
	s.transfer.Pieces = Pieces{{}} // bytes take no time yet
	rest, err := s.left(OneWay, below)
	if err != nil {
		return err
	}
	eager := segment(rest)
	s.latency = s.latencyOf(rest, eager)
	for i := range rest {
		rest[i].Seconds -= s.latency.value
	}
	s.transfer.Pieces = segment(rest)
	s.transfer.measure(rest)
	if s.Above == 0 && s.perByte() < (1-off)*s.mostPerByte() {
		s.transfer.kind, s.GapOpen = assumed, true
		s.transfer.source += ", as if the bytes left when they are copied; the NIC may take as long as one-way times if it sends while processes copy"
	}
	return s.beyond(above)
}

// perByte is what a byte of large messages takes in the NIC, mostPerByte what it takes one way.
func (s *fitting) perByte() float64     { return s.transfer.Pieces[len(s.transfer.Pieces)-1].PerByte }
func (s *fitting) mostPerByte() float64 { return s.Curves[OneWay][len(s.Curves[OneWay])-1].PerByte }

// latencyOf is the part of the one-way time that neither overheads nor bytes explain.
func (s *fitting) latencyOf(rest []Point, eager Pieces) value {
	v := value{value: eager[0].Base, kind: derived, source: s.data.says(OneWay) + " at 0 B, less two overheads"}
	if s.send.kind == measured && (s.receive.kind == measured || s.receive.kind == derived) {
		whole := curve{Pieces: eager}
		whole.measure(rest)
		around := add(whole.band(0).base, s.send.band(0).base, s.receive.band(0).base)
		v.low, v.high = max(0, v.value-around), v.value+around
		return v
	}
	v.bounds = true
	v.low, v.high = s.latencyBounds(v.value)
	return v
}

// beyond finds G of messages above the threshold, and their delivery if windows were measured.
func (s *fitting) beyond(above []Point) error {
	if len(above) == 0 {
		return nil
	}
	tail := s.tail()
	if _, each := s.split(s.steady()); tail == &s.delivery {
		more, _ := s.occupied(each)
		s.transfer.Pieces = append(s.transfer.Pieces, from(s.Eager+1, more)...)
	}
	eager, at := *tail, above
	if tail == &s.delivery {
		at = inBetween(above)
	}
	tail.Pieces = append(tail.Pieces, Piece{From: s.Eager + 1})
	rest, err := s.left(OneWay, at)
	if err != nil {
		return err
	}
	s.above(eager, rest)
	return nil
}

// tail is what takes the time of messages above the threshold that nothing else explains: their delivery if
// windows tell how long they occupy the NIC and they are not cut into fragments, otherwise G.
func (s *fitting) tail() *curve {
	if _, each := s.split(s.steady()); len(each) > 0 && s.delivery.Pieces != nil && !s.fragments {
		return &s.delivery
	}
	return &s.transfer
}

// above continues the tail of eager messages with the tail of others.
func (s *fitting) above(eager curve, rest []Point) {
	if tail := s.tail(); tail == &s.delivery {
		*tail = eager
		s.deliver(s.Eager+1, rest)
		return
	}
	more := curve{Pieces: from(s.Eager+1, segment(rest))}
	more.measure(rest)
	s.transfer = eager
	s.transfer.Pieces = append(s.transfer.Pieces, more.Pieces...)
	s.transfer.bands = append(s.transfer.bands, more.bands...)
}

// eagerOnly is a curve of the eager messages.
func (s *fitting) eagerOnly(c curve) curve {
	eager := sort.Search(len(c.Pieces), func(i int) bool { return c.Pieces[i].From > s.Eager })
	c.Pieces, c.bands = c.Pieces[:eager:eager], c.bands[:min(eager, len(c.bands))]
	return c
}

// left is what a quantity has beyond the machine so far, without the costs of its library. It may be negative.
func (s *fitting) left(q Quantity, points []Point) ([]Point, error) {
	m, err := s.machine()
	if err != nil {
		return nil, err
	}
	rest := make([]Point, len(points))
	for i, p := range points {
		t, err := simulate(m.Machine, q, p.Bytes)
		if err != nil {
			return nil, err
		}
		rest[i] = Point{p.Bytes, p.Seconds - t.Seconds(), p.Seconds}
	}
	return rest, nil
}

// machine reads the file as it is so far.
func (s *fitting) machine() (*files.Machine, error) {
	m, err := files.ReadMachine(s.Name, s.file())
	if err != nil {
		return nil, fmt.Errorf("the fit gave no machine: %w", err)
	}
	return m, nil
}

// compare simulates the measurements.
func (f *Fit) compare(points [numQuantities][]Point) error {
	for q := range numQuantities {
		for _, p := range points[q] {
			simulated, err := f.time(q, p.Bytes)
			if err != nil {
				return err
			}
			f.Against[q] = append(f.Against[q], Comparison{p.Bytes, p.Seconds, simulated})
		}
	}
	return nil
}

// time returns a quantity of the machine, in seconds.
func (f *Fit) time(q Quantity, bytes int64) (float64, error) {
	switch q {
	case Collective:
		return f.collective(bytes), nil
	case Crowd:
		return crowded(f.Machine.Machine, f.pairs, bytes)
	}
	t, err := simulate(f.Machine.Machine, q, bytes)
	return t.Seconds(), err
}
