package nodes

import (
	"slices"

	"overlapsim/sim"
)

// leastPruned is how many moments there are before those are forgotten from which
// nothing follows any more.
const leastPruned = 1 << 16

// fewMore is how many moments an event seldom adds.
const fewMore = 1 << 8

// prune forgets, where there are many, the moments from which no way leads to what is
// going on. A run remembers so what may still become critical, not all that happened.
// It comes between two events, when nothing else knows a moment.
func (t *causes) prune(now sim.Time) {
	if t == nil || len(t.moments) < t.most {
		return
	}
	t.forget(now)
}

// forget forgets them.
func (t *causes) forget(now sim.Time) {
	t.eachAwaited(func(c *cause) {
		if t.moments[*c].at < now-t.notice {
			*c = 0 // nobody who waits for it from now on is the later for it
		}
	})
	t.renumbered = slices.Grow(t.renumbered[:0], len(t.moments))[:len(t.moments)]
	clear(t.renumbered)
	t.renumbered[0] = 1
	each := func(visit func(*cause)) { t.each(visit); t.eachAwaited(visit) }
	each(func(c *cause) { t.renumbered[*c] = 1 })
	for i := len(t.moments) - 1; i > 0; i-- {
		if t.renumbered[i] == 0 {
			continue
		}
		m := &t.moments[i]
		t.renumbered[m.from] = 1
		if x := t.mix(m); x != nil {
			for _, by := range x.influences {
				t.renumbered[by.from] = 1
			}
		}
	}
	n, mixes := cause(0), t.mixes[:0]
	for i := range t.moments {
		if t.renumbered[i] == 0 {
			continue
		}
		m := t.moments[i]
		m.from = t.renumbered[m.from]
		if x := t.mix(&m); x != nil {
			for j := range x.influences {
				x.influences[j].from = t.renumbered[x.influences[j].from]
			}
			mixes = append(mixes, *x)
			m.amount = ^int64(len(mixes) - 1)
		}
		t.moments[n], t.renumbered[i] = m, n
		n++
	}
	t.moments[0].from = 0
	t.moments = t.moments[:n]
	clear(t.mixes[len(mixes):])
	t.mixes = mixes
	each(func(c *cause) { *c = t.renumbered[*c] })
	t.most = max(t.least, 3*int(n), 2*len(t.messages))
	if room := t.most + fewMore; cap(t.moments) < room { // and some, as histories grow
		t.moments = slices.Grow(t.moments, 2*room-int(n))
	}
}

// each visits the moments that the run goes on from.
func (t *causes) each(visit func(*cause)) {
	visit(&t.now)
	visit(&t.came)
	visit(&t.changed)
	visit(&t.begun)
	for _, all := range [][]cause{t.at, t.end, t.slot, t.busy, t.helper, t.stretch, t.transfers, t.started} {
		eachOf(all, visit)
	}
	for r := range t.jobs {
		eachOf(t.jobs[r].items[t.jobs[r].head:], visit)
	}
	for i := range t.nics {
		visit(&t.nics[i].received) // what comes next may have waited for it
		eachOf(t.nics[i].lanes.all, visit)
	}
	for i := range t.flows {
		eachInfluence(t.flows[i].changes, visit)
	}
	for r := range t.slowed {
		k := &t.slowed[r]
		visit(&k.alone)
		eachInfluence(k.changes, visit)
		for i := range t.later[r].items[t.later[r].head:] {
			visit(&t.later[r].items[t.later[r].head+i].delayed)
		}
	}
	for i := range t.moving.n {
		s := t.moving.at(i)
		visit(&s.began)
		visit(&s.ended)
	}
	for i := range t.messages {
		if q := t.messages[i].chunks; q != nil {
			eachOf(q.leaving.items[q.leaving.head:], visit)
			eachOf(q.arriving.items[q.arriving.head:], visit)
			eachOf(q.passing.items[q.passing.head:], visit)
		}
	}
}

// eachAwaited visits those that somebody waits for, or may: of these the last one
// that comes counts.
func (t *causes) eachAwaited(visit func(*cause)) {
	eachOf(t.room, visit)
	eachOf(t.inserted, visit)
	for r := range t.sent {
		eachOf(t.sent[r].all, visit)
		eachOf(t.posted[r], visit)
	}
	for i := range t.nics {
		n := &t.nics[i]
		eachOf(n.insertions.all, visit)
		visit(&n.inserted)
		visit(&n.sent)
	}
	for i := range t.messages {
		m := &t.messages[i]
		eachOf(m.legs[:], visit)
		visit(&m.heard)
		visit(&m.matched)
		visit(&m.delivered)
		visit(&m.completed)
	}
}

func eachOf(all []cause, visit func(*cause)) {
	for i := range all {
		visit(&all[i])
	}
}

func eachInfluence(all []influence, visit func(*cause)) {
	for i := range all {
		visit(&all[i].from)
	}
}
