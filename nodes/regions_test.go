package nodes

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// A run on several cores has the result of one core, to the last number, or is refused.
func TestRegions(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) (*machines.Machine, programs.Program, int){
		"alike": func(t *rapid.T) (*machines.Machine, programs.Program, int) {
			d := times{rapid.IntRange(0, 3).Draw(t, "wide") > 0}
			perNode := rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "per node")
			return drawEqual(t, d, perNode), drawAround(t, d), perNode
		},
		"scripts": func(t *rapid.T) (*machines.Machine, programs.Program, int) {
			in := drawInstance(t, false)
			return in.machine, in.script, in.perNode
		},
	} {
		t.Run(name, func(t *testing.T) {
			runs, split := 0, 0
			often(t, sample(10), func(t *rapid.T) {
				m, p, perNode := draw(t)
				m.Runtime, m.Copying, m.Sharing = nil, nil, nil
				m.Network.Latency++
				o := Options{NoSymmetry: true, Cores: rapid.IntRange(2, 4).Draw(t, "cores"), Seed: 1}
				if !splits(m, p, o) {
					t.Fatal("drawn for one core")
				}
				got, ok := runInRegions(m, p, perNode, o, rapid.SampledFrom([]int{0, 10, 1000}).Draw(t, "few"))
				if runs++; !ok {
					return
				}
				split++
				o.Cores = 0
				want, err := Run(m, p, perNode, o)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%v%+v\n%d per node\nin regions: %+v\non one:   %+v %v", p, m, perNode, got, want, err)
				}
			})
			t.Logf("%d of %d runs in regions", split, runs)
			if 8*split < runs { // about a third do
				t.Errorf("too few runs in regions: %d of %d", split, runs)
			}
		})
	}
}

// A run on several cores asks the ranks of each region for their steps in the order of a run on one core,
// also if many events happen at the same time.
func TestOrderInRegions(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 7))
		m, p := drawTies(random)
		o := Options{NoSymmetry: true, Cores: 2 + random.IntN(4)}
		for r := range p.Ranks() {
			o.Nodes = append(o.Nodes, int32(r%(p.Ranks()/2)))
		}
		random.Shuffle(len(o.Nodes), func(i, j int) { o.Nodes[i], o.Nodes[j] = o.Nodes[j], o.Nodes[i] })
		c := must.Get(newCluster(m, p, 3, o))(t)
		of := newSplit(c, o.Cores).of
		one, several := &asked{p, of, make([][]int, o.Cores)}, &asked{p, of, make([][]int, o.Cores)}
		want := must.Get(run(m, one, 3, o, func(*cluster) {}))(t)
		got, ok := runInRegions(m, several, 3, o, 1000)
		if !ok || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(one.ranks, several.ranks) {
			t.Fatalf("seed %d, %d cores, in regions: %v\n%v\n%v", seed, o.Cores, ok, one.ranks, several.ranks)
		}
	}
}

// asked notes in which order the ranks of each region are asked for steps.
type asked struct {
	programs.Program
	of    []uint8
	ranks [][]int
}

func (a *asked) Step(rank, step int, do *programs.Ops) bool {
	of := a.of[rank]
	a.ranks[of] = append(a.ranks[of], rank)
	return a.Program.Step(rank, step, do)
}

// drawTies returns a program in which many events happen at the same time, in windows that hold
// several events of a rank.
func drawTies(random *rand.Rand) (*machines.Machine, programs.Program) {
	short := func(most int) sim.Time { return sim.Time(random.IntN(most + 1)) }
	m := &machines.Machine{Name: "drawn", Cores: 3, Processes: 3, Network: network.LogGOPS{
		Latency: 1 + short(9), SendOverhead: network.Constant(short(2)), ReceiveOverhead: network.Constant(short(2)), Gap: short(2),
	}}
	m.Barrier.Base = m.Network.Latency + short(3)
	n := fewestInRegions + random.IntN(30)
	ranks := make([]programs.Ops, n)
	for range 1 + random.IntN(6) {
		barrier := random.IntN(3) == 0
		to := random.Perm(n)
		for r := range ranks {
			ranks[to[r]].Irecv(r, 8, 0, 0)
		}
		for r := range ranks {
			do := &ranks[r]
			for range random.IntN(5) {
				do.Compute(machines.Task{Time: 1 + short(1)}, 1)
			}
			do.Isend(to[r], 8, 0, 1)
			do.Compute(machines.Task{Time: 1 + short(1)}, 1)
			if barrier {
				do.Barrier()
			}
			do.Wait(0)
		}
	}
	p := &script{atOnce: 1}
	for r := range ranks {
		p.ops = append(p.ops, ranks[r].List())
	}
	return m, p
}

// Each item is in one part, for any number of cores.
func TestDivide(t *testing.T) {
	for _, n := range []int{0, 1, 1 << 14, 1<<15 - 1, 1 << 15, 99_999} {
		for cores := range 9 {
			seen := make([]int, n)
			divide(n, cores, func(from, to int) {
				for i := from; i < to; i++ {
					seen[i]++
				}
			})
			if slices.ContainsFunc(seen, func(times int) bool { return times != 1 }) {
				t.Errorf("%d items, %d cores: not once each", n, cores)
			}
		}
	}
}

// BenchmarkCores runs what may use several cores, on one and on two.
func BenchmarkCores(b *testing.B) {
	grid := programs.Grid{16, 16, 16}
	halo := stepsOf(grid, 8192, 100*sim.Microsecond, 10, []int{1, 15, 16, 240, 256, 3840})
	var doubling [][]int
	for k := 1; k < 1<<16; k *= 2 {
		doubling = append(doubling, []int{k})
	}
	for _, c := range []struct {
		name    string
		program programs.Program
		events  uint64
	}{
		{"halo of 4096", halo, 782_336},
		{"dissemination of 65536", stepsOf(programs.Grid{1 << 16}, 8, 0, 1, doubling...), 3_211_264},
	} {
		for _, cores := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", c.name, cores), func(b *testing.B) {
				for b.Loop() {
					r, err := Run(windowMachine(nil), c.program, 1, Options{NoSymmetry: true, Cores: cores})
					if err != nil || r.Events != c.events {
						b.Fatalf("%v, events %d, want %d", err, r.Events, c.events)
					}
				}
			})
		}
	}
}
