package why

import "slices"

// forgetting removes moments from a tree that are no longer needed, on a second processor if there
// is one. The run continues meanwhile: it only adds fresh moments, and needs nothing of the tree.
type forgetting struct {
	tree  Tree
	roots []int64       // numbers of the moments from which the run continues
	done  chan struct{} // closed when nothing is left to remove
	free  []*page       // for fresh moments
	swept []*page       // free when it is done
	moved []place       // by place: 0 if the moment leads to no root, later its new place
	spare []int64       // memory for numbers
}

func newForgetting() *forgetting {
	f := &forgetting{done: make(chan struct{})}
	close(f.done)
	return f
}

// Full tells whether there are so many fresh moments that Forget should remove those that are no
// longer needed.
func (h *History) Full() bool { return h.fresh.n >= h.full }

// Forget begins to remove the moments that lead to none of the moments that each visits, after
// waiting for an earlier Forget. The caller visits the moments from which it will continue. So a
// history holds what may still become critical, not all that happened. It is not Full again
// before next moments are added.
func (h *History) Forget(each func(visit func(*Moment)), next int) {
	h.full = min(h.most, max(leastFull, 2*h.Tree().kept.n, next))
	h.roots = h.roots[:0]
	each(func(m *Moment) {
		if m.number > 0 {
			h.roots = append(h.roots, m.number)
		}
	})
	h.before += int64(h.fresh.n)
	h.free, h.swept = append(h.free, h.swept...), h.swept[:0]
	h.fresh, h.done = list{}, make(chan struct{})
	go h.forgetting.forget(h.done)
}

// Tree returns the tree of all moments so far.
func (h *History) Tree() *Tree {
	<-h.done
	h.tree.fresh, h.tree.first = h.fresh, h.before+1
	return &h.tree
}

// forget removes the moments that lead to no root.
func (f *forgetting) forget(done chan<- struct{}) {
	defer close(done)
	f.sweep(f.mark())
}

// mark marks the roots, and all moments that lead to marked ones. It returns how many there are
// of these, and how many of them are mixes.
func (f *forgetting) mark() (moments, mixes int) {
	t, n := &f.tree, f.tree.Len()
	f.moved = slices.Grow(f.moved[:0], n)[:n]
	clear(f.moved)
	f.moved[0] = 1
	for _, number := range f.roots {
		f.moved[t.place(number)] = 1
	}
	for m := place(n - 1); m > 0; m-- {
		if f.moved[m] == 0 {
			continue
		}
		moments++
		f.moved[t.From(m)] = 1
		if x := t.Mix(m); x != nil {
			mixes++
			for _, by := range x.Influences {
				f.moved[t.By(m, by)] = 1
			}
		}
	}
	return moments + 1, mixes
}

// sweep keeps the marked moments.
func (f *forgetting) sweep(moments, mixes int) {
	kept := list{mixes: make([]Mix, 0, mixes)}
	f.spare = slices.Grow(f.spare[:0], moments)
	m := place(0)
	for _, l := range [...]*list{&f.tree.kept, &f.tree.fresh} {
		for i, p := range l.pages {
			for k := range p[:min(pageSize, l.n-i*pageSize)] {
				if f.moved[m] != 0 {
					f.keep(m, &p[k], l, &kept)
				}
				m++
			}
			f.swept = append(f.swept, p)
		}
	}
	f.spare, f.tree.numbers = f.tree.numbers, f.spare
	f.tree.kept, f.tree.fresh = kept, list{}
}

// keep copies a moment. Those that led to it have new places already.
func (f *forgetting) keep(m place, one *moment, in, kept *list) {
	t := &f.tree
	f.moved[m] = place(kept.n)
	f.spare = append(f.spare, t.number(m))
	if kept.n%pageSize == 0 {
		kept.grow(&f.swept)
	}
	k := kept.at(kept.n)
	*k = *one
	k.origin = originOf(int64(f.moved[t.origin(m, one.origin.from())]), one.origin.part(), one.origin.resource())
	if one.amount < 0 {
		k.amount = kept.mixed(f.keptMix(m, in.mixes[^one.amount]))
	}
	kept.n++
}

// keptMix returns the mix that a moment is, with the new places.
func (f *forgetting) keptMix(m place, x Mix) Mix {
	for i, by := range x.Influences {
		x.Influences[i].From.number = int64(f.moved[f.tree.By(m, by)])
	}
	return x
}

// Often makes a history forget after every event, for tests.
func (h *History) Often() { h.full, h.most = 1, 1 }
