package nodes

import "overlapsim/sim"

// tariff is a cost by size that remembers the last size, because programs use few sizes.
type tariff struct {
	of    func(bytes int64) sim.Time
	bytes int64
	cost  sim.Time
}

func newTariff(of func(bytes int64) sim.Time) tariff { return tariff{of: of, bytes: -1} }

// ask returns the cost of bytes.
func (t *tariff) ask(bytes int64) sim.Time {
	if bytes != t.bytes {
		t.bytes, t.cost = bytes, t.of(bytes)
	}
	return t.cost
}
