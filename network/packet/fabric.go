package packet

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// Fabric is a network, packet by packet. Its memory grows with routers,
// buffers and messages in flight, not with the length of messages. It is deterministic. A packet
// costs one event per link, and one more at each router whose FIFO is empty when it comes.
type Fabric struct {
	geometry
	network.Unexplained
	params  Params
	kernel  *sim.Kernel
	me      sim.HandlerID
	sink    network.Sink
	data    sim.Time // time of a data packet on a link
	control sim.Time // time of a request on a link

	channels int    // virtual channels; the escape channel is 0
	feeds    int    // injection and answer FIFOs per node
	under    uint64 // bit set of the sources that are input FIFOs: their packets are in flight

	fifos                   []fifo // by router: see first
	wires                   []wire // by link
	room                    []int8 // link*channels + channel: free slots at its end
	packets                 []packet
	messages                []message
	queues                  []queue    // place*feeds + feed
	nics                    []sim.Time // by node: until when its NIC is busy with packets; nil: NICs set no limit
	loads                   []load     // by link
	record                  *notes     // nil: not recorded
	packetPool, messagePool int32      // first free one, -1: none
	solo                    solo       // for buffers that are small
	dice                    *sim.Stream
}

// fifo is a queue of packets. One of them may be on its way out.
type fifo struct {
	head, tail int32 // packets that have not begun to leave, -1: none
	router     int32
	link       int32  // the link that fills it, -1: injection
	slot       int32  // index into room, or into queues
	source     uint8  // its number at its router
	count      uint8  // slots taken, also by a packet on its way out
	out        int8   // the port by which a packet leaves, or one of the values below
	wants      uint64 // bit set of the ports for which the head waits
}

const (
	idle  int8 = -1
	eject int8 = -2
)

// wire is the sending end of a link.
type wire struct {
	escape   uint64 // bit set of sources whose head waits for it and may take the escape channel
	adaptive uint64 // bit set of sources whose head waits for it and may take adaptive channels
	base     int32  // first FIFO of the router that it leaves
	into     int32  // first FIFO at its far end, -1: a node
	last     uint8  // source served last
	port     uint8
	ring     bool // belongs to a dimension that wraps
	busy     bool
}

type packet struct {
	way
	adaptive bool
	control  bool
	message  int32
	next     int32    // in its FIFO, or in the pool of free packets
	ready    sim.Time // when it may leave its FIFO
	born     sim.Time // when it entered its injection FIFO
}

// New returns a fabric without messages, or an error with all mistakes in its parameters.
func New(k *sim.Kernel, sink network.Sink, t topology.Topology, p Params) (*Fabric, error) {
	f, err := plan(t, p)
	if err != nil {
		return nil, err
	}
	f.build(k, sink)
	return f, nil
}

// Check returns all mistakes in the parameters for a topology. New finds no others.
func Check(t topology.Topology, p Params) error {
	_, err := plan(t, p)
	return err
}

// plan returns a fabric without its FIFOs and links. A router has at most 64 FIFOs.
func plan(t topology.Topology, p Params) (*Fabric, error) {
	g, err := newGeometry(t)
	if err != nil {
		return nil, err
	}
	if g.bubble() == 0 {
		p.Bubble = 0
	}
	if err := p.check(g.bubble()); err != nil {
		return nil, err
	}
	f := &Fabric{geometry: *g, params: p}
	f.data = p.Bandwidth.Time(int64(p.PacketBytes))
	f.control = p.Bandwidth.Time(int64(p.ControlBytes))
	f.channels = p.channels()
	f.feeds = p.InjectionFIFOs + p.AnswerFIFOs
	under := f.inputs * f.channels
	if sources := under + f.feeds*f.perRouter; sources > 64 {
		return nil, fmt.Errorf("packet: at most 64 FIFOs per router, got %d: %d ports with %d channels, %d nodes with %d",
			sources, f.inputs, f.channels, f.perRouter, f.feeds)
	}
	f.under = 1<<under - 1
	return f, nil
}

// build makes FIFOs and links.
func (f *Fabric) build(k *sim.Kernel, sink network.Sink) {
	f.kernel, f.sink, f.packetPool, f.messagePool = k, sink, -1, -1
	f.me = k.Register(f)
	f.dice = sim.NewStream(1)
	f.wires = make([]wire, len(f.geometry.into))
	f.loads = make([]load, len(f.wires))
	for i := range f.wires {
		router, port := i/f.ports, i%f.ports
		f.wires[i] = wire{base: f.first(router), port: uint8(port), ring: f.rings[port], into: -1}
		if end := int(f.into[i]); end >= 0 {
			f.wires[i].into = f.first(end/f.inputs) + int32(end%f.inputs*f.channels)
		}
	}
	f.room = make([]int8, len(f.wires)*f.channels)
	for i := range f.room {
		f.room[i] = int8(f.params.Slots)
	}
	f.queues = make([]queue, len(f.place)*f.feeds)
	if f.params.Injection > 0 {
		f.nics = make([]sim.Time, len(f.place))
	}
	f.fifos = make([]fifo, f.first(f.shape.Routers()))
	for router := range f.shape.Routers() {
		first := f.first(router)
		for source := range f.first(router+1) - first {
			f.fifos[first+source] = f.fifo(router, int(source))
		}
	}
}

// first is the first FIFO of a router: first its inputs, by port*channels + channel, then the FIFOs of its nodes.
func (f *Fabric) first(router int) int32 {
	return int32(router*f.inputs*f.channels) + f.before[router]*int32(f.feeds)
}

// fifo returns an empty FIFO. One of injection gets its queue.
func (f *Fabric) fifo(router, source int) fifo {
	q := fifo{head: -1, tail: -1, router: int32(router), source: uint8(source), link: -1, out: idle}
	if port := source / f.channels; port < f.inputs {
		q.link = f.from[router*f.inputs+port]
		q.slot = q.link*int32(f.channels) + int32(source%f.channels)
		return q
	}
	q.slot = f.before[router]*int32(f.feeds) + int32(source-f.inputs*f.channels)
	f.queues[q.slot] = queue{sending: -1, filling: -1, last: -1, fifo: f.first(router) + int32(source)}
	return q
}

// Kinds of events. The argument is a FIFO; for deliver it is the id of a message.
const (
	arrive  = iota // the head of the first packet of a FIFO is here
	release        // the tail of a packet has left a FIFO
	deliver        // a message is in memory
)

// Latency implements network.Contended: the hop latencies and the latency after the last link.
func (f *Fabric) Latency(from, to int32, kind network.TransferKind) sim.Time {
	return f.behind(kind) + sim.Time(f.shape.Hops(int(from), int(to)))*f.params.HopLatency
}

// Injection implements network.Contended.
func (f *Fabric) Injection() sim.Rate { return f.params.Injection }

// Queues implements [network.Queued].
func (f *Fabric) Queues() {}

// Ejection implements [network.Contended].
func (f *Fabric) Ejection() sim.Rate { return 0 }

// inNIC returns how long a transfer takes in the NIC, which the messages of a node share.
func (f *Fabric) inNIC(t *network.Transfer) sim.Time {
	if f.nics == nil {
		return 0
	}
	return f.params.Injection.Time(t.Bytes)
}

// onLink returns how long the packets of a transfer take on a link.
func (f *Fabric) onLink(t *network.Transfer) sim.Time {
	if t.Kind == network.Request || t.Bytes == 0 {
		return f.control
	}
	return sim.Time(f.packetsOf(t)) * f.data
}

// Handle implements sim.Handler.
func (f *Fabric) Handle(e sim.Event) {
	switch e.Kind {
	case arrive:
		f.request(int(e.Arg))
	case release:
		f.release(int(e.Arg))
	case deliver:
		f.sink.Arrived(uint32(e.Arg), e.At)
	}
}
