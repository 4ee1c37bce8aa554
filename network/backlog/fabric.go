package backlog

import (
	"errors"
	"fmt"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// Params say how fast links are.
type Params struct {
	Time       func(bytes int64) sim.Time // that a message takes on a link
	Latency    sim.Time                   // of every message
	HopLatency sim.Time                   // of each link on its way
	Packet     int64                      // messages of so many bytes do not wait on a link: those under way let them in between
	Window     int                        // messages of an injection FIFO under way at once
	Turn       float64                    // times longer on a ring that a message enters by a turn: head-of-line blocking
}

// Fabric carries messages between the nodes of a topology along its routes. It
// is deterministic.
type Fabric struct {
	kernel   *sim.Kernel
	me       sim.HandlerID
	sink     network.Sink
	topology topology.Topology
	params   Params

	done     []sim.Time // by link
	local    int        // first link of what stays at a router
	links    []link     // those of the topology, and for each router one for what stays there
	feeds    int        // FIFOs of a node
	fifos    []fifo     // node*feeds + rank of the first link, or the last one
	messages []message
	pool     int32 // first message that is not in use, none
	path     []int32
}

// link is what a message needs to know of a link.
type link struct {
	rank, class uint8 // number among those that leave its router; kind
	ring        bool  // of a dimension that wraps
}

// fifo is an injection FIFO.
type fifo struct {
	first, last int32 // messages that wait, none
	active      int32 // messages under way
}

type message struct {
	id       uint32
	from, to int32
	fifo     int32
	next     int32 // in its FIFO, or in the pool
	bytes    int64
	arrives  sim.Time
}

const none int32 = -1

// New returns an idle fabric.
func New(k *sim.Kernel, sink network.Sink, t topology.Topology, p Params) (*Fabric, error) {
	if p.Latency < 0 || p.HopLatency < 0 {
		return nil, fmt.Errorf("latencies must not be negative, got %v and %v", p.Latency, p.HopLatency)
	}
	if p.Time == nil || p.Time(1) <= 0 {
		return nil, errors.New("a byte must take some time on a link")
	}
	if p.Window < 1 || !(p.Turn >= 1) {
		return nil, fmt.Errorf("window and turn must be at least 1, got %d and %g", p.Window, p.Turn)
	}
	f := &Fabric{kernel: k, sink: sink, topology: t, params: p, pool: none}
	if err := f.look(); err != nil {
		return nil, err
	}
	f.fifos = make([]fifo, t.Nodes()*f.feeds)
	for i := range f.fifos {
		f.fifos[i] = fifo{first: none}
	}
	f.me = k.Register(f)
	return f, nil
}

// look notes what there is to know of the links.
func (f *Fabric) look() error {
	f.local = f.topology.Links()
	f.links = make([]link, f.local+f.topology.Routers())
	f.done = make([]sim.Time, len(f.links))
	leaving := make([]uint8, f.topology.Routers())
	rings := make([]bool, len(f.topology.Classes()))
	for l := range f.local {
		t := f.topology.Link(l)
		if leaving[t.From] == 255 {
			return fmt.Errorf("at most 255 links may leave a router, %v has more", f.topology)
		}
		f.links[l] = link{rank: leaving[t.From], class: uint8(t.Class)}
		rings[t.Class] = rings[t.Class] || t.Wrap
		leaving[t.From]++
		f.feeds = max(f.feeds, int(leaving[t.From]))
	}
	for l := range f.local {
		f.links[l].ring = rings[f.links[l].class]
	}
	for l := f.local; l < len(f.links); l++ {
		f.links[l].rank = uint8(f.feeds)
	}
	f.feeds++
	return nil
}

// Latency implements network.Fabric.
func (f *Fabric) Latency(from, to int32) sim.Time {
	return f.params.Latency + sim.Time(f.topology.Hops(int(from), int(to)))*f.params.HopLatency
}

// Start implements network.Contended.
func (f *Fabric) Start(id uint32, from, to int32, bytes int64) {
	f.route(from, to)
	i := f.feed(from)
	n := f.open(message{id: id, from: from, to: to, fifo: i, next: none, bytes: bytes})
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

// Alone implements network.Paced.
func (f *Fabric) Alone(from, to int32, bytes int64) sim.Time {
	time := f.params.Time(bytes)
	if bytes <= f.params.Packet {
		return time
	}
	f.route(from, to)
	for _, l := range f.path {
		if f.turns(l) {
			return max(time, f.turned(time))
		}
	}
	return time
}

// turned is how long a message takes of a ring that it turns into.
func (f *Fabric) turned(time sim.Time) sim.Time {
	return sim.Time(min(float64(time)*f.params.Turn, float64(sim.Forever/2)))
}

// turns tells whether a link of path is a ring's that another one leads to.
func (f *Fabric) turns(l int32) bool {
	return f.links[l].ring && f.links[l].class != f.links[f.path[0]].class
}

// route leaves the links between two nodes in path; where there are none, what
// stands for them.
func (f *Fabric) route(from, to int32) {
	f.path = f.topology.Route(int(from), int(to), f.path[:0])
	if len(f.path) == 0 {
		f.path = append(f.path, int32(f.local+f.topology.Router(int(from))))
	}
}

// feed returns the FIFO of a node for the route in path.
func (f *Fabric) feed(node int32) int32 {
	return node*int32(f.feeds) + int32(f.links[f.path[0]].rank)
}

// open notes a message.
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

// begin lets a message load the links in path, its own.
func (f *Fabric) begin(n int32) {
	m := &f.messages[n]
	now, time := f.kernel.Now(), f.params.Time(m.bytes)
	turned := f.turned(time)
	end := now
	for _, l := range f.path {
		length := time
		if f.turns(l) {
			length = turned
		}
		done := sim.Later(max(f.done[l], now), length)
		f.done[l] = done
		end = max(end, done)
	}
	if m.bytes <= f.params.Packet {
		end = sim.Later(now, time)
	}
	m.arrives = sim.Later(end, f.Latency(m.from, m.to))
	f.kernel.Schedule(end, f.me, sent, uint64(n))
}

// Kinds of events. The argument is a message, or its number of the sink.
const (
	sent uint32 = iota
	arrived
)

// Handle is for the kernel.
func (f *Fabric) Handle(e sim.Event) {
	if e.Kind == arrived {
		f.sink.Arrived(uint32(e.Arg), e.At)
		return
	}
	n := int32(e.Arg)
	m := f.messages[n]
	f.messages[n].next, f.pool = f.pool, n
	f.kernel.Schedule(m.arrives, f.me, arrived, uint64(m.id))
	f.follow(&f.fifos[m.fifo])
	f.sink.Sent(m.id, e.At)
}

// follow lets the next message of a FIFO take the place of one that was sent.
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
