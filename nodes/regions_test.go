package nodes

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
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
			for range sample(10) {
				rapid.Check(t, func(t *rapid.T) {
					m, p, perNode := draw(t)
					m.Runtime, m.Copying, m.Sharing = nil, nil, nil
					m.Network.Latency++
					o := Options{NoSymmetry: true, Cores: rapid.IntRange(2, 4).Draw(t, "cores"), Seed: 1}
					if !splits(m, p, o) {
						t.Fatal("drawn for one core")
					}
					got, ok := splitRun(m, p, perNode, o, rapid.SampledFrom([]int{0, 10, 1000}).Draw(t, "few"))
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
			}
			t.Logf("%d of %d runs in regions", split, runs)
			if 8*split < runs { // about a third do
				t.Errorf("too few runs in regions: %d of %d", split, runs)
			}
		})
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
