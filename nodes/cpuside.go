package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// cpuSide owns the CPUs of a run: who does jobs on them and when, what work costs, what slows it down
// and what interrupts it.
type cpuSide struct {
	machine *machines.Machine
	costs

	agent       *traits  // of the agent that does the jobs
	delay       sim.Time // from when a job becomes possible until it begins
	extra       sim.Time // further CPU time of a job that interrupts, or of a job of the thread
	instant     bool     // jobs take no time
	interrupted bool     // jobs may interrupt what a rank does
	leads       int32    // the rank whose job, or call, makes further jobs possible now; nobody: none
	background  sim.Time // number of threads that share the core of a process
	noise       noise
	sharers     sharers
}

func newCPUSide(m *machines.Machine, place *placement, ranks int, seed uint64) cpuSide {
	p := cpuSide{machine: m, costs: newCosts(m, place), leads: nobody, noise: newNoise(m.Noise, ranks, seed)}
	p.chooseAgent()
	return p
}

// chooseAgent finds who does the jobs. In the library of LogGOPS jobs take no time.
func (p *cpuSide) chooseAgent() {
	rt, cp := p.machine.Runtime, p.machine.Copying
	by := machines.InCalls
	switch {
	case rt != nil:
		by, p.delay, p.extra = rt.Progress.By, rt.Progress.Delay, rt.Progress.Cost
	case cp != nil && cp.Interrupts:
		by, p.extra = machines.Interrupts, cp.Interrupt
	case cp == nil && p.machine.Offloaded:
		by = machines.Triggered
	}
	p.agent = traitsOf(by)
	p.interrupted = rt != nil || cp != nil
	p.instant = !p.interrupted || by.OfNIC()
	if by.OfNIC() && !by.OfThread() {
		p.delay, p.extra = 0, 0
	}
}
