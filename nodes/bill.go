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

// bill lists what CPU work costs, item by item. The time of the work comes from it, and
// so does its explanation on the critical path.
type bill struct {
	prices []parts.Price // of the machine, by part
	items  []item
	alone  sim.Time // the sum of the items
	time   sim.Time // what the work takes beside what the siblings of its CPU are doing
}

// blank removes all items and keeps their memory.
func (b *bill) blank() *bill {
	b.items, b.alone, b.time = b.items[:0], 0, 0
	return b
}

// add adds an item.
func (b *bill) add(part results.Part, amount int64, time sim.Time) *bill {
	b.items = append(b.items, item{part, amount, time})
	b.alone += time
	b.time += time
	return b
}

// once adds a part that a time of the machine makes.
func (b *bill) once(part results.Part) *bill { return b.add(part, 1, b.prices[part].Time) }

// charge adds a part that bytes make.
func (b *bill) charge(part results.Part, bytes int64) *bill {
	p := &b.prices[part]
	if p.BySize == nil {
		return b.add(part, bytes, sim.PerByte(bytes, p.PerByte))
	}
	return b.add(part, bytes, p.BySize.Of(bytes))
}
