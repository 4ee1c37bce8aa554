package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// costs know what CPU work costs. Each cost is written once, as a charge. All charges of a run use
// the same memory, so a charge is valid until the next one is made.
type costs struct {
	machine *machines.Machine
	place   *placement
	charge  charge
}

func newCosts(m *machines.Machine, place *placement) costs {
	return costs{machine: m, place: place, charge: charge{prices: pricesOn(m)}}
}

// postCharge is the overhead of a post.
func (c *costs) postCharge(op *programs.Op) *charge {
	return c.addPost(c.charge.reset(), op)
}

func (c *costs) addPost(b *charge, op *programs.Op) *charge {
	switch {
	case op.Kind == programs.OpGet:
		return b.bySize(parts.SendOverhead, 0)
	case op.Kind == programs.OpSend && c.machine.Runtime != nil:
		return c.sendCharge(b, op)
	}
	return b.bySize(parts.SendOverhead, op.Amount)
}

// sendCharge is the overhead of a send by a library (rules 14, 15 and 17). A send that the program
// can wait for has a request, which adds to the cost.
func (c *costs) sendCharge(b *charge, op *programs.Op) *charge {
	rt, long := c.machine.Runtime, protocolOf(c.machine, op) == rendezvous
	if long {
		b.bySize(parts.SendOverhead, 0)
	} else {
		b.bySize(parts.SendOverhead, op.Amount)
	}
	if op.Request >= 0 {
		b.bySize(parts.Request, op.Amount)
	}
	switch {
	case c.machine.Copying != nil:
	case !long && op.Strided:
		b.bySize(parts.Pack, op.Amount)
	case long && op.Strided:
		b.bySize(parts.StridedIn, min(rt.Strided.First, op.Amount))
	case long && rt.Rendezvous == machines.Pipelined:
		b.bySize(parts.PipelineIn, min(rt.Pipeline.First, op.Amount))
	}
	return b
}

// addLocal adds the cost of copying a message to the process itself or within the node: of no bytes if its target copies it.
func (c *costs) addLocal(b *charge, from int32, op *programs.Op) *charge {
	if c.machine.IntraNode == nil {
		return b
	}
	bytes := op.Amount
	if c.copiedByTarget(from, op) {
		bytes = 0
	}
	return b.bySize(c.place.insideOf(from, op.Peer).copy, bytes)
}

// targetCopy is the part that the copy of a message by its target is.
func (c *costs) targetCopy(m *message) results.Part {
	if c.place.inside(m.from, m.to) {
		return c.place.insideOf(m.from, m.to).copy
	}
	return parts.TargetCopy
}

// roundCharge is the cost of a part of a round of a rank: of its computations and sends. A NIC that begins the round
// has the descriptors already.
func (c *cluster) roundCharge(rank int32, ops []programs.Op) *charge {
	b := c.charge.reset()
	for i := range ops {
		switch op := &ops[i]; {
		case op.Kind == programs.OpCompute:
			b.add(results.PartCompute, int64(op.Kernel), sim.Time(op.Amount))
		case op.Kind != programs.OpSend && op.Kind != programs.OpPut:
		case c.place.inside(rank, op.Peer):
			c.addLocal(b, rank, op)
		case c.agent.cpu != noCPU:
			c.addPost(b, op)
		}
	}
	return b
}

// testCharge is the cost of the operation Test.
func (c *costs) testCharge() *charge { return c.charge.reset().once(parts.Test) }

// receiveCharge is the overhead of a receive, which its receiver pays at the end of its wait.
func (c *cluster) receiveCharge(r, id int32) *charge {
	b, m := c.charge.reset(), c.messages.at(id)
	if m.to != r || m.protocol < eager || c.machine.Runtime != nil {
		return b
	}
	return b.bySize(parts.ReceiveOverhead, c.receivedBytes(m))
}

// receivedBytes are those for which the overhead of a receive is paid: inside a node the copy has them (rule 10).
func (c *cluster) receivedBytes(m *message) int64 {
	if c.place.inside(m.from, m.to) {
		return 0
	}
	return m.bytes
}

// unexpectedCharge is the cost of a receive, in its call, if the message came before it (rule 19).
func (c *cluster) unexpectedCharge(id int32) *charge {
	b, m := c.charge.reset(), c.messages.at(id)
	if c.machine.Runtime == nil || m.protocol == signalled || m.lay {
		return b
	}
	return c.addUnexpected(b, m)
}

// addFirstLook adds what is left of the first look of a call that takes on an eager message at begin, as the last item, and returns
// when that look began (rule 19).
func (c *cluster) addFirstLook(k *rank, b *charge, m *message, begin, now sim.Time) sim.Time {
	since := begin
	switch {
	case c.agent.intrudes:
		return begin
	case k.state == waiting && k.computed:
		since = k.idle
	case !m.lay || k.busy >= now:
		return begin
	}
	left := since + b.cost(parts.Unexpected, m.bytes) - begin
	if left <= 0 {
		return begin
	}
	m.lay = true
	b.add(parts.Unexpected, m.bytes, left)
	return since
}

// addUnexpected adds the cost of a message that came before its receive, or while its target computed (rule 19).
func (c *cluster) addUnexpected(b *charge, m *message) *charge {
	came := m.bytes
	if m.protocol == rendezvous {
		came = c.first(m)
	}
	return b.bySize(parts.Unexpected, came)
}

// jobCharge is the cost of a job (rules 14 to 18).
func (c *cluster) jobCharge(j job) *charge {
	switch j.step {
	case roundPart:
		s := c.schedules.at(j.schedule)
		return c.roundCharge(s.rank, s.ops[j.first:j.end])
	case copyUnexpected:
		return c.unexpectedCharge(j.message)
	case receiveForRound:
		return c.receiveCharge(c.messages.at(j.message).to, j.message)
	}
	b, m := c.charge.reset(), c.messages.at(j.message)
	switch j.step {
	case copyOut:
		return c.chargeCopyOut(b, m, j.bytes)
	case copyIn:
		return c.chargeCopyIn(b, m, j.bytes)
	case take:
		c.chargeMatching(b, m.to).bySize(parts.ReceiveOverhead, c.receivedBytes(m))
		if m.strided {
			b.bySize(parts.Unpack, m.bytes)
		}
		return b
	case notice:
		c.chargeMatching(b, m.to).bySize(parts.ReceiveOverhead, 0)
		if first := c.first(m); first > 0 {
			b.bySize(m.either(parts.PipelineOut, parts.StridedOut), first)
		}
		return b
	case ask:
		if !c.place.inside(m.from, m.to) {
			b.bySize(parts.SendOverhead, 0)
		}
		if m.way == machines.Copy {
			b.bySize(c.targetCopy(m), m.bytes)
		}
		return b
	case handle:
		return b.once(parts.Handler)
	case protocolWork:
		return b.add(parts.Protocols, j.bytes, sim.PerByte(j.bytes, c.machine.Copying.Protocols))
	}
	b.bySize(parts.ReceiveOverhead, 0)
	if j.step == end || j.step == begin && m.way == machines.Write {
		b.bySize(parts.SendOverhead, 0)
	}
	return b
}

// chargeMatching adds the cost of matching what arrives at a rank now. The search examines half of
// the posted receives. That is the mean, because receives may be posted in another order than
// their messages arrive.
func (c *cluster) chargeMatching(b *charge, r int32) *charge {
	b.once(parts.Matching)
	search := c.machine.Runtime.Search
	if search == 0 {
		return b
	}
	posted, _ := c.matching.Waiting(int(r))
	return b.add(parts.Search, int64(posted), half(search.Times(int64(posted))))
}

// chargeCopyOut adds the copy of outgoing bytes.
func (c *costs) chargeCopyOut(b *charge, m *message, bytes int64) *charge {
	switch {
	case c.machine.Copying == nil:
		b.bySize(parts.SendOverhead, 0)
		return b.bySize(m.either(parts.PipelineIn, parts.StridedIn), bytes)
	case m.strided:
		return b.bySize(parts.PackedCopyOut, bytes)
	}
	return b.bySize(parts.CopyOut, bytes)
}

// chargeCopyIn adds the copy of bytes that have arrived. The last copy of an eager message also
// does the work of take.
func (c *cluster) chargeCopyIn(b *charge, m *message, bytes int64) *charge {
	switch {
	case c.machine.Copying == nil:
		b.bySize(parts.ReceiveOverhead, 0)
		return b.bySize(m.either(parts.PipelineOut, parts.StridedOut), bytes)
	case m.strided:
		b.bySize(parts.UnpackedCopyIn, bytes)
	default:
		b.bySize(parts.CopyIn, bytes)
	}
	if c.stagings.at(m.staging).untaken == bytes && m.protocol == eager && c.machine.Runtime != nil {
		c.chargeMatching(b, m.to).bySize(parts.ReceiveOverhead, m.bytes)
	}
	return b
}

// either returns the part for contiguous bytes, or the one for strided bytes.
func (m *message) either(together, strided results.Part) results.Part {
	if m.strided {
		return strided
	}
	return together
}
