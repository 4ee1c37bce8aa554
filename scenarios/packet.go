package scenarios

import (
	"errors"
	"strings"

	"overlapsim/network"
	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// routersFile holds what a machine file says of the routers of its torus and
// of the interfaces that feed them.
type routersFile struct {
	given                            group
	params                           packet.Params
	arbitration, routing, getRouting string
}

// routings are the ways of packets; BlueGene's users say static and dynamic.
var routings = map[string]packet.Routing{
	"dimension-order": packet.Static, "static": packet.Static, "adaptive": packet.Adaptive, "dynamic": packet.Adaptive,
}

var routingNames = []string{"dimension-order", "adaptive", "static", "dynamic"}

var arbitrations = []string{"round-robin", "oldest-first", "longest-queue"} // as packet.Arbitration

func newRouters() routersFile {
	return routersFile{
		params:      packet.Params{Bubble: 1, AdaptiveChannels: 1, InjectionFIFOs: 1},
		arbitration: arbitrations[0], routing: routingNames[0], getRouting: routingNames[0],
	}
}

// rows is the key table of routers. A scenario has the same keys under fabric.
func (f *routersFile) rows() table {
	p := &f.params
	return table{
		{Path: "fabric", To: &f.given, Doc: "routers and interfaces of a torus, for the packet fabric"},
		{Path: "fabric.payload", To: &p.PayloadBytes, Is: Bytes, Needs: Required, Range: Positive, Doc: "most user bytes in a packet"},
		{Path: "fabric.packet", To: &p.PacketBytes, Is: Bytes, Needs: Required, Range: Positive, Doc: "what a packet takes on a link, overhead included, whatever it holds"},
		{Path: "fabric.control", To: &p.ControlBytes, Is: Bytes, Doc: "the same for the request of a get and for a message without bytes; 0B: as packet"},
		{Path: "fabric.bandwidth", To: &p.Bandwidth, Is: Bandwidth, Doc: "raw rate of a link in one direction; 0: as links.bandwidth"},
		{Path: "fabric.hop_latency", To: &p.HopLatency, Is: Time, Doc: "from the first bit on a link until the packet may leave the next router; 0s: as links.latency"},
		{Path: "fabric.answer_latency", To: &p.AnswerLatency, Is: Time, Doc: "from the arrival of a get's request until its answer waits for injection"},
		{Path: "fabric.slots", To: &p.Slots, Is: Count, Needs: Required, Range: Positive, Doc: "packets that a FIFO holds: one per virtual channel of each link, and those of injection"},
		{Path: "fabric.bubble", To: &p.Bubble, Is: Count, Doc: "slots that a packet entering a ring leaves free"},
		{Path: "fabric.adaptive_channels", To: &p.AdaptiveChannels, Is: Count, Doc: "virtual channels of a link beside the escape channel"},
		{Path: "fabric.injection_fifos", To: &p.InjectionFIFOs, Is: Count, Doc: "of a node; a message takes that of the first link of its route"},
		{Path: "fabric.answer_fifos", To: &p.AnswerFIFOs, Is: Count, Doc: "of a node, for answers to gets; 0: they share the injection FIFOs"},
		{Path: "fabric.network_first", To: &p.NetworkFirst, Doc: "a link takes packets under way before injected ones"},
		{Path: "fabric.arbitration", To: &f.arbitration, Choices: arbitrations, Doc: "which FIFO a link serves next"},
		{Path: "fabric.routing", To: &f.routing, Choices: routingNames, Doc: "of messages; static is dimension-order, dynamic adaptive (any minimal way)"},
		{Path: "fabric.get_routing", To: &f.getRouting, Choices: routingNames, Doc: "of the answers to gets"},
	}
}

// overrides are the rows of a scenario's fabric that go on to the machine.
func (f *scenarioFile) overrides() table {
	rows := new(routersFile).rows()[1:]
	f.routers = make([]*node, len(rows))
	for i := range rows {
		form := rows[i].Kind()
		rows[i] = Row{Path: rows[i].Path, To: &f.routers[i], Form: form, Doc: "packet: as the machine's"}
	}
	return rows
}

// routerChanges returns what the scenario says of the machine's routers.
func (f *scenarioFile) routerChanges() (all []setting) {
	for i, row := range new(routersFile).rows()[1:] {
		if f.routers[i] != nil {
			all = append(all, setting{row.Path, f.routers[i]})
		}
	}
	return all
}

// packetParams returns the parameters of the machine's routers.
func (m *Machine) packetParams() (packet.Params, error) {
	f := &m.routers
	if !f.given.given {
		return packet.Params{}, errors.New("packet needs the routers: the keys payload, packet and slots at least, or a machine that has them, such as intrepid")
	}
	p := f.params
	p.Put, p.Get = routings[f.routing], routings[f.getRouting]
	for i, name := range arbitrations {
		if f.arbitration == name {
			p.Arbitration = packet.Arbitration(i)
		}
	}
	if p.ControlBytes == 0 {
		p.ControlBytes = p.PacketBytes
	}
	if p.HopLatency == 0 {
		p.HopLatency = m.links.latency
	}
	if p.Bandwidth == 0 {
		switch rates := m.links.bandwidth; len(rates) {
		case 0:
			p.Bandwidth = nicBandwidth(&m.Network)
		case 1:
			p.Bandwidth = rates[0]
		default:
			return p, errors.New("bandwidth: all links of a packet fabric have the same, links.bandwidth has several")
		}
	}
	return p, nil
}

// packet prepares a fabric of routers.
func (m *Machine) packet(shape topology.Topology) (fabricMaker, error) {
	p, err := m.packetParams()
	if err != nil {
		return nil, err
	}
	maker := func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		f := &packetFabric{kernel: k, sink: sink, shape: shape, latency: m.Network.Latency, hop: p.HopLatency, bandwidth: p.Bandwidth}
		var err error
		f.Fabric, err = packet.New(k, f, shape, p)
		f.self = k.Register(f)
		return f, err
	}
	_, err = maker(sim.NewKernel(), nil)
	return maker, plain(err)
}

// plain is what an error of package packet says, without its name.
func plain(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	if err != nil {
		err = errors.New(strings.TrimPrefix(err.Error(), "packet: "))
	}
	return err
}

// packetFabric adds to a packet fabric what happens after the last packet has
// come, and what is known of an empty network.
type packetFabric struct {
	*packet.Fabric
	kernel       *sim.Kernel
	self         sim.HandlerID
	sink         network.Sink
	shape        topology.Topology
	latency, hop sim.Time
	bandwidth    float64
}

// Latency implements network.Fabric.
func (f *packetFabric) Latency(from, to int32) sim.Time {
	return f.latency + sim.Time(f.shape.Hops(int(from), int(to)))*f.hop
}

// Sent implements packet.Sink.
func (f *packetFabric) Sent(id uint32, now sim.Time) { f.sink.Sent(id, now) }

// Arrived implements packet.Sink.
func (f *packetFabric) Arrived(id uint32, now sim.Time) {
	f.kernel.Schedule(now+f.latency, f.self, 0, uint64(id))
}

// Handle is for the kernel.
func (f *packetFabric) Handle(e sim.Event) { f.sink.Arrived(uint32(e.Arg), e.At) }

// prepare checks an experiment.
func (f *scenarioFile) prepare(experiment workloads.Experiment, shape topology.Topology, tree *node, problems *Problems) {
	before := len(*problems)
	if f.Fabric != "packet" {
		problems.add(tree.nearest("fabric.kind"), "fabric.kind", "must be packet: %s is an experiment on that fabric; got %s", f.Kind, f.Fabric)
	}
	if f.Mapping != "block" {
		problems.add(tree.placeOf("mapping"), "mapping", "must be block for an experiment that has a process on every node, got %s", quote(f.Mapping))
	}
	if f.Processes != 1 {
		problems.add(tree.placeOf("processes_per_node"), "processes_per_node", "must be 1 for an experiment, got %d", f.Processes)
	} else if f.Ranks != shape.Nodes() {
		problems.add(tree.placeOf("ranks"), "ranks", "must be the %d nodes of the %v for an experiment, got %d; it may be left out", shape.Nodes(), shape, f.Ranks)
	}
	if len(*problems) > before {
		return
	}
	p, err := f.Machine.packetParams()
	if err != nil {
		addAll(problems, tree.placeOf("fabric", "machine"), "fabric", err)
		return
	}
	f.network = workloads.Network{Grid: f.Machine.shape.grid(), Packet: p, Seed: f.Seed}
	if err := experiment.Check(f.Machine.Machine, f.network); err != nil {
		placeErrors(err, f.workload, problems)
	}
}
