package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
)

// What CPU work costs. Each cost is written once, as a bill. All bills of a run use the
// same memory: a bill is valid until the next one is made.

// postBill is the overhead of a post.
func (c *cluster) postBill(op *programs.Op) *bill {
	b := c.bill.blank()
	switch {
	case op.Kind == programs.OpGet:
		return b.add(results.PartSendOverhead, 0, c.empty)
	case op.Kind == programs.OpSend && c.machine.Runtime != nil:
		return c.sendBill(b, op)
	}
	return b.add(results.PartSendOverhead, op.Amount, c.sending.ask(op.Amount))
}

// sendBill is the overhead of a send by a library (rules 14, 15 and 17).
func (c *cluster) sendBill(b *bill, op *programs.Op) *bill {
	rt, long := c.machine.Runtime, c.protocol(op) == rendezvous
	if long {
		b.add(results.PartSendOverhead, 0, c.empty)
	} else {
		b.add(results.PartSendOverhead, op.Amount, c.sending.ask(op.Amount))
	}
	switch {
	case c.machine.Copying != nil:
	case !long && op.Strided:
		b.perByte(results.PartPack, op.Amount, rt.Strided.Pack)
	case long && op.Strided:
		b.perByte(results.PartStridedIn, min(rt.Strided.First, op.Amount), rt.Strided.In)
	case long && rt.Rendezvous == machines.Pipelined:
		b.perByte(results.PartPipelineIn, min(rt.Pipeline.First, op.Amount), rt.Pipeline.In)
	}
	return b
}

// localBill is the cost of copying a message to the process itself or inside the node.
func (c *cluster) localBill(bytes int64) *bill {
	b := c.bill.blank()
	if in := c.machine.IntraNode; in != nil {
		b.perByte(results.PartIntraCopy, bytes, in.PerByte)
	}
	return b
}

// testBill is the cost of the operation Test.
func (c *cluster) testBill() *bill { return c.bill.blank().add(results.PartTest, 1, c.testCost) }

// takingBill is the overhead of a receive, which its receiver pays at the end of its wait.
func (c *cluster) takingBill(r, id int32) *bill {
	b, m := c.bill.blank(), c.messages.at(id)
	if m.to != r || m.protocol < eager || c.machine.Runtime != nil {
		return b
	}
	return b.add(results.PartReceiveOverhead, m.bytes, c.receiving.ask(m.bytes))
}

// unexpectedBill is what a receive costs in its call if its message came before it (rule 19).
func (c *cluster) unexpectedBill(id int32) *bill {
	b, m, rt := c.bill.blank(), c.messages.at(id), c.machine.Runtime
	if rt == nil || m.protocol == signalled {
		return b
	}
	came := m.bytes
	if m.protocol == rendezvous {
		came = c.first(m)
	}
	return b.cost(results.PartUnexpected, rt.Unexpected, came)
}

// jobBill is the cost of a job (rules 14 to 18).
func (c *cluster) jobBill(j job) *bill {
	b, m := c.bill.blank(), c.messages.at(j.message)
	net, rt := &c.machine.Network, c.machine.Runtime
	switch j.step {
	case copyOut:
		return c.copyOutBill(b, m, j.bytes)
	case copyIn:
		return c.copyInBill(b, m, j.bytes)
	case take:
		c.billMatching(b, m.to).cost(results.PartReceiveOverhead, net.ReceiveOverhead, m.bytes)
		if m.strided {
			b.perByte(results.PartUnpack, m.bytes, rt.Strided.Unpack)
		}
		return b
	case notice:
		c.billMatching(b, m.to).cost(results.PartReceiveOverhead, net.ReceiveOverhead, 0)
		if first := c.first(m); first > 0 {
			b.perByte(m.either(results.PartPipelineOut, results.PartStridedOut), first, c.pipeline(m).Out)
		}
		return b
	case ask:
		return b.cost(results.PartSendOverhead, net.SendOverhead, 0)
	case handle:
		return b.add(results.PartHandler, 1, rt.Handler)
	}
	b.cost(results.PartReceiveOverhead, net.ReceiveOverhead, 0)
	if j.step == end || j.step == begin && m.way == machines.Write {
		b.cost(results.PartSendOverhead, net.SendOverhead, 0)
	}
	return b
}

// billMatching adds what it costs a rank to match what comes now. The search passes half
// of the posted receives: that is the mean, as receives may be posted in another order
// than their messages come.
func (c *cluster) billMatching(b *bill, r int32) *bill {
	rt := c.machine.Runtime
	b.add(results.PartMatching, 1, rt.Matching)
	if rt.Search == 0 {
		return b
	}
	posted, _ := c.matching.Waiting(int(r))
	return b.add(results.PartSearch, int64(posted), half(rt.Search.Times(int64(posted))))
}

// copyOutBill adds the copy of bytes that leave.
func (c *cluster) copyOutBill(b *bill, m *message, bytes int64) *bill {
	cp := c.machine.Copying
	switch {
	case cp == nil:
		b.cost(results.PartSendOverhead, c.machine.Network.SendOverhead, 0)
		return b.perByte(m.either(results.PartPipelineIn, results.PartStridedIn), bytes, c.pipeline(m).In)
	case m.strided:
		return b.perByte(results.PartPackedCopyOut, bytes, cp.SendPerByte+c.machine.Runtime.Strided.Pack)
	}
	return b.perByte(results.PartCopyOut, bytes, cp.SendPerByte)
}

// copyInBill adds the copy of bytes that have come. The last copy of an eager message
// also does what take does.
func (c *cluster) copyInBill(b *bill, m *message, bytes int64) *bill {
	cp := c.machine.Copying
	switch {
	case cp == nil:
		b.cost(results.PartReceiveOverhead, c.machine.Network.ReceiveOverhead, 0)
		return b.perByte(m.either(results.PartPipelineOut, results.PartStridedOut), bytes, c.pipeline(m).Out)
	case m.strided:
		b.perByte(results.PartUnpackedCopyIn, bytes, cp.ReceivePerByte+c.machine.Runtime.Strided.Unpack)
	default:
		b.perByte(results.PartCopyIn, bytes, cp.ReceivePerByte)
	}
	if c.detours.at(m.detour).untaken == bytes && m.protocol == eager && c.machine.Runtime != nil {
		c.billMatching(b, m.to).cost(results.PartReceiveOverhead, c.machine.Network.ReceiveOverhead, m.bytes)
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
