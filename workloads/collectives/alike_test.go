package collectives

import (
	"testing"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// If all members do the same, four take as long as all, to the picosecond, on the ideal fabric
// and where messages share NICs.
func TestCondensed(t *testing.T) {
	some := 0
	for _, o := range Operations {
		for _, a := range o.Algorithms() {
			for _, p := range []int{5, 6, 8, 12, 13, 16, 32} {
				g := Group{Ranks: p, Bytes: int64(p) * 3000, Segment: 1000, Dims: []int{p}, Combine: combining}
				one, few, ok := a.Condensed(g)
				if !ok || a.Needs != nil && a.Needs(&g) != "" {
					continue
				}
				some++
				for name, fabric := range map[string]network.Maker{"ideal": nil, "flow": shared(p)} {
					if got, want := makespan(t, one, few, fabric), makespan(t, a, g, fabric); got != want {
						t.Errorf("%s %s of %d on %s: %v, want %v", o.Name, a.Name, p, name, got, want)
					}
				}
			}
		}
	}
	if some < 100 {
		t.Errorf("only %d cases", some)
	}
}

// combining takes a tenth of a nanosecond for each byte.
func combining(bytes int64) machines.Task { return machines.Task{Time: sim.Time(100 * bytes)} }

// shared is a switch whose nodes send and receive more slowly at the same time, and more
// slowly still with one partner.
func shared(nodes int) network.Maker {
	return func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		shape, err := topology.NewCrossbar(nodes)
		if err != nil {
			return nil, err
		}
		return flow.New(k, sink, shape, flow.Params{Latency: 2 * sim.Microsecond, Injection: 1e9, Ejection: 1e9, Duplex: 1.7e9, Exchange: 1.3e9})
	}
}

func makespan(t *testing.T, a *Algorithm, g Group, fabric network.Maker) sim.Time {
	t.Helper()
	r, err := nodes.Run(logGP(), &program{a, g}, 1, nodes.Options{Fabric: fabric})
	if err != nil {
		t.Fatal(a.Of.Name, a.Name, g.Ranks, err)
	}
	return r.Makespan()
}
