package collectives

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// logGP is a machine with a gap that the overhead hides.
func logGP() *machines.Machine {
	return &machines.Machine{Name: "test", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: 2500 * sim.Nanosecond, SendOverhead: network.Constant(1500 * sim.Nanosecond),
		ReceiveOverhead: network.Constant(1200 * sim.Nanosecond), Gap: 1000 * sim.Nanosecond, Transfer: network.PerByte(600),
	}}
}

// program is a compiled program that does one collective, round by round.
type program struct {
	by *Algorithm
	g  Group
}

func (p *program) Ranks() int       { return p.g.Ranks }
func (p *program) Phases() []string { return nil }

func (p *program) Step(rank, step int, do *programs.Ops) bool {
	g := p.g
	g.Me = rank
	if step >= p.by.Rounds(&g) {
		return false
	}
	p.by.Do(&g, step, do)
	return true
}

// A hop takes o, the bytes, L and o. Where all members do the same, or one waits for the
// other, the makespan is that of the hops of the closed form, live and compiled.
func TestTimes(t *testing.T) {
	m := logGP()
	n := &m.Network
	for _, o := range Operations {
		for _, a := range o.Algorithms() {
			for _, p := range []int{1, 2, 3, 4, 8, 16} {
				g := Group{Ranks: p, Bytes: int64(p) * 1000, Dims: []int{p}}
				if a.Needs != nil && a.Needs(&g) != "" {
					continue
				}
				compiled, err := nodes.Run(m, &program{a, g}, 1, nodes.Options{})
				if err != nil {
					t.Fatal(o.Name, a.Name, p, err)
				}
				live, err := nodes.RunLive(m, p, nil, func(proc *nodes.Process) {
					mine := g
					mine.Me = proc.Rank()
					a.Call(mine, proc)
				}, 1, nodes.Options{})
				if err != nil || live.Makespan() != compiled.Makespan() {
					t.Errorf("%s %s of %d: %v live, %v compiled, %v", o.Name, a.Name, p, live.Makespan(), compiled.Makespan(), err)
				}
				if a.Hops == nil || p&(p-1) != 0 {
					continue
				}
				hops, size := a.Hops(&g)
				want := sim.Time(hops) * (n.SendOverhead.Of(size) + n.Transfer.Of(size) + n.Latency + n.ReceiveOverhead.Of(size))
				if compiled.Makespan() != want {
					t.Errorf("%s %s of %d: %v, want %v", o.Name, a.Name, p, compiled.Makespan(), want)
				}
			}
		}
	}
}
