package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// Programs that random comparisons find once in thousands of draws: jobs of rounds next to copies that go out, and what a round of a NIC
// leads to.
func TestOrdersOfRounds(t *testing.T) {
	type ops = []programs.Op
	start := func(request int32) programs.Op { return programs.Op{Kind: programs.OpStart, Request: request} }
	end := programs.Op{Kind: programs.OpStarted}
	nic := &machines.Runtime{Progress: machines.Progression{By: machines.Triggered}, Rendezvous: machines.Write}
	for name, in := range map[string]*instance{
		"a copy waits to be taken on when a round sends more": {machine: with(func(m *machines.Machine) {
			m.Barrier = machines.Barrier{Base: 13, PerRound: 6}
			m.Network = network.LogGOPS{Latency: 12, SendOverhead: network.Cost{{Base: 11, PerByte: 1}, {From: 12, PerByte: 3}},
				Startup: 3, Transfer: network.Cost{{Base: 13, PerByte: 1}}, Outstanding: 1}
			m.Copying = &machines.Copying{SendPerByte: 1, Buffer: 4, Chunk: 1}
		}), perNode: 1, script: &script{1, []ops{
			{signal(1, 1, 2, 4), put(1, 14, 12), barrierOp(), start(13), irecv(2, 12, 14), wait(14), isend(2, 4, 12, 15), isend(1, 8, 12, 16),
				end, put(1, 2, 17), barrierOp()},
			{irecv(0, 2, 6), barrierOp(), irecv(2, 12, 15), irecv(2, 12, 18), irecv(0, 12, 19), barrierOp(), irecv(2, 0, 21)},
			{barrierOp(), start(5), isend(1, 0, 12, 6), isend(1, 2, 12, 7), isend(0, 5, 12, 8), irecv(0, 12, 9), wait(9), end, barrierOp(),
				signal(1, 1, 0, 12), wait(5)},
		}, 2}},
		"a round has received two messages when it sends": {machine: with(func(m *machines.Machine) {
			m.Network = network.LogGOPS{ReceiveOverhead: network.Cost{{Base: 298, PerByte: 5}}, Transfer: network.Cost{{Base: 5, PerByte: 12}},
				Outstanding: 1}
			m.Copying = &machines.Copying{SendPerByte: 3, Buffer: 100, Chunk: 1}
		}), perNode: 1, script: &script{1, []ops{
			{start(1), isend(1, 1, 10, 2), irecv(0, 10, 4), isend(0, 1, 10, 5), wait(4), irecv(3, 10, 6), irecv(2, 10, 7), isend(3, 1, 10, 8),
				wait(6), wait(7), end, isend(2, 1, 13, 16)},
			{irecv(0, 10, 1)},
			{isend(0, 1, 10, 2), irecv(0, 13, 12)},
			{isend(0, 1, 10, 4), irecv(0, 10, 6)},
		}, 2}},
		"a round of a NIC answers a request and sends": {machine: with(func(m *machines.Machine) {
			m.Network = network.LogGOPS{Latency: 17, Transfer: network.Cost{{Base: 301, PerByte: 7}}, Rendezvous: 4}
			m.Runtime = nic
		}), perNode: 1, script: &script{1, []ops{
			{irecv(2, 10, 2), signal(2, 1, 1, 9), irecv(3, 0, 10)},
			{isend(2, 6, 10, 1)},
			{start(0), isend(3, 9, 10, 3), wait(3), irecv(1, 10, 5), isend(0, 1, 10, 6), wait(5), end, irecv(0, 1, 12), wait(0)},
			{irecv(2, 10, 3), signal(0, 1, 0, 13)},
		}, 2}},
	} {
		got := engineOutcome(Run(in.machine, in.script, in.perNode, Options{}))
		if want := in.reference(inOrder); want.failure != "" || !in.unique(want) || !got.equals(want) {
			t.Errorf("%s:\n%vengine:\n%vreference:\n%v", name, in, got, want)
		}
	}
}
