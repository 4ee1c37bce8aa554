package training

import (
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
)

// written is a GPU whose operations are written, as a model for others that do the same together with other GPUs.
type written struct {
	device int32
	ops    []streams.Op
	joined []call
}

// call is what a GPU does to be a member of a collective.
type call struct {
	kind    uint8
	members []int // of the first GPU of the stage
	cost    gpus.Cost
	wire    *wire // of the pipeline, or between its ends; nil: a collective of a group
	number  int32 // of the collective, counted from 1
}

// noted remembers a call if other GPUs are like this one.
func (b *builder) noted(c call) int32 {
	if b.whole && b.equal {
		b.joined = append(b.joined, c)
	}
	return c.number
}

// like lets the GPU do what another one of its stage does, as a member of its own collectives.
func (b *builder) like(model *written) {
	own := make(map[int32]int32, len(model.joined))
	for i := range model.joined {
		c := &model.joined[i]
		var n int32
		if c.wire == nil {
			n = b.joins(c.kind, c.members, c.cost)
		} else {
			w := *c.wire
			w.replica = b.replica
			n = b.wired(w, c.cost, c.members)
		}
		own[c.number], b.graph.Collectives[n-1].Way = n, b.graph.Collectives[c.number-1].Way
	}
	d := &b.graph.Devices[b.device]
	d.Like, d.Streams, d.Joins = model.device+1, b.graph.Devices[model.device].Streams, make([]int32, 0, len(model.joined))
	for i := range model.ops {
		if n := model.ops[i].Collective; n > 0 {
			d.Joins = append(d.Joins, own[n])
		}
	}
}
