package files

import (
	"flag"
	"slices"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/workloads/collectives"
)

var everyChoice = flag.Bool("every-choice", false, "compare choices of libraries with all algorithms for more numbers of ranks and more sizes")

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

// slowChoice is a choice of a library that is more than tolerated times slower than the best algorithm, by
// the source that says that the library makes it.
type slowChoice struct {
	library        string
	of             *collectives.Operation
	by             string
	fewest, most   int64 // ranks
	smallest, last int64 // bytes
	source         string
}

var slowChoices = []slowChoice{}

const tolerated = 20

// No library takes an algorithm that is more than 20 times slower than the best one, on a cluster
// with InfiniBand, with one rank on a node and with four, unless a source says that it does.
func TestChoicesAreNotSlow(t *testing.T) {
	ranks, sizes := []int{2, 4, 12, 32}, []int64{8, 512, 16 << 10, 512 << 10, 16 << 20}
	if *everyChoice {
		ranks = []int{2, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 100, 128}
		sizes = []int64{1, 4, 8, 32, 64, 128, 512, 2 << 10, 4 << 10, 16 << 10, 64 << 10, 128 << 10, 512 << 10, 2 << 20, 16 << 20, 64 << 20}
	}
	m, err := LoadMachine("hdr-infiniband")
	if err != nil {
		t.Fatal(err)
	}
	used := make([]bool, len(slowChoices))
	for _, each := range []int{1, 4} {
		on := *m.Machine
		on.Processes = each
		for _, of := range collectives.Operations {
			for _, p := range ranks {
				for _, bytes := range sizes {
					g := collectives.Group{Ranks: p, Bytes: bytes, Levels: []int{each}, Dims: []int{p}}
					notSlow(t, &on, of, g, used)
				}
			}
		}
	}
	for i, ok := range used {
		if !ok && *everyChoice {
			t.Errorf("this choice is not slow: %+v", slowChoices[i])
		}
	}
}

// notSlow compares the choices of all libraries with the best algorithm.
func notSlow(t *testing.T, m *machines.Machine, of *collectives.Operation, g collectives.Group, used []bool) {
	times := map[*collectives.Algorithm]sim.Time{}
	for _, a := range of.Algorithms() {
		if a.Needs == nil || a.Needs(&g) == "" {
			times[a] = makespan(t, m, a, g)
		}
	}
	best := of.Algorithms()[0]
	for a, took := range times {
		if took < times[best] || times[best] == 0 {
			best = a
		}
	}
	for _, name := range collectives.Libraries() {
		mine := g
		by, err := collectives.LibraryNamed(name).Choose(of, &mine)
		if err != nil {
			t.Fatal(err)
		}
		took := times[by]
		if mine.Segment > 0 {
			took = makespan(t, m, by, mine)
		}
		if took <= tolerated*times[best] {
			continue
		}
		known := slices.IndexFunc(slowChoices, func(s slowChoice) bool {
			return s.library == name && s.of == of && s.by == by.Name && s.fewest <= int64(g.Ranks) && int64(g.Ranks) <= s.most &&
				s.smallest <= g.Bytes && g.Bytes <= s.last
		})
		if known < 0 {
			t.Errorf("%s, %s of %d ranks, %d on a node, %d B: %s takes %v, %s %v", name, of.Name, g.Ranks, m.Processes, g.Bytes, by.Name, took,
				best.Name, times[best])
		} else {
			used[known] = true
		}
	}
}

func makespan(t *testing.T, m *machines.Machine, a *collectives.Algorithm, g collectives.Group) sim.Time {
	t.Helper()
	r, err := nodes.Run(m, &oneOperation{a, g}, 1, nodes.Options{})
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
