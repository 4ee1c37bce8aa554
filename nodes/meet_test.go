package nodes

import (
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// Two threads of a process wait for each other, and only for each other.
func TestMeet(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 2, Processes: 2, Barrier: machines.Barrier{Threads: 5}}
	compute := func(t sim.Time) programs.Op { return programs.Op{Kind: programs.OpCompute, Amount: int64(t)} }
	meet := func(peer int32) programs.Op { return programs.Op{Kind: programs.OpMeet, Peer: peer} }
	p := &script{atOnce: 1, ops: [][]programs.Op{
		{compute(100), meet(1), compute(10), meet(1)},
		{compute(30), meet(0), compute(50), meet(0)},
		{compute(7), meet(3)},
		{meet(2)},
	}}
	r := must.Get(Run(m, p, 2, Options{}))(t)
	for rank, want := range []sim.Time{160, 160, 12, 12} {
		if r.Finish[rank] != want {
			t.Errorf("rank %d ends at %d, want %d", rank, r.Finish[rank], want)
		}
	}
	if got := r.Ledgers[1][0]; got[results.Compute] != 80 || got[results.BarrierTime] != 80 {
		t.Errorf("ledger %v", got)
	}
}

func TestMeetMistakes(t *testing.T) {
	m := &machines.Machine{Name: "test", Cores: 2, Processes: 2}
	for want, peers := range map[string][]int32{
		"only ranks of one node": {2, 0, 3, 2},
		"cannot meet rank 9":     {9, 0, 3, 2},
	} {
		p := &script{atOnce: 1, ops: make([][]programs.Op, 4)}
		for r, peer := range peers {
			p.ops[r] = []programs.Op{{Kind: programs.OpMeet, Peer: peer}}
		}
		must.Refuse(Run(m, p, 2, Options{}))(t, want)
	}
	alone := &script{atOnce: 1, ops: [][]programs.Op{{{Kind: programs.OpMeet, Peer: 1}}, nil}}
	must.Refuse(Run(m, alone, 2, Options{}))(t, "rank 0 waits to meet rank 1, which has ended")
}
