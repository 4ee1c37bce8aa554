package why

// fewMore is the largest number of moments that most events add.
const fewMore = 1 << 8

// Full tells whether there are so many moments that Forget should remove those that are no longer
// needed.
func (h *History) Full() bool { return len(h.moments) >= h.most }

// Forget removes the moments that lead to none of the moments that each visits, and renumbers the
// others. The caller visits the moments from which it will continue. So a history holds what may
// still become critical, not all that happened. It is not Full again before it holds next
// moments.
func (h *History) Forget(each func(visit func(*Moment)), next int) {
	if cap(h.renumbered) < len(h.moments) {
		h.renumbered = make([]Moment, cap(h.moments))
	}
	h.renumbered = h.renumbered[:len(h.moments)]
	clear(h.renumbered)
	h.renumbered[0] = 1
	each(func(m *Moment) { h.renumbered[*m] = 1 })
	h.mark()
	kept := h.sweep()
	each(func(m *Moment) { *m = h.renumbered[*m] })
	h.most = max(h.least, 3*kept, next)
	if room := h.most + fewMore; cap(h.moments) < room { // spare room, as histories grow
		moments := make([]moment, kept, 2*room) // growing the old slice would also copy what is forgotten
		copy(moments, h.moments)
		h.moments = moments
	}
}

// mark marks all moments that lead to marked ones.
func (h *History) mark() {
	for m := Moment(len(h.moments) - 1); m > 0; m-- {
		if h.renumbered[m] == 0 {
			continue
		}
		h.renumbered[h.moments[m].from] = 1
		if x := h.Mix(m); x != nil {
			for _, by := range x.Influences {
				h.renumbered[by.From] = 1
			}
		}
	}
}

// sweep keeps the marked moments, and notes their new numbers.
func (h *History) sweep() (kept int) {
	n, mixes := Moment(0), h.mixes[:0]
	for i := range h.moments {
		if h.renumbered[i] == 0 {
			continue
		}
		x := h.Mix(Moment(i))
		m := h.moments[i]
		m.from = h.renumbered[m.from]
		if x != nil {
			for j := range x.Influences {
				x.Influences[j].From = h.renumbered[x.Influences[j].From]
			}
			mixes = append(mixes, *x)
			m.amount = ^int64(len(mixes) - 1)
		}
		h.moments[n], h.renumbered[i] = m, n
		n++
	}
	h.moments[0].from = 0
	h.moments = h.moments[:n]
	clear(h.mixes[len(mixes):])
	h.mixes = mixes
	return int(n)
}

// Often makes a history forget after every event, for tests.
func (h *History) Often() { h.least, h.most = 1, 1 }
