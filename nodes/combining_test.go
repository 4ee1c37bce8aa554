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

// combiner's machine has switches with two hosts below each.
func combines(by machines.Agent) *machines.Machine {
	return &machines.Machine{Name: "test", Cores: 1, Processes: 1,
		Network: network.LogGOPS{Latency: 1000, SendOverhead: network.Constant(300), Gap: 100, Startup: 20, Transfer: network.PerByte(2)},
		Runtime: &machines.Runtime{Progress: machines.Progression{By: by},
			Offload: machines.Combining{FanIn: 2, Level: 500, Segment: 100, PerSegment: 70}},
	}
}

// switched is a program whose ranks give data to the switches, times, compute, and wait. A rank comes late.
type switched struct {
	ranks, times int
	bytes        int64
	compute      sim.Time
	late         []sim.Time // by rank
	schedule     bool       // the data are given by the second round of a schedule, whose first one says nothing
}

func (p *switched) Ranks() int       { return p.ranks }
func (p *switched) Phases() []string { return []string{""} }

func (p *switched) Step(rank, step int, do *programs.Ops) bool {
	if step == 0 && rank < len(p.late) {
		do.Compute(machines.Task{Time: p.late[rank]}, 1)
	}
	give := func(do *programs.Ops) { do.Combine((rank+1)%p.ranks, 0, p.ranks, p.bytes, 7, 0); do.Wait(0) }
	switch {
	case p.schedule:
		do.Start(func(do *programs.Ops) { give(do); give(do) }, 1)
		do.Compute(machines.Task{Time: p.compute}, 1)
		do.Wait(1)
	default:
		do.Combine((rank+1)%p.ranks, 0, p.ranks, p.bytes, 7, 0)
		do.Compute(machines.Task{Time: p.compute}, 1)
		do.Wait(0)
	}
	return step+1 < p.times
}

// alone is the closed form: o, the bytes into the network, L, the levels, and the segments after the first one.
func switchedAlone(m *machines.Machine, ranks int, bytes int64) sim.Time {
	n, s := &m.Network, &m.Runtime.Offload
	levels := sim.Time(0)
	for below := 1; below < ranks; below *= s.FanIn {
		levels++
	}
	return n.SendOverhead.Of(bytes) + n.Startup + n.Transfer.Of(bytes) + n.Latency + levels*s.Level + sim.Time((bytes-1)/s.Segment)*s.PerSegment
}

func TestSwitchesCombine(t *testing.T) {
	for _, by := range machines.Agents() {
		m := combines(by)
		if by.Tests() {
			m.Runtime.Progress.Every = 1 << 40
		}
		o := m.Network.SendOverhead.Of(0)
		for _, ranks := range []int{2, 3, 4, 5, 8, 9, 33} {
			for _, bytes := range []int64{1, 100, 101, 1000} {
				took := switchedAlone(m, ranks, bytes)
				for _, compute := range []sim.Time{0, took / 2, took, 3 * took} {
					p := &switched{ranks: ranks, times: 3, bytes: bytes, compute: compute, late: []sim.Time{0, 5 * took}}
					r := must.Get(Run(m, p, 1, Options{Critical: true, Timeline: true}))(t)
					// The host computes next to all but its own overhead; the last rank to come counts once.
					want := 5*took + 3*max(took, o+compute)
					if r.Makespan() != want {
						t.Errorf("agent %d, %d ranks, %d B, %v of computation: %v, want %v", by, ranks, bytes, compute, r.Makespan(), want)
					}
					if waited := r.Ledgers[1][0]; waited[results.Progress] != 0 || waited[results.Partner] != 0 || waited[results.Overhead] != 3*o {
						t.Errorf("agent %d: the last rank has %+v", by, waited)
					}
					if r.Bytes != int64(3*ranks)*bytes {
						t.Errorf("%d bytes of %d", r.Bytes, int64(3*ranks)*bytes)
					}
				}
			}
		}
	}
}

// A later round of a schedule gives data when its agent begins it.
func TestSwitchesCombineInRounds(t *testing.T) {
	for _, by := range []machines.Agent{machines.Triggered, machines.Thread, machines.InCalls, machines.Offload} {
		m := combines(by)
		took := switchedAlone(m, 4, 100)
		r, err := Run(m, &switched{ranks: 4, times: 1, bytes: 100, compute: 5 * took, schedule: true}, 1, Options{Critical: true})
		if err != nil {
			t.Fatal(err)
		}
		want := m.Network.SendOverhead.Of(0) + 5*took // both rounds next to the computation
		if by == machines.InCalls || by == machines.Offload {
			want += took // the second one behind it
		}
		if r.Makespan() != want {
			t.Errorf("agent %d: %v, want %v", by, r.Makespan(), want)
		}
	}
}

// Every time of the switches is a parameter of the run, and its derivative is how often it counts.
func TestSwitchesHaveDerivatives(t *testing.T) {
	m := combines(machines.InCalls)
	r := must.Get(Run(m, &switched{ranks: 5, times: 2, bytes: 250}, 1, Options{Critical: true}))(t)
	counts := map[results.Part]int64{}
	for _, p := range r.Critical {
		counts[p.Part] += p.Amount
	}
	for part, want := range map[string]int64{"level of switches that combine": 2 * 3, "segment that switches combine": 2 * 2} {
		found := false
		for p, n := range counts {
			if p.String() == part {
				found = true
				if n != want {
					t.Errorf("%s: %d times, want %d", part, n, want)
				}
			}
		}
		if !found {
			t.Errorf("%s is not on the path", part)
		}
	}
}

func TestSwitchesMistakes(t *testing.T) {
	for want, change := range map[string]func(*machines.Machine, *switched) Options{
		"do not combine":     func(m *machines.Machine, _ *switched) Options { m.Runtime.Offload.FanIn = 0; return Options{} },
		"must be at least 2": func(m *machines.Machine, _ *switched) Options { m.Runtime.Offload.FanIn = 1; return Options{} },
		"all ranks are on its node": func(m *machines.Machine, _ *switched) Options {
			m.Cores, m.Processes, m.IntraNode = 4, 4, &machines.IntraNode{Copy: network.Constant(1)}
			return Options{}
		},
	} {
		m, p := combines(machines.InCalls), &switched{ranks: 4, times: 1, bytes: 8}
		o := change(m, p)
		must.Refuse(Run(m, p, m.Processes, o))(t, want)
	}
}

// Ranks that share a node give their data one after the other, through its NIC.
func TestSwitchesCombineOnNodes(t *testing.T) {
	m := combines(machines.InCalls)
	m.Cores, m.Processes, m.IntraNode = 2, 2, &machines.IntraNode{Copy: network.Constant(1)}
	const bytes = 1000
	r := must.Get(Run(m, &switched{ranks: 6, times: 1, bytes: bytes}, 2, Options{Critical: true}))(t)
	if want := switchedAlone(m, 6, bytes) + m.Network.Startup + m.Network.Transfer.Of(bytes); r.Makespan() != want {
		t.Errorf("%v, want %v", r.Makespan(), want)
	}
}
