package files

import (
	"flag"
	"maps"
	"slices"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/collectives"
)

var everyChoice = flag.Bool("every-choice", false, "compare choices of libraries for more numbers of ranks and more sizes")

// Every runtime of the library names its table of choices, and so does every machine that has one.
func TestRuntimesNameTheirChoices(t *testing.T) {
	for _, name := range Runtimes() {
		if r, err := LoadRuntime(name); err != nil || r.Collectives == "" {
			t.Errorf("runtimes/%s.yaml: no collectives (%v)", name, err)
		}
	}
	for _, name := range Machines() {
		if m, err := LoadMachine(name); err != nil || m.Runtime != nil && m.Runtime.Collectives == "" {
			t.Errorf("machines/%s.yaml: no collectives in its runtime (%v)", name, err)
		}
	}
}

// tolerated is how many times slower than the best algorithm a choice may be.
const tolerated = 20

// slowChoices are choices that are slower than that, with the source that says that the library makes
// them.
var slowChoices = []struct {
	libraries []string
	of        *collectives.Operation
	by        string
	ranks     int   // from this number on
	bytes     int64 // from this size on
	source    string
}{
	{[]string{"openmpi-libnbc"}, collectives.Allreduce, "ring", 128, 65536,
		"Open MPI, nbc_iallreduce.c of 1.10 to 4.0: from 64 KiB on a ring, for any number of ranks"},
	{[]string{"openmpi-libnbc", "openmpi-libnbc-5"}, collectives.Allgather, "linear", 96, 0,
		"Open MPI, nbc_iallgather.c of 1.10 to 5.0: linear, unless the parameter iallgather_algorithm says otherwise"},
	{[]string{"openmpi-libnbc", "openmpi-libnbc-5"}, collectives.Alltoall, "linear-at-once", 96, 0,
		"Open MPI, nbc_ialltoall.c of 1.10 to 5.0: every branch of the selection takes NBC_A2A_LINEAR"},
	{[]string{"cray-mpich-8", "intel-mpi-5", "mpich-4", "mvapich2-2"}, collectives.Allgather, "ring", 300, 81920,
		"MPICH, allgather: from 80 KiB on (for powers of two 512 KiB) a ring, for any number of ranks; the others are derived from it"},
	{[]string{"openmpi-4", "openmpi-5"}, collectives.Scan, "linear", 160, 0,
		"Open MPI, coll_tuned_module.c has no scan of its own, and coll_basic's is ompi_coll_base_scan_intra_linear"},
	{[]string{"openmpi-libnbc", "openmpi-libnbc-5"}, collectives.Scan, "linear", 160, 0,
		"Open MPI, nbc_iscan.c of 1.10 to 4.0: linear; of 5.0: linear, unless the parameter iscan_algorithm says otherwise"},
}

// known tells whether a slow choice has a source.
func known(library string, by *collectives.Algorithm, g *collectives.Group) bool {
	for _, s := range slowChoices {
		if slices.Contains(s.libraries, library) && s.of == by.Of && s.by == by.Name && s.ranks <= g.Ranks && s.bytes <= g.Bytes {
			return true
		}
	}
	return false
}

// No library takes an algorithm that is more than 20 times slower than the best one, on a cluster
// with InfiniBand, with several numbers of ranks on a node,
// unless a source says that it does.
func TestChoicesAreNotSlow(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; -short leaves it out")
	}
	ranks, few := map[int][]int{1: {2, 4, 12, 32}, 4: {12, 32}, 16: {96}}, []int64{8, 512, 16 << 10, 512 << 10, 16 << 20}
	if *everyChoice {
		ranks = map[int][]int{1: {2, 3, 4, 7, 8, 16, 24, 32, 48, 64, 256}, 4: {7, 8, 16, 24, 32, 48, 64}, 16: {24, 96, 256}, 64: {128, 256}}
		few = []int64{1, 4, 8, 64, 128, 512, 4 << 10, 16 << 10, 64 << 10, 512 << 10, 4 << 20}
	}
	for each := range ranks {
		on := hdr(t, each)
		for _, of := range collectives.Operations {
			for _, p := range ranks[each] {
				sizes := few
				if p > 64 {
					sizes = []int64{8, 4 << 10, 128 << 10}
				}
				for _, bytes := range sizes {
					g := collectives.Group{Ranks: p, Bytes: bytes, Levels: []int{each}, Dims: []int{p}}
					notSlow(t, on, of, g, of.Algorithms())
				}
			}
		}
	}
}

// Many ranks: there, algorithms of many rounds or messages take hundreds of times as long as these.
func TestChoicesOfManyRanks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; -short leaves it out")
	}
	all := map[int][]int{1: {500}, 64: {128}} // by ranks on a node
	for of, fast := range map[*collectives.Operation][]string{
		collectives.Barrier: {"dissemination", "two-level"}, collectives.Broadcast: {"binomial", "scatter-ring"},
		collectives.Reduce: {"binomial", "rabenseifner"}, collectives.Allreduce: {"doubling", "rabenseifner"},
		collectives.ReduceScatter: {"halving", "reduce-scatter"}, collectives.Allgather: {"bruck", "gather-broadcast"},
		collectives.Alltoall: {"bruck", "pairwise"}, collectives.Gather: {"binomial"}, collectives.Scatter: {"binomial"},
		collectives.Scan: {"doubling"},
	} {
		ranks := maps.Clone(all)
		if of == collectives.Allreduce {
			ranks[1] = []int{128, 500, 2048, 4096}
		}
		for each := range ranks {
			on := hdr(t, each)
			for _, p := range ranks[each] {
				for _, bytes := range []int64{8, 12 << 10, 128 << 10} {
					g := collectives.Group{Ranks: p, Bytes: bytes, Levels: []int{each}, Dims: []int{p}}
					var by []*collectives.Algorithm
					for _, name := range fast {
						a, _ := of.Lookup(name)
						by = append(by, a)
					}
					notSlow(t, on, of, g, by)
				}
			}
		}
	}
}

// hdr is a cluster with InfiniBand and a number of ranks on each node.
func hdr(t *testing.T, each int) *machines.Machine {
	m := must.Get(LoadMachine("hdr-infiniband"))(t)
	on := *m.Machine
	on.Processes, on.Nodes = each, 4096
	return &on
}

// notSlow compares the choices of all libraries with the best of some algorithms.
func notSlow(t *testing.T, m *machines.Machine, of *collectives.Operation, g collectives.Group, all []*collectives.Algorithm) {
	t.Helper()
	times := map[*collectives.Algorithm]sim.Time{}
	var best *collectives.Algorithm
	for _, a := range all {
		if a.Needs != nil && a.Needs(&g) != "" {
			continue
		}
		if times[a] = makespan(t, m, a, g); best == nil || times[a] < times[best] {
			best = a
		}
	}
	for _, name := range collectives.Libraries() {
		mine := g
		by := must.Get(collectives.LibraryNamed(name).Choose(of, &mine))(t)
		took, timed := times[by]
		if !timed || mine.Segment > 0 {
			took = makespan(t, m, by, mine)
		}
		if took > tolerated*times[best] && !known(name, by, &g) {
			t.Errorf("%s, %s of %d ranks, %d on a node, %d B: %s takes %v, %s %v", name, of.Name, g.Ranks, m.Processes, g.Bytes, by.Name, took,
				best.Name, times[best])
		}
	}
}

func makespan(t *testing.T, m *machines.Machine, a *collectives.Algorithm, g collectives.Group) sim.Time {
	t.Helper()
	if m.Processes == 1 { // all pairs are alike
		a, g, _ = a.Condensed(g)
	}
	r, err := nodes.Run(m, &oneOperation{a, g}, m.Processes, nodes.Options{})
	if err != nil {
		t.Fatal(a.Of.Name, a.Name, g.Ranks, err)
	}
	return r.Makespan()
}

// oneOperation is a compiled program that does one collective, round by round.
type oneOperation struct {
	by *collectives.Algorithm
	g  collectives.Group
}

func (p *oneOperation) Ranks() int       { return p.g.Ranks }
func (p *oneOperation) Phases() []string { return nil }

func (p *oneOperation) Step(rank, step int, do *programs.Ops) bool {
	g := p.g
	g.Me = rank
	if step >= p.by.Rounds(&g) {
		return false
	}
	p.by.Do(&g, step, do)
	return true
}
