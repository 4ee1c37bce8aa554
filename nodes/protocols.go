package nodes

import (
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// protocols is the kernel's work on a chunk that has arrived, before a process may copy it. One
// logical CPU of a node does this work for all processes of the node: the one that serves the
// interrupts of the NIC. It does the work at once, regardless of what a rank is doing on it.
type protocols struct {
	context int        // number of that CPU on its node
	busy    []sim.Time // by node: until when that CPU works, if it has no rank
}

func newProtocols(m *machines.Machine, nodes int) *protocols {
	if m.Copying == nil || m.Copying.Protocols == 0 {
		return nil
	}
	return &protocols{m.Copying.ServedBy, make([]sim.Time, nodes)}
}

// on returns the context that serves the NIC of a node.
func (s *sharers) on(node int) int { return node*s.contexts.PerNode() + s.protocols.context }

// servesInterrupts tells whether kernel work on arriving chunks takes time.
func (p *cpuSide) servesInterrupts() bool { return p.sharers.protocols != nil }

// kernelWorks makes the CPU that serves the target's NIC do the protocol work for a chunk.
func (c *cluster) kernelWorks(id int32, bytes int64, now sim.Time) {
	s, node := &c.sharers, int(c.place.home[c.messages.at(id).to])
	context, j := s.on(node), job{step: protocolWork, message: id, bytes: bytes}
	if r := s.rank[context]; r != nobody {
		k := &c.ranks[r]
		b := c.slowed(r, c.jobCharge(j))
		c.book(r, b.time, now, now)
		k.jobs.push(j)
		c.schedule(k.busy, evJobDone, uint64(r))
		return
	}
	busy := &s.protocols.busy[node]
	*busy = max(now, *busy) + c.slowedOn(context, c.jobCharge(j).alone)
	s.contexts.Start(context, cores.Activity{Profile: cores.Stack}, cores.Endless, now)
	c.schedule(*busy, evServed, uint64(uint32(id))|uint64(bytes)<<32)
}

// kernelWorked ends kernel work on a context without a rank.
func (c *cluster) kernelWorked(id int32, bytes int64, now sim.Time) {
	s, node := &c.sharers, int(c.place.home[c.messages.at(id).to])
	if s.protocols.busy[node] == now {
		s.contexts.Stop(s.on(node), now)
	}
	c.copyable(id, bytes, now)
}

// copyable lets the target's CPU copy a chunk.
func (c *cluster) copyable(id int32, bytes int64, now sim.Time) {
	c.offer(c.messages.at(id).to, job{step: copyIn, message: id, bytes: bytes}, now)
}
