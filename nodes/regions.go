package nodes

import (
	"errors"
	"math"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/match"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// This file runs one run on several cores. What a node does reaches no other node earlier than
// the latency L later. So the nodes are divided into regions, one for each core. The regions
// dispatch the events of a window of length L at the same time. Then they meet. The log of each
// region says what its events scheduled. Merged by time and order of scheduling, the logs give
// the order in which one core would have scheduled, and each region gets its events in that
// order. So the result is identical to the byte (docs/scaling.md).
//
// Effects on another node that take no time are not modelled here. If one happens, the run starts
// again on one core.

const (
	// fewestInRegions is the number of ranks from which several cores are tried.
	fewestInRegions = 16
	mostRegions     = 64

	// After firstWindows windows, a mean of fewer than fewInWindow events in a window is too few
	// to gain from several cores.
	firstWindows, fewInWindow = 256, 64

	fewForTwo = 512 // see splitRun

	// mostInWindow is the largest number of events in a window, unless they are all at one time.
	mostInWindow = 1 << 16
)

// errAtOnce says that a run needs one core.
var errAtOnce = errors.New("nodes of this run act on each other in no time")

// split is a run in regions.
type split struct {
	base    *cluster
	regions []*region
	of      []uint8 // region of each rank
	order   uint64  // of the last event scheduled
	end     sim.Time
	events  int // of the last window
	windows int
	cut     uint // how often the length of a window is halved
	come    int  // ranks in the barrier
	few     int  // see splitRun
}

// InRegions tells whether a run begins on several cores. Only the run itself shows whether it can
// stay on them.
func InRegions(m *machines.Machine, p programs.Program, o Options) bool {
	return o.Cores > 1 && p.Ranks() >= fewestInRegions && p.Ranks() <= math.MaxInt32 && splits(m, p, o) && promises(m, p)
}

// splitRun runs a program in regions, one on each core; ok is false if it needs one core. If
// fewer than few events wait, one core runs the window alone, because meeting the others would
// take longer than their help saves.
func splitRun(m *machines.Machine, p programs.Program, perNode int, o Options, few int) (result *results.Result, ok bool) {
	if fits(m, p.Ranks(), perNode) != nil {
		return nil, false
	}
	c, err := newCluster(m, p, perNode, o)
	if err != nil {
		return nil, false
	}
	s := newSplit(c, min(o.Cores, mostRegions))
	s.few = few
	if !s.run() {
		return nil, false
	}
	result, err = s.result()
	return result, err == nil
}

// promises tells whether the first steps of a rank contain nothing by which nodes act on each
// other in no time. If so, a run in regions rarely has to be repeated.
func promises(m *machines.Machine, p programs.Program) (good bool) {
	defer func() {
		if recover() != nil { // it happens again on one core, where it is reported
			good = false
		}
	}()
	const first = 64
	var do programs.Ops
	for step := range first {
		do = programs.Collect(do.List(), 0, nil)
		more := p.Step(0, step, &do)
		for i := range do.List() {
			if atOnce(m, p.Ranks(), &do.List()[i]) {
				return false
			}
		}
		if !more {
			break
		}
	}
	return true
}

// atOnce tells whether an operation may make nodes act on each other in no time.
func atOnce(m *machines.Machine, ranks int, op *programs.Op) bool {
	switch op.Kind {
	case programs.OpGet, programs.OpSignal:
		return true
	case programs.OpSend:
		return protocolOf(m, op) == rendezvous
	case programs.OpBarrier:
		return m.Barrier.Cost(ranks) < m.Network.Latency
	}
	return false
}

// splits tells whether everything that reaches another node in no time is a message of its own.
func splits(m *machines.Machine, p programs.Program, o Options) bool {
	_, reacts := p.(programs.Reactive)
	shown, slowed := o.Timeline || o.Critical, o.Fabric != nil || o.Calibration != nil || o.Background != 0
	worked := m.Runtime != nil || m.Copying != nil || m.Sharing != nil
	return !shown && !slowed && !worked && !reacts && o.MostEvents == 0 && m.Network.Latency > 0
}

func newSplit(c *cluster, n int) *split {
	s := &split{base: c, of: make([]uint8, len(c.ranks))}
	nodes := len(c.place.count)
	n = min(n, nodes)
	for r := range s.of {
		s.of[r] = uint8(int64(c.place.home[r]) * int64(n) / int64(nodes))
	}
	for i := range n {
		own := *c
		own.kernel, own.services = sim.NewKernel(), make([]service, len(c.services))
		if i > 0 {
			own.matching = match.NewMatching[int32](len(c.ranks))
		}
		own.region = &region{cluster: &own, split: s, number: uint8(i), soonest: sim.Forever}
		s.regions = append(s.regions, own.region)
	}
	for r := range c.ranks {
		s.resume(r, 0)
	}
	return s
}

// resume makes a rank continue at a time after the window.
func (s *split) resume(r int, at sim.Time) {
	s.base.ranks[r].wakeAt = at
	s.order++
	s.regions[s.of[r]].receive(sim.Event{At: at, Kind: evResume, Arg: uint64(r)}, s.order)
}

// run dispatches all events. It returns false if the run needs one core.
func (s *split) run() bool {
	crew := newCrew(s.regions[1:])
	defer crew.leave()
	for {
		begin, waiting := sim.Forever, 0
		for _, p := range s.regions {
			begin = min(begin, p.next())
			waiting += p.kernel.Pending() + p.incoming.n
		}
		if begin == sim.Forever {
			return true
		}
		s.end = begin + s.length()
		if s.windows++; waiting < s.few {
			for _, p := range s.regions {
				p.window()
			}
		} else {
			crew.work(s.regions[0])
		}
		if !s.meet() {
			return false
		}
	}
}

// length returns the length of the next window: L, or less if the last window had too many events
// to remember.
func (s *split) length() sim.Time {
	switch {
	case s.events > mostInWindow && s.cut < 62:
		s.cut++
	case s.events < mostInWindow/4 && s.cut > 0:
		s.cut--
	}
	return max(1, s.base.machine.Network.Latency>>s.cut)
}

// meet finds the order in which the events of the window have scheduled others. It returns false
// if the run needs one core.
func (s *split) meet() bool {
	s.events = 0
	for _, p := range s.regions {
		if p.err != nil {
			return false
		}
		s.events += p.log.n
	}
	for p := s.first(); p != nil; p = s.first() {
		s.settle(p)
	}
	for _, p := range s.regions {
		p.sent, p.sending = p.sending, p.sent
		p.log.n, p.read, p.born.n, p.sending.n = 0, 0, 0, 0
	}
	return s.long()
}

// long tells whether windows have enough events. It is asked once, after some windows.
func (s *split) long() bool {
	if s.windows != firstWindows {
		return true
	}
	var events uint64
	for _, p := range s.regions {
		events += p.kernel.Processed()
	}
	return events >= firstWindows*fewInWindow
}

// first returns the region whose next log entry comes first, or nil if there is none.
func (s *split) first() (first *region) {
	var at sim.Time
	var order uint64
	for _, p := range s.regions {
		if p.read == p.log.n {
			continue
		}
		d := p.log.at(p.read)
		number := d.order
		if number >= inWindow {
			number = p.born.at(int(number - inWindow)).Arg
		}
		if first == nil || d.at < at || d.at == at && number < order {
			first, at, order = p, d.at, number
		}
	}
	return first
}

// settle numbers the events that the next log entry of a region scheduled, and passes each to its
// region.
func (s *split) settle(p *region) {
	from, to := p.log.at(p.read).first, p.born.n
	if p.read++; p.read < p.log.n {
		to = p.log.at(p.read).first
	}
	for i := from; i < to; i++ {
		e := p.born.at(i)
		if s.order++; e.At >= s.end {
			s.regions[e.To].receive(*e, s.order)
			continue
		}
		if e.Kind == evComes {
			s.comes(e.At)
		}
		e.Arg = s.order
	}
}

// comes counts a rank that arrives at the barrier. The last one ends the barrier.
func (s *split) comes(now sim.Time) {
	if s.come++; s.come < len(s.base.ranks) {
		return
	}
	s.come = 0
	cost := s.base.machine.Barrier.Cost(len(s.base.ranks))
	s.base.leastBarrier(cost)
	for r := range s.base.ranks {
		s.resume(r, now+cost)
	}
}

// result combines what the regions have counted.
func (s *split) result() (*results.Result, error) {
	c := s.base
	for _, p := range s.regions {
		if err := p.unfinished(); err != nil {
			return nil, err
		}
		p.forget()
		c.elsewhere += p.kernel.Processed()
		c.sent += p.cluster.sent
		c.bytes += p.bytes
		c.uses = c.uses.And(p.uses)
		for i := range c.services {
			c.services[i].add(p.services[i])
		}
	}
	return c.result()
}
