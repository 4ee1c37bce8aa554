package goal

// early are the receives at the beginning of a rank that require nothing and that nothing requires,
// such as those of incoming puts. All are posted before a message arrives, and posting takes no
// time. So only the order of those of one channel counts. The other operations number the channels.
type early struct {
	sorted []uint32 // those of rank 0, by slot
	from   []uint32 // of each slot, its first one in sorted; and their number
	next   []uint32 // of each slot, the one that comes next
}

// earlyReceives returns the number of early receives of rank 0.
func (s *Schedule) earlyReceives() (n int) {
	ops, _ := s.Rank(0)
	for n < len(ops) && ops[n].Kind == Recv && hasPeer(&ops[n]) && s.ops[n+1].first == 0 {
		n++
	}
	for _, d := range s.dependants[:s.ops[len(ops)].first] {
		n = min(n, int(d&^onStart))
	}
	return n
}

// newEarly sorts the early receives of rank 0 by their slots.
func newEarly(slots []uint32, width int) early {
	e := early{make([]uint32, len(slots)), make([]uint32, width+1), make([]uint32, width+1)}
	for _, slot := range slots {
		e.from[slot+1]++
	}
	for k := range width {
		e.from[k+1] += e.from[k]
	}
	copy(e.next, e.from)
	for i, slot := range slots {
		e.sorted[e.next[slot]] = uint32(i)
		e.next[slot]++
	}
	return e
}

// sameEarly tells whether a rank has the early receives of rank 0, in the same order for each slot.
func (x *comparison) sameEarly(peers []uint32, a, b []Op, edges uint32) bool {
	e := &x.early
	if len(e.sorted) == 0 {
		return true
	}
	clear(x.number)
	for k, peer := range peers {
		x.number[channel{peer, x.tags[k]}] = uint32(k)
	}
	copy(e.next, e.from)
	for i := range e.sorted {
		slot, known := x.number[channel{b[i].Peer, b[i].Tag}]
		if !known || e.next[slot] == e.from[slot+1] || !same(&a[e.sorted[e.next[slot]]], &b[i], edges) {
			return false
		}
		e.next[slot]++
	}
	return true
}
