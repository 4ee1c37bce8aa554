package collectives

// AllgatherSwingTwoBlocks is AllgatherSwing with each message in one piece of memory. What a
// member has is a range of blocks. If the range continues at the first block after the last one,
// it is sent as two messages.
var AllgatherSwingTwoBlocks = &Algorithm{
	Of: Allgather, Name: "swing-two-blocks", How: "`swing-bandwidth` with two messages where the range of blocks wraps around",
	Source: "De Sensi et al., SC 2025; libbine_allgather.c of pico, 2_blocks", Needs: powerOfTwo,
	Schedule: Schedule{func(g *Group) int { return log(g.Ranks) }, func(g *Group, step int, r *Round) {
		peer := swinging(g.Me, step, log(g.Ranks))
		out, in := g.ranges(step)
		for _, s := range pieces(g.around(in, 1<<step)) {
			r.Recv(peer, s)
		}
		for _, s := range pieces(g.around(out, 1<<step)) {
			r.Send(peer, s)
		}
	}},
}

// AllgatherSwingPacked is the same with a single message, a derived datatype. If that is two
// pieces of memory, the library copies them at both ends.
var AllgatherSwingPacked = &Algorithm{
	Of: Allgather, Name: "swing-packed", How: "`swing-two-blocks` with one message, a derived datatype that is packed and unpacked",
	Source: "De Sensi et al., SC 2025; libbine_allgather.c of pico, 2_blocks_dtype", Needs: powerOfTwo,
	Schedule: Schedule{oneMore, func(g *Group, step int, r *Round) {
		if step > 0 {
			_, in := g.ranges(step - 1)
			r.pack(g, in, 1<<(step-1))
		}
		if step == log(g.Ranks) {
			return
		}
		out, in := g.ranges(step)
		r.pack(g, out, 1<<step)
		peer := swinging(g.Me, step, log(g.Ranks))
		r.Recv(peer, pieces(g.around(in, 1<<step))...)
		r.Send(peer, pieces(g.around(out, 1<<step))...)
	}},
}

func init() { Register(AllgatherSwingTwoBlocks, AllgatherSwingPacked) }

// ranges are the first blocks of what the caller sends and receives in a step: 2^step blocks
// each, next to each other; in even steps the blocks of an even member are the lower ones.
func (g *Group) ranges(step int) (out, in int) {
	out = g.Me
	for s := range step {
		if s%2 != g.Me%2 {
			out -= 1 << s
		}
	}
	if step%2 == g.Me%2 {
		return out, out + 1<<step
	}
	return out, out - 1<<step
}

// pieces are the spans that are not empty, the lower one first.
func pieces(a, b Span) (all []Span) {
	for _, s := range []Span{b, a} {
		if s.Bytes > 0 {
			all = append(all, s)
		}
	}
	return all
}

// pack copies blocks to or from a buffer if they are two pieces of memory. The spans of messages
// name the blocks' own places throughout.
func (r *Round) pack(g *Group, first, count int) {
	if all := pieces(g.around(first, count)); len(all) == 2 {
		for _, s := range all {
			r.Copy(s, s)
		}
	}
}
