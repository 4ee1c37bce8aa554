package nodes

import (
	"overlapsim/nodes/why"
	"overlapsim/sim"
)

// prune forgets the moments that can no longer lead to anything, if there are many. It runs
// between two events, when moments are held nowhere else.
func (t *causes) prune(now sim.Time) {
	if t == nil || !t.Full() {
		return
	}
	t.forget(now)
}

// forget forgets those moments.
func (t *causes) forget(now sim.Time) {
	t.eachAwaited(func(c *cause) {
		if c.At < now-t.notice {
			*c = cause{} // what waits for it from now on will be later, and only the later moment counts
		}
	})
	t.Forget(func(visit func(*cause)) { t.each(visit); t.eachAwaited(visit) }, 2*int(t.messages.n))
}

// each visits the moments from which the run continues.
func (t *causes) each(visit func(*cause)) {
	visit(&t.now)
	visit(&t.lastArrival)
	visit(&t.changed)
	visit(&t.begun)
	for _, all := range [][]cause{
		t.at, t.end, t.slot, t.busy, t.helper, t.dispatch, t.balance, t.stretch, t.transfers, t.started, t.departed,
	} {
		eachOf(all, visit)
	}
	for r := range t.jobs {
		eachOf(t.jobs[r].left(), visit)
	}
	for i := range t.nics {
		visit(&t.nics[i].received) // what comes next may have to wait for it
		eachOf(t.nics[i].lanes.All, visit)
	}
	for i := range t.flows {
		eachInfluence(t.flows[i].Changes, visit)
	}
	for r := range t.slowed {
		k := &t.slowed[r]
		visit(&k.alone)
		eachInfluence(k.Changes, visit)
		for later, i := t.later[r].left(), 0; i < len(later); i++ {
			visit(&later[i].delayed)
		}
	}
	for i := range t.moving.n {
		if left(i) {
			continue
		}
		s := t.moving.at(i)
		visit(&s.began)
		visit(&s.ended)
	}
	for i := range t.connections.all {
		eachOf(t.connections.all[i].open.left(), visit)
	}
	for i := range t.chunked {
		q := &t.chunked[i]
		eachOf(q.leaving.left(), visit)
		eachOf(q.arriving.left(), visit)
		eachOf(q.passing.left(), visit)
	}
}

// eachAwaited visits the moments that something waits for, or may wait for. If something waits
// for several of them, only the last one counts.
func (t *causes) eachAwaited(visit func(*cause)) {
	eachOf(t.room, visit)
	eachOf(t.inserted, visit)
	eachOf(t.schedules, visit)
	for r := range t.sent {
		eachOf(t.sent[r].All, visit)
		eachOf(t.posted[r], visit)
	}
	for i := range t.nics {
		n := &t.nics[i]
		eachOf(n.insertions.All, visit)
		visit(&n.inserted)
		visit(&n.sent)
		for _, these := range [][]departure{n.leaving.left(), n.passing, n.coming.left()} {
			for j := range these {
				visit(&these[j].end)
			}
		}
	}
	for i := range t.messages.n {
		if left(i) {
			continue
		}
		m := t.messages.at(i)
		visit(&m.load)
		visit(&m.delivered)
		visit(&m.completed)
	}
	for i := range t.answered.n {
		if left(i) {
			continue
		}
		m := t.answered.at(i)
		visit(&m.request)
		visit(&m.reply)
		visit(&m.finish)
		visit(&m.heard)
		visit(&m.readArrives)
		visit(&m.matched)
	}
}

func eachOf(all []cause, visit func(*cause)) {
	for i := range all {
		visit(&all[i])
	}
}

func eachInfluence(all []why.Influence, visit func(*cause)) {
	for i := range all {
		visit(&all[i].From)
	}
}
