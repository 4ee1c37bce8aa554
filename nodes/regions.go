package nodes

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"sync"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// This file runs one run on several cores. What a node does reaches no other node earlier than
// the latency L later. Therefore the nodes are divided into regions, one for each core. The regions
// dispatch the events of a window of length L at the same time. Then they meet. The log of each
// region says what its events scheduled. Merged by time and order of scheduling, the logs give
// the order in which one core would have scheduled, and each region gets its events in that
// order. Therefore the result is identical to the byte (docs/contributing/internals.md).
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
var errNeedsOneCore = errors.New("nodes of this run act on each other in no time")

// split is a run in regions.
type split struct {
	base    *cluster
	regions []*region
	of      []uint8 // region of each rank
	end     sim.Time
	batches []batch  // what the last window scheduled, in the order of one core
	taken   uint64   // order of the first of it
	order   uint64   // of the next event scheduled
	exit    sim.Time // when all ranks leave the barrier; Forever: they do not
	events  int      // of the last window
	windows int
	cut     uint // how often the length of a window is halved
	arrived int  // ranks in the barrier
	few     int  // see splitRun
}

// batch is what a region scheduled for later windows between two events of other regions.
type batch struct {
	end    uint32 // in region.later
	region uint8
}

// all stands for the events by which all ranks leave the barrier.
const all = mostRegions

// InRegions tells whether a run begins on several cores. Only the run itself shows whether it can
// stay on them.
func InRegions(m *machines.Machine, p programs.Program, o Options) bool {
	return o.Cores > 1 && p.Ranks() >= fewestInRegions && p.Ranks() <= math.MaxInt32 && splits(m, p, o) && likelyParallel(m, p)
}

// runInRegions runs a program in regions, one on each core; ok is false if it needs one core. If
// fewer than few events wait, one core runs the window alone, because meeting the others would
// take longer than their help saves.
func runInRegions(m *machines.Machine, p programs.Program, perNode int, o Options, few int) (result *results.Result, ok bool) {
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

// likelyParallel tells whether the first steps of a rank contain nothing by which nodes act on each
// other in no time. If so, a run in regions rarely has to be repeated.
func likelyParallel(m *machines.Machine, p programs.Program) (good bool) {
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
			if actsInstantly(m, p.Ranks(), &do.List()[i]) {
				return false
			}
		}
		if !more {
			break
		}
	}
	return true
}

// actsInstantly tells whether an operation may make nodes act on each other in no time.
func actsInstantly(m *machines.Machine, ranks int, op *programs.Op) bool {
	switch op.Kind {
	case programs.OpGet, programs.OpSignal, programs.OpStart:
		return true
	case programs.OpSend:
		return protocolOf(m, op) == rendezvous
	case programs.OpBarrier:
		return m.Barrier.Cost(ranks, ranks) < m.Network.Latency
	}
	return false
}

// splits tells whether everything that reaches another node in no time is a separate message.
func splits(m *machines.Machine, p programs.Program, o Options) bool {
	_, reacts := p.(programs.Reactive)
	shown, slowed := o.Timeline || o.Critical, o.Fabric != nil || o.Calibration != nil || o.Background != 0
	worked := m.Runtime != nil || m.Copying != nil || m.Sharing != nil
	return !shown && !slowed && !worked && !reacts && o.MostEvents == 0 && m.Network.Latency > 0
}

func newSplit(c *cluster, n int) *split {
	s := &split{base: c, of: make([]uint8, len(c.ranks)), batches: []batch{{region: all}}}
	nodes := len(c.place.count)
	n = min(n, nodes)
	for r := range s.of {
		s.of[r] = uint8(int64(c.place.home[r]) * int64(n) / int64(nodes))
	}
	for i := range n {
		own := *c
		own.kernel, own.matching, own.charge.prices = sim.NewKernel(), c.matching.Beside(), slices.Clone(c.charge.prices)
		own.region = &region{
			cluster: &own, split: s, number: uint8(i), soonest: sim.Forever, sending: [2][]outbox{make([]outbox, n), make([]outbox, n)},
		}
		s.regions = append(s.regions, own.region)
	}
	if len(s.of) > mostInWindow { // any window may hold an event of each rank
		s.cut = uint(bits.Len64(uint64(c.machine.Network.Latency)))
	}
	return s
}

// run dispatches all events. It returns false if the run needs one core.
func (s *split) run() bool {
	workers := newRegionWorkers(s.regions[1:])
	defer workers.stop()
	for {
		begin, waiting := s.exit, 0
		if begin != sim.Forever {
			waiting = len(s.of)
		}
		for _, p := range s.regions {
			begin = min(begin, p.soonest)
			waiting += p.waiting()
		}
		if begin == sim.Forever {
			return true
		}
		s.end = begin + s.length()
		s.windows++
		if waiting >= s.few {
			workers.runWindow(s.regions)
		} else {
			for _, p := range s.regions {
				p.window()
			}
		}
		if !s.mergeWindow() {
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

// mergeWindow finds the order in which the events of the window have scheduled others. It returns false
// if the run needs one core.
func (s *split) mergeWindow() bool {
	s.events, s.exit, s.taken = 0, sim.Forever, s.order
	for _, p := range s.regions {
		if p.err != nil || uint64(p.later.n) > math.MaxUint32 {
			return false
		}
		s.events += p.log.n
		s.order += uint64(p.later.n)
	}
	s.merge()
	s.leaveBarrier()
	for _, p := range s.regions {
		p.log.n, p.read, p.sameWindow.n = 0, 0, 0
	}
	return s.long()
}

// long tells whether windows have enough events. It is called once, after some windows.
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

// merge brings the logs into the order of one core.
func (s *split) merge() {
	s.batches = s.batches[:0]
	order := inWindow
	for p, rival := s.first(); p != nil; p, rival = s.first() {
		from := p.read
		p.read = p.before(rival)
		order = p.settle(from, order)
		s.batches = append(s.batches, batch{p.laterBefore(p.read), p.number})
	}
}

// leaveBarrier makes all ranks leave the barrier if the last one has come. Nothing is scheduled between
// that and when they leave.
func (s *split) leaveBarrier() {
	last := sim.Time(0)
	for _, p := range s.regions {
		s.arrived += p.arrived
		last = max(last, p.lastArrival)
		p.arrived = 0
	}
	if s.arrived < len(s.of) {
		return
	}
	s.arrived = 0
	cost := s.base.barrierCost()
	s.base.leastBarrier(cost)
	s.exit = last + cost
	s.order += uint64(len(s.of))
	s.batches = append(s.batches, batch{region: all})
}

// first returns the region whose next log entry comes first, and the turn of the first entry of
// the others. The region is nil if no entry is left.
func (s *split) first() (first *region, rival turn) {
	mine := lastTurn
	rival = lastTurn
	for _, p := range s.regions {
		if p.read == p.log.n {
			continue
		}
		if at := p.turn(p.read); at.before(mine) {
			first, mine, rival = p, at, mine
		} else if at.before(rival) {
			rival = at
		}
	}
	return first, rival
}

// turn is the place of an event in the order of one core.
type turn struct {
	at    sim.Time
	order uint64
}

var lastTurn = turn{sim.Forever, unknown}

func (a turn) before(b turn) bool { return a.at < b.at || a.at == b.at && a.order < b.order }

// turn returns the turn of a log entry. If its order is unknown, entries whose order is known
// come before it.
func (p *region) turn(i int) turn {
	d := p.log.at(i)
	if d.order < inWindow {
		return turn{d.at, d.order}
	}
	return turn{d.at, *p.sameWindow.at(int(d.order - inWindow))}
}

// before returns where the log entries end that come before a turn. The next one does.
func (p *region) before(end turn) int {
	in, step := p.read, 1
	for in+step < p.log.n && p.turn(in+step).before(end) {
		in += step
		step *= 2
	}
	out := min(in+step, p.log.n)
	for out-in > 1 {
		if i := (in + out) / 2; p.turn(i).before(end) {
			in = i
		} else {
			out = i
		}
	}
	return out
}

// settle numbers what the merged log entries from some entry on have scheduled for the same
// window, and returns the next number.
func (p *region) settle(from int, order uint64) uint64 {
	end := p.sameWindow.n
	if p.read < p.log.n {
		end = int(p.log.at(p.read).sameWindow)
	}
	for i := int(p.log.at(from).sameWindow); i < end; i++ {
		*p.sameWindow.at(i) = order
		order++
	}
	return order
}

// laterBefore returns how much the events before a log entry have scheduled for later windows.
func (p *region) laterBefore(i int) uint32 {
	if i < p.log.n {
		return p.log.at(i).later
	}
	return uint32(p.later.n)
}

// result combines what the regions have counted.
func (s *split) result() (*results.Result, error) {
	c, errs := s.base, make([]error, len(s.regions))
	var all sync.WaitGroup
	for i, p := range s.regions {
		all.Go(func() { errs[i] = p.unfinished() })
	}
	all.Wait()
	for i, p := range s.regions {
		if errs[i] != nil {
			return nil, errs[i]
		}
		p.forget()
		c.elsewhere += p.kernel.Processed()
		c.sent += p.cluster.sent
		c.bytes += p.bytes
		c.uses = c.uses.And(p.uses)
	}
	return c.result()
}
