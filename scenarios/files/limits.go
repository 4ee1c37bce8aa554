package files

import (
	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
)

// checkWay reports a problem if a packet on a link, or the longest route, takes longer
// than a run can.
func (m *Machine) checkWay(kind fabrics.Kind, shape topology.Topology, tree *keys.Node, problems *keys.Problems) {
	own := kind.New()
	m.wiring.fill(own)
	rows := keys.Tagged(own)
	packet := longestPacket(rows)
	for _, row := range rows {
		at := m.placeOf(row.Path, tree)
		if hop, ok := row.To.(*sim.Time); ok {
			if way := int64(shape.Diameter()); hop.Times(way) > machines.Longest {
				problems.Add(at, row.Path, "must be less: %d links of %v take longer than a run can, 53 days", way, *hop)
			}
		}
		for _, rate := range rates(row.To) {
			if rate > 0 && rate.Time(packet) > machines.Longest/4 {
				problems.Add(at, row.Path, "must be more: at %s %s take longer than a run can, 53 days",
					keys.Format(keys.Bandwidth, float64(rate)), keys.FormatBytes(packet))
			}
		}
	}
}

// longestPacket returns the largest size in bytes that some key gives for a packet, and
// at least 1.
func longestPacket(rows keys.Table) int64 {
	most := int64(1)
	for _, row := range rows {
		if to := row.Target(); row.Is == keys.Bytes && to.CanInt() {
			most = max(most, to.Int())
		}
	}
	return most
}

// rates returns the bandwidths that a key holds, none if it holds no bandwidth.
func rates(to any) []sim.Rate {
	switch to := to.(type) {
	case *sim.Rate:
		return []sim.Rate{*to}
	case *[]sim.Rate:
		return *to
	}
	return nil
}
