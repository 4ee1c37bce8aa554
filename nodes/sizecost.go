package nodes

import "overlapsim/sim"

// sizeCost is a cost by size that remembers the last size, because programs use few sizes.
type sizeCost struct {
	compute func(bytes int64) sim.Time
	bytes   int64
	cost    sim.Time
}

func newSizeCost(of func(bytes int64) sim.Time) sizeCost { return sizeCost{compute: of, bytes: -1} }

// of returns the cost of bytes.
func (t *sizeCost) of(bytes int64) sim.Time {
	if bytes != t.bytes {
		t.bytes, t.cost = bytes, t.compute(bytes)
	}
	return t.cost
}
