package fabrics

import (
	"cmp"
	"errors"
	"slices"

	"overlapsim/network"
	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

var packets = Kind{
	Name: "packet", Doc: "packets through routers with finite buffers, on a torus or on switches, where queues in routers matter",
	Places: true, PerLink: packet.LinkBytes,
	PerNode:         func(topology.Topology) int64 { return packet.NodeBytes },
	Payload:         func(k Keys) int64 { return k.(*PacketKeys).Payload },
	PassesPerSecond: 5_000_000, // 1 to 16 million
	Examples:        []string{packetExample},
	New:             func() Keys { return newPacketKeys() },
}

// packetExample are the keys that a machine without routers needs.
const packetExample = "payload: 240B, packet: 256B, slots: 8"

// format holds the keys of packets.
type format struct {
	Payload int64    `key:"fabric.payload" unit:"bytes" needs:"required" in:"positive" doc:"most user bytes in a packet"`
	Packet  int64    `key:"fabric.packet" unit:"bytes" needs:"required" in:"positive" doc:"bytes that a packet takes on a link, overhead included, regardless of what it holds"`
	Control int64    `key:"fabric.control" unit:"bytes" doc:"the same for the request of a get and for a message without bytes; 0B: as packet"`
	Raw     sim.Rate `key:"fabric.bandwidth" unit:"bandwidth" doc:"raw rate of a link in one direction; 0: as links.bandwidth"`
}

func (f *format) control() int64 {
	if f.Control == 0 {
		return f.Packet
	}
	return f.Control
}

// PacketKeys are the keys of the packet fabric.
type PacketKeys struct {
	format
	HopLatency          sim.Time `key:"fabric.hop_latency" unit:"time" doc:"from the first bit on a link until the packet may leave the next router; 0s: as links.latency"`
	AnswerLatency       sim.Time `key:"fabric.answer_latency" unit:"time" for:"requests" doc:"from the arrival of a get's request until its answer waits for injection"`
	Slots               int      `key:"fabric.slots" unit:"count" needs:"required" in:"positive" doc:"packets that a FIFO holds: one per virtual channel of each link, and those of injection"`
	Bubble              int      `key:"fabric.bubble" unit:"count" doc:"slots that a packet entering a ring leaves free"`
	AdaptiveChannels    int      `key:"fabric.adaptive_channels" unit:"count" doc:"virtual channels of a link in addition to the escape channel"`
	InjectionFIFOs      int      `key:"fabric.injection_fifos" unit:"count" doc:"of a node; a message takes the FIFO of the first link of its route"`
	AnswerFIFOs         int      `key:"fabric.answer_fifos" unit:"count" for:"answers" doc:"of a node, for answers to gets; 0: they share the injection FIFOs"`
	NetworkFirst        bool     `key:"fabric.network_first" unit:"flag" doc:"a link takes packets under way before injected ones"`
	Arbitration         string   `key:"fabric.arbitration" unit:"text" choices:"round-robin,oldest-first,longest-queue,longest-or-any" doc:"which FIFO a link serves next"`
	AdaptiveArbitration string   `key:"fabric.adaptive_arbitration" unit:"text" choices:"round-robin,oldest-first,longest-queue,longest-or-any" doc:"the same where all that wait for the link are data on adaptive routes; if omitted: as arbitration"`
	Routing             string   `key:"fabric.routing" unit:"text" choices:"dimension-order,adaptive,static,dynamic" doc:"of messages; static is dimension-order, dynamic adaptive (any minimal way)"`
	GetRouting          string   `key:"fabric.get_routing" unit:"text" for:"answers" choices:"dimension-order,adaptive,static,dynamic" doc:"of the answers to gets"`
	wires
	injected
}

func newPacketKeys() *PacketKeys {
	return &PacketKeys{
		Bubble: 1, AdaptiveChannels: 1, InjectionFIFOs: 1,
		Arbitration: arbitrations[0], Routing: "dimension-order", GetRouting: "dimension-order",
	}
}

// routings are the names of the routing rules; BlueGene's users say static and dynamic.
var routings = map[string]packet.Routing{
	"dimension-order": packet.Static, "static": packet.Static, "adaptive": packet.Adaptive, "dynamic": packet.Adaptive,
}

var arbitrations = []string{"round-robin", "oldest-first", "longest-queue", "longest-or-any"} // as packet.Arbitration

// Maker implements Keys.
func (k *PacketKeys) Maker(nic *network.LogGOPS, shape topology.Topology) (network.Maker, error) {
	if err := topology.Untrunked(shape); err != nil {
		return nil, err
	}
	if err := packet.CanRoute(shape); err != nil { // before what else may be missing
		return nil, err
	}
	p, err := k.Params(nic)
	if err != nil {
		return nil, err
	}
	p.Latency, p.Injection = nic.Latency, k.rate(nic)
	if err := packet.Check(shape, p); err != nil {
		return nil, err
	}
	return func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		return packet.New(k, sink, shape, p)
	}, nil
}

// Params returns the parameters of the routers, without the latency after the last router.
func (k *PacketKeys) Params(nic *network.LogGOPS) (p packet.Params, err error) {
	if k.Payload == 0 {
		return p, errors.New("packet needs the routers: the keys payload, packet and slots at least, as in --set fabric='{kind: packet, " +
			packetExample + "}', or a machine that has them, such as intrepid")
	}
	p = packet.Params{
		PayloadBytes: int(k.Payload), PacketBytes: int(k.Packet), ControlBytes: int(k.control()), Bandwidth: k.Raw,
		HopLatency: k.HopLatency, AnswerLatency: k.AnswerLatency,
		Slots: k.Slots, Bubble: k.Bubble, AdaptiveChannels: k.AdaptiveChannels, InjectionFIFOs: k.InjectionFIFOs, AnswerFIFOs: k.AnswerFIFOs,
		NetworkFirst: k.NetworkFirst, Arbitration: packet.Arbitration(slices.Index(arbitrations, k.Arbitration)),
		AdaptiveArbitration: packet.Arbitration(slices.Index(arbitrations, cmp.Or(k.AdaptiveArbitration, k.Arbitration))),
		Put:                 routings[k.Routing], Get: routings[k.GetRouting],
	}
	if p.HopLatency == 0 {
		p.HopLatency = k.Latency
	}
	switch {
	case p.Bandwidth > 0:
	case len(k.Bandwidth) == 0:
		p.Bandwidth = nic.OfLinks()
	case len(k.Bandwidth) == 1:
		p.Bandwidth = k.Bandwidth[0]
	default:
		err = errors.New("bandwidth: all links of a packet fabric have the same, links.bandwidth has several")
	}
	return p, err
}

// Reads implements Keys.
func (k *PacketKeys) Reads(_ *network.LogGOPS, shape topology.Topology) []string {
	keys := []string{
		channels, network.LinkInjection, "fabric.payload", "fabric.packet", "fabric.control", "fabric.bandwidth", "fabric.answer_latency", "fabric.slots",
		"fabric.injection_fifos", "fabric.answer_fifos",
	}
	if k.Raw == 0 {
		keys = append(keys, network.LinkBandwidth)
	}
	if _, torus := shape.(*topology.Torus); !torus || shape.Links() > 0 {
		keys = append(keys, "fabric.arbitration")
	}
	if shape.Links() == 0 {
		return keys
	}
	keys = append(keys, "fabric.hop_latency", "fabric.network_first", "fabric.routing", "fabric.get_routing")
	if k.HopLatency == 0 {
		keys = append(keys, network.LinkLatency)
	}
	if rings(shape) {
		keys = append(keys, "fabric.bubble")
	}
	if routings[k.Routing] == packet.Adaptive || routings[k.GetRouting] == packet.Adaptive {
		keys = append(keys, "fabric.adaptive_channels", "fabric.adaptive_arbitration")
	}
	return keys
}
