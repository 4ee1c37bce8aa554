package packet

import (
	"testing"

	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// nothing is a sink that ignores everything.
type nothing struct{}

func (nothing) Sent(uint32, sim.Time, sim.Time) {}
func (nothing) Arrived(uint32, sim.Time)        {}

// Every node of an 8x8x8 torus sends 16 KiB (69 packets) half-way round all
// dimensions (12 links): contention all the way.
func BenchmarkContended(b *testing.B) {
	for _, c := range []struct {
		name    string
		routing Routing
	}{{"static", Static}, {"adaptive", Adaptive}} {
		b.Run(c.name, func(b *testing.B) {
			p := BlueGeneP()
			p.Put = c.routing
			benchmark(b, p, 69*12*512, func(n int, t *topology.Torus) int {
				at := t.Coordinates(n, nil)
				return t.At((at[0]+4)%8, (at[1]+4)%8, (at[2]+4)%8)
			})
		})
	}
}

// Every node sends to its neighbour: every packet has its link to itself.
func BenchmarkFree(b *testing.B) {
	benchmark(b, BlueGeneP(), 69*512, func(n int, t *topology.Torus) int {
		at := t.Coordinates(n, nil)
		return t.At((at[0]+1)%8, at[1], at[2])
	})
}

// benchmark lets every node put 16 KiB, again and again on the same fabric.
func benchmark(b *testing.B, p Params, wantHops int64, target func(int, *topology.Torus) int) {
	t := must.Get(topology.NewTorus(topology.Grid{Sizes: []int{8, 8, 8}, Tie: topology.TieParity}))(b)
	k := sim.NewKernel()
	f := must.Get(New(k, nothing{}, t, p))(b)
	targets := make([]int32, t.Nodes())
	for n := range targets {
		targets[n] = int32(target(n, t))
	}
	round := func() {
		for n, to := range targets {
			f.Start(put(uint32(n), int32(n), to, 16384))
		}
		k.Run()
	}
	round() // the pools grow to their final size
	b.ReportAllocs()
	before := hops(f)
	for b.Loop() {
		round()
	}
	if got := hops(f) - before; got != wantHops*int64(b.N) {
		b.Fatalf("%d packet-hops in %d rounds, want %d each", got, b.N, wantHops)
	}
	b.ReportMetric(float64(wantHops)*float64(b.N)/b.Elapsed().Seconds(), "packet-hops/s")
}

func hops(f *Fabric) (sum int64) {
	for i := range f.loads {
		sum += f.loads[i].packets
	}
	return sum
}
