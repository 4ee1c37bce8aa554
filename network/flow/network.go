package flow

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"overlapsim/sim"
)

// Sink is told what becomes of flows. It may start others from within.
type Sink interface {
	// Sent: the last byte has left the sender.
	Sent(id uint32, now sim.Time)
	// Arrived: the last byte is at the target.
	Arrived(id uint32, now sim.Time)
}

// Network is a set of links that flows share, by explicit routes. A flow starts
// when Start is called.
type Network struct {
	kernel  *sim.Kernel
	self    sim.HandlerID
	sink    Sink
	first   bool // latency comes first
	sharing sharing

	slots   []slot
	unused  []int32
	started uint64 // flows ever

	unsolved bool     // an event will solve
	seen     uint64   // started when that was scheduled
	alarm    sim.Time // of the completion event that counts
	done     []int32
}

// Flow is a message and the way it takes.
type Flow struct {
	ID      uint32
	Route   []int32 // links, each at most once; it is not kept
	Bytes   float64
	Limit   float64 // bytes/s, 0: none
	Latency sim.Time
}

// Load is what a link has carried.
type Load struct {
	Bytes float64  // of all flows that have ended
	Flows int64    // so many are they
	Busy  sim.Time // time with at least one flow
	Peak  int      // most flows at a time
}

// slot is what a flow that occupies it was started with.
type slot struct {
	id      uint32
	limit   int32 // its own link, none until a flow here is limited
	bytes   float64
	latency sim.Time
	order   uint64
}

// Kinds of events.
const (
	begin  = iota // Arg: slot; its latency is over
	vanish        // Arg: slot; nothing limits it
	solve         // rates are to be found
	finish        // Arg: its own time; flows are done, if it still is the alarm
	arrive        // Arg: id
)

// NewNetwork returns idle links of these capacities in bytes/s. With
// latencyFirst, a flow waits for its latency, then shares, and is sent when it
// arrives; otherwise it shares at once, and arrives its latency after it is
// sent.
func NewNetwork(k *sim.Kernel, sink Sink, capacity []float64, latencyFirst bool) (*Network, error) {
	n := &Network{kernel: k, sink: sink, first: latencyFirst, alarm: sim.Forever}
	n.self = k.Register(n)
	var wrong []error
	for i, c := range capacity {
		if !positive(c) {
			wrong = append(wrong, fmt.Errorf("bandwidth of link %d: must be positive, got %v B/s", i, c))
		}
		n.sharing.addLink(c / 1e12)
	}
	return n, errors.Join(wrong...)
}

// positive reports whether a rate is one.
func positive(rate float64) bool { return rate > 0 && !math.IsInf(rate, 1) }

// Load returns what a link has carried until now.
func (n *Network) Load(link int) Load {
	l := &n.sharing.links[link]
	load := l.traffic
	if len(l.users) > 0 {
		load.Busy += n.kernel.Now() - l.busySince
	}
	return load
}

// Start lets a flow begin now. The sink hears of it later, even if nothing
// limits it.
func (n *Network) Start(f Flow) {
	if !(f.Bytes >= 0) || f.Latency < 0 || f.Limit != 0 && !positive(f.Limit) {
		panic(fmt.Sprintf("flow: %+v: size, latency and limit must not be negative", f))
	}
	i := n.slot()
	s := &n.slots[i]
	s.id, s.bytes, s.latency, s.order = f.ID, f.Bytes, f.Latency, n.started
	n.started++
	n.sharing.setRoute(i, f.Route, n.limit(s, f.Limit))
	if n.first && f.Latency > 0 {
		n.kernel.Schedule(n.kernel.Now()+f.Latency, n.self, begin, uint64(i))
	} else {
		n.begin(i)
	}
}

// slot returns an unused slot.
func (n *Network) slot() int32 {
	if last := len(n.unused) - 1; last >= 0 {
		i := n.unused[last]
		n.unused = n.unused[:last]
		return i
	}
	n.slots = append(n.slots, slot{limit: none})
	n.sharing.flows = append(n.sharing.flows, flow{})
	return int32(len(n.slots) - 1)
}

// limit returns the link that limits the flow of a slot, none if nothing does.
func (n *Network) limit(s *slot, rate float64) int32 {
	if rate == 0 {
		return none
	}
	if s.limit == none {
		s.limit = n.sharing.addLink(0)
	}
	n.sharing.setCapacity(s.limit, rate/1e12)
	return s.limit
}

// begin lets a flow share, if there is anything to share.
func (n *Network) begin(i int32) {
	now := n.kernel.Now()
	if n.slots[i].bytes == 0 || n.sharing.flows[i].length == 0 {
		n.kernel.Schedule(now, n.self, vanish, uint64(i))
		return
	}
	n.sharing.now = now
	n.sharing.add(i, n.slots[i].bytes)
	n.change()
}

// change asks for new rates, once, after what else happens now.
func (n *Network) change() {
	if !n.unsolved {
		n.unsolved, n.seen = true, n.started
		n.kernel.Schedule(n.kernel.Now(), n.self, solve, 0)
	}
}

// Handle takes the network's own events.
func (n *Network) Handle(e sim.Event) {
	switch e.Kind {
	case begin:
		n.begin(int32(e.Arg))
	case vanish:
		n.deliver(int32(e.Arg))
	case solve:
		n.solve()
	case finish:
		if sim.Time(e.Arg) == n.alarm {
			n.finish(e.At)
		}
	case arrive:
		n.sink.Arrived(uint32(e.Arg), e.At)
	}
}

// solve finds the rates. If flows have started since it was asked to, more may
// do so now: then it lets those come first.
func (n *Network) solve() {
	n.unsolved = false
	if n.seen != n.started {
		n.change()
		return
	}
	n.sharing.now = n.kernel.Now()
	n.sharing.solve()
	n.arm()
}

// arm sees to it that an event comes for the next flow that is done. One that
// comes too early does no harm.
func (n *Network) arm() {
	if n.sharing.next.empty() {
		return
	}
	if at := n.sharing.next.entries[0].key; at < n.alarm {
		n.alarm = at
		n.kernel.Schedule(at, n.self, finish, uint64(at))
	}
}

// finish ends the flows that are done now, in the order in which they started.
func (n *Network) finish(now sim.Time) {
	n.alarm = sim.Forever
	n.sharing.now = now
	n.done = n.sharing.due(n.done[:0])
	if len(n.done) == 0 {
		n.arm()
		return
	}
	slices.SortFunc(n.done, func(a, b int32) int { return cmp.Compare(n.slots[a].order, n.slots[b].order) })
	for _, i := range n.done {
		n.sharing.remove(i, n.slots[i].bytes)
	}
	n.change()
	for _, i := range n.done {
		n.deliver(i)
	}
}

// deliver tells the sink that a flow is sent; its slot may be used again.
func (n *Network) deliver(i int32) {
	id, latency, now := n.slots[i].id, n.slots[i].latency, n.kernel.Now()
	n.unused = append(n.unused, i)
	n.sink.Sent(id, now)
	if n.first || latency == 0 {
		n.sink.Arrived(id, now)
	} else {
		n.kernel.Schedule(now+latency, n.self, arrive, uint64(id))
	}
}
