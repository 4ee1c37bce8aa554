package why

import (
	"math"
	"slices"
)

// forgetting removes moments from a tree that are no longer needed, on a second processor if there
// is one. The run continues meanwhile: it only adds fresh moments, and needs nothing of the tree.
type forgetting struct {
	tree     Tree
	roots    []int64       // numbers of the moments from which the run continues
	done     chan struct{} // closed when nothing is left to remove
	free     []*page       // for fresh moments
	swept    []*page       // free when it is done
	young    place         // the first place that is looked at
	moved    []place       // by place from there on: 0 if the moment leads to no root, later its new place
	spare    []int64       // memory for numbers
	wide     int           // number of moments kept at which all places are looked at
	mostKept int           // the largest such number
}

func newForgetting() *forgetting {
	f := &forgetting{done: make(chan struct{}), mostKept: math.MaxInt}
	close(f.done)
	return f
}

// Full tells whether there are so many fresh moments that Forget should remove the ones that are no
// longer needed.
func (h *History) Full() bool { return h.fresh.n >= h.full }

// Forget begins to remove the moments that lead to none of the moments that each visits, after
// waiting for an earlier Forget. The caller visits the moments from which it will continue. Therefore a
// history holds what may still become critical, not all that happened. It is not Full again
// before next moments are added, nor before twice as many as were visited.
func (h *History) Forget(each func(visit func(*Moment)), next int) {
	h.Tree()
	h.roots = h.roots[:0]
	each(func(m *Moment) {
		if m.number > 0 {
			h.roots = append(h.roots, m.number)
		}
	})
	h.full = min(h.most, max(leastFull, 2*len(h.roots), next))
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

// forget removes the moments that lead to no root. It looks at moments that were kept before only when their number
// has doubled since: a moment that leads to something now usually does so for long.
func (f *forgetting) forget(done chan<- struct{}) {
	defer close(done)
	if f.young = place(f.tree.kept.n); f.tree.kept.n >= f.wide {
		f.young = 0
	}
	f.sweep(f.mark())
	if f.young == 0 {
		f.wide = min(f.mostKept, max(leastFull, 2*f.tree.kept.n))
	}
}

// mark marks the roots, and all moments that lead to marked ones. It returns how many there are
// of these, and how many of them are mixes.
func (f *forgetting) mark() (moments, mixes int) {
	t, n := &f.tree, f.tree.Len()-int(f.young)
	f.moved = slices.Grow(f.moved[:0], n)[:n]
	clear(f.moved)
	for _, number := range f.roots {
		if f.young == 0 || number >= t.first {
			f.moved[t.place(number)-f.young] = 1
		}
	}
	if f.young == 0 {
		f.moved[0] = 1
	}
	for m := place(t.Len() - 1); m >= f.young; m-- {
		if f.moved[m-f.young] == 0 {
			continue
		}
		moments++
		f.leads(t.From(m))
		if x := t.Mix(m); x != nil {
			mixes++
			for _, by := range x.Influences {
				f.leads(t.By(m, by))
			}
		}
	}
	return moments, mixes
}

// leads marks a moment, unless it is one that stays in any case.
func (f *forgetting) leads(m place) {
	if m >= f.young {
		f.moved[m-f.young] = 1
	}
}

// place returns the new place of a moment that leads to a root.
func (f *forgetting) place(m place) int64 {
	if m < f.young {
		return int64(m)
	}
	return int64(f.moved[m-f.young])
}

// sweep keeps the marked moments.
func (f *forgetting) sweep(moments, mixes int) {
	t := &f.tree
	kept, numbers, lists := t.kept, t.numbers, []*list{&t.fresh}
	if f.young == 0 {
		kept, numbers, lists = list{mixes: make([]Mix, 0, mixes)}, slices.Grow(f.spare[:0], moments), []*list{&t.kept, &t.fresh}
		f.spare = t.numbers
	}
	m := f.young
	for _, l := range lists {
		for i, p := range l.pages {
			for k := range p[:min(pageSize, l.n-i*pageSize)] {
				if f.moved[m-f.young] != 0 {
					f.moved[m-f.young] = place(kept.n)
					numbers = append(numbers, t.number(m))
					f.keep(m, &p[k], l, &kept)
				}
				m++
			}
			f.swept = append(f.swept, p)
		}
	}
	t.kept, t.fresh, t.numbers = kept, list{}, numbers
}

// keep copies a moment. Those that led to it have new places already.
func (f *forgetting) keep(m place, one *moment, in, kept *list) {
	if kept.n%pageSize == 0 {
		kept.grow(&f.swept)
	}
	k := kept.at(kept.n)
	*k = *one
	k.origin = originOf(f.place(f.tree.origin(m, one.origin.from())), one.origin.part(), one.origin.resource())
	if one.amount < 0 {
		k.amount = kept.mixed(f.keptMix(m, in.mixes[^one.amount]))
	}
	kept.n++
}

// keptMix returns the mix that a moment is, with the new places.
func (f *forgetting) keptMix(m place, x Mix) Mix {
	for i, by := range x.Influences {
		x.Influences[i].From.number = f.place(f.tree.By(m, by))
	}
	return x
}

// Often makes a history forget after every event, for tests.
func (h *History) Often() { h.full, h.most, h.wide, h.mostKept = 1, 1, 1, 64 }
