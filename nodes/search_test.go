package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// A message that finds n receives posted costs the CPU Matching and n/2 searches. Here
// three messages meet six receives. They arrive while the target computes and are matched
// in its next call, one after the other.
func TestRule15Search(t *testing.T) {
	const ns = sim.Nanosecond
	m := &machines.Machine{Name: "search", Cores: 1, Processes: 1,
		Network: network.LogGOPS{Latency: ns, Transfer: network.PerByte(1)},
		Runtime: &machines.Runtime{Matching: 10 * ns, Search: 4 * ns}}
	r := must.Get(Run(m, searchProgram{}, 1, Options{}))(t)
	// The jobs are taken on one after the other, with six, five and four receives posted.
	if got, want := r.Ledgers[1][0][results.Overhead], (3*10+(6+5+4)*4/2)*ns; got != want {
		t.Errorf("overhead %v, want %v", got, want)
	}
}

// searchProgram is a program in which rank 0 sends three messages; rank 1 posts six
// receives, computes, and waits for the three.
type searchProgram struct{}

func (searchProgram) Ranks() int       { return 2 }
func (searchProgram) Phases() []string { return []string{"all"} }

func (searchProgram) Step(me, step int, do *programs.Ops) bool {
	if step > 0 {
		return false
	}
	if me == 0 {
		for i := range 3 {
			do.Isend(1, 8, i, i)
		}
		for i := range 3 {
			do.Wait(i)
		}
		do.Barrier()
		for i := range 3 {
			do.Send(1, 8, 3+i)
		}
		return true
	}
	for i := range 6 {
		do.Irecv(0, 8, i, i)
	}
	do.Compute(machines.Task{Time: sim.Microsecond}, 1)
	for i := range 3 {
		do.Wait(i)
	}
	do.Barrier()
	return true
}

// With InCalls, a post does what has come before; with InWaits, only the wait does, and with TestingInWaits a test.
func TestRule12InWaits(t *testing.T) {
	const us = sim.Microsecond
	finish := func(by machines.Agent, every sim.Time) sim.Time {
		m := &machines.Machine{Name: "waits", Cores: 1, Processes: 1,
			Network: network.LogGOPS{Latency: us, Transfer: network.PerByte(1000), Rendezvous: 1},
			Runtime: &machines.Runtime{Progress: machines.Progression{By: by, Every: every}}}
		r := must.Get(Run(m, waitsProgram{}, 1, Options{}))(t)
		return r.Finish[1]
	}
	// The request comes at 1 us. With InCalls, the post at 10 us asks for the bytes, at
	// 11 the sender's NIC sends for 10, at 22 all have come and rank 1 computes until 40.
	// With InWaits, rank 1 asks at 40: then 41, 51, 52.
	// A test at 39 us asks then: 40, 50, 51. Tests that never come change nothing.
	for _, c := range []struct {
		by          machines.Agent
		every, want sim.Time
	}{{machines.InCalls, 0, 40 * us}, {machines.InWaits, 0, 52 * us}, {machines.Testing, sim.Second, 40 * us},
		{machines.TestingInWaits, sim.Second, 52 * us}, {machines.TestingInWaits, 29 * us, 51 * us}} {
		if got := finish(c.by, c.every); got != c.want {
			t.Errorf("agent %d, tests every %v: %v, want %v", c.by, c.every, got, c.want)
		}
	}
}

// waitsProgram is a program in which rank 0 sends 10,000 bytes; rank 1 computes 10 us,
// posts an empty put, computes 30 us and waits.
type waitsProgram struct{}

func (waitsProgram) Ranks() int       { return 2 }
func (waitsProgram) Phases() []string { return []string{"all"} }

func (waitsProgram) Step(me, step int, do *programs.Ops) bool {
	if step > 0 {
		return false
	}
	if me == 0 {
		do.Send(1, 10000, 0)
		return true
	}
	do.Irecv(0, 10000, 0, 0)
	do.Compute(machines.Task{Time: 10 * sim.Microsecond}, 1)
	do.Put(0, 0, 1)
	do.Compute(machines.Task{Time: 30 * sim.Microsecond}, 1)
	do.Wait(0)
	return true
}
