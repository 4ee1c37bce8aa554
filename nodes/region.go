package nodes

import "overlapsim/sim"

// region is the state of some nodes. Regions share the slices by rank and by NIC, but each region
// uses only its own elements.
type region struct {
	*cluster
	split  *split
	number uint8

	log      pile[dispatched] // of this window
	read     int              // how many entries of the log the others have read
	born     pile[sim.Event]  // what was scheduled; To is the region that it is for, Arg its order in the window
	sending  pile[message]    // to other regions
	sent     pile[message]    // in the last window
	incoming pile[sim.Event]  // for the next windows, in the order of scheduling
	soonest  sim.Time         // of incoming

	_ [64]byte // keeps the region of another core in other cache lines
}

// dispatched is an event that a region has dispatched.
type dispatched struct {
	at    sim.Time
	order uint64
	first int // index in born of the first event that it scheduled; they end where those of the next event begin
}

// Kinds of messages from a region to the others.
const (
	evCrosses uint32 = 0xf0 + iota // a message, by its number in sending
	evComes                        // a rank comes to the barrier
)

// An event that waits in a region holds its order in To and in the upper bits of Kind. If it was
// scheduled in the same window, the order is its number in born.
const (
	kindBits = 8
	inWindow = uint64(1) << 55
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

// receive accepts an event that is next in the order of scheduling.
func (p *region) receive(e sim.Event, order uint64) {
	p.incoming.add(stamped(e, order))
	p.soonest = min(p.soonest, e.At)
}

// next returns the time of the next event of a region.
func (p *region) next() sim.Time {
	if at, ok := p.kernel.Peek(); ok {
		return min(at, p.soonest)
	}
	return p.soonest
}

// window dispatches the events of a region in this window. A panic ends the run in regions. It
// happens again in the run on one core, and is reported there.
func (p *region) window() {
	defer func() {
		if recover() != nil {
			p.fail(errAtOnce)
		}
	}()
	p.take()
	for p.err == nil {
		e, ok := p.kernel.Next(p.split.end)
		if !ok {
			return
		}
		e, order := unstamped(e)
		p.log.add(dispatched{e.At, order, p.born.n})
		p.Handle(e)
	}
}

// take schedules the events that the region has received.
func (p *region) take() {
	for i := range p.incoming.n {
		e := *p.incoming.at(i)
		if e.Kind%(1<<kindBits) == evCrosses {
			id := p.messages.add()
			*p.messages.at(id) = *p.split.regions[e.Arg>>32].sent.at(int(uint32(e.Arg)))
			e.Kind, e.Arg = e.Kind-evCrosses+evArrive, uint64(id)
		}
		p.kernel.Schedule(e.At, e.To, e.Kind, e.Arg)
	}
	p.incoming.n, p.soonest = 0, sim.Forever
}

// schedule notes what an event of the region schedules. Other regions need to know it only after
// the window.
func (p *region) schedule(e sim.Event) {
	e.To = sim.HandlerID(p.number)
	switch {
	case e.At < p.split.end: // dispatched in this window
		own := stamped(e, inWindow|uint64(p.born.n))
		p.kernel.Schedule(own.At, own.To, own.Kind, own.Arg)
	case e.Kind == evArrive:
		if m := p.messages.at(int32(uint32(e.Arg))); p.crosses(m) {
			e.To, e.Kind = sim.HandlerID(p.split.of[m.to]), evCrosses
			e.Arg = uint64(p.number)<<32 | uint64(p.sending.n)
			p.sending.add(*m)
		}
	}
	p.born.add(e)
}

// crosses tells whether a message goes to another region.
func (p *region) crosses(m *message) bool { return p != nil && p.split.of[m.from] != p.split.of[m.to] }

// posts is called for a new message. If both its ranks learn of its end at once, it acts on
// another node in no time.
func (p *region) posts(m *message) {
	if p.crosses(m) && m.protocol != oneSided && m.protocol != eager {
		p.fail(errAtOnce)
	}
}

// comes is called when a rank arrives at the barrier.
func (p *region) comes(now sim.Time) {
	cost := p.machine.Barrier.Cost(len(p.ranks))
	if cost < p.machine.Network.Latency || !p.within(now+cost) {
		p.fail(errAtOnce)
		return
	}
	p.born.add(sim.Event{At: now, Kind: evComes})
}
