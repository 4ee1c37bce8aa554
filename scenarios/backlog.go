package scenarios

import (
	"overlapsim/network"
	"overlapsim/network/backlog"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// backlog prepares a fabric whose links know only when they will be done. A
// machine with routers sends whole packets.
func (m *Machine) backlog(shape topology.Topology) (fabricMaker, error) {
	p := backlog.Params{
		Time: m.linkTime(), Packet: int64(m.routers.params.PayloadBytes), Latency: m.Network.Latency, HopLatency: m.links.latency,
		Window: max(1, m.links.window), Turn: 1 + m.links.turn,
	}
	maker := func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		return backlog.New(k, sink, shape, p)
	}
	_, err := maker(sim.NewKernel(), nil)
	return maker, err
}

// linkTime returns how long bytes take on a link.
func (m *Machine) linkTime() func(bytes int64) sim.Time {
	if m.routers.given.given {
		if p, err := m.packetParams(); err == nil {
			of := func(bytes int) sim.Time { return sim.PerByte(int64(bytes), 1e12/p.Bandwidth) }
			payload, packet, control := int64(p.PayloadBytes), of(p.PacketBytes), of(p.ControlBytes)
			return func(bytes int64) sim.Time {
				if bytes == 0 {
					return control
				}
				return packet.Times((bytes-1)/payload + 1)
			}
		}
	}
	perByte := 1e12 / nicBandwidth(&m.Network)
	if len(m.links.bandwidth) == 1 {
		perByte = 1e12 / m.links.bandwidth[0]
	}
	return func(bytes int64) sim.Time { return sim.PerByte(bytes, perByte) }
}
