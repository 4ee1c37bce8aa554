package collectives

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// Caller is a rank of a program: *programs.Ops in a compiled one, *nodes.Process in a
// live one.
type Caller interface {
	Compute(t machines.Task, n int)
	Isend(to int, bytes int64, tag, request int)
	Irecv(from int, bytes int64, tag, request int)
	Combine(next, first, ranks int, bytes int64, tag, request int)
	Wait(request int)
}

// Call does all rounds.
func (a *Algorithm) Call(g Group, do Caller) {
	for round := range a.Rounds(&g) {
		a.Do(&g, round, do)
	}
}

// Do does the caller's part of a round; all members do all their rounds in order.
func (a *Algorithm) Do(g *Group, round int, do Caller) {
	r := rounds.Get().(*Round)
	r.reset()
	r.still = g.Copy == nil
	a.Round(g, round, r)
	ops, marks := do.(compiled)
	begun := 0
	if marks = marks && a.Of != Barrier; marks {
		begun = len(ops.List())
	}
	a.touch(g, round, do)
	r.post(g, do)
	r.finish(g, do)
	if marks {
		ops.Collective(begun)
	}
	rounds.Put(r)
}

// compiled is a caller that notes which of its operations are part of a blocking collective:
// *programs.Ops. Operations of a collective that exists only to wait are not noted.
type compiled interface {
	List() []programs.Op
	Collective(from int)
}

func (a *Algorithm) fill(g *Group, round int, r *Round) {
	r.reset()
	a.Round(g, round, r)
}

// post does the copies of a round and posts its messages.
func (r *Round) post(g *Group, do Caller) {
	for request := r.settle[0]; request < r.settle[1]; request++ {
		do.Wait(g.Request + request)
	}
	request := g.Request + r.base
	for i := range r.steps {
		s := &r.steps[i]
		switch s.doing {
		case sends:
			do.Isend(g.rank(s.peer), s.bytes, g.Tag, request)
		case receives:
			do.Irecv(g.rank(s.peer), s.bytes, g.Tag, request)
		case combines:
			do.Combine(g.rank(s.peer), g.rank(s.first), s.members, s.bytes, g.Tag, request)
		case copies:
			spend(g.Copy, s.bytes, do)
			continue
		}
		request++
	}
}

// finish waits for the messages of a round and combines what has arrived.
func (r *Round) finish(g *Group, do Caller) {
	if r.hold > 0 {
		return
	}
	late := r.sends && r.adds
	r.await(receives, g, do, !late)
	r.await(sends, g, do, false)
	if late {
		r.combine(g, do)
	}
}

// combine combines what has arrived in a round.
func (r *Round) combine(g *Group, do Caller) {
	for i := range r.steps {
		if r.steps[i].add {
			spend(g.Combine, r.steps[i].bytes, do)
		}
	}
}

// await waits for the receives, or for the sends and the switches. It also combines what has arrived, if that
// should happen now.
func (r *Round) await(which doing, g *Group, do Caller, combine bool) {
	request := g.Request + r.base
	for i := range r.steps {
		s := &r.steps[i]
		if s.doing == copies {
			continue
		}
		if s.doing == which || s.doing == combines && which == sends {
			do.Wait(request)
			if s.add && combine {
				spend(g.Combine, s.bytes, do)
			}
		}
		request++
	}
}

// spend takes the time of a task on some bytes.
func spend(task func(bytes int64) machines.Task, bytes int64, do Caller) {
	if task != nil && bytes > 0 {
		t := task(bytes)
		t.ByLibrary = true
		do.Compute(t, 1)
	}
}
