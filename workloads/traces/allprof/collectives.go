package allprof

import "overlapsim/workloads/traces"

// collective begins a collective, or does it. Nothing happens if the rank is alone.
func (c *converter) collective() {
	comm := c.comm()
	if c.args.wrong != nil {
		return
	}
	if comm == alone {
		if c.args.has("request") {
			c.to.Kind, c.to.Peer = traces.Irecv, traces.Nobody
			c.begins(c.args.address("request"))
		}
		return
	}
	by := traces.CollectedBy(c.name)
	c.to.Kind, c.to.Comm = by.Kind, comm
	if c.args.has("root") {
		c.to.Peer = c.peer("root", comm)
	}
	if c.to.Start = c.args.has("request"); c.to.Start {
		c.begins(c.args.address("request"))
	}
	by.Fill(c.to, c.rank, int64(c.t.head.Comms[comm].Size(c.t.head.Ranks)), c)
}

// Block implements traces.Sizes.
func (c *converter) Block(received bool) int64 {
	if received {
		return c.bytes(c.args.whole("rcount"), "rtype")
	}
	return c.bytes(c.args.whole("count"), "type")
}

// Blocks implements traces.Sizes.
func (c *converter) Blocks(to []int64, received bool, members int64) []int64 {
	counts, datatype := "counts", "type"
	if received {
		counts = "rcounts"
		if c.args.has("rtype") {
			datatype = "rtype"
		}
	}
	given := c.args.list(counts)
	if given == nil && c.args.wrong == nil {
		c.missing[c.name+" without its sizes"]++
		return append(to, make([]int64, members)...)
	}
	if c.args.wrong == nil && int64(len(given)) != members {
		c.args.fail("%s are %d, of %d members", counts, len(given), members)
	}
	for _, count := range given {
		to = append(to, c.bytes(count, datatype))
	}
	return to
}
