package allprof

import "overlapsim/workloads/traces"

// collective begins a collective of some kind, and returns its number of members; 0 if the rank is alone, so that nothing happens.
func (c *converter) collective(kind traces.CallKind) (members int64) {
	comm := c.comm()
	if c.args.wrong != nil {
		return 0
	}
	if comm == alone {
		if c.args.has("request") {
			c.to.Kind, c.to.Peer = traces.Irecv, traces.Nobody
			c.begins(c.args.address("request"))
		}
		return 0
	}
	c.to.Kind, c.to.Comm = kind, comm
	if c.args.has("root") {
		c.to.Peer = c.peer("root", comm)
	}
	if c.to.Start = c.args.has("request"); c.to.Start {
		c.begins(c.args.address("request"))
	}
	return int64(c.t.head.Comms[comm].Size(c.t.head.Ranks))
}

func vector(kind traces.CallKind) func(c *converter) {
	return func(c *converter) {
		if c.collective(kind) > 0 && kind != traces.Barrier {
			c.to.Bytes = c.bytes(c.args.whole("count"), "type")
		}
	}
}

// blocks fills in the bytes of the blocks of all members: of what is sent, or of what is received. The other may be in place.
func (c *converter) blocks(members int64, received bool) {
	if received {
		c.to.Bytes = members * c.bytes(c.args.whole("rcount"), "rtype")
	} else {
		c.to.Bytes = members * c.bytes(c.args.whole("count"), "type")
	}
}

func (c *converter) atRoot() bool { return int(c.to.Peer) == c.rank }

func (c *converter) gather() {
	if members := c.collective(traces.Gather); members > 0 {
		c.blocks(members, c.atRoot())
	}
}

func (c *converter) scatter() {
	if members := c.collective(traces.Scatter); members > 0 {
		c.blocks(members, !c.atRoot())
	}
}

func (c *converter) allgather() {
	if members := c.collective(traces.Allgather); members > 0 {
		c.blocks(members, true)
	}
}

func (c *converter) alltoall() {
	if members := c.collective(traces.Alltoall); members > 0 {
		c.blocks(members, true)
	}
}

// sized appends the bytes of the blocks of a list, and returns their sum.
func (c *converter) sized(to []int64, members int64, counts, datatype string) (list []int64, all int64) {
	given := c.args.list(counts)
	if list, c.to.Uneven = to, true; given == nil && c.args.wrong == nil {
		c.missing[c.name+" without its sizes"]++
		return append(list, make([]int64, members)...), 0
	}
	if c.args.wrong == nil && int64(len(given)) != members {
		c.args.fail("%s are %d, of %d members", counts, len(given), members)
	}
	for _, count := range given {
		bytes := c.bytes(count, datatype)
		list, all = append(list, bytes), all+bytes
	}
	return list, all
}

func (c *converter) gatherv() {
	members := c.collective(traces.Gather)
	switch {
	case members == 0:
	case c.atRoot():
		c.to.Into, c.to.Bytes = c.sized(c.to.Into, members, "rcounts", "rtype")
	default:
		c.to.Uneven, c.to.Bytes = true, c.bytes(c.args.whole("count"), "type")
	}
}

func (c *converter) scatterv() {
	members := c.collective(traces.Scatter)
	switch {
	case members == 0:
	case c.atRoot():
		c.to.Out, c.to.Bytes = c.sized(c.to.Out, members, "counts", "type")
	default:
		c.to.Uneven, c.to.Bytes = true, c.bytes(c.args.whole("rcount"), "rtype")
	}
}

func (c *converter) allgatherv() {
	if members := c.collective(traces.Allgather); members > 0 {
		c.to.Into, c.to.Bytes = c.sized(c.to.Into, members, "rcounts", "rtype")
	}
}

func (c *converter) alltoallv() {
	if members := c.collective(traces.Alltoall); members > 0 {
		c.to.Out, c.to.Bytes = c.sized(c.to.Out, members, "counts", "type")
		c.to.Into, _ = c.sized(c.to.Into, members, "rcounts", "rtype")
	}
}

func (c *converter) reduceScatter() {
	if members := c.collective(traces.ReduceScatter); members > 0 {
		c.to.Out, c.to.Bytes = c.sized(c.to.Out, members, "rcounts", "type")
	}
}
