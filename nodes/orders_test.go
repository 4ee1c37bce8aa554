package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim/must"
)

// Programs whose outcome depends on which of two ranks of a node asks for a slot
// first at one instant. What the engine does is one of the orders that the rules
// allow, and the search finds it.
func TestOrdersOfAnInstant(t *testing.T) {
	type ops = []programs.Op
	phase := programs.Op{Kind: programs.OpPhase}
	for _, in := range []*instance{
		{machine: with(func(m *machines.Machine) {
			m.Network = network.LogGOPS{Latency: 1, SendOverhead: network.Cost{{Base: 1, PerByte: 1}}, PerPeer: 1}
		}), perNode: 2, script: &script{1, []ops{
			{compute(1), get(1, 1, 0), put(1, 14, 1), wait(0), wait(1)},
			{put(1, 0, 0), put(0, 10, 1), wait(0), irecv(1, -1, 2), signal(1, 2, 2, 3), phase, get(0, 1, 4), wait(1), wait(2), wait(3), wait(4)},
		}, 2}},
		{machine: with(func(m *machines.Machine) {
			m.Barrier = machines.Barrier{Base: 30, PerRound: 1}
			m.Network = network.LogGOPS{Latency: 292, SendOverhead: network.Cost{{PerByte: 1}, {From: 1, Base: 257, PerByte: 1}},
				Gap: 273, Outstanding: 1, Transfer: network.PerByte(25)}
		}), perNode: 2, script: &script{1, []ops{
			{barrierOp(), put(1, 16, 0), compute(1), put(1, 11, 1), put(1, 2, 2)},
			{put(0, 12, 0), compute(184), barrierOp(), wait(0), irecv(1, 1, 1), isend(1, 19, 1, 2), put(0, 1, 3), compute(9), wait(1), wait(2),
				wait(3)},
		}, 2}},
	} {
		result := must.Get(Run(in.machine, in.script, in.perNode, Options{Timeline: true}))(t)
		if !in.follow(newGuide(result.Timeline, false), engineOutcome(result, nil)) {
			t.Errorf("%vno order gives %v", in, engineOutcome(result, nil))
		}
	}
}
