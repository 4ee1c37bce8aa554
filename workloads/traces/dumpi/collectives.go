package dumpi

import "overlapsim/workloads/traces"

// collective does a collective. Nothing happens if the rank is alone.
func (c *converter) collective() {
	comm := c.comm()
	if comm == alone || c.comms[comm].Size(c.ranks) == 1 {
		return
	}
	by := traces.CollectedBy(c.r.Function.Name)
	c.to.Kind, c.to.Comm = by.Kind, int32(comm)
	c.root(comm)
	by.Fill(c.to, c.rank, int64(c.comms[comm].Size(c.ranks)), c)
}

// root fills in the root.
func (c *converter) root(comm int) {
	if c.r.value("root") == nil {
		return
	}
	if c.to.Peer = c.peer("root", comm); c.to.Peer < 0 {
		c.wrong("root %d is not a member", c.r.number("root"))
	}
}

// Block implements traces.Sizes.
func (c *converter) Block(received bool) int64 {
	count, datatype := "count", "datatype"
	switch {
	case received:
		count, datatype = "recvcount", "recvtype"
	case c.r.value("sendtype") != nil:
		count, datatype = "sendcount", "sendtype"
	}
	bytes, _ := c.bytes(c.r.number(count), datatype)
	return bytes
}

// Blocks implements traces.Sizes.
func (c *converter) Blocks(to []int64, received bool, members int64) []int64 {
	counts, datatype := "sendcounts", "sendtype"
	if received {
		counts, datatype = "recvcounts", "recvtype"
	}
	if c.r.value(datatype) == nil {
		datatype = "datatype"
	}
	all := c.r.list(counts)
	if int64(len(all)) != members {
		c.wrong("%s are %d, of %d members", counts, len(all), members)
	}
	for _, count := range all {
		bytes, _ := c.bytes(int64(count), datatype)
		to = append(to, bytes)
	}
	return to
}

// makes makes a communicator: all members of the old one take part.
func (c *converter) makes() {
	m, _ := makingOf(c.r)
	old, ok := c.now[m.old]
	if !ok || len(c.became) == 0 {
		c.wrong("communicator %d is not one of this rank's, or it comes from a function that is not followed", m.old)
		return
	}
	if c.now[m.made] = c.became[0]; m.made == noComm {
		delete(c.now, noComm)
	}
	if c.became = c.became[1:]; old >= 0 {
		c.to.Kind, c.to.Comm = traces.Make, int32(old)
	}
}
