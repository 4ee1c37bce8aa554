package dumpi

import "overlapsim/workloads/traces"

// collective begins a collective of some kind, and returns its number of members; 0 if the rank
// is alone, so that nothing happens.
func (c *converter) collective(kind traces.CallKind) (members int64) {
	comm := c.comm()
	if comm == alone || c.comms[comm].Size(c.ranks) == 1 {
		return 0
	}
	c.to.Kind, c.to.Comm = kind, int32(comm)
	return int64(c.comms[comm].Size(c.ranks))
}

// root fills in the root.
func (c *converter) root() {
	if c.r.value("root") == nil {
		return
	}
	if c.to.Peer = c.peer("root", c.comm()); c.to.Peer < 0 {
		c.wrong("root %d is not a member", c.r.number("root"))
	}
}

func (c *converter) barrier() { c.collective(traces.Barrier) }

func vector(kind traces.CallKind) func(c *converter) {
	return func(c *converter) {
		if c.collective(kind) > 0 {
			c.root()
			c.to.Bytes, _ = c.bytes(c.r.number("count"), "datatype")
		}
	}
}

// blocks fills in the bytes of the blocks of all members.
func (c *converter) blocks(members int64, count, datatype string) {
	bytes, _ := c.bytes(c.r.number(count), datatype)
	c.to.Bytes = members * bytes
}

// block fills in the bytes of the rank's own block, for a rank that does not know the others.
func (c *converter) block(count, datatype string) {
	c.to.Uneven = true
	c.to.Bytes, _ = c.bytes(c.r.number(count), datatype)
}

// atRoot tells whether the rank is the root.
func (c *converter) atRoot() bool { return int(c.to.Peer) == c.rank }

func (c *converter) gather() {
	if members := c.collective(traces.Gather); members > 0 {
		c.root()
		if c.atRoot() { // whose own block may be in place
			c.blocks(members, "recvcount", "recvtype")
		} else {
			c.blocks(members, "sendcount", "sendtype")
		}
	}
}

func (c *converter) scatter() {
	if members := c.collective(traces.Scatter); members > 0 {
		c.root()
		if c.atRoot() {
			c.blocks(members, "sendcount", "sendtype")
		} else {
			c.blocks(members, "recvcount", "recvtype")
		}
	}
}

func (c *converter) allgather() {
	if members := c.collective(traces.Allgather); members > 0 {
		c.blocks(members, "recvcount", "recvtype")
	}
}

func (c *converter) alltoall() {
	if members := c.collective(traces.Alltoall); members > 0 {
		c.blocks(members, "recvcount", "recvtype") // what is sent may be in place
	}
}

// sized appends the bytes of the blocks of a list, and returns their sum.
func (c *converter) sized(to []int64, members int64, counts, datatype string) (list []int64, all int64) {
	list, c.to.Uneven = to, true
	if n := len(c.r.list(counts)); int64(n) != members {
		c.wrong("%s are %d, of %d members", counts, n, members)
	}
	for _, count := range c.r.list(counts) {
		bytes, _ := c.bytes(int64(count), datatype)
		list, all = append(list, bytes), all+bytes
	}
	return list, all
}

func (c *converter) gatherv() {
	members := c.collective(traces.Gather)
	if members == 0 {
		return
	}
	if c.root(); c.atRoot() {
		c.to.Into, c.to.Bytes = c.sized(c.to.Into, members, "recvcounts", "recvtype")
	} else {
		c.block("sendcount", "sendtype")
	}
}

func (c *converter) scatterv() {
	members := c.collective(traces.Scatter)
	if members == 0 {
		return
	}
	if c.root(); c.atRoot() {
		c.to.Out, c.to.Bytes = c.sized(c.to.Out, members, "sendcounts", "sendtype")
	} else {
		c.block("recvcount", "recvtype")
	}
}

func (c *converter) allgatherv() {
	if members := c.collective(traces.Allgather); members > 0 {
		c.to.Into, c.to.Bytes = c.sized(c.to.Into, members, "recvcounts", "recvtype")
	}
}

func (c *converter) alltoallv() {
	if members := c.collective(traces.Alltoall); members > 0 {
		c.to.Out, c.to.Bytes = c.sized(c.to.Out, members, "sendcounts", "sendtype")
		c.to.Into, _ = c.sized(c.to.Into, members, "recvcounts", "recvtype")
	}
}

func (c *converter) reduceScatter() {
	if members := c.collective(traces.ReduceScatter); members > 0 {
		c.to.Out, c.to.Bytes = c.sized(c.to.Out, members, "recvcounts", "datatype")
	}
}

// makes makes a communicator: all members of the old one take part.
func (c *converter) makes() {
	m, _ := makingOf(c.r)
	old, ok := c.now[m.old]
	if !ok || len(c.became) == 0 {
		c.wrong("communicator %d is none that this rank has, or it comes from a function that is not followed", m.old)
		return
	}
	if c.now[m.made] = c.became[0]; m.made == noComm {
		delete(c.now, noComm)
	}
	if c.became = c.became[1:]; old >= 0 {
		c.to.Kind, c.to.Comm = traces.Make, int32(old)
	}
}
