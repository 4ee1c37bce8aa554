package flow

import (
	"errors"
	"fmt"
	"math"

	"overlapsim/network"
	"overlapsim/sim"
)

// Network is a set of links that flows share, by explicit routes. A flow starts
// when Start is called.
type Network struct {
	kernel  *sim.Kernel
	self    sim.HandlerID
	sink    network.Sink
	first   bool // a flow waits for its latency before it shares
	sharing sharing[sim.Time]
	rounds  rounds

	slots   []slot
	unused  []int32
	started uint64 // number of flows started

	unsolved bool     // a solve event is pending
	seen     uint64   // value of started when that event was scheduled
	alarm    sim.Time // time of the one completion event that counts
	done     []int32
	dealt    []int32 // scratch of sortByStart
}

// Flow is a message and its route.
type Flow struct {
	ID      uint32
	Route   []int32 // links, each at most once; it is not kept
	Bytes   int64
	Least   sim.Time // shortest time for its bytes, however much room there is
	Latency sim.Time
}

// slot holds a flow and the values with which it was started.
type slot struct {
	own
	id       uint32
	place    int32 // its place in the round; none if the flow does not share
	bytes    int64
	latency  sim.Time
	least    sim.Time
	earliest sim.Time // the flow does not end before
	order    uint64
}

// own is the link that limits a slot's flow alone.
type own struct {
	limit  int32  // none until a flow in this slot has a limit
	number int32  // its number in the round
	round  uint64 // the round to which the number belongs
}

// Kinds of events.
const (
	begin  = iota // Arg: slot; its latency is over
	sent          // Arg: slot; the flow shares nothing, or no longer
	solve         // rates are to be found
	finish        // Arg: the time of this event; flows are done if that is still the alarm
	arrive        // Arg: id
)

// NewNetwork returns idle links of these capacities. With latencyFirst, a flow waits for its
// latency, then shares links, and is sent when it arrives. Otherwise it shares links at once, and
// arrives its latency after it is sent.
func NewNetwork(k *sim.Kernel, sink network.Sink, capacity []sim.Rate, latencyFirst bool) (*Network, error) {
	n := &Network{kernel: k, sink: sink, first: latencyFirst, alarm: sim.Forever}
	n.sharing.forever, n.sharing.whole = sim.Forever, true
	n.self = k.Register(n)
	n.rounds.forget()
	n.sharing.reserve(len(capacity))
	var wrong []error
	for i, c := range capacity {
		if !c.Positive() {
			wrong = append(wrong, fmt.Errorf("bandwidth of link %d: must be positive, got %v B/s", i, float64(c)))
		}
		n.sharing.addLink(c.PerPicosecond())
	}
	return n, errors.Join(wrong...)
}

// load returns what a link has carried until now.
func (n *Network) load(link int) (l network.LinkLoad) {
	n.account()
	at := &n.sharing.accounts[link]
	l.Bytes, l.Count, l.Busy, l.Peak = at.carried, at.ended, at.busy, at.peak
	if len(n.sharing.links[link].users) > 0 {
		l.Busy += n.kernel.Now()
	}
	return l
}

// Start lets a flow begin now. The sink is always told of it later than this call, even if nothing
// limits the flow.
func (n *Network) Start(f Flow) {
	if f.Bytes < 0 || f.Latency < 0 || f.Least < 0 {
		panic(fmt.Sprintf("flow: %+v: size and times must not be negative", f))
	}
	i := n.slot()
	s := &n.slots[i]
	// One by one: a whole slot would be written twice, and wait for its parts in between.
	s.id, s.place, s.bytes, s.latency, s.least, s.earliest, s.order = f.ID, none, f.Bytes, f.Latency, f.Least, 0, n.started
	n.started++
	if f.Bytes == 0 {
		f.Route = nil
	}
	n.sharing.setRoute(i, f.Route, n.limit(s, &f))
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
	n.slots = append(n.slots, slot{own: own{limit: none}})
	n.sharing.flows = append(n.sharing.flows, flow{})
	return int32(len(n.slots) - 1)
}

// limit returns the link that keeps a flow from taking less than its Least time; none if a link
// on its route already does that.
func (n *Network) limit(s *slot, f *Flow) int32 {
	if len(f.Route) == 0 || f.Least == 0 {
		return none
	}
	rate, narrowest := sim.RateOf(f.Bytes, f.Least).PerPicosecond(), math.Inf(1)
	for _, l := range f.Route {
		narrowest = min(narrowest, n.sharing.links[l].capacity)
	}
	if rate >= narrowest {
		return none
	}
	if s.limit == none {
		s.limit = n.sharing.addLink(0)
	}
	n.sharing.setCapacity(s.limit, rate)
	return s.limit
}

// begin lets a flow share links, if it has bytes and links to share.
func (n *Network) begin(i int32) {
	now, s := n.kernel.Now(), &n.slots[i]
	s.earliest = now + s.least
	if n.sharing.flows[i].length == 0 {
		n.kernel.Schedule(s.earliest, n.self, sent, uint64(i))
		return
	}
	n.join(i)
	n.change()
}

// change asks for new rates. They are found once, after everything else that happens now.
func (n *Network) change() {
	if !n.unsolved {
		n.unsolved, n.seen = true, n.started
		n.kernel.Schedule(n.kernel.Now(), n.self, solve, 0)
	}
}

// Handle implements sim.Handler.
func (n *Network) Handle(e sim.Event) {
	switch e.Kind {
	case begin:
		n.begin(int32(e.Arg))
	case sent:
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

// solve finds the rates. If flows have started since it was scheduled, more may start at this
// instant. Then it schedules itself again, after them.
func (n *Network) solve() {
	n.unsolved = false
	if n.seen != n.started {
		n.change()
		return
	}
	n.findRates()
	n.arm()
}

// arm schedules an event for the next flow that will be done. An event that comes too early does
// no harm.
func (n *Network) arm() {
	if at := n.next(); at < n.alarm {
		n.alarm = at
		n.kernel.Schedule(at, n.self, finish, uint64(at))
	}
}

// finish ends the flows that are done now, in the order in which they started.
func (n *Network) finish(now sim.Time) {
	n.alarm = sim.Forever
	n.leave(now)
	if len(n.done) == 0 {
		n.arm()
		return
	}
	n.change()
	for _, i := range n.done {
		n.end(i, now)
	}
}

// end delivers a flow that is done. If rounding ended the flow before its earliest end, it waits
// until then.
func (n *Network) end(i int32, now sim.Time) {
	if at := n.slots[i].earliest; at > now {
		n.kernel.Schedule(at, n.self, sent, uint64(i))
		return
	}
	n.deliver(i)
}

// deliver tells the sink that a flow is sent, and frees its slot.
func (n *Network) deliver(i int32) {
	id, latency, now := n.slots[i].id, n.slots[i].latency, n.kernel.Now()
	n.unused = append(n.unused, i)
	if n.first {
		latency = 0
	}
	n.sink.Sent(id, now, now+latency)
	if latency == 0 {
		n.sink.Arrived(id, now)
	} else {
		n.kernel.Schedule(now+latency, n.self, arrive, uint64(id))
	}
}
