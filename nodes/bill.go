package nodes

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// item is a part of what CPU work costs.
type item struct {
	part   Part
	amount int64
	time   sim.Time
}

// bill says what CPU work costs, item by item. The time comes from it, and so does
// its explanation on the critical path.
type bill struct {
	items []item
	alone sim.Time // the sum of the items
	time  sim.Time // what the work takes beside what the siblings of its CPU do
}

// blank removes all items, and keeps their room.
func (b *bill) blank() *bill {
	b.items, b.alone, b.time = b.items[:0], 0, 0
	return b
}

// add adds an item.
func (b *bill) add(part Part, amount int64, time sim.Time) *bill {
	b.items = append(b.items, item{part, amount, time})
	b.alone += time
	b.time += time
	return b
}

// cost adds what a message of so many bytes costs.
func (b *bill) cost(part Part, c network.Cost, bytes int64) *bill {
	return b.add(part, bytes, c.Of(bytes))
}

// perByte adds work at so many ps per byte.
func (b *bill) perByte(part Part, bytes int64, ps float64) *bill {
	return b.add(part, bytes, sim.PerByte(bytes, ps))
}
