package fabrics

import (
	"overlapsim/network"
	"overlapsim/network/backlog"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

var backlogs = Kind{
	Name: "backlog", Doc: "links that know only when they will be done, the cheapest contention, for millions of messages",
	Places: true, PerLink: backlog.LinkBytes, PerNode: backlog.NodeBytes, PassesPerSecond: 4_000_000, Examples: []string{""},
	New: func() Keys { return &backlogKeys{limiter: newLimiter()} },
}

type backlogKeys struct {
	links
	Window int     `key:"links.window" unit:"count" doc:"messages that each injection FIFO of a node may have under way; 0: one"`
	Turn   float64 `key:"links.turn" unit:"number" in:"not negative" doc:"extra load, as a fraction, on a ring that a message enters from another dimension; 0: none"`
	format
	limiter
}

// Maker implements Keys. On a machine with routers, messages are whole packets.
func (k *backlogKeys) Maker(nic *network.LogGOPS, shape topology.Topology) (network.Maker, error) {
	if err := topology.Untrunked(shape); err != nil {
		return nil, err
	}
	wires := k.wires
	if k.raw() {
		wires.Bandwidth = []sim.Rate{k.Raw}
	}
	capacity, err := wires.capacities(nic, shape)
	if err != nil {
		return nil, err
	}
	injection, ejection := k.ends(nic)
	p := backlog.Params{
		Capacity: capacity, Injection: injection, Ejection: ejection, Latency: nic.Latency, HopLatency: k.Latency,
		Packets: backlog.Packets{Payload: k.Payload, Size: k.Packet, Control: k.control()},
		Window:  max(1, k.Window), Turn: 1 + k.Turn,
	}
	if err := p.Check(shape); err != nil {
		return nil, err
	}
	return k.before(func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		return backlog.New(k, sink, shape, p)
	})
}

// raw tells whether the raw rate of links applies instead of the rate of user bytes.
func (k *backlogKeys) raw() bool { return k.Payload > 0 && k.Raw > 0 }

// Reads implements Keys.
func (k *backlogKeys) Reads(_ *network.LogGOPS, shape topology.Topology) (keys []string) {
	keys = k.acting()
	for _, key := range k.reads(shape) {
		if key != network.LinkBandwidth || !k.raw() {
			keys = append(keys, key)
		}
	}
	keys = append(keys, "fabric.payload") // a message that fits into a packet never waits
	if shape.Links() == 0 {
		return keys
	}
	keys = append(keys, network.LinkWindow)
	if k.Payload > 0 {
		keys = append(keys, "fabric.packet", "fabric.control", "fabric.bandwidth")
	}
	if rings(shape) && len(shape.Classes()) > 1 { // a message may enter a ring from another dimension
		keys = append(keys, "links.turn")
	}
	return keys
}

// rings tells whether some links form rings.
func rings(shape topology.Topology) bool {
	for l := range shape.Links() {
		if shape.Link(l).Wrap {
			return true
		}
	}
	return false
}
