package packet

import (
	"fmt"

	"overlapsim/network/topology"
	"overlapsim/sim"
)

// Sink learns what becomes of messages. It may start others.
type Sink interface {
	// Sent says that the last byte of a put, or the request of a get, has left
	// the memory of the node that started it.
	Sent(id uint32, now sim.Time)
	// Arrived says that the last byte is in memory: that of the target of a
	// put, that of the node that started a get.
	Arrived(id uint32, now sim.Time)
}

// Fabric is the network of a torus or mesh, packet by packet. Its memory grows
// with routers, buffers and messages under way, not with their length. It is
// deterministic. A packet costs one event per link, and one more at a router
// where it finds no other before it.
type Fabric struct {
	geometry
	params  Params
	kernel  *sim.Kernel
	me      sim.HandlerID
	sink    Sink
	data    sim.Time // length of a data packet on a link
	control sim.Time // length of a request on a link

	channels int    // virtual channels; the escape channel is 0
	feeds    int    // injection and answer FIFOs per node
	sources  int    // FIFOs per router: port*channels + channel, then those of its nodes
	network  uint64 // sources that are input FIFOs

	fifos                   []fifo // router*sources + source
	wires                   []wire // by link
	room                    []int8 // link*channels + channel: free slots at its end
	packets                 []packet
	messages                []message
	queues                  []queue // node*feeds + feed
	loads                   []Load  // by link
	packetPool, messagePool int32   // first that is not in use, -1: none
}

// fifo is a queue of packets of which one may be on its way out.
type fifo struct {
	head, tail int32 // packets that have not begun to leave, -1: none
	router     int32
	link       int32  // the link that fills it, -1: injection
	slot       int32  // index into room, or of queues
	wants      uint16 // ports for which the head waits
	source     uint8  // its number at its router
	count      uint8  // slots taken, also by a packet on its way out
	out        int8   // the port by which a packet leaves, or one of these
}

const (
	idle  int8 = -1
	eject int8 = -2
)

// wire is the sending end of a link.
type wire struct {
	escape   uint64 // sources whose head waits for it and may take the escape channel
	adaptive uint64 // sources whose head waits for it and may take adaptive channels
	base     int32  // first FIFO of the router it leaves
	into     int32  // first FIFO at its end
	last     uint8  // source served last
	port     uint8
	ring     bool // of a dimension that wraps
	busy     bool
}

type packet struct {
	way
	adaptive bool
	control  bool
	message  int32
	next     int32    // in its FIFO, or in the pool
	ready    sim.Time // when it may leave its FIFO
	born     sim.Time // when it entered its injection FIFO
}

// New returns a fabric without messages, or all that is wrong with its
// parameters. A router has at most 64 FIFOs.
func New(k *sim.Kernel, sink Sink, t topology.Topology, p Params) (*Fabric, error) {
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("packet: %w", err)
	}
	g, err := newGeometry(t)
	if err != nil {
		return nil, err
	}
	f := &Fabric{geometry: *g, params: p, kernel: k, sink: sink, packetPool: -1, messagePool: -1}
	f.data = sim.PerByte(int64(p.PacketBytes), 1e12/p.Bandwidth)
	f.control = sim.PerByte(int64(p.ControlBytes), 1e12/p.Bandwidth)
	f.channels = 1 + p.AdaptiveChannels
	f.feeds = p.InjectionFIFOs + p.AnswerFIFOs
	inputs := f.ports * f.channels
	f.sources = inputs + f.feeds*f.torus.PerRouter()
	if f.sources > 64 {
		return nil, fmt.Errorf("packet: at most 64 FIFOs per router, got %d: %d ports with %d channels, %d nodes with %d",
			f.sources, f.ports, f.channels, f.torus.PerRouter(), f.feeds)
	}
	f.network = 1<<inputs - 1
	f.build()
	f.me = k.Register(f)
	return f, nil
}

// build makes FIFOs and links.
func (f *Fabric) build() {
	f.wires = make([]wire, len(f.to))
	f.loads = make([]Load, len(f.to))
	for i := range f.wires {
		router, port := i/f.ports, i%f.ports
		f.wires[i] = wire{base: int32(router * f.sources), port: uint8(port), ring: f.rings[port/2],
			into: f.to[i]*int32(f.sources) + int32(port*f.channels)}
	}
	f.room = make([]int8, len(f.to)*f.channels)
	for i := range f.room {
		f.room[i] = int8(f.params.Slots)
	}
	f.fifos = make([]fifo, f.torus.Routers()*f.sources)
	f.queues = make([]queue, f.torus.Nodes()*f.feeds)
	for i := range f.fifos {
		router, source := i/f.sources, i%f.sources
		f.fifos[i] = fifo{head: -1, tail: -1, router: int32(router), source: uint8(source), link: -1, out: idle}
		if port := source / f.channels; port < f.ports {
			f.fifos[i].link = f.from[router*f.ports+port]*int32(f.ports) + int32(port)
			f.fifos[i].slot = f.fifos[i].link*int32(f.channels) + int32(source%f.channels)
			continue
		}
		n := router*(f.sources-f.ports*f.channels) + source - f.ports*f.channels
		f.fifos[i].slot = int32(n)
		f.queues[n] = queue{sending: -1, filling: -1, last: -1, fifo: int32(i)}
	}
}

// Kinds of events. The argument is a FIFO; with answer, a message.
const (
	arrive  = iota // the head of the first packet of a FIFO is here
	release        // the tail of a packet has left a FIFO
	answer         // an answer joins its injection queue
)

// Handle is for the kernel.
func (f *Fabric) Handle(e sim.Event) {
	switch e.Kind {
	case arrive:
		f.request(int(e.Arg))
	case release:
		f.release(int(e.Arg))
	case answer:
		f.enqueue(int32(e.Arg))
	}
}
