package backlog

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// Params are the speeds and latencies of links and nodes, and how messages enter them.
type Params struct {
	Capacity   []sim.Rate // of each class of links of the topology
	Injection  sim.Rate   // from a node into its router, 0: no limit
	Ejection   sim.Rate   // from a router into a node, 0: no limit
	Latency    sim.Time   // of every message
	HopLatency sim.Time   // of each link on its way
	Packets    Packets    // in which bytes travel on the links of the topology
	Window     int        // messages of an injection FIFO in flight at once
	Turn       float64    // factor on the time on a ring that a message enters from another dimension: head-of-line blocking
}

// Packets describe how messages are cut. Without a payload size, messages travel as bytes.
type Packets struct {
	Payload int64 // most bytes of a message in a packet; a message that fits into one packet waits on links for such messages only
	Size    int64 // bytes that a packet takes on a link
	Control int64 // bytes that a message without bytes takes
}

// size returns the bytes that a message takes on a link.
func (p *Packets) size(bytes int64) int64 {
	switch {
	case p.Payload == 0:
		return bytes
	case bytes == 0:
		return p.Control
	}
	return p.Size * ((bytes-1)/p.Payload + 1)
}

// Fabric carries messages between the nodes of a topology along its routes. It
// is deterministic.
type Fabric struct {
	kernel   *sim.Kernel
	me       sim.HandlerID
	sink     network.Sink
	topology topology.Topology
	params   Params

	links     []link
	gaps      []float64 // ps per byte of each kind of server
	injection int32     // number of node 0's link; none if there is no limit
	ejection  int32
	feeds     int    // FIFOs of a node
	fifos     []fifo // node*feeds + rank of the first link
	messages  []message
	pool      int32 // first message that is not in use, or none
	path      []int32
	hops      int             // links of the topology on the route
	record    *network.Series // nil: not recorded
}

// link is a server: a link of the topology, or an injection or ejection.
type link struct {
	done   sim.Time
	single sim.Time // when it will be done with messages of a single packet, if they alone are there
	bytes  int64    // promised in total, in whole packets
	busy   sim.Time // total time for those bytes
	most   sim.Time // longest time from a promise until the link is done with it
	count  int32    // messages
	server uint8    // kind: class of the topology, or one of the ends behind them
	rank   uint8    // its number among the links that leave its router
	ring   bool     // belongs to a dimension that wraps
}

// fifo is an injection FIFO.
type fifo struct {
	first, last int32 // messages that wait, or none
	active      int32 // messages in flight
}

type message struct {
	id       uint32
	from, to int32
	fifo     int32 // none: the message uses no link of the topology
	next     int32 // in its FIFO, or in the pool
	bytes    int64
	length   sim.Time
	arrives  sim.Time
}

const none = -1

// New returns an idle fabric, or an error with all mistakes in the parameters.
func New(k *sim.Kernel, sink network.Sink, t topology.Topology, p Params) (*Fabric, error) {
	if err := p.Check(t); err != nil {
		return nil, err
	}
	f := &Fabric{kernel: k, sink: sink, topology: t, params: p, pool: none}
	f.look()
	for _, c := range p.Capacity {
		f.gaps = append(f.gaps, c.Gap())
	}
	f.injection, f.ejection = f.ends(p.Injection), f.ends(p.Ejection)
	f.fifos = make([]fifo, t.Nodes()*f.feeds)
	for i := range f.fifos {
		f.fifos[i] = fifo{first: none}
	}
	f.me = k.Register(f)
	return f, nil
}

// Check returns all mistakes in the parameters for a topology. New finds no others.
func (p *Params) Check(t topology.Topology) error {
	var wrong []error
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if classes := t.Classes(); len(p.Capacity) != len(classes) {
		add("bandwidth: %v has %d kinds of links %v, got %d values", t, len(classes), classes, len(p.Capacity))
	}
	for _, c := range p.Capacity {
		if !c.Positive() {
			add("bandwidth of links: must be positive, got %v B/s", float64(c))
		}
	}
	for i, limit := range []sim.Rate{p.Injection, p.Ejection} {
		if limit != 0 && !limit.Positive() {
			add("%s: must be positive, or 0 for none, got %v B/s", []string{"injection", "ejection"}[i], float64(limit))
		}
	}
	if p.Latency < 0 || p.HopLatency < 0 {
		add("latencies must not be negative, got %v and %v", p.Latency, p.HopLatency)
	}
	if p.Window < 1 || !(p.Turn >= 1) {
		add("window and turn must be at least 1, got %d and %g", p.Window, p.Turn)
	}
	if degree(t) > math.MaxUint8 {
		add("at most 255 links may leave a router, %v has more", t)
	}
	return errors.Join(wrong...)
}

// degree returns the largest number of links that leave a router.
func degree(t topology.Topology) (most int) {
	leaving := make([]int, t.Routers())
	for l := range t.Links() {
		from := t.Link(l).From
		leaving[from]++
		most = max(most, leaving[from])
	}
	return most
}

// look records the properties of the links of the topology.
func (f *Fabric) look() {
	f.links = make([]link, f.topology.Links(), f.topology.Links()+f.params.ends()*f.topology.Nodes())
	leaving := make([]uint8, f.topology.Routers())
	rings := make([]bool, len(f.topology.Classes()))
	for l := range f.links {
		t := f.topology.Link(l)
		f.links[l] = link{rank: leaving[t.From], server: uint8(t.Class)}
		rings[t.Class] = rings[t.Class] || t.Wrap
		leaving[t.From]++
		f.feeds = max(f.feeds, int(leaving[t.From]))
	}
	for l := range f.links {
		f.links[l].ring = rings[f.links[l].server]
	}
}

// ends returns the number of links that each node has in addition to the topology's.
func (p *Params) ends() (n int) {
	for _, limit := range []sim.Rate{p.Injection, p.Ejection} {
		if limit > 0 {
			n++
		}
	}
	return n
}

// ends adds a link for each node, and returns the number of the first.
func (f *Fabric) ends(limit sim.Rate) (first int32) {
	kind := uint8(len(f.gaps))
	f.gaps = append(f.gaps, limit.Gap())
	if limit == 0 {
		return none
	}
	first = int32(len(f.links))
	for range f.topology.Nodes() {
		f.links = append(f.links, link{server: kind})
	}
	return first
}

// Latency implements network.Contended.
func (f *Fabric) Latency(from, to int32, _ network.TransferKind) sim.Time {
	return f.params.Latency + sim.Time(f.topology.Hops(int(from), int(to)))*f.params.HopLatency
}

// Start implements network.Contended.
func (f *Fabric) Start(t network.Transfer) {
	f.route(t.From, t.To)
	i := f.feed(t.From)
	n := f.open(message{id: t.ID, from: t.From, to: t.To, fifo: i, next: none, bytes: t.Bytes, length: t.Length})
	if i == none {
		f.begin(n)
		return
	}
	switch q := &f.fifos[i]; {
	case int(q.active) < f.params.Window:
		q.active++
		f.begin(n)
	case q.first == none:
		q.first, q.last = n, n
	default:
		f.messages[q.last].next = n
		q.last = n
	}
}

// Injection implements network.Contended.
func (f *Fabric) Injection() sim.Rate { return f.params.Injection }

// Ejection implements [network.Contended].
func (f *Fabric) Ejection() sim.Rate { return f.params.Ejection }

// Alone implements network.Contended.
func (f *Fabric) Alone(t network.Transfer) sim.Time {
	f.route(t.From, t.To)
	longest, w := t.Length, f.work(t.Bytes)
	for _, l := range f.path {
		w.turnTo(&f.links[l])
		longest = max(longest, w.time)
	}
	return longest
}

// work is the load that a message puts on links of one kind.
type work struct {
	*Fabric
	bytes   int64
	first   uint8 // kind of its first link
	server  int   // kind of links whose load this is; none at first
	carried int64 // bytes that they carry, in packets
	time    sim.Time
}

// work returns the load of a message with the route in path.
func (f *Fabric) work(bytes int64) work {
	w := work{Fabric: f, bytes: bytes, server: none}
	if len(f.path) > 0 {
		w.first = f.links[f.path[0]].server
	}
	return w
}

// turnTo changes the load on links like this one to the load of the message.
func (w *work) turnTo(l *link) {
	w.server, w.carried = int(l.server), w.bytes
	if w.server < len(w.params.Capacity) {
		w.carried = w.params.Packets.size(w.bytes)
	}
	w.time = sim.PerByte(w.carried, w.gaps[l.server])
	if l.ring && l.server != w.first && !w.slips() { // the message comes from another dimension
		w.time = sim.Time(min(float64(w.time)*w.params.Turn, float64(sim.Forever/2)))
	}
}

// slips tells whether the message slips in between the packets of larger ones.
func (w *work) slips() bool { return w.bytes <= w.params.Packets.Payload }

// route leaves the links between two nodes in path.
func (f *Fabric) route(from, to int32) {
	f.path = f.topology.Route(int(from), int(to), f.path[:0])
	f.hops = len(f.path)
	if f.injection != none {
		f.path = append(f.path, f.injection+from)
	}
	if f.ejection != none {
		f.path = append(f.path, f.ejection+to)
	}
}

// feed returns the FIFO of a node for the route in path; none if the route uses no link of the
// topology.
func (f *Fabric) feed(node int32) int32 {
	if f.hops == 0 {
		return none
	}
	return node*int32(f.feeds) + int32(f.links[f.path[0]].rank)
}

// open records a message and returns its number.
func (f *Fabric) open(m message) int32 {
	n := f.pool
	if n == none {
		f.messages = append(f.messages, m)
		return int32(len(f.messages) - 1)
	}
	f.pool = f.messages[n].next
	f.messages[n] = m
	return n
}

// begin adds a message to the load of the links on its route, which is in path.
func (f *Fabric) begin(n int32) {
	m := &f.messages[n]
	now := f.kernel.Now()
	end, longest, w := now, m.length, f.work(m.bytes)
	for _, l := range f.path {
		at := &f.links[l]
		if int(at.server) != w.server {
			w.turnTo(at)
			longest = max(longest, w.time)
		}
		done := at.promise(w.carried, w.time, now)
		if w.slips() {
			done = at.slip(w.time, now)
		}
		end = max(end, done)
		if f.record != nil {
			f.record.Add(int(l), at.done-w.time, at.done, w.carried*network.ByteParts)
		}
	}
	end = max(end, sim.Later(now, longest))
	m.arrives = sim.Later(end, f.params.Latency+sim.Time(f.hops)*f.params.HopLatency)
	f.kernel.Schedule(end, f.me, sent, uint64(n))
}

// promise adds bytes that take the given time to the work of the link. It returns when the link
// will be done with them.
func (l *link) promise(bytes int64, time, now sim.Time) sim.Time {
	l.done = sim.Later(max(l.done, now), time)
	l.bytes += bytes
	l.busy += time
	l.most = max(l.most, l.done-now)
	l.count++
	return l.done
}

// slip adds a message of a single packet, which is promised already, to the queue of such messages.
// It returns when the link will be done with them.
func (l *link) slip(time, now sim.Time) sim.Time {
	l.single = sim.Later(max(l.single, now), time)
	return l.single
}

// Kinds of events. The argument is the number of a message, here or in the sink.
const (
	sent uint32 = iota
	arrived
)

// Handle implements sim.Handler.
func (f *Fabric) Handle(e sim.Event) {
	if e.Kind == arrived {
		f.sink.Arrived(uint32(e.Arg), e.At)
		return
	}
	n := int32(e.Arg)
	m := f.messages[n]
	f.messages[n].next, f.pool = f.pool, n
	f.kernel.Schedule(m.arrives, f.me, arrived, uint64(m.id))
	if m.fifo != none {
		f.follow(&f.fifos[m.fifo])
	}
	f.sink.Sent(m.id, e.At, m.arrives)
}

// follow starts the next message of a FIFO after one was sent.
func (f *Fabric) follow(q *fifo) {
	n := q.first
	if n == none {
		q.active--
		return
	}
	q.first = f.messages[n].next
	f.route(f.messages[n].from, f.messages[n].to)
	f.begin(n)
}

// Links implements network.Contended.
func (f *Fabric) Links() *network.Links {
	if len(f.links) == 0 {
		return nil
	}
	all := &network.Links{Shape: f.topology, Unit: "ns", Loads: make([]network.LinkLoad, 0, len(f.links))}
	capacities := append(slices.Clone(f.params.Capacity), f.params.Injection, f.params.Ejection)
	for i := range f.links {
		all.Loads = append(all.Loads, f.links[i].carried(capacities[f.links[i].server], f.kernel.Now()))
	}
	if f.injection != none {
		all.Ends = append(all.Ends, "injection")
	}
	if f.ejection != none {
		all.Ends = append(all.Ends, "ejection")
	}
	return all
}

// Record implements network.Contended. A link carries its promised bytes until it is done with
// them.
func (f *Fabric) Record(s *network.Series) { f.record = s }

// carried returns what a link has carried until now: the part of its promises that is done.
func (l *link) carried(capacity sim.Rate, now sim.Time) network.LinkLoad {
	left := max(0, l.done-now)
	return network.LinkLoad{
		Capacity: capacity, Bytes: max(0, float64(l.bytes)-left.Seconds()*float64(capacity)),
		Busy: l.busy - left, Count: int64(l.count), Peak: int(l.most / sim.Nanosecond),
	}
}

// Explain implements network.Contended. Only the latencies can be explained.
func (f *Fabric) Explain(network.Watcher) *network.Explanation {
	return &network.Explanation{LinkLatency: network.Quantity{Name: network.LinkLatency, Value: f.params.HopLatency.Seconds()}}
}
