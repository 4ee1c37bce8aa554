package nodes

import (
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// setBackground finds how many of the threads that compute alongside each process share its core. If
// they are bound, all of them do. Otherwise the threads of a node spread over its cores, and the
// number is the number of the fullest core.
func (p *cpuSide) setBackground(perNode, threads int) error {
	rt := p.machine.Runtime
	switch {
	case threads == 0:
		return nil
	case threads < 0 || rt == nil:
		return fmt.Errorf("machine %s: %d background threads alongside a process: must be 0 or more, and needs a runtime that says "+
			"how it waits", p.machine.Name, threads)
	case rt.Bound:
		p.background = sim.Time(threads)
	default:
		all := perNode * (threads + 1)
		p.background = sim.Time((all+p.machine.Cores-1)/p.machine.Cores - 1)
	}
	if p.background > 0 && p.machine.Slice > machines.Longest/(p.background+1) {
		return mistake("background_threads", "take turns of %v, which are longer together than a run, 53 days", p.machine.Slice)
	}
	if p.background > 0 && rt.Waiting != machines.Block && p.machine.Slice <= 0 {
		return fmt.Errorf("machine %s: background threads share the cores of processes that do not block: needs the time slice of "+
			"the operating system", p.machine.Name)
	}
	return nil
}

// notices returns when a waiting process notices something that happens at a later time. The
// process has had nothing to do since a given time (rule 22).
func (p *cpuSide) notices(r int32, since, at sim.Time) sim.Time {
	rt := p.machine.Runtime
	switch {
	case rt == nil:
	case rt.Waiting == machines.Block:
		return at + rt.Wakeup
	case p.background == 0:
	case rt.Waiting == machines.Yield:
		away := p.background * p.machine.Slice
		return since + (at-since+away-1)/away*away
	default:
		return p.inSlice(r, at)
	}
	return at
}

// inSlice returns the next time at which a polling process has its turn. The turns of
// different ranks are spread evenly, by the golden ratio.
func (p *cpuSide) inSlice(r int32, at sim.Time) sim.Time {
	period := (p.background + 1) * p.machine.Slice
	first := period / 1_000_000 * (sim.Time(r) * 618_034 % 1_000_000)
	into := (at + period - first) % period
	if into < p.machine.Slice {
		return at
	}
	return at + period - into
}
