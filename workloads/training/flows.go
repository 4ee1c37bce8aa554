package training

import (
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
)

// flowKey is what the flows of a collective depend on.
type flowKey struct {
	job, first, n, apart int // members
	cost                 gpus.Cost
}

// flowsOf returns what a group sends through the fabric in a collective; none if there is no fabric.
func (b *builder) flowsOf(c gpus.Cost, members []int) []streams.Flow {
	if b.place.Point == nil || c.Network == 0 {
		return nil
	}
	key := flowKey{job: b.job, first: members[0], n: len(members), apart: members[len(members)-1] - members[0], cost: c}
	flows, ok := b.flows[key]
	if !ok {
		group := gpus.Communicator{Machine: b.machine}
		for _, m := range members {
			group.Members = append(group.Members, b.onMachine(m))
		}
		flows = b.place.Flows(&c, &group, 1)
		b.flows[key] = flows
	}
	return flows
}

// onMachine is the GPU of the machine that a GPU of the job is: the jobs have the domains in turn.
func (b *builder) onMachine(gpu int) int {
	domain := b.machine.Node.Domain
	return (gpu/domain*b.jobs+b.job)*domain + gpu%domain
}

// shifted are the members of another group of the same form.
func shifted(members []int, by int) []int {
	all := make([]int, len(members))
	for i, m := range members {
		all[i] = m + by
	}
	return all
}
