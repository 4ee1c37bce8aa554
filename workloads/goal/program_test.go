package goal_test

import (
	"slices"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads"
	"overlapsim/workloads/goal"
)

// A schedule written from a program runs like the program. On a machine without gap,
// whose NIC receives by itself, and with one message at a time between two ranks, both
// engines give the same finish. They also hide the same time: messages take so long that
// none arrives between a rank's last send and its computation.
func TestFromProgramRunsLikeTheProgram(t *testing.T) {
	const us = sim.Microsecond
	m := &machines.Machine{Name: "flat", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: 8 * us, SendOverhead: network.Constant(us), ReceiveOverhead: network.Constant(us)}}
	p := goal.Params{Latency: 8 * us, Overhead: us, Rendezvous: 1 << 40, ReceiveOverlap: true}
	for _, name := range []string{"dissemination", "allreduce-doubling", "token-ring", "halo"} {
		s, want := exported(t, name, m, 8)
		got := must.Get(goal.Run(s, p))(t)
		if !slices.EqualFunc(got.Hidden, want.Hidden, func(a sim.Total,
			b sim.Time) bool {
			return a == sim.TotalOf(b)
		}) || name == "halo" && got.Hidden[0].Zero() {
			t.Errorf("%s: %v hidden as a schedule, %v as a program", name, got.Hidden, want.Hidden)
		}
		if last, _ := got.Makespan(); last != want.Makespan() || got.Messages != want.Messages {
			t.Errorf("%s: %v and %d messages as a schedule, %v and %d as a program", name, last, got.Messages, want.Makespan(), want.Messages)
		}
	}
}

// exported returns a workload as a schedule, and the result of its run as a program.
func exported(t *testing.T, name string, m *machines.Machine, ranks int) (*goal.Schedule, *results.Result) {
	t.Helper()
	kind, _ := workloads.Lookup(name)
	program := must.Get(kind.New().Program(m, ranks))(t)
	r := must.Get(nodes.Run(m, program, 1, nodes.Options{}))(t)
	s := must.Get(goal.FromProgram(program))(t)
	return s, r
}

// Puts find their receives, barriers become messages, and computation keeps its sum.
func TestFromProgramPutsAndBarriers(t *testing.T) {
	m := &machines.Machine{Name: "flat", Cores: 1, Processes: 1,
		Kernels: map[string]machines.Kernel{"fft": {Work: machines.FFTFlops, Rate: []machines.RatePoint{{N: 1, Rate: 1.7e9}}}}}
	s, want := exported(t, "ft-pencils", m, 4)
	const barrierMessages = 4 * 2 // each rank, ceil(log2 4) rounds
	got := must.Get(goal.Run(s, goal.Params{Rendezvous: 1 << 40}))(t)
	if got.Messages != want.Messages+barrierMessages {
		t.Errorf("%d messages, want %d and %d of the barrier", got.Messages, want.Messages, barrierMessages)
	}
	last, _ := got.Makespan()
	if d := last - want.Makespan(); d < -sim.Nanosecond || d > sim.Nanosecond {
		t.Errorf("%v as a schedule, %v as a program: must agree to a ns", last, want.Makespan())
	}
}

// getter is a program with a single get.
type getter struct{}

func (getter) Ranks() int       { return 2 }
func (getter) Phases() []string { return nil }

func (getter) Step(rank, step int, do *programs.Ops) bool {
	if rank == 0 && step == 0 {
		do.Get(1, 8, 0)
	}
	return step == 0
}

func TestFromProgramRefusesGets(t *testing.T) {
	if _, err := goal.FromProgram(getter{}); err == nil || !strings.Contains(err.Error(), "1 gets, which GOAL cannot say") {
		t.Error(err)
	}
}

// pair is two threads of a process that meet twice.
type pair struct{}

func (pair) Ranks() int       { return 2 }
func (pair) Phases() []string { return nil }

func (pair) Step(rank, step int, do *programs.Ops) bool {
	if step < 2 {
		do.Compute(machines.Task{Time: sim.Time(1+rank) * sim.Microsecond}, 1)
		do.Meet(1 - rank)
	}
	return step < 2
}

// Two threads that meet exchange messages.
func TestFromProgramMeets(t *testing.T) {
	s := must.Get(goal.FromProgram(pair{}))(t)
	r := must.Get(goal.Run(s, goal.Params{}))(t)
	if last, _ := r.Makespan(); r.Messages != 4 || last != 4*sim.Microsecond {
		t.Errorf("%d messages, %v; want 4 and 4us", r.Messages, last)
	}
}
