package nodes

import (
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// Settings that do not fit are an error that names the numbers.
func TestRunMistakes(t *testing.T) {
	idle := func(ranks int) *script { return &script{phases: 1, ops: make([][]programs.Op, ranks), atOnce: 1} }
	for _, c := range []struct {
		name    string
		machine machines.Machine
		ranks   int
		perNode int
		options Options
		want    string
	}{
		{"no cores", machines.Machine{Name: "m", Processes: 1}, 1, 1, Options{},
			"machine m: cores and processes must be at least 1, got 0 and 1"},
		{"no processes", machines.Machine{Name: "m", Cores: 2}, 1, 1, Options{}, "got 2 and 0"},
		{"no chunk", machines.Machine{Name: "m", Cores: 1, Processes: 1, Copying: &machines.Copying{Buffer: 4}}, 1, 1, Options{},
			"a chunk of 0 bytes"},
		{"chunk larger than buffer", machines.Machine{Name: "m", Cores: 1, Processes: 1, Copying: &machines.Copying{Chunk: 5, Buffer: 4}}, 1, 1,
			Options{}, "a chunk of 5 bytes must be 1 byte to 1 GiB and fit into the buffer of 4"},
		{"huge chunk", machines.Machine{Name: "m", Cores: 1, Processes: 1, Copying: &machines.Copying{Chunk: 1<<30 + 1, Buffer: 1 << 31}}, 1, 1,
			Options{}, "1 GiB"},
		{"no ranks", machines.Machine{Name: "m", Cores: 1, Processes: 1}, 0, 1, Options{},
			"ranks and processes per node must be at least 1, got 0 and 1"},
		{"none per node", machines.Machine{Name: "m", Cores: 1, Processes: 1}, 1, 0, Options{}, "got 1 and 0"},
		{"too few cores", machines.Machine{Name: "m", Cores: 2, Processes: 1}, 3, 3, Options{},
			"3 processes per node, but a node of m has 2 cores"},
		{"too few nodes", machines.Machine{Name: "m", Cores: 2, Processes: 1, Nodes: 2}, 5, 2, Options{},
			"5 ranks at 2 per node need 3 nodes, m has 2"},
		{"placement of other ranks", machines.Machine{Name: "m", Cores: 1, Processes: 1}, 2, 1, Options{Nodes: []int32{0}},
			"1 ranks are placed, there are 2"},
		{"placement too dense", machines.Machine{Name: "m", Cores: 4, Processes: 1}, 3, 2, Options{Nodes: []int32{5, 5, 5}},
			"node 5 gets more than the 2 ranks"},
	} {
		must.Refuse(Run(&c.machine, idle(c.ranks), c.perNode, c.options))(t, c.want)
	}
}

func TestMachineThatFits(t *testing.T) {
	m := &machines.Machine{Name: "m", Cores: 2, Processes: 2, Nodes: 2, Copying: &machines.Copying{Chunk: 4, Buffer: 4}}
	if _, err := Run(m, &script{phases: 1, ops: make([][]programs.Op, 4), atOnce: 1}, 2, Options{}); err != nil {
		t.Error(err)
	}
}

func TestBarrierCost(t *testing.T) {
	b := machines.Barrier{Base: 100, PerRound: 7}
	for ranks, rounds := range map[int]sim.Time{1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 1024: 10, 1025: 11} {
		if got := b.Cost(ranks, 1); got != 100+7*rounds {
			t.Errorf("%d ranks: %d", ranks, got)
		}
	}
	// On nodes with 8 ranks, 3 rounds of doubling stay inside; on 3 nodes with 5 ranks 2 of 4 do, as 3 nodes take 2 rounds.
	b.Inside = 2
	for _, c := range []struct {
		ranks, nodes int
		want         sim.Time
	}{{1, 1, 0}, {64, 1, 6 * 2}, {64, 8, 3*7 + 3*2}, {64, 64, 6 * 7}, {15, 3, 2*7 + 2*2}} {
		if got := b.Cost(c.ranks, c.nodes); got != 100+c.want {
			t.Errorf("%d ranks on %d nodes: %d", c.ranks, c.nodes, got)
		}
	}
}
