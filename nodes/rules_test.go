package nodes

import (
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// ruleMachine has L=100 o=10 (receive 20) g=7 G=2 S=50, barriers of 5 and 3 per
// round.
func ruleMachine() *machines.Machine {
	return &machines.Machine{Name: "rules", Cores: 4, Processes: 1, Barrier: machines.Barrier{Base: 5, PerRound: 3}, Network: network.LogGOPS{
		Latency: 100, SendOverhead: network.Constant(10), ReceiveOverhead: network.Constant(20),
		Gap: 7, Transfer: network.PerByte(2), Rendezvous: 50,
	}}
}

// with returns the machine with something changed.
func with(change func(*machines.Machine)) *machines.Machine {
	m := ruleMachine()
	change(m)
	return m
}

// Closed forms, rule by rule.
func TestRules(t *testing.T) {
	type ops = []programs.Op
	copying := func(interrupts bool) *machines.Machine {
		return with(func(m *machines.Machine) {
			m.Copying = &machines.Copying{SendPerByte: 3, ReceivePerByte: 4, Buffer: 20, Chunk: 10, Interrupt: 6, Interrupts: interrupts}
		})
	}
	inside := with(func(m *machines.Machine) { m.IntraNode = &machines.IntraNode{Latency: 9, Copy: network.PerByte(1)} })
	for _, c := range []struct {
		name    string
		machine *machines.Machine
		perNode int
		ops     []ops
		finish  []sim.Time
	}{
		{"1 compute", ruleMachine(), 1, []ops{{compute(30), compute(12)}}, []sim.Time{42}},

		{"2 overhead", ruleMachine(), 1, []ops{{put(1, 8, 0), put(1, 8, 1)}, {}}, []sim.Time{20, 0}},
		{"2 overhead by size", with(func(m *machines.Machine) {
			m.Network.SendOverhead = network.Cost{{Base: 10}, {From: 9, Base: 1, PerByte: 3}}
		}), 1,
			[]ops{{put(1, 8, 0), put(1, 9, 1)}, {}}, []sim.Time{10 + 1 + 27, 0}},
		{"2a outstanding", with(func(m *machines.Machine) { m.Network.Outstanding = 2 }), 1,
			[]ops{{put(1, 40, 0), put(1, 40, 1), put(1, 40, 2)}, {}}, []sim.Time{10 + 80 + 10, 0}},
		{"2a per peer", with(func(m *machines.Machine) { m.Network.PerPeer = 1; m.Network.Outstanding = 9 }), 1,
			[]ops{{put(1, 40, 0), put(2, 40, 1), put(1, 40, 2)}, {}, {}}, []sim.Time{10 + 80 + 10, 0, 0}},
		{"2b slots: max(o, g) each", with(func(m *machines.Machine) { m.Network.Gap = 25; m.Network.QueueDepth = 1 }), 1,
			[]ops{{put(1, 1, 0), put(1, 1, 1), put(1, 1, 2)}, {}}, []sim.Time{25 + 25 + 10, 0}},
		{"2b a deeper queue", with(func(m *machines.Machine) { m.Network.Gap = 25; m.Network.QueueDepth = 2 }), 1,
			[]ops{{put(1, 1, 0), put(1, 1, 1), put(1, 1, 2)}, {}}, []sim.Time{25 + 10, 0}},
		{"2c ready when inserted", with(func(m *machines.Machine) { m.Network.Gap = 25 }), 1,
			[]ops{{put(1, 8, 0), wait(0)}, {}}, []sim.Time{25 + 16 + 200, 0}},

		{"3 one after the other", ruleMachine(), 1,
			[]ops{{put(1, 40, 0), put(1, 40, 1), wait(1)}, {}}, []sim.Time{10 + 80 + 80 + 200, 0}},
		{"3 startup", with(func(m *machines.Machine) { m.Network.Startup = 11 }), 1,
			[]ops{{put(1, 40, 0), put(1, 40, 1), wait(1)}, {}}, []sim.Time{10 + 91 + 91 + 200, 0}},
		{"3 a NIC for the node", ruleMachine(), 2,
			[]ops{{put(2, 40, 0), wait(0)}, {compute(1), put(2, 40, 0), wait(0)}, {}}, []sim.Time{10 + 80 + 200, 10 + 160 + 200, 0}},

		{"3 a request passes what goes to another rank", ruleMachine(), 1,
			[]ops{{put(2, 40, 0), get(1, 8, 1), wait(1)}, {}, {}}, []sim.Time{20 + 100 + 16 + 100, 0, 0}},
		{"3 and what goes to its rank later waits for it", with(func(m *machines.Machine) { m.Network.Startup = 30 }), 1,
			[]ops{{get(1, 8, 0), put(2, 40, 1), put(1, 40, 2), wait(2)}, {}, {}}, []sim.Time{20 + 110 + 110 + 200, 0, 0}},

		{"4 put", ruleMachine(), 1, []ops{{put(1, 8, 0), wait(0)}, {compute(1000)}}, []sim.Time{10 + 16 + 100 + 100, 1000}},

		{"4 get", ruleMachine(), 1, []ops{{get(1, 8, 0), wait(0)}, {compute(1000)}}, []sim.Time{10 + 100 + 16 + 100, 1000}},
		{"4 a get of many bytes has the overhead of none", with(func(m *machines.Machine) { m.Network.SendOverhead = network.PerByte(1) }), 1,
			[]ops{{get(1, 8, 0), wait(0)}, {}}, []sim.Time{7 + 100 + 16 + 100, 0}},
		{"4 gets queue behind what their target sends", ruleMachine(), 1,
			[]ops{{get(1, 8, 0), wait(0)}, {compute(95), put(0, 40, 0)}}, []sim.Time{95 + 10 + 80 + 16 + 100, 105}},
		{"4 the request of a get queues as well", ruleMachine(), 1,
			[]ops{{put(1, 40, 0), get(1, 8, 1), wait(1)}, {}}, []sim.Time{10 + 80 + 100 + 16 + 100, 0}},
		{"4 signal", ruleMachine(), 1,
			[]ops{{signal(1, 80, 3, 0), wait(0)}, {irecv(0, 3, 0), wait(0)}}, []sim.Time{10 + 160 + 200, 10 + 160 + 100}},
		{"4 a signal while the target computes", ruleMachine(), 1,
			[]ops{{signal(1, 8, 3, 0), wait(0)}, {compute(1000), irecv(0, 3, 0), wait(0)}}, []sim.Time{10 + 16 + 200, 1000}},

		{"5 eager", ruleMachine(), 1, []ops{{isend(1, 8, 0, 0), wait(0)}, {irecv(0, 0, 0), wait(0)}}, []sim.Time{10, 10 + 16 + 100 + 20}},
		{"5 no threshold", with(func(m *machines.Machine) { m.Network.Rendezvous = 0 }), 1,
			[]ops{{isend(1, 800, 0, 0), wait(0)}, {irecv(0, 0, 0), wait(0)}}, []sim.Time{10, 10 + 1600 + 100 + 20}},
		{"5 one after the other into the NIC", ruleMachine(), 1,
			[]ops{{isend(2, 40, 0, 0)}, {isend(2, 40, 0, 0)}, {irecv(0, 0, 0), irecv(1, 0, 1), wait(1)}},
			[]sim.Time{10, 10, 10 + 80 + 100 + 80 + 20}},

		{"6 rendezvous, both there", ruleMachine(), 1,
			[]ops{{isend(1, 60, 0, 0), wait(0)}, {irecv(0, 0, 0), wait(0)}},
			[]sim.Time{10 + 100 + 100 + 120 + 100 + 100, 10 + 100 + 100 + 120 + 100 + 20}},
		{"6 the receive comes later", ruleMachine(), 1,
			[]ops{{isend(1, 60, 0, 0), wait(0)}, {compute(500), irecv(0, 0, 0), wait(0)}},
			[]sim.Time{500 + 100 + 120 + 100 + 100, 500 + 100 + 120 + 100 + 20}},
		{"6 the target computes", ruleMachine(), 1,
			[]ops{{isend(1, 60, 0, 0), wait(0)}, {irecv(0, 0, 0), compute(500), wait(0)}},
			[]sim.Time{500 + 100 + 120 + 100 + 100, 500 + 100 + 120 + 100 + 20}},
		{"6 the target computes and tests", ruleMachine(), 1,
			[]ops{{isend(1, 60, 0, 0), wait(0)}, {irecv(0, 0, 0), compute(300), test(0), compute(200), wait(0)}},
			[]sim.Time{300 + 100 + 120 + 100 + 100, 300 + 100 + 120 + 100 + 20}},
		{"6 the target ends", ruleMachine(), 1,
			[]ops{{isend(1, 60, 0, 0), wait(0)}, {irecv(0, 0, 0), compute(500)}},
			[]sim.Time{500 + 100 + 120 + 100 + 100, 500}},
		{"6 the sender computes", ruleMachine(), 1,
			[]ops{{isend(1, 60, 0, 0), compute(5000)}, {irecv(0, 0, 0), wait(0)}},
			[]sim.Time{5010, 10 + 100 + 100 + 120 + 100 + 20}},

		{"7 in order", ruleMachine(), 1,
			[]ops{{isend(1, 0, 3, 0), compute(1000), isend(1, 40, 3, 1)}, {irecv(0, 3, 0), irecv(programs.AnySource, programs.AnyTag, 1), wait(0)}},
			[]sim.Time{1020, 10 + 100 + 20}},
		{"7 by tag", ruleMachine(), 1,
			[]ops{{isend(1, 0, 3, 0), compute(1000), isend(1, 40, 4, 1)}, {irecv(0, 4, 0), irecv(0, 3, 1), wait(0)}},
			[]sim.Time{1020, 1020 + 80 + 100 + 20}},

		{"8 a receive that is over costs o", ruleMachine(), 1,
			[]ops{{isend(1, 8, 0, 0)}, {irecv(0, 0, 0), compute(1000), wait(0)}}, []sim.Time{10, 1020}},

		{"9 barrier", ruleMachine(), 1, []ops{{compute(50), barrierOp()}, {barrierOp()}, {barrierOp()}}, []sim.Time{61, 61, 61}},
		{"9 barrier of one", ruleMachine(), 1, []ops{{barrierOp()}}, []sim.Time{5}},

		{"10 to itself", ruleMachine(), 1, []ops{{irecv(0, 0, 0), isend(0, 400, 0, 1), wait(1), put(0, 400, 2), wait(2)}}, []sim.Time{0}},
		{"10 to itself, copied", inside, 2, []ops{{put(0, 30, 0), wait(0)}}, []sim.Time{30}},
		{"10 inside the node", inside, 2, []ops{{isend(1, 60, 0, 0), wait(0)}, {irecv(0, 0, 0), wait(0)}}, []sim.Time{60, 60 + 9 + 20}},
		{"10 a get and a signal inside the node", inside, 2,
			[]ops{{get(1, 60, 0), wait(0), signal(1, 30, 0, 0), wait(0)}, {irecv(0, 0, 0), wait(0)}}, []sim.Time{60 + 30 + 9, 60 + 30 + 9}},
		{"10 to another node", inside, 1, []ops{{put(1, 30, 0), wait(0)}, {}}, []sim.Time{10 + 60 + 200, 0}},

		// The target copies chunk after chunk, 40 each, from the arrival of the
		// first one on.
		{"copying: the CPU copies chunks, both sides", copying(false), 1,
			[]ops{{isend(1, 30, 0, 0)}, {irecv(0, 0, 0), wait(0)}}, []sim.Time{10 + 90, 10 + 30 + 20 + 100 + 3*40 + 20}},
		{"copying: a put waits for the target's copies", copying(false), 1,
			[]ops{{put(1, 10, 0), wait(0)}, {}}, []sim.Time{10 + 30 + 20 + 100 + 40 + 100, 0}},
		{"copying: a get waits for the target's copies", copying(false), 1,
			[]ops{{get(1, 10, 0), wait(0)}, {compute(1000)}}, []sim.Time{1000 + 30 + 20 + 100 + 40, 1000}},
		{"copying: a get interrupts the target", copying(true), 1,
			[]ops{{get(1, 10, 0), wait(0)}, {compute(1000)}}, []sim.Time{10 + 100 + 36 + 20 + 100 + 40, 1036}},
		{"copying: a signal", copying(false), 1,
			[]ops{{signal(1, 10, 0, 0), wait(0)}, {irecv(0, 0, 0), wait(0)}}, []sim.Time{160 + 40 + 100, 200}},
		{"copying: a test is a call", copying(false), 1,
			[]ops{{put(1, 10, 0), wait(0)}, {compute(300), test(0), compute(300)}}, []sim.Time{300 + 40 + 100, 640}},
		{"copying: not while the target computes", copying(false), 1,
			[]ops{{put(1, 10, 0), wait(0)}, {compute(1000)}}, []sim.Time{1000 + 40 + 100, 1000}},
		{"copying: an interrupt", copying(true), 1,
			[]ops{{put(1, 10, 0), wait(0)}, {compute(1000)}}, []sim.Time{160 + 46 + 100, 1046}},
		{"copying: a post first copies out what has arrived", copying(false), 1,
			[]ops{{put(1, 10, 0), wait(0)}, {compute(1000), put(0, 10, 0)}}, []sim.Time{1140, 1000 + 40 + 10 + 30}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := &instance{machine: c.machine, script: &script{1, c.ops, 1}, perNode: c.perNode}
			r := must.Get(Run(in.machine, in.script, in.perNode, Options{}))(t)
			if !slices.Equal(r.Finish, c.finish) {
				t.Errorf("ends at %v, want %v", r.Finish, c.finish)
			}
			s := in.newReference(inOrder)
			s.run()
			for i, k := range s.ranks {
				if k.finish != c.finish[i] {
					t.Errorf("reference: rank %d ends at %v, want %v", i, k.finish, c.finish[i])
				}
			}
		})
	}
}
