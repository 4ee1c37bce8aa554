package collectives

// between is the number of bytes that a member sends to another.
func (g *Group) between(from, to int) int64 {
	if g.Between == nil {
		return g.Bytes / int64(g.Ranks)
	}
	return g.Between(from, to)
}

// outgoing is where the caller's data for a member is, and incoming where it receives data.
func (g *Group) outgoing(to int) Span {
	if g.Between == nil {
		return Span{int64(to) * g.between(g.Me, to), g.between(g.Me, to)}
	}
	s := Span{Bytes: g.Between(g.Me, to)}
	for m := range to {
		s.From += g.Between(g.Me, m)
	}
	return s
}

func (g *Group) incoming(from int) Span {
	if g.Between == nil {
		return Span{g.Bytes + int64(from)*g.between(from, g.Me), g.between(from, g.Me)}
	}
	s := Span{g.Bytes, g.Between(from, g.Me)}
	for m := range from {
		s.From += g.Between(m, g.Me)
	}
	return s
}

// trade exchanges with the members at a distance. At distance 0 it is a copy.
func (g *Group) trade(distance int, r *Round) {
	if distance == 0 {
		r.Copy(g.outgoing(g.Me), g.incoming(g.Me))
		return
	}
	to, from := g.wrap(g.Me+distance), g.wrap(g.Me-distance)
	r.Recv(from, g.incoming(from))
	r.Send(to, g.outgoing(to))
}
