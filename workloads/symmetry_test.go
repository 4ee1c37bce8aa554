package workloads

import (
	"fmt"
	"slices"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/collectives"
)

// alike returns an error if a program does not look alike from every place of its grid.
func alike(p programs.Program) error {
	grid := programs.Symmetry(p)
	if grid.Places() != p.Ranks() {
		return fmt.Errorf("a grid %v of %d ranks", grid, p.Ranks())
	}
	var first, other programs.Ops
	for step, more := 0, true; more; step++ {
		first.Reset()
		more = p.Step(0, step, &first)
		for rank := 1; rank < p.Ranks(); rank++ {
			other.Reset()
			if p.Step(rank, step, &other) != more || !slices.EqualFunc(first.List(), other.List(), func(a, b programs.Op) bool {
				switch a.Kind {
				case programs.OpPut, programs.OpGet, programs.OpSignal, programs.OpSend, programs.OpReceive:
					a.Peer = int32(grid.Move(int(a.Peer), rank))
				}
				return a == b
			}) {
				return fmt.Errorf("in step %d rank %d does\n%+v\nrank 0 does\n%+v", step, rank, other.List(), first.List())
			}
		}
	}
	return nil
}

// What programs say of their symmetry holds for every step of every rank.
func TestSymmetryOfWorkloads(t *testing.T) {
	m := nasMachine()
	m.Kernels["dgemm"] = m.Kernels["fft"]
	cannon := func(overlap bool) Workload {
		kind, _ := Lookup("cannon")
		w := kind.New().(*denseWorkload)
		w.Size, w.Overlap = 64, overlap
		return w
	}
	for _, c := range []struct {
		w     Workload
		ranks []int
	}{
		{&halo{Bytes: 100, Pieces: 1, Iterations: 2, Compute: sim.Microsecond}, []int{1, 2, 8, 12, 27, 30}},
		{&halo{Bytes: 100, Pieces: 3, Iterations: 2, Compute: sim.Microsecond}, []int{8, 12}},
		{&halo{X: 2, Y: 1, Z: 5, Bytes: 100, Pieces: 1, Iterations: 2}, []int{10}},
		{&shift{Bytes: 100, Distance: 2, Repeat: 3, Together: true}, []int{3, 8, 9}},
		{&ft{algorithm: exchange, Rows: 72, RowLength: 8, Computation: 1}, []int{1, 2, 8, 9}},
		{&ft{algorithm: slabs, Rows: 72, RowLength: 8, Computation: 1}, []int{8, 9}},
		{cannon(false), []int{4, 16, 64}},
		{cannon(true), []int{4, 16, 64}},
		{&nasFT{Strided: true, Library: upc, NX: 32, NY: 64, NZ: 64, Iterations: 2}, []int{1, 2, 8, 64, 512}},
		{&nasFT{Strided: true, Library: mpi, NX: 32, NY: 64, NZ: 64, Iterations: 1, TY: 4}, []int{8, 64, 128}},
		{&nasFT{grain: nasPacked, Library: mpi, NX: 32, NY: 32, NZ: 32, Iterations: 1, Round: 1}, []int{8, 32}},
		{&nasFT{grain: nasPencils, Library: upc, NX: 32, NY: 32, NZ: 32, Iterations: 2}, []int{1, 8, 32}},
		{&nasFT{grain: nasPacked, Library: upc, NX: 32, NY: 32, NZ: 32, Iterations: 1, Round: 2}, []int{8, 32}},
	} {
		for _, ranks := range c.ranks {
			p := must.Get(c.w.Program(m, ranks))(t)
			if err := alike(p); err != nil {
				t.Errorf("%T %+v of %d ranks: %v", c.w, c.w, ranks, err)
			}
		}
	}
}

// The same of all algorithms of collectives, and most of them say something.
func TestSymmetryOfCollectives(t *testing.T) {
	symmetric := 0
	for _, of := range collectives.Operations {
		for _, a := range of.Algorithms() {
			said := false
			for _, g := range symmetricGroups(of) {
				if a.Needs != nil && a.Needs(&g) != "" || a.Grid(&g) == nil {
					continue
				}
				said = true
				if err := alike(&collectiveProgram{g, 2, a, "all"}); err != nil {
					t.Fatalf("%s %s of %d ranks, %d bytes, segment %d, radix %d: %v", of.Name, a.Name, g.Ranks, g.Bytes, g.Segment, g.Radix, err)
				}
			}
			if said {
				symmetric++
			}
		}
	}
	if symmetric != 22 {
		t.Errorf("%d algorithms look alike from every member, want 22", symmetric)
	}
}

// symmetricGroups are some groups.
func symmetricGroups(of *collectives.Operation) (all []collectives.Group) {
	for _, ranks := range []int{1, 2, 3, 4, 6, 7, 8, 12, 16, 32} {
		for _, bytes := range []int64{0, 8, 1000, int64(ranks) * 48} {
			for _, segment := range []int64{0, 16} {
				for _, radix := range []int{0, 3, 4} {
					g := collectives.Group{Ranks: ranks, Bytes: bytes, Segment: segment, Radix: radix, Window: radix, Levels: []int{1}}
					if of == collectives.NeighbourGather || of == collectives.NeighbourExchange {
						dims := cubic(ranks)
						g.Dims = dims[:]
					}
					all = append(all, g)
				}
			}
		}
	}
	return all
}

// A halo on 100,000 ranks, and NAS FT on 2,048, are simulated on two nodes.
func TestLargeSymmetricRuns(t *testing.T) {
	m := nasMachine()
	m.Network.Rendezvous = 0
	for _, c := range []struct {
		w        Workload
		ranks    int
		messages uint64
	}{
		{&halo{Bytes: 8192, Pieces: 1, Iterations: 10, Compute: 100 * sim.Microsecond}, 100_000, 6_000_000},
		{&nasFT{Strided: true, Library: upc, NX: 2048, NY: 1024, NZ: 1024, Iterations: 1}, 2_048, 3_145_728},
	} {
		p := must.Get(c.w.Program(m, c.ranks))(t)
		r := must.Get(nodes.Run(m, p, 1, nodes.Options{}))(t)
		if r.Messages != c.messages || r.Ranks != c.ranks || len(r.Finish) != c.ranks || &r.Ledgers[0][0] != &r.Ledgers[1][0] {
			t.Errorf("%T: %d messages of %d ranks, want %d of %d", c.w, r.Messages, r.Ranks, c.messages, c.ranks)
		}
	}
}
