package gpus

import "overlapsim/sim"

// Terms returns the parts of the time of an operation within a domain by a ring or by NVLS,
// protocol Simple. That time is the start, plus steps times the time of a step, plus moved bytes
// divided by the bandwidth (Ring or InSwitch). Fits use it, so that the formula is written once.
func (c *Communicator) Terms(op *Operation, a *Algorithm, bytes int64) (steps, moved float64, err error) {
	g, err := c.group()
	if err != nil {
		return 0, 0, err
	}
	if err := g.fits(op, a, Simple); err != nil {
		return 0, 0, err
	}
	unit := *g.fit
	unit.Start, unit.SwitchStart, unit.Step, unit.SwitchStep, unit.Ring, unit.InSwitch = 0, 0, sim.Second, sim.Second, 1, 1
	g.fit = &unit
	p := a.cost(g, op, Simple, bytes)
	return p.latency, p.bubble + p.transfer, nil
}
