package fabrics

import (
	"runtime"
	"slices"
	"testing"

	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// growing are topologies of every family in two sizes, the full mesh that grows with its nodes among them.
func growing(t *testing.T) map[string][2]topology.Topology {
	all := map[string][2]topology.Topology{}
	add := func(name string, make func(size int) (topology.Topology, error), sizes ...int) {
		var two [2]topology.Topology
		for i, size := range sizes {
			var err error
			if two[i], err = make(size); err != nil {
				t.Fatal(err)
			}
		}
		all[name] = two
	}
	add("torus", func(n int) (topology.Topology, error) { return topology.NewTorus(topology.Grid{Sizes: []int{n, n, n}}) }, 16, 24)
	add("fat tree", func(n int) (topology.Topology, error) {
		return topology.NewFatTree(topology.Tree{Down: []int{n, n}, Up: []int{n}})
	}, 64, 128)
	add("deep tree", func(n int) (topology.Topology, error) {
		return topology.NewFatTree(topology.Tree{Down: append(slices.Repeat([]int{6}, n-1), 12), Up: slices.Repeat([]int{6}, n-1)})
	}, 3, 4)
	add("dragonfly", func(n int) (topology.Topology, error) {
		return topology.NewDragonfly(topology.Groups{Number: 9, Routers: n, PerRouter: 2, Global: 2})
	}, 32, 64)
	add("full mesh", func(n int) (topology.Topology, error) { return topology.NewHyperX([]int{n}, 1) }, 128, 256)
	add("hyperx", func(n int) (topology.Topology, error) { return topology.NewHyperX([]int{n, n}, 4) }, 16, 32)
	return all
}

// The forecast of the memory of links and nodes is what a fabric allocates for them and for what
// they carried, on every topology, to a third, because it counts one channel of a packet's link.
// Memory that grows faster is detected.
func TestPerLink(t *testing.T) {
	for _, r := range rows {
		kind := must.Get(Lookup(r.kind))(t)
		for name, two := range growing(t) {
			if _, err := r.keys().Maker(&nic, two[1]); err != nil {
				continue // it deadlocks, or has routers with too many FIFOs
			}
			var took, told [2]float64
			for i, shape := range two {
				bytes, ends := allocated(t, r.keys(), shape)
				took[i] = bytes
				told[i] = float64(kind.PerLink) * float64(shape.Links()+ends*shape.Nodes())
				if kind.PerNode != nil {
					told[i] += float64(kind.PerNode(shape) * int64(shape.Nodes()))
				}
			}
			if more, forecast := took[1]-took[0], told[1]-told[0]; forecast < 0.7*more || forecast > 1.2*more {
				t.Errorf("%s on a %s: %.0f more links take %.0f B more, %.0f forecast", r.name, name, float64(two[1].Links()-two[0].Links()), more,
					forecast)
			}
		}
	}
}

// allocated is the memory that a fabric allocates when it is made and when it reports what its
// links carried, those at the ends of nodes too; and how many of each there are.
func allocated(t *testing.T, keys Keys, shape topology.Topology) (bytes float64, ends int) {
	t.Helper()
	maker := must.Get(keys.Maker(&nic, shape))(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := must.Get(maker(sim.NewKernel(), newLog()))(t)
	links := f.Links()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(links)
	runtime.KeepAlive(f)
	return float64(after.TotalAlloc - before.TotalAlloc), len(links.Ends)
}
