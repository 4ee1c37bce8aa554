package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// item is one part of the cost of CPU work.
type item struct {
	part   results.Part
	amount int64
	time   sim.Time
}

// price is what a part costs on the machine of a run. It remembers the cost of the last size, because
// programs use few sizes.
type price struct {
	parts.Price
	none  sim.Time // of no bytes
	bytes int64    // the last size; 0: there was none
	cost  sim.Time // of that size
}

func pricesOn(m *machines.Machine) []price {
	given := parts.Prices(m)
	all := make([]price, len(given))
	for part := range given {
		all[part] = price{Price: given[part], none: given[part].Of(0)}
	}
	return all
}

// of returns the cost of bytes.
func (p *price) of(bytes int64) sim.Time {
	switch bytes {
	case 0:
		return p.none
	case p.bytes:
		return p.cost
	}
	p.bytes, p.cost = bytes, p.Of(bytes)
	return p.cost
}

// charge lists what CPU work costs, item by item. Both the time of the work and its explanation on
// the critical path come from it.
type charge struct {
	prices []price // of the machine, by part
	items  []item
	alone  sim.Time // the sum of the items
	time   sim.Time // how long the work takes with the siblings of its CPU doing what they do
}

// reset removes all items but keeps their memory.
func (b *charge) reset() *charge {
	b.items, b.alone, b.time = b.items[:0], 0, 0
	return b
}

// add adds an item.
func (b *charge) add(part results.Part, amount int64, time sim.Time) *charge {
	b.items = append(b.items, item{part, amount, time})
	b.alone += time
	b.time += time
	return b
}

// once adds a part that costs one time of the machine.
func (b *charge) once(part results.Part) *charge { return b.add(part, 1, b.prices[part].Time) }

// bySize adds a part whose cost depends on the bytes.
func (b *charge) bySize(part results.Part, bytes int64) *charge {
	return b.add(part, bytes, b.cost(part, bytes))
}

// cost returns the cost of such a part.
func (b *charge) cost(part results.Part, bytes int64) sim.Time { return b.prices[part].of(bytes) }
