package traces

import "overlapsim/nodes/programs"

// Order implements programs.Settled: requests end in the order of the waits.
func (p *Program) Order(rank int) (next func(do *programs.Ops) bool) {
	return newPlayer(p, rank).step
}
