package nodes

import (
	"slices"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"

	"pgregory.net/rapid"
)

// strided makes a send one of bytes that are not contiguous.
func strided(op programs.Op) programs.Op {
	op.Strided = true
	return op
}

// runtimeMachine is the machine of the rules with a library: matching 3,
// unexpected 1 per byte, handlers 5.
func runtimeMachine(change func(*machines.Machine, *machines.Runtime)) *machines.Machine {
	return with(func(m *machines.Machine) {
		m.Runtime = &machines.Runtime{
			Matching: 3, Unexpected: network.PerByte(1), Handler: 5,
			Pipeline: machines.Pipeline{Chunk: 20, First: 20, In: 1, Out: 2},
			Strided:  machines.Strided{Pack: 2, Unpack: 3, Pipeline: machines.Pipeline{Chunk: 30, In: 2, Out: 3}},
		}
		change(m, m.Runtime)
	})
}

// A rank that comes late to a ring delays it by no more than that: control messages pass the bytes of others in both NICs.
func TestLateRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := runtimeMachine(func(m *machines.Machine, rt *machines.Runtime) {
			m.Network.Startup = sim.Time(rapid.IntRange(0, 30).Draw(t, "startup"))
			rt.Rendezvous = rapid.SampledFrom([]machines.Protocol{machines.Read, machines.Write}).Draw(t, "protocol")
			rt.Progress.By = machines.Offload
		})
		least := 2
		if m.Runtime.Rendezvous == machines.Write { // between two ranks a reply waits for what is written
			least = 3
		}
		n, bytes := int32(rapid.IntRange(least, 8).Draw(t, "ranks")), int32(rapid.IntRange(51, 2000).Draw(t, "bytes"))
		ring := func(late sim.Time) sim.Time {
			ops := make([][]programs.Op, n)
			for r := range n {
				if ops[r] = nil; r == 1 {
					ops[r] = append(ops[r], compute(late))
				}
				ops[r] = append(ops[r], isend((r+1)%n, bytes, 0, 0), irecv((r+n-1)%n, 0, 1), wait(1), wait(0))
			}
			return must.Get(Run(m, &script{1, ops, 1}, 1, Options{}))(t).Makespan()
		}
		late := sim.Time(rapid.IntRange(0, 5000).Draw(t, "late"))
		if prompt, ends := ring(0), ring(late); ends > prompt+late {
			t.Fatalf("%d ranks, %d bytes: %d later, the ring ends at %d instead of %d", n, bytes, late, ends, prompt)
		}
	})
}

// Closed forms of every protocol and agent. L is 100, o 10, p 20, G 2 per byte,
// S 50.
func TestRuntimeRules(t *testing.T) {
	type ops = []programs.Op
	by := func(p machines.Progression) func(*machines.Machine, *machines.Runtime) {
		return func(_ *machines.Machine, rt *machines.Runtime) { rt.Progress = p }
	}
	way := func(p machines.Protocol, a machines.Agent) *machines.Machine {
		return runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) {
			rt.Rendezvous, rt.Progress = p, machines.Progression{By: a, Every: 100, Test: 5}
		})
	}
	byWaits := func(ahead int64, one bool) *machines.Machine {
		return runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) {
			rt.Rendezvous, rt.Progress = machines.Pipelined, machines.Progression{By: machines.InWaits, Ahead: ahead, OneRead: one}
		})
	}
	four := ops{isend(1, 8, 0, 0), isend(1, 8, 0, 1), isend(1, 8, 0, 2), isend(1, 8, 0, 3)}
	tested := ops{irecv(0, 0, 0), irecv(0, 0, 1), irecv(0, 0, 2), irecv(0, 0, 3), compute(500), test(0), compute(500)}
	fragments := ops{irecv(0, 0, 0), compute(300), test(0), compute(300), test(0), compute(300), test(0)}
	copying := func(by machines.Agent) *machines.Machine {
		return runtimeMachine(func(m *machines.Machine, rt *machines.Runtime) {
			rt.Progress.By = by
			m.Copying = &machines.Copying{SendPerByte: 3, ReceivePerByte: 4, Buffer: 20, Chunk: 10}
		})
	}
	inCalls := by(machines.Progression{})
	blocking := ops{irecv(0, 0, 0), wait(0)}
	busy := ops{irecv(0, 0, 0), compute(1000), wait(0)}
	combined := ops{irecv(0, 0, 0), {Kind: programs.OpCompute, Phase: 2, Amount: 1000}, wait(0)}
	dispatching := func(after sim.Time) func(*machines.Machine, *machines.Runtime) {
		return func(_ *machines.Machine, rt *machines.Runtime) { rt.Dispatch = after }
	}
	twoSignals := []ops{{signal(1, 8, 0, 0), signal(1, 8, 0, 1), wait(0), wait(1)}, {irecv(0, 0, 0), irecv(0, 0, 1), wait(0), wait(1)}}
	behind := []ops{{isend(1, 8, 0, 0), isend(1, 60, 1, 1), wait(1)}, {irecv(0, 0, 0), wait(0), irecv(0, 1, 1), compute(1000), wait(1)}}
	for _, c := range []struct {
		name    string
		machine *machines.Machine
		ops     []ops
		finish  []sim.Time
	}{
		{"14 eager", runtimeMachine(inCalls), []ops{{isend(1, 8, 0, 0), wait(0)}, blocking}, []sim.Time{10, 126 + 23}},
		{"14 sent in place", runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) { rt.CopyLimit = 7 }),
			[]ops{{isend(1, 8, 0, 0), wait(0)}, blocking}, []sim.Time{26, 126 + 23}},
		{"14 strided", runtimeMachine(inCalls), []ops{{strided(isend(1, 8, 0, 0)), wait(0)}, blocking},
			[]sim.Time{10 + 16, 26 + 16 + 100 + 23 + 24}},

		{"12 eager, in calls", runtimeMachine(inCalls), []ops{{isend(1, 8, 0, 0)}, busy}, []sim.Time{10, 1000 + 23 + 8}},
		{"12 eager, testing", runtimeMachine(by(machines.Progression{By: machines.Testing, Every: 100, Test: 5})),
			[]ops{{isend(1, 8, 0, 0)}, busy}, []sim.Time{10, 1000 + 9*5 + 23 + 8}},
		{"12 testing: the job is done at the second test", runtimeMachine(by(machines.Progression{By: machines.Testing, Every: 100, Test: 5})),
			[]ops{{put(1, 1, 9), isend(1, 60, 0, 0), wait(0)}, busy},
			// the request comes at 120: done from 210 to 243; the bytes at 563:
			// the tests before end at 348, 453 and 558, the next at 663.
			[]sim.Time{663 + 30 + 100 + 20, 1000 + 9*5 + 33 + 30}},
		{"12 testing: none before the end", runtimeMachine(by(machines.Progression{By: machines.Testing, Every: 1000, Test: 5})),
			[]ops{{isend(1, 8, 0, 0)}, busy}, []sim.Time{10, 1000 + 23 + 8}},
		{"12 testing: the library computes, so that the job is done in the wait", runtimeMachine(by(machines.Progression{By: machines.Testing,
			Every: 100, Test: 5})), []ops{{isend(1, 8, 0, 0)}, combined}, []sim.Time{10, 1000 + 23 + 8}},
		{"12 eager, interrupts", runtimeMachine(by(machines.Progression{By: machines.Interrupts, Cost: 6})),
			[]ops{{isend(1, 8, 0, 0)}, busy}, []sim.Time{10, 1000 + 29}},
		{"12 interrupts cost nothing in calls", runtimeMachine(by(machines.Progression{By: machines.Interrupts, Cost: 6})),
			[]ops{{isend(1, 8, 0, 0)}, blocking}, []sim.Time{10, 126 + 23}},
		{"12 eager, thread", runtimeMachine(by(machines.Progression{By: machines.Thread, Delay: 4, Cost: 6})),
			[]ops{{isend(1, 8, 0, 0)}, busy}, []sim.Time{10, 1000}},
		{"12 a thread is late for a wait", runtimeMachine(by(machines.Progression{By: machines.Thread, Delay: 4, Cost: 6})),
			[]ops{{isend(1, 8, 0, 0)}, blocking}, []sim.Time{10, 126 + 4 + 23 + 6}},
		{"12 a thread does one job after the other", runtimeMachine(by(machines.Progression{By: machines.Thread, Delay: 4, Cost: 6})),
			[]ops{{isend(1, 8, 0, 0), isend(1, 0, 0, 1)}, {irecv(0, 0, 0), irecv(0, 0, 1), wait(1)}}, []sim.Time{20, 130 + 29 + 29}},
		{"12 eager, offload", runtimeMachine(by(machines.Progression{By: machines.Offload})), []ops{{isend(1, 8, 0, 0)}, blocking},
			[]sim.Time{10, 126}},
		{"12 a test costs", runtimeMachine(by(machines.Progression{Test: 5})),
			[]ops{{isend(1, 8, 0, 0)}, {irecv(0, 0, 0), compute(500), test(0), compute(500), wait(0)}}, []sim.Time{10, 1000 + 23 + 8 + 5}},

		{"13 a post leaves after the jobs that its call begins with", runtimeMachine(inCalls),
			[]ops{{isend(1, 8, 0, 0)}, {irecv(0, 0, 1), compute(1000), put(0, 8, 0), wait(0), wait(1)}}, []sim.Time{10, 1000 + 23 + 8 + 10 + 16 + 200}},

		{"15 read", way(machines.Read, machines.InCalls), []ops{{isend(1, 60, 0, 0), wait(0)}, blocking}, []sim.Time{613, 493}},
		{"15 read, the sender computes", way(machines.Read, machines.InCalls), []ops{{isend(1, 60, 0, 0), compute(5000), wait(0)}, blocking},
			[]sim.Time{5030, 493}},
		{"15 read, the receiver computes", way(machines.Read, machines.InCalls), []ops{{isend(1, 60, 0, 0), wait(0)}, busy},
			[]sim.Time{1503, 1383}},
		{"15 read, a thread on both sides", way(machines.Read, machines.Thread),
			[]ops{{isend(1, 60, 0, 0), compute(5000), wait(0)}, busy}, []sim.Time{5010, 1000}},
		{"15 read, offload", way(machines.Read, machines.Offload), []ops{{isend(1, 60, 0, 0), wait(0)}, busy},
			[]sim.Time{10 + 100 + 100 + 120 + 100 + 100, 1000}},
		// request: 10 + 100; job of 23; copy: 10 + 120; back 100, 20
		{"15 copy", way(machines.Copy, machines.InCalls), []ops{{isend(1, 60, 0, 0), wait(0)}, blocking}, []sim.Time{383, 263}},
		{"15 copy, the sender computes", way(machines.Copy, machines.InCalls), []ops{{isend(1, 60, 0, 0), compute(5000), wait(0)}, blocking},
			[]sim.Time{5030, 263}},
		{"15 copy, the receiver computes", way(machines.Copy, machines.InCalls), []ops{{isend(1, 60, 0, 0), wait(0)}, busy},
			[]sim.Time{1273, 1153}},
		{"15 copy, a thread on both sides", way(machines.Copy, machines.Thread),
			[]ops{{isend(1, 60, 0, 0), compute(5000), wait(0)}, busy}, []sim.Time{5010, 1000}},
		{"15 copy, two senders: one CPU copies one after the other", way(machines.Copy, machines.InCalls),
			[]ops{{isend(2, 60, 0, 0), wait(0)}, {isend(2, 60, 0, 0), wait(0)}, {irecv(0, 0, 0), irecv(1, 0, 1), wait(0), wait(1)}},
			[]sim.Time{383, 536, 416}},
		{"15 copy, offload reads", way(machines.Copy, machines.Offload), []ops{{isend(1, 60, 0, 0), wait(0)}, busy},
			[]sim.Time{10 + 100 + 100 + 120 + 100 + 100, 1000}},
		{"15 write", way(machines.Write, machines.InCalls), []ops{{isend(1, 60, 0, 0), wait(0)}, blocking}, []sim.Time{593, 513}},
		{"15 write, the sender computes", way(machines.Write, machines.InCalls),
			[]ops{{isend(1, 60, 0, 0), compute(5000), wait(0)}, blocking}, []sim.Time{5010 + 30 + 120 + 200, 5010 + 30 + 120 + 100 + 20}},
		{"15 write, the receiver computes", way(machines.Write, machines.InCalls),
			[]ops{{isend(1, 60, 0, 0), wait(0)}, busy}, []sim.Time{1033 + 100 + 30 + 120 + 200, 1033 + 100 + 30 + 120 + 100 + 20}},
		{"15 write, by waits: a computation takes its time", way(machines.Write, machines.InWaits),
			[]ops{{isend(1, 60, 0, 0), compute(5000), wait(0)}, blocking}, []sim.Time{5010 + 30 + 120 + 200, 5010 + 30 + 120 + 100 + 20}},
		{"12 by waits: a post does no jobs, unless it is stalled", runtimeMachine(func(m *machines.Machine, rt *machines.Runtime) {
			rt.Progress.By, m.Network.Outstanding = machines.InWaits, 1
		}),
			// The eager message comes at 126 and is taken on at 1010. Then the second put
			// waits for the first one, which has left at 1210.
			[]ops{{isend(1, 8, 0, 0)}, {irecv(0, 0, 0), compute(1000), put(0, 100, 1), put(0, 1, 2), wait(0)}}, []sim.Time{10, 1220}},
		{"12 by waits: a receive answers a request that a test has taken in", way(machines.Write, machines.InWaits),
			// the test ends at 1028, the call of the receive at 1038
			[]ops{{isend(1, 60, 0, 0), wait(0)}, {compute(1000), test(0), irecv(0, 0, 0), compute(500), wait(0)}}, []sim.Time{1488, 1558}},
		{"12 a read takes in a request that has come behind", runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) {
			rt.Progress.By, rt.Progress.Ahead = machines.InWaits, 1
		}), behind, []sim.Time{1332, 1212}},
		{"12 otherwise it stays for the next call", runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) {
			rt.Progress.By = machines.InWaits
		}), behind, []sim.Time{1652, 1532}},
		{"12 a test takes in all that has come", byWaits(0, false), []ops{four, tested}, []sim.Time{40, 1000 + 4*23 + 8}},
		{"12 or one read: what it asks for, and 15 bytes behind", byWaits(15, true), []ops{four, tested}, []sim.Time{40, 1000 + 2*23 + 8}},
		// the second test takes in the first of two fragments, 20 + 40
		{"12 one read: the first fragment", byWaits(100, true), []ops{{isend(1, 60, 0, 0), wait(0)}, fragments[:5]},
			[]sim.Time{373 + 100 + 20 + 2*30, 300 + 3 + 60 + 10 + 300 + 60}},
		{"12 the next read: the others", byWaits(0, true), []ops{{isend(1, 100, 0, 0), wait(0)}, fragments},
			[]sim.Time{373 + 100 + 20 + 4*30, 300 + 3 + 60 + 10 + 300 + 60 + 300 + 3*60}},
		{"16 acknowledged: the sender waits for the receiver", runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) {
			rt.Rendezvous, rt.Pipeline.Acknowledged = machines.Pipelined, true
		}), []ops{{isend(1, 60, 0, 0), wait(0)}, blocking}, []sim.Time{773, 653}},
		{"15 write, the sender is interrupted", way(machines.Write, machines.Interrupts),
			[]ops{{isend(1, 60, 0, 0), compute(5000), wait(0)}, blocking}, []sim.Time{5040, 513}},

		{"16 pipelined", way(machines.Pipelined, machines.InCalls), []ops{{isend(1, 60, 0, 0), wait(0)}, blocking}, []sim.Time{423, 653}},
		{"16 depth", runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) {
			rt.Rendezvous, rt.Pipeline.Depth = machines.Pipelined, 1
		}),
			[]ops{{isend(1, 60, 0, 0), wait(0)}, blocking}, []sim.Time{463, 663}},
		{"16 pipelined, the sender computes: one fragment only is early",
			runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) {
				rt.Rendezvous, rt.Pipeline.Depth = machines.Pipelined, 1
			}),
			[]ops{{isend(1, 60, 0, 0), compute(335), test(0), compute(1000), wait(0)}, blocking},
			// the reply comes at 343, the test begins at 365
			[]sim.Time{365 + 50 + 1000 + 30, 1445 + 40 + 100 + 60}},
		{"16 all bytes travel with the request", runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) {
			rt.Rendezvous,
				rt.Pipeline.First = machines.Pipelined, 90
		}),
			[]ops{{isend(1, 60, 0, 0), wait(0)}, blocking}, []sim.Time{10 + 60, 70 + 120 + 100 + 3 + 20 + 120}},
		{"16 strided", way(machines.Read, machines.InCalls), []ops{{strided(isend(1, 60, 0, 0)), wait(0)}, blocking},
			// no first bytes: the copies begin at 263, end at 333 and 403, and
			// arrive at 493 and 563
			[]sim.Time{403, 493 + 110 + 110}},

		{"14 a request costs", runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) { rt.Request = network.PerByte(1) }),
			[]ops{{isend(1, 8, 0, 0), wait(0)}, blocking}, []sim.Time{18, 134 + 23}},
		{"14 a blocking send has none", runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) { rt.Request = network.PerByte(1) }),
			[]ops{{isend(1, 8, 0, -1), wait(-1)}, blocking}, []sim.Time{10, 126 + 23}},
		{"17 copying, eager", copying(machines.InCalls), []ops{{isend(1, 30, 0, 0)}, blocking}, []sim.Time{100, 280 + 23}},
		{"17 copying, rendezvous", copying(machines.InCalls), []ops{{isend(1, 60, 0, 0), wait(0)}, blocking}, []sim.Time{443, 653}},
		{"17 copying, the sender computes when the reply comes", copying(machines.InCalls),
			[]ops{{isend(1, 60, 0, 0), compute(1000), wait(0)}, blocking}, []sim.Time{1010 + 200, 1010 + 410}},
		{"17 copying, what is in the buffer moves by itself", copying(machines.InCalls),
			[]ops{{isend(1, 20, 0, 0), compute(5000)}, blocking}, []sim.Time{5070, 70 + 20 + 100 + 50 + 23}},
		{"17 copying, a thread", copying(machines.Thread), []ops{{isend(1, 20, 0, 0), compute(5000)}, busy}, []sim.Time{5010, 1000}},
		{"17 copying, a get", copying(machines.InCalls), []ops{{get(1, 10, 0), wait(0)}, {compute(1000)}},
			[]sim.Time{1000 + 20 + 30 + 20 + 100 + 40, 1000}},

		{"18 a signal", runtimeMachine(inCalls), []ops{{signal(1, 8, 0, 0), wait(0)}, blocking}, []sim.Time{226, 126 + 5}},
		{"18 a signal while the target computes", runtimeMachine(inCalls), []ops{{signal(1, 8, 0, 0), wait(0)}, busy}, []sim.Time{226, 1005}},
		{"18 two signals share a dispatch", runtimeMachine(dispatching(40)), twoSignals, []sim.Time{242, 126 + 40 + 5 + 5}},
		{"18 two signals have a dispatch each", runtimeMachine(dispatching(10)), twoSignals, []sim.Time{242, 142 + 10 + 5}},

		{"19 unexpected", runtimeMachine(inCalls),
			[]ops{{isend(1, 8, 0, 0)}, {compute(1000), test(0), irecv(0, 0, 0), wait(0)}}, []sim.Time{10, 1000 + 23 + 8}},
		{"19 it came during the computation, its receive is posted later", runtimeMachine(inCalls),
			[]ops{{isend(1, 8, 0, 0)}, {compute(1000), irecv(0, 0, 0), wait(0)}}, []sim.Time{10, 1000 + 23 + 8}},
		{"19 or before", runtimeMachine(inCalls),
			[]ops{{isend(1, 8, 0, 0)}, {irecv(0, 0, 0), compute(1000), wait(0)}}, []sim.Time{10, 1000 + 23 + 8}},
		{"19 of several that came, the first", runtimeMachine(inCalls),
			[]ops{{isend(1, 8, 0, 0), isend(1, 8, 0, 1)}, {irecv(0, 0, 0), irecv(0, 0, 1), compute(1000), wait(1)}}, []sim.Time{20, 1000 + 23 + 8 + 23}},
		// it comes at 170, the look ends 30 after the wait began
		{"19 it comes during the first look of a wait", runtimeMachine(inCalls),
			[]ops{{isend(1, 30, 0, 0)}, {irecv(0, 0, 0), compute(150), wait(0)}}, []sim.Time{10, 150 + 30 + 23}},
		{"19 it comes after that", runtimeMachine(inCalls),
			[]ops{{isend(1, 30, 0, 0)}, {irecv(0, 0, 0), compute(100), wait(0)}}, []sim.Time{10, 170 + 23}},
		// the second one comes at 206, while the first is taken in until 213
		{"19 a wait that follows a job has looked", runtimeMachine(inCalls),
			[]ops{{isend(1, 40, 0, 0), isend(1, 8, 0, 1)}, {irecv(0, 0, 0), irecv(0, 0, 1), compute(10), wait(0), wait(1)}}, []sim.Time{20, 213 + 23}},
		{"19 not to an agent that is another processor", runtimeMachine(by(machines.Progression{By: machines.Thread})),
			[]ops{{isend(1, 8, 0, 0)}, {irecv(0, 0, 0), compute(1000), wait(0)}}, []sim.Time{10, 1000}},
		{"19 an unexpected request", way(machines.Pipelined, machines.InCalls),
			[]ops{{isend(1, 60, 0, 0)}, {compute(1000), test(0), irecv(0, 0, 0), compute(1)}}, []sim.Time{30, 1000 + 63 + 5 + 10 + 20 + 1}},

		{"22 a process that blocks wakes once for the jobs that follow each other",
			runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) { rt.Waiting, rt.Wakeup = machines.Block, 50 }),
			// the request at 110, the bytes at 513; the finish at 693
			[]ops{{isend(1, 60, 0, 0), wait(0)}, blocking}, []sim.Time{693 + 50 + 20, 513 + 50 + 30}},

		{"21 to itself", runtimeMachine(inCalls), []ops{{irecv(0, 0, 0), isend(0, 400, 0, 1), wait(0)}, {}}, []sim.Time{23, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := must.Get(Run(c.machine, &script{1, c.ops, 1}, 1, Options{}))(t)
			if !slices.Equal(r.Finish, c.finish) {
				t.Errorf("ends at %v, want %v", r.Finish, c.finish)
			}
			s := newReference(c.machine, c.ops, 1, 1, inOrder)
			s.run()
			for i, k := range s.ranks {
				if k.finish != c.finish[i] {
					t.Errorf("reference: rank %d ends at %v, want %v", i, k.finish, c.finish[i])
				}
			}
			options := Options{Fabric: newAlone(&c.machine.Network), Timeline: true}
			r = must.Get(Run(c.machine, &script{1, c.ops, 1}, 1, options))(t)
			if !slices.Equal(r.Finish, c.finish) {
				t.Errorf("on a contended fabric ends at %v, want %v", r.Finish, c.finish)
			}
		})
	}
}

// Settings that do not go together are refused.
func TestRuntimeMistakes(t *testing.T) {
	for want, change := range map[string]func(*machines.Machine, *machines.Runtime){
		"there is no agent 9": func(_ *machines.Machine, rt *machines.Runtime) { rt.Progress.By = machines.TestingInWaits + 1 },
		"no protocol 4":       func(_ *machines.Machine, rt *machines.Runtime) { rt.Rendezvous = machines.Copy + 1 },
		"between two tests":   func(_ *machines.Machine, rt *machines.Runtime) { rt.Progress.By = machines.Testing },
		"interrupts are the runtime's": func(m *machines.Machine, _ *machines.Runtime) {
			m.Copying = &machines.Copying{Buffer: 1, Chunk: 1, Interrupts: true}
		},
		"a NIC without RDMA cannot": func(m *machines.Machine, rt *machines.Runtime) {
			m.Copying, rt.Progress.By = &machines.Copying{Buffer: 1, Chunk: 1}, machines.Offload
		},
		"must not be negative": func(_ *machines.Machine, rt *machines.Runtime) { rt.Pipeline.Depth = -1 },
	} {
		err := Validate(runtimeMachine(change))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Inside a node the target copies a message that is longer than the threshold. The latency is 9, a copy takes 1 per byte.
func TestCopiedInside(t *testing.T) {
	inside := func(by machines.Agent) *machines.Machine {
		return runtimeMachine(func(m *machines.Machine, rt *machines.Runtime) {
			m.IntraNode = &machines.IntraNode{Latency: 9, Copy: network.PerByte(1), Threshold: 59}
			m.Cores, rt.Progress.By = 2, by
		})
	}
	type ops = []programs.Op
	busy, blocking := ops{irecv(0, 0, 0), compute(1000), wait(0)}, ops{irecv(0, 0, 0), wait(0)}
	for _, c := range []struct {
		name   string
		by     machines.Agent
		ops    []ops
		finish []sim.Time
	}{
		// The request is seen at 9; 3 + 20; the copy takes 60; back 9, 20.
		{"21 copied by the target", machines.InWaits, []ops{{isend(1, 60, 0, 0), wait(0)}, blocking}, []sim.Time{121, 92}},
		{"21 the sender computes", machines.InWaits, []ops{{isend(1, 60, 0, 0), compute(5000), wait(0)}, blocking}, []sim.Time{5020, 92}},
		{"21 the receiver computes", machines.InWaits, []ops{{isend(1, 60, 0, 0), wait(0)}, busy}, []sim.Time{1112, 1083}},
		{"21 a thread copies", machines.Thread, []ops{{isend(1, 60, 0, 0), wait(0)}, busy}, []sim.Time{121, 1000}},
		{"21 the sender copies 59 bytes", machines.InWaits, []ops{{isend(1, 59, 0, 0), wait(0)}, blocking}, []sim.Time{59, 59 + 9 + 23}},
		{"21 a NIC copies nothing inside", machines.Offload, []ops{{isend(1, 60, 0, 0), wait(0)}, busy}, []sim.Time{60, 1000}},
	} {
		r, err := Run(inside(c.by), &script{1, c.ops, 8}, 2, Options{Critical: true, Timeline: true})
		if err != nil || !slices.Equal(r.Finish, c.finish) {
			t.Errorf("%s: %v, ranks end at %v, want %v", c.name, err, r.Finish, c.finish)
		}
	}
}

// Rank 1 has posted its receive, computes for 400, and sends. Rank 0 waits for its send, whose request has come there at o + L = 110, and for a
// receive: for the other side from then, or from the end of its post, until 400, whichever it waits for first. If it computes between the waits,
// the first one was for the message that made no progress.
func TestBothAwaited(t *testing.T) {
	const posted, asked, sends = 10, 110, 400
	for _, c := range []struct {
		waits             []programs.Op
		progress, partner sim.Time
	}{
		{[]programs.Op{wait(1), wait(0)}, 0, sends - asked},
		{[]programs.Op{wait(0), wait(1)}, 0, sends - posted},
		{[]programs.Op{wait(1), compute(1), wait(0)}, sends - asked, 0},
	} {
		ops := [][]programs.Op{append([]programs.Op{irecv(1, 1, 0), isend(1, 60, 0, 1)}, c.waits...),
			{irecv(0, 0, 0), compute(sends), isend(0, 60, 1, 1), wait(1), wait(0)}}
		m := runtimeMachine(func(*machines.Machine, *machines.Runtime) {})
		l := must.Get(Run(m, &script{1, ops, 1}, 1, Options{}))(t).Ledgers[0][0]
		if l[results.Progress] != c.progress || l[results.Partner] != c.partner {
			t.Errorf("%v: %v", c.waits, l)
		}
	}
}
