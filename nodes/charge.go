package nodes

import (
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

// charge lists what CPU work costs, item by item. Both the time of the work and its explanation on
// the critical path come from it.
type charge struct {
	prices []parts.Price // of the machine, by part
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
	p := &b.prices[part]
	if p.BySize == nil {
		return b.add(part, bytes, sim.PerByte(bytes, p.PerByte))
	}
	return b.add(part, bytes, p.BySize.Of(bytes))
}
