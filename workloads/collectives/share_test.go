package collectives

import (
	"math"
	"testing"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// Sends to the children of a tree share the sender's NIC and end together. The number of
// transfers is the sum of the children along the longest path. Leonardo's trees of 256 nodes take
// times in the ratio 36 to 30 to 15 from 8 MiB on, within 4 %.
func TestChildrenShareTheNIC(t *testing.T) {
	m := logGP()
	m.Network.Channels = 64
	const rate = 1e12 / 600 // bytes per second of the NIC
	fabric := func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		shape, err := topology.NewCrossbar(256)
		if err != nil {
			return nil, err
		}
		return flow.New(k, sink, shape, flow.Params{Injection: rate, Ejection: rate})
	}
	for _, c := range []struct {
		by        *Algorithm
		transfers float64
	}{{BroadcastBinomial, 8 + 7 + 6 + 5 + 4 + 3 + 2 + 1}, {BroadcastKNomial, 12 + 9 + 6 + 3}, {BroadcastBinary, 7*2 + 1}} {
		const bytes = 64 << 20
		r := must.Get(nodes.Run(m, &program{c.by, Group{Ranks: 256, Bytes: bytes}}, 1, nodes.Options{Fabric: fabric}))(t)
		got := r.Makespan().Seconds() / (bytes / rate)
		if math.Abs(got/c.transfers-1) > 0.001 {
			t.Errorf("%s: %.2f transfers, want %g", c.by.Name, got, c.transfers)
		}
	}
}
