package nodes

import (
	"math"

	"overlapsim/sim"
)

// region is the state of some nodes. No region (nil) has all of them. Regions share the slices by rank and by NIC, but each region
// uses only its own elements.
type region struct {
	*cluster
	split  *split
	number uint8

	log         blockList[dispatched] // of this window
	read        int                   // how many entries of the log are merged
	later       blockList[sim.Event]  // what was scheduled for later windows
	sameWindow  blockList[uint64]     // the order of what was scheduled for this window, unknown until the event that scheduled it is merged
	sending     [2][]outbox           // by region: what the others receive, in even and in odd windows
	arrived     int                   // ranks that arrived at the barrier in this window
	lastArrival sim.Time              // when the last of them did
	soonest     sim.Time              // when the next event of the region may happen

	_ [64]byte // keeps the region of another core in other cache lines
}

// dispatched is an event that a region has dispatched. What it scheduled begins at these places,
// and ends where the part of the next event begins.
type dispatched struct {
	at                sim.Time
	order             uint64
	later, sameWindow uint32
}

// crossing is a message to another region. Its arrival has a place among what its region has
// scheduled.
type crossing struct {
	message message
	later   uint32
}

// outbox holds the messages from a region to another one.
type outbox struct {
	blockList[crossing]
	read int // how many the other region has taken
}

// evCrosses is the kind of the arrival of a message in another region.
const evCrosses uint32 = 0xf0

// An event that waits in a region holds its order in To and in the upper bits of Kind. If it was
// scheduled in the same window, the order is its number in early.
const (
	kindBits = 8
	inWindow = uint64(1) << 55
	unknown  = math.MaxUint64
)

func stamped(e sim.Event, order uint64) sim.Event {
	e.To, e.Kind = sim.HandlerID(uint32(order)), e.Kind|uint32(order>>32)<<kindBits
	return e
}

func unstamped(e sim.Event) (sim.Event, uint64) {
	order := uint64(e.To) | uint64(e.Kind>>kindBits)<<32
	e.To, e.Kind = 0, e.Kind%(1<<kindBits)
	return e, order
}

// pending schedules an event whose order is known.
func (p *region) pending(e sim.Event, order uint64) {
	e = stamped(e, order)
	p.kernel.Schedule(e.At, e.To, e.Kind, e.Arg)
}

// waiting returns how many events wait in the region.
func (p *region) waiting() int { return p.kernel.Pending() + p.later.n }

// window dispatches the events of a region in this window. A panic ends the run in regions. It
// happens again in the run on one core, and is reported there.
func (p *region) window() {
	defer func() {
		if recover() != nil {
			p.fail(errNeedsOneCore)
		}
	}()
	p.take()
	p.soonest = sim.Forever
	for p.err == nil {
		e, ok := p.kernel.Next(p.split.end)
		if !ok {
			break
		}
		e, order := unstamped(e)
		p.log.add(dispatched{e.At, order, uint32(p.later.n), uint32(p.sameWindow.n)})
		p.Handle(e)
	}
	if at, ok := p.kernel.Peek(); ok {
		p.soonest = min(p.soonest, at)
	}
}

// take schedules what the last window has brought for the region, in the order of one core.
func (p *region) take() {
	s := p.split
	var from [mostRegions]int
	order := s.taken
	for _, b := range s.batches {
		if b.region == all {
			p.leaveBarrier(order)
			continue
		}
		first := order - uint64(from[b.region])
		if b.region == p.number {
			p.keep(from[p.number], int(b.end), first)
		} else {
			p.accept(s.regions[b.region], b.end, first)
		}
		order = first + uint64(b.end)
		from[b.region] = int(b.end)
	}
	p.later.n = 0
	for _, q := range s.regions {
		in := q.sent(p)
		in.n, in.read = 0, 0
	}
}

// keep schedules the region's own events.
func (p *region) keep(from, to int, first uint64) {
	for i := from; i < to; i++ {
		if e := p.later.at(i); e.Kind != evCrosses {
			p.pending(*e, first+uint64(i))
		}
	}
}

// sent returns what the region sent to another one in the last window.
func (p *region) sent(to *region) *outbox { return &p.sending[(p.split.windows+1)%2][to.number] }

// accept takes the messages that another region sent before some place in what it scheduled.
func (p *region) accept(q *region, end uint32, first uint64) {
	for in := q.sent(p); in.read < in.n; in.read++ {
		m := in.at(in.read)
		if m.later >= end {
			return
		}
		id := p.messages.add()
		*p.messages.at(id) = m.message
		p.services[p.place.nic[m.message.to]].in += p.leastOut(id, &m.message)
		p.pending(sim.Event{At: m.message.arrived, Kind: evArrive, Arg: uint64(id)}, first+uint64(m.later))
	}
}

// leaveBarrier makes the ranks of the region leave the barrier.
func (p *region) leaveBarrier(first uint64) {
	s := p.split
	for r := range p.ranks {
		if p.has(int32(r)) {
			p.ranks[r].wakeAt = s.exit
			p.pending(sim.Event{At: s.exit, Kind: evResume, Arg: uint64(r)}, first+uint64(r))
		}
	}
}

// schedule notes what an event of the region schedules. Other regions need to know it only after
// the window.
func (p *region) schedule(e sim.Event) {
	if e.At < p.split.end {
		p.pending(e, inWindow|uint64(p.sameWindow.n))
		p.sameWindow.add(unknown)
		return
	}
	p.soonest = min(p.soonest, e.At)
	if e.Kind == evArrive {
		id := int32(uint32(e.Arg))
		if m := p.messages.at(id); p.crosses(m) {
			p.sending[p.split.windows%2][p.split.of[m.to]].add(crossing{*m, uint32(p.later.n)})
			p.drop(id)
			e.Kind = evCrosses
		}
	}
	p.later.add(e)
}

// has tells whether a rank is in the region.
func (p *region) has(r int32) bool { return p == nil || p.split.of[r] == p.number }

// crosses tells whether a message goes to another region.
func (p *region) crosses(m *message) bool { return p != nil && p.split.of[m.from] != p.split.of[m.to] }

// posts is called for a new message, and tells whether another region continues it. If both its
// ranks learn of its end at once, it acts on another node in no time.
func (p *region) posts(m *message) bool {
	switch {
	case !p.crosses(m) || m.protocol == oneSided:
		return false
	case m.protocol != eager:
		p.fail(errNeedsOneCore)
	}
	return true
}

// needsOneCore ends a run in regions, because it needs one core; false: the run is not in regions.
func (p *region) needsOneCore() bool {
	if p == nil {
		return false
	}
	p.fail(errNeedsOneCore)
	return true
}

// entersBarrier is called when a rank arrives at the barrier, and tells whether regions count who has arrived.
func (p *region) entersBarrier(now sim.Time) bool { return p != nil && p.arrives(now) }

// arrives counts a rank that arrives at the barrier.
func (p *region) arrives(now sim.Time) bool {
	cost := p.barrierCost()
	if cost < p.machine.Network.Latency || !p.within(now+cost) {
		p.fail(errNeedsOneCore)
		return true
	}
	p.arrived++
	p.lastArrival = now
	return true
}
