package scenarios

import (
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/sim"
)

// checkWay complains about links on which a packet, or the longest way, takes longer
// than a run can.
func (m *Machine) checkWay(shape topology.Topology, tree *node, problems *Problems) {
	hop := max(m.links.latency, m.routers.params.HopLatency, m.routers.params.AnswerLatency)
	if way := int64(shape.Diameter()); hop.Times(way) > nodes.Longest {
		problems.add(tree.nearest("machine.links.latency"), "links.latency", "must be less: %d links of %v take longer than a run can, 53 days", way, hop)
	}
	packet := int64(max(1, m.routers.params.PacketBytes, m.routers.params.ControlBytes))
	for _, rate := range append([]float64{m.links.injection, m.links.ejection, m.routers.params.Bandwidth}, m.links.bandwidth...) {
		if rate > 0 && sim.PerByte(packet, 1e12/rate) > nodes.Longest/4 {
			problems.add(tree.nearest("machine.links.bandwidth"), "links.bandwidth", "must be more: at %s %s take longer than a run can, 53 days",
				Format(Bandwidth, rate), FormatBytes(packet))
		}
	}
}
