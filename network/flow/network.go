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

// Flow is a message and the way it takes.
type Flow struct {
	ID      uint32
	Route   []int32 // links; each at most once; it is not kept
	Bytes   float64
	Limit   float64  // bytes/s, 0: none
	Latency sim.Time // before or after the transfer, as the network's LatencyFirst says
}

// Load is what a link has carried.
type Load struct {
	Bytes float64  // of all flows that have ended
	Busy  sim.Time // time with at least one flow
	Peak  int      // flows at a time, at most
}

// Network is a set of links that flows share. Its flows are in order of time:
// a flow starts when Start is called.
type Network struct {
	// LatencyFirst lets a flow wait for its latency before it takes part in the
	// sharing; it is then sent when it arrives. Otherwise it shares at once, and
	// arrives its latency after it is sent.
	LatencyFirst bool

	kernel  *sim.Kernel
	self    sim.HandlerID
	sink    Sink
	sharing sharing
	count   int // links that the user knows; limits of flows come after them
	slots   []slot
	unused  []int32
	started uint64

	changed bool     // rates are to be solved
	look    uint64   // flows started when the solver last looked
	alarm   sim.Time // of the one completion event that counts
	done    []int32
}

// slot is what a flow in it has told when it began.
type slot struct {
	id      uint32
	limit   int32 // its own link, none until it has needed one
	bytes   float64
	latency sim.Time
	seq     uint64
}

// kinds of events
const (
	begin  = iota // Arg: slot; its latency is over
	vanish        // Arg: slot; there is nothing to share
	solve         // rates have to be found
	finish        // Arg: time, if it is still the alarm
	arrive        // Arg: id
)

// NewNetwork returns links of these capacities in bytes/s, by number.
func NewNetwork(k *sim.Kernel, sink Sink, capacity []float64) (*Network, error) {
	n := &Network{kernel: k, sink: sink, alarm: sim.Forever}
	n.self = k.Register(n)
	var wrong []error
	for i, c := range capacity {
		if !(c > 0) {
			wrong = append(wrong, fmt.Errorf("link %d: bandwidth must be positive, got %v", i, c))
		}
		n.sharing.addLink(c / 1e12)
	}
	n.count = len(capacity)
	return n, errors.Join(wrong...)
}

// Start lets a flow begin now.
func (n *Network) Start(f Flow) {
	i := n.slot()
	s := &n.slots[i]
	s.id, s.bytes, s.latency, s.seq = f.ID, f.Bytes, f.Latency, n.started
	n.started++
	route := f.Route
	n.sharing.setRoute(i, route, n.limit(i, f.Limit))
	if n.LatencyFirst && f.Latency > 0 {
		n.kernel.Schedule(n.kernel.Now()+f.Latency, n.self, begin, uint64(i))
		return
	}
	n.begin(i)
}

// slot returns a free slot.
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

// limit returns the link that stands for a slot's rate limit, none if there is
// no limit.
func (n *Network) limit(i int32, rate float64) int32 {
	if rate == 0 {
		return none
	}
	s := &n.slots[i]
	if s.limit == none {
		s.limit = n.sharing.addLink(0)
	}
	n.sharing.links[s.limit].capacity = rate / 1e12
	n.sharing.loads[s.limit].rest = rate / 1e12
	return s.limit
}

// begin lets a flow take part, if there is something to share.
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

// change asks for new rates, once all that happens now has happened.
func (n *Network) change() {
	if !n.changed {
		n.changed = true
		n.look = n.started
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

// solve finds the rates, unless flows have started since it was asked to: then
// more may start now, and it waits for them.
func (n *Network) solve() {
	n.changed = false
	if n.look != n.started {
		n.change()
		return
	}
	n.sharing.now = n.kernel.Now()
	n.sharing.solve()
	n.arm()
}

// arm makes an event pending for the next completion. An event that is pending
// for an earlier time stays and finds nothing.
func (n *Network) arm() {
	if len(n.sharing.next.entries) == 0 {
		return
	}
	if at := n.sharing.next.entries[0].key; at < n.alarm {
		n.alarm = at
		n.kernel.Schedule(at, n.self, finish, uint64(at))
	}
}

// finish ends the flows that are done now.
func (n *Network) finish(now sim.Time) {
	n.alarm = sim.Forever
	n.sharing.now = now
	n.done = n.sharing.due(n.done[:0])
	if len(n.done) == 0 {
		n.arm()
		return
	}
	slices.SortFunc(n.done, func(a, b int32) int { return cmp.Compare(n.slots[a].seq, n.slots[b].seq) })
	for _, i := range n.done {
		n.sharing.remove(i, n.slots[i].bytes)
	}
	n.change()
	for _, i := range n.done {
		n.deliver(i)
	}
}

// deliver tells the sink that a flow has been sent, and lets its slot go.
func (n *Network) deliver(i int32) {
	s := &n.slots[i]
	id, latency, now := s.id, s.latency, n.kernel.Now()
	n.unused = append(n.unused, i)
	n.sink.Sent(id, now)
	if n.LatencyFirst || latency == 0 {
		n.sink.Arrived(id, now)
		return
	}
	n.kernel.Schedule(now+latency, n.self, arrive, uint64(id))
}

// Rate returns the bytes/s of the flow in a link's list...
func (n *Network) Load(link int) Load {
	l := &n.sharing.links[link]
	load := l.Load
	if len(l.users) > 0 {
		load.Busy += n.kernel.Now() - l.busySince
	}
	return load
}

var _ = math.Inf
