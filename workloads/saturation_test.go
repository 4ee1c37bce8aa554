package workloads

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

// TestSaturationClosedForm compares the times on a crossbar with the shares that each
// operation gets: o and L are 0, so that only bytes take time.
func TestSaturationClosedForm(t *testing.T) {
	const bytes, wire, duplex, exchange = 1e6, 1e9, 1.4e9, 1e9
	one := bytes / wire
	both, pair := bytes/(duplex/2), bytes/(exchange/2)
	for _, c := range []struct {
		partners string
		ranks    int
		want     float64
	}{
		{"one-way", 2, one}, {"one-way", 16, one},
		{"same", 2, pair}, {"same", 12, pair},
		{"different", 4, both}, {"different", 12, both},
		{"different", 2, pair}, // there is no other partner
		{"all", 2, pair},
		{"all", 3 * 2, 4*both + pair}, // half-way round the partner is the same
	} {
		m := peerMachine()
		m.Network = network.LogGOPS{Transfer: network.PerByte(1e12 / wire)}
		w := &saturation{Partners: c.partners, Bytes: bytes, Repeat: 3}
		p := must.Get(w.Program(m, c.ranks))(t)
		r, err := nodes.Run(m, p, 1, nodes.Options{Fabric: crossbar(t, c.ranks, flow.Params{Duplex: duplex, Exchange: exchange})})
		if err != nil {
			t.Fatal(err)
		}
		all := w.Metrics(m, r)
		if got := all.List()[0].Value; math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s on %d: %g s, want %g", c.partners, c.ranks, got, c.want)
		}
	}
}

func crossbar(t *testing.T, nodes int, p flow.Params) network.Maker {
	shape := must.Get(topology.NewCrossbar(nodes))(t)
	return func(k *sim.Kernel, s network.Sink) (network.Contended, error) { return flow.New(k, s, shape, p) }
}
