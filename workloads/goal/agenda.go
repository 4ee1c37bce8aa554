package goal

// entry is an action at a time. Entries of equal times are ordered by seq, the running
// number of their creation.
type entry struct {
	at   uint64
	seq  uint32
	what uint32
	rank uint32
}

func (e *entry) before(at uint64, seq uint32) bool {
	return e.at < at || e.at == at && e.seq < seq
}

func (e *entry) after(at uint64, seq uint32) bool {
	return e.at > at || e.at == at && e.seq > seq
}

// agenda is a heap of entries, with four children to a node and the first entry at index
// 0. Unlike the kernel's queue it takes entries for any time, and in any order among
// equal times.
type agenda []entry

func (a *agenda) push(x entry) {
	h := append(*a, x)
	*a = h
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !x.before(h[up].at, h[up].seq) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = x
}

func (a *agenda) pop() entry {
	h := *a
	first := h[0]
	n := len(h) - 1
	x := h[n]
	*a = h[:n]
	if n > 0 {
		h[:n].sink(x)
	}
	return first
}

// sink replaces the first entry by x.
func (a agenda) sink(x entry) {
	i := 0
	for {
		child := 4*i + 1
		if child >= len(a) {
			break
		}
		best := child
		for c := child + 1; c < min(child+4, len(a)); c++ {
			if a[c].before(a[best].at, a[best].seq) {
				best = c
			}
		}
		if !a[best].before(x.at, x.seq) {
			break
		}
		a[i] = a[best]
		i = best
	}
	a[i] = x
}
