package nodes

import (
	"overlapsim/network"
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
	items []item
	alone sim.Time // the sum of the items
	time  sim.Time // what the work takes beside what the siblings of its CPU are doing
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

// cost adds the cost of a message of that many bytes.
func (b *bill) cost(part results.Part, c network.Cost, bytes int64) *bill {
	return b.add(part, bytes, c.Of(bytes))
}

// perByte adds work that takes ps picoseconds per byte.
func (b *bill) perByte(part results.Part, bytes int64, ps float64) *bill {
	return b.add(part, bytes, sim.PerByte(bytes, ps))
}
