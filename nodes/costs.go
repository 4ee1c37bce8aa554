package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// This file holds what CPU work costs. Each cost is written once, as a bill. All bills of a run
// use the same memory, so a bill is valid until the next one is made.

// postBill is the overhead of a post.
func (c *cluster) postBill(op *programs.Op) *bill {
	b := c.bill.blank()
	switch {
	case op.Kind == programs.OpGet:
		return b.add(parts.SendOverhead, 0, c.empty)
	case op.Kind == programs.OpSend && c.machine.Runtime != nil:
		return c.sendBill(b, op)
	}
	return b.add(parts.SendOverhead, op.Amount, c.sending.ask(op.Amount))
}

// sendBill is the overhead of a send by a library (rules 14, 15 and 17). A send that the program
// can wait for has a request, which adds to the cost.
func (c *cluster) sendBill(b *bill, op *programs.Op) *bill {
	rt, long := c.machine.Runtime, c.protocol(op) == rendezvous
	if long {
		b.add(parts.SendOverhead, 0, c.empty)
	} else {
		b.add(parts.SendOverhead, op.Amount, c.sending.ask(op.Amount))
	}
	if op.Request >= 0 {
		b.charge(parts.Request, op.Amount)
	}
	switch {
	case c.machine.Copying != nil:
	case !long && op.Strided:
		b.charge(parts.Pack, op.Amount)
	case long && op.Strided:
		b.charge(parts.StridedIn, min(rt.Strided.First, op.Amount))
	case long && rt.Rendezvous == machines.Pipelined:
		b.charge(parts.PipelineIn, min(rt.Pipeline.First, op.Amount))
	}
	return b
}

// localBill is the cost of copying a message to the process itself or within the node.
func (c *cluster) localBill(from, to int32, bytes int64) *bill {
	b := c.bill.blank()
	if c.machine.IntraNode != nil {
		b.charge(c.insideOf(from, to).copy, bytes)
	}
	return b
}

// testBill is the cost of the operation Test.
func (c *cluster) testBill() *bill { return c.bill.blank().add(parts.Test, 1, c.testCost) }

// takingBill is the overhead of a receive, which its receiver pays at the end of its wait.
func (c *cluster) takingBill(r, id int32) *bill {
	b, m := c.bill.blank(), c.messages.at(id)
	if m.to != r || m.protocol < eager || c.machine.Runtime != nil {
		return b
	}
	return b.add(parts.ReceiveOverhead, m.bytes, c.receiving.ask(m.bytes))
}

// unexpectedBill is the cost of a receive, in its call, if the message came before it (rule 19).
func (c *cluster) unexpectedBill(id int32) *bill {
	b, m, rt := c.bill.blank(), c.messages.at(id), c.machine.Runtime
	if rt == nil || m.protocol == signalled {
		return b
	}
	came := m.bytes
	if m.protocol == rendezvous {
		came = c.first(m)
	}
	return b.charge(parts.Unexpected, came)
}

// jobBill is the cost of a job (rules 14 to 18).
func (c *cluster) jobBill(j job) *bill {
	b, m := c.bill.blank(), c.messages.at(j.message)
	switch j.step {
	case copyOut:
		return c.copyOutBill(b, m, j.bytes)
	case copyIn:
		return c.copyInBill(b, m, j.bytes)
	case take:
		c.billMatching(b, m.to).charge(parts.ReceiveOverhead, m.bytes)
		if m.strided {
			b.charge(parts.Unpack, m.bytes)
		}
		return b
	case notice:
		c.billMatching(b, m.to).charge(parts.ReceiveOverhead, 0)
		if first := c.first(m); first > 0 {
			b.charge(m.either(parts.PipelineOut, parts.StridedOut), first)
		}
		return b
	case ask:
		return b.charge(parts.SendOverhead, 0)
	case handle:
		return b.once(parts.Handler)
	case protocolWork:
		return b.add(parts.Protocols, j.bytes, sim.PerByte(j.bytes, c.machine.Copying.Protocols))
	}
	b.charge(parts.ReceiveOverhead, 0)
	if j.step == end || j.step == begin && m.way == machines.Write {
		b.charge(parts.SendOverhead, 0)
	}
	return b
}

// billMatching adds the cost of matching what arrives at a rank now. The search examines half of
// the posted receives. That is the mean, because receives may be posted in another order than
// their messages arrive.
func (c *cluster) billMatching(b *bill, r int32) *bill {
	b.once(parts.Matching)
	search := c.machine.Runtime.Search
	if search == 0 {
		return b
	}
	posted, _ := c.matching.Waiting(int(r))
	return b.add(parts.Search, int64(posted), half(search.Times(int64(posted))))
}

// copyOutBill adds the copy of outgoing bytes.
func (c *cluster) copyOutBill(b *bill, m *message, bytes int64) *bill {
	cp := c.machine.Copying
	switch {
	case cp == nil:
		b.charge(parts.SendOverhead, 0)
		return b.charge(m.either(parts.PipelineIn, parts.StridedIn), bytes)
	case m.strided:
		return b.add(parts.PackedCopyOut, bytes, sim.PerByte(bytes, cp.SendPerByte+c.machine.Runtime.Strided.Pack))
	}
	return b.charge(parts.CopyOut, bytes)
}

// copyInBill adds the copy of bytes that have arrived. The last copy of an eager message also
// does the work of take.
func (c *cluster) copyInBill(b *bill, m *message, bytes int64) *bill {
	cp := c.machine.Copying
	switch {
	case cp == nil:
		b.charge(parts.ReceiveOverhead, 0)
		return b.charge(m.either(parts.PipelineOut, parts.StridedOut), bytes)
	case m.strided:
		b.add(parts.UnpackedCopyIn, bytes, sim.PerByte(bytes, cp.ReceivePerByte+c.machine.Runtime.Strided.Unpack))
	default:
		b.charge(parts.CopyIn, bytes)
	}
	if c.detours.at(m.detour).untaken == bytes && m.protocol == eager && c.machine.Runtime != nil {
		c.billMatching(b, m.to).charge(parts.ReceiveOverhead, m.bytes)
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
