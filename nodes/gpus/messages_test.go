package gpus

import (
	"fmt"
	"slices"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// mesh is a node of eight GPUs with the links of a DGX-1V.
func mesh() *Machine {
	m := box()
	m.GPU.Generation, m.Node.Switch, m.Node.Links = Volta, nil, cubeMesh()
	m.Fit.Ring, m.Fit.Channels = 22.6e9, 12
	return m
}

// With equal arrivals, equal links, an idle network and whole chunks the messages end when the
// formula says, within 0.1 %, and all members together.
func TestMessagesAgree(t *testing.T) {
	for _, c := range []struct {
		m         *Machine
		op        *Operation
		algorithm *Algorithm
		protocol  *Protocol
		most      int
	}{
		{box(), AllReduce, Ring, Simple, 8}, {box(), AllReduce, Ring, LL, 8}, {box(), AllReduce, Ring, LL128, 8},
		{box(), AllGather, Ring, Simple, 8},
		{box(), ReduceScatter, Ring, Simple, 8}, {box(), AllReduce, NVLS, Simple, 8}, {box(), AllToAll, Pairs, Simple, 32},
		{mesh(), AllReduce, Ring, Simple, 4}, {mesh(), AllGather, Ring, LL, 3}, {box(), SendReceive, Pairs, Simple, 2},
	} {
		for n := 2; n <= c.most; n = n + 1 + n/8*7 {
			for _, rounds := range []int64{1, 2, 7} {
				g := First(c.m, n, 8)
				g.Algorithm, g.Protocol = c.algorithm, c.protocol
				bytes := rounds * int64(n) * 16 * 24 * mostChunk // whole chunks for 12, 16 and 24 channels
				name := fmt.Sprintf("%s %s %s, %d GPUs, %d bytes", c.op, c.algorithm, c.protocol, n, bytes)
				want := timeOf(t, g, c.op, bytes).Total().Seconds()
				got, err := g.Messages(c.op, bytes, nil)
				if err != nil {
					t.Fatal(name, err)
				}
				near(t, name, slices.Max(got).Seconds(), want, 1e-3)
				if c.op != SendReceive {
					near(t, name+": first", slices.Min(got).Seconds(), want, 1e-3)
				}
			}
		}
	}
}

// A member that arrives late delays all. None ends before the formula from the last arrival, less
// the work that could be done before, nor after the formula from the last arrival.
func TestLateMember(t *testing.T) {
	for _, a := range []*Algorithm{Ring, NVLS} {
		g := First(box(), 8, 8)
		g.Algorithm, g.Protocol = a, Simple
		const bytes = 8 * 16 * 24 * mostChunk
		whole := timeOf(t, g, AllReduce, bytes).Total()
		late := 300 * sim.Microsecond
		arrivals := make([]sim.Time, 8)
		arrivals[5] = late
		got := must.Get(g.Messages(AllReduce, bytes, arrivals))(t)
		if last := slices.Max(got); last < whole || last > (whole+late)*1001/1000 {
			t.Errorf("%s ends at %v, want %v to %v", a, last, whole, whole+late)
		}
	}
}

// An error says what has no schedule.
func TestNoMessages(t *testing.T) {
	g := First(box(), 16, 8)
	g.Algorithm = Tree
	if _, err := g.Messages(AllReduce, 1<<20, nil); err == nil {
		t.Error("trees have no schedule")
	}
}

// Over nodes the formula adds latency and bytes; messages overlap them, and are never slower by
// more than filling the ring.
func TestMessagesOverNodes(t *testing.T) {
	g := First(box(), 32, 8)
	g.Algorithm, g.Protocol = Ring, Simple
	const bytes = 4 << 30
	cost := timeOf(t, g, AllReduce, bytes)
	got := must.Get(g.Messages(AllReduce, bytes, nil))(t)
	near(t, "ring over nodes", slices.Max(got).Seconds(), cost.Total().Seconds(), 0.05)
	if cost.Outside == "" {
		t.Error("the formula is outside of its conditions")
	}
}
