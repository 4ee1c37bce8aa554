package collectives

// Span is a range of bytes of a member's memory. Vectors, and the blocks of all members in order,
// start at 0. An all-to-all has what is sent at 0, then what is received, and then what is stored
// meanwhile.
type Span struct{ From, Bytes int64 }

// whole is all of a vector.
func (g *Group) whole() Span { return Span{0, g.Bytes} }

// offset is where a member's block of Bytes begins; the blocks are nearly equal.
func (g *Group) offset(member int) int64 {
	if g.Sizes == nil {
		size, rest := g.Bytes/int64(g.Ranks), g.Bytes%int64(g.Ranks)
		return int64(member)*size + min(int64(member), rest)
	}
	sum := int64(0)
	for m := range member {
		sum += g.Sizes(m)
	}
	return sum
}

// block is the block of a member; numbers wrap around.
func (g *Group) block(member int) Span {
	member = g.wrap(member)
	return g.blocks(member, member+1)
}

// blocks are the blocks of the members from first to before end.
func (g *Group) blocks(first, end int) Span {
	from := g.offset(first)
	return Span{from, g.offset(end) - from}
}

// around are the blocks of some members from first on, which may lie beyond the last
// member and go on at the first: one or two spans.
func (g *Group) around(first, count int) (a, b Span) {
	first = g.wrap(first)
	if first+count <= g.Ranks {
		return g.blocks(first, first+count), Span{}
	}
	return g.blocks(first, g.Ranks), g.blocks(0, first+count-g.Ranks)
}

// part is one of some nearly equal parts of a span.
func (s Span) part(i, of int) Span {
	size, rest := s.Bytes/int64(of), s.Bytes%int64(of)
	from := int64(i)*size + min(int64(i), rest)
	if int64(i) < rest {
		size++
	}
	return Span{s.From + from, size}
}

// segments is the number of segments of a span, at least one.
func (g *Group) segments(s Span) int {
	if g.Segment < 1 || s.Bytes <= g.Segment {
		return 1
	}
	return int((s.Bytes + g.Segment - 1) / g.Segment)
}

// segment is the i-th segment of a span.
func (g *Group) segment(s Span, i int) Span {
	if g.Segment < 1 {
		return s
	}
	from := int64(i) * g.Segment
	return Span{s.From + from, min(g.Segment, s.Bytes-from)}
}
