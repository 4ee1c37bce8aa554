package nodes

import (
	"slices"
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// Rule 22 in closed form: a message that a waiting process takes in.
func TestBackground(t *testing.T) {
	const q = 1_000_000
	machine := func(w machines.Waiting, bound bool) *machines.Machine {
		return runtimeMachine(func(m *machines.Machine, rt *machines.Runtime) {
			m.Slice, m.Network.Rendezvous = q, 0
			rt.Waiting, rt.Wakeup, rt.Bound = w, 7, bound
		})
	}
	for _, c := range []struct {
		name    string
		machine *machines.Machine
		threads int
		bytes   int32
		finish  sim.Time // of the receiver
	}{
		{"alone, poll", machine(machines.Poll, true), 0, 8, 126 + 23},
		{"alone, block", machine(machines.Block, true), 0, 8, 126 + 7 + 23},
		{"yield", machine(machines.Yield, true), 1, 8, q + 23},
		{"yield to three", machine(machines.Yield, true), 3, 8, 3*q + 23},
		{"yield, the message comes after a while", machine(machines.Yield, true), 1, 550_000, 2*q + 23},
		{"block", machine(machines.Block, true), 1, 8, 126 + 7 + 23},
		{"free cores", machine(machines.Yield, false), 3, 8, 126 + 23},
		{"no free cores", machine(machines.Yield, false), 4, 8, q + 23},
		// The second rank's turns begin 0.618034 of 2 q after a multiple of 2 q.
		{"poll, in its turn", machine(machines.Poll, true), 1, 117_000, 110 + 234_000 + 23},
		{"poll, not in its turn", machine(machines.Poll, true), 1, 119_000, 1_236_068 + 23},
	} {
		program := &script{1, [][]programs.Op{{isend(1, c.bytes, 0, 0)}, {irecv(0, 0, 0), wait(0)}}, 1}
		r, err := Run(c.machine, program, 1, Options{Background: c.threads})
		if err != nil {
			t.Fatal(c.name, err)
		}
		if want := []sim.Time{10, c.finish}; !slices.Equal(r.Finish, want) {
			t.Errorf("%s: ends at %v, want %v", c.name, r.Finish, want)
		}
	}
}

// A thread that moves messages does not help a process that does not check for them.
func TestBackgroundNotices(t *testing.T) {
	m := runtimeMachine(func(m *machines.Machine, rt *machines.Runtime) {
		m.Slice, rt.Progress.By, rt.Waiting, rt.Bound = 1000, machines.Thread, machines.Yield, true
	})
	program := &script{1, [][]programs.Op{{put(1, 8, 0), wait(0), isend(1, 8, 0, 1)}, {irecv(0, 0, 0), wait(0)}}, 1}
	r := must.Get(Run(m, program, 1, Options{Background: 1}))(t)
	// The put is complete at 226, which is noticed 1000 after the wait began.
	if want := []sim.Time{1020, 2000}; !slices.Equal(r.Finish, want) {
		t.Errorf("ends at %v, want %v", r.Finish, want)
	}
	if l := r.Ledgers[0][0]; l[results.Progress] != 1010-226 {
		t.Errorf("ledger %v", l)
	}
}

func TestBackgroundMistakes(t *testing.T) {
	idle := &script{1, [][]programs.Op{{compute(1)}}, 1}
	bound := runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) { rt.Bound = true })
	sliced := *bound
	sliced.Slice = 5
	for _, c := range []struct {
		machine *machines.Machine
		threads int
		want    string
	}{
		{ruleMachine(), 1, "needs a runtime"},
		{bound, -1, "must be 0 or more"},
		{bound, 1, "needs the time slice"},
		{&sliced, 1, "rank 0 computes, but its core is shared with 1 background threads"},
	} {
		must.Refuse(Run(c.machine, idle, 1, Options{Background: c.threads}))(t, c.want)
	}
}
