package nodes

import (
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Rules 24 to 29 once more: schedules.

// refSchedule is a schedule of a rank.
type refSchedule struct {
	rank    *refRank
	ops     []programs.Op
	at      int
	waits   []*refRequest // of the round
	numbers []int32       // their numbers
	posted  bool          // all of the round
	since   sim.Time      // when that was
	copying int           // jobs for received messages
	planned bool          // its round will be over, or is
	over    sim.Time      // when the schedule is
	unpaid  []*refRequest // receives of the round whose overhead is not a job yet
	begun   sim.Time      // when the job of the last round began
	history []refStage
}

// refStage is what a schedule did up to some time: it waited for a message, or for the job that
// began a round.
type refStage struct {
	to     sim.Time
	last   *refRequest // nil: none, or the job
	job    bool
	helped sim.Time // the job of a helper began
}

// opens makes the operations of a schedule known. The next ones of the rank are its first round.
func (s *reference) opens(k *refRank, op programs.Op) {
	rest := k.ops[k.pc:]
	n := slices.IndexFunc(rest, func(op programs.Op) bool { return op.Kind == programs.OpStarted })
	k.opening = &refSchedule{rank: k, ops: rest[:n], over: sim.Forever}
	k.requests[op.Request] = &refRequest{schedule: k.opening}
	k.scheduled = append(k.scheduled, k.opening)
}

// opened ends the first round, once the rank has done it.
func (s *reference) opened(k *refRank) bool {
	q := k.opening
	if q == nil || k.pc < len(k.ops) && k.ops[k.pc].Kind != programs.OpWait && k.ops[k.pc].Kind != programs.OpStarted {
		return false
	}
	for q.at = 0; q.at < len(q.ops) && q.ops[q.at].Kind != programs.OpWait; {
		q.at++
	}
	for k.ops[k.pc].Kind != programs.OpStarted {
		k.pc++
	}
	k.pc++
	k.opening = nil
	s.await(q)
	return true
}

// await finds what a round waits for.
func (s *reference) await(q *refSchedule) {
	q.posted, q.since, q.planned, q.waits, q.numbers = true, s.now, false, nil, nil
	for ; q.at < len(q.ops) && q.ops[q.at].Kind == programs.OpWait; q.at++ {
		if r := q.rank.requests[q.ops[q.at].Request]; r != nil {
			q.waits, q.numbers = append(q.waits, r), append(q.numbers, q.ops[q.at].Request)
			if r.receive && s.machine.Runtime == nil {
				q.unpaid = append(q.unpaid, r)
			}
		}
	}
}

// pay makes the overhead of a receive that has ended a job. If it is known when it will have ended, that
// is a separate event.
func (s *reference) pay(q *refSchedule) (again bool) {
	q.unpaid = slices.DeleteFunc(q.unpaid, func(r *refRequest) bool {
		if r.ends() == sim.Forever {
			return false
		}
		cost := s.receiving(r.message.received())()
		if cost == 0 {
			return true
		}
		q.copying++
		offer := func() {
			j := &refJob{cost: func() sim.Time { return cost }, do: func() { q.copying--; q.since = max(q.since, s.now) }}
			if s.bare() {
				q.rank.rounds = append(q.rank.rounds, j)
			} else {
				q.rank.possible = append(q.rank.possible, j)
			}
		}
		if again = true; r.ends() <= s.now {
			offer()
		} else {
			s.at(r.ends(), rounds, int(q.rank.id), offer)
		}
		return true
	})
	return again
}

// ends returns when the round is over, as far as that is known.
func (q *refSchedule) ends(now sim.Time) sim.Time {
	if !q.posted || q.planned || q.copying > 0 || len(q.unpaid) > 0 {
		return sim.Forever
	}
	end := q.since
	for _, r := range q.waits {
		end = max(end, r.ends())
	}
	return end
}

// watch continues the schedules whose round is over now. If it is known that a round will be over,
// that is a separate event.
func (s *reference) watch() {
	for again := true; again; {
		again = false
		for _, k := range s.ranks {
			for _, q := range k.scheduled {
				if q.posted && !q.planned {
					again = s.pay(q) || again
				}
				end := q.ends(s.now)
				if end == sim.Forever {
					continue
				}
				q.planned = true
				if end <= s.now {
					s.roundOver(q)
					again = true
				} else {
					s.at(end, rounds, int(k.id), func() { s.roundOver(q) })
				}
			}
		}
	}
}

// roundOver makes the next round possible.
func (s *reference) roundOver(q *refSchedule) {
	k := q.rank
	var last *refRequest
	for i, r := range q.waits {
		if last == nil || r.ends() > last.ends() {
			last = r
		}
		if k.requests[q.numbers[i]] == r {
			delete(k.requests, q.numbers[i])
		}
	}
	q.history = append(q.history, refStage{to: s.now, last: last})
	q.posted = false
	switch {
	case q.at == len(q.ops):
		q.over = s.now
	case s.ownRounds():
		k.rounds = append(k.rounds, &refJob{round: q})
	default:
		k.possible = append(k.possible, &refJob{round: q})
	}
}

// bare tells whether no library and no copies make jobs of messages.
func (s *reference) bare() bool { return s.machine.Runtime == nil && s.machine.Copying == nil }

// ownRounds tells whether a process begins rounds in its calls while its other jobs, if there are any, take no time.
func (s *reference) ownRounds() bool { return s.bare() || s.agent() == machines.Offload }

// parts are the jobs of which the beginning of a round consists: each ends with a send.
func (s *reference) parts(q *refSchedule) (parts []*refJob) {
	part := &refJob{ofRound: true}
	var posts []func()
	finish := func(last bool) {
		first, done := part, posts
		first.more = len(parts) > 0
		first.do = func() {
			if !first.more {
				q.begun = first.started
			}
			for _, post := range done {
				post()
			}
			if last {
				s.roundBegun(q)
			}
		}
		parts = append(parts, part)
		part, posts = &refJob{ofRound: true}, nil
	}
	for ; q.at < len(q.ops) && q.ops[q.at].Kind != programs.OpWait; q.at++ {
		op, of := q.ops[q.at], part
		switch op.Kind {
		case programs.OpCompute:
			part.left += sim.Time(op.Amount)
		case programs.OpReceive:
			posts = append(posts, func() { s.receiveInRound(q, op) })
		case programs.OpSend:
			m := s.newMessage(q.rank, op)
			switch {
			case m.local:
				part.left += s.localCost(m)
			case s.agent() != machines.Triggered:
				part.left += s.overhead(m)
			}
			posts = append(posts, func() { s.sendInRound(q.rank, op, m, of.started) })
			end := q.at+1 == len(q.ops) || q.ops[q.at+1].Kind == programs.OpWait
			finish(end)
		}
	}
	if n := len(parts); n == 0 || part.left > 0 || len(posts) > 0 {
		finish(true)
	}
	return parts
}

// roundBegun ends the job that began a round.
func (s *reference) roundBegun(q *refSchedule) {
	stage := refStage{to: s.now, job: true, helped: s.now}
	if a := s.agent(); !s.bare() && (a.OfThread() || a == machines.Triggered) {
		stage.helped = q.begun
	}
	q.history = append(q.history, stage)
	s.await(q)
}

// receiveInRound posts a receive.
func (s *reference) receiveInRound(q *refSchedule, op programs.Op) {
	k, r := q.rank, &refRequest{receive: true, source: op.Peer, tag: op.Tag}
	k.requests[op.Request] = r
	for i, m := range k.arrived {
		if !r.accepts(m) {
			continue
		}
		k.arrived = append(k.arrived[:i:i], k.arrived[i+1:]...)
		s.matched(k, r, m)
		if s.machine.Runtime == nil || m.lay {
			return
		}
		if cost := s.unexpectedCost(m); cost > 0 {
			q.copying++
			j := &refJob{cost: func() sim.Time { return cost }, do: func() { q.copying--; q.since = max(q.since, s.now) }}
			if s.leads == k {
				s.takeOn(k, j)
			} else {
				k.possible = append(k.possible, j)
			}
		}
		return
	}
	k.posted = append(k.posted, r)
}

// sendInRound sends a message whose overhead has been paid since some time.
func (s *reference) sendInRound(k *refRank, op programs.Op, m *refMessage, begun sim.Time) {
	m.posted, m.paid, m.flies = begun, s.now, s.now
	s.messages = append(s.messages, m)
	if m.rendezvous || s.machine.Runtime != nil {
		k.requests[op.Request] = &refRequest{message: m}
	}
	switch {
	case m.local:
		s.localCopied(m)
	case s.machine.Copying != nil && !m.rendezvous:
		s.stream(k, m)
		if s.agent() == machines.Thread { // which takes on the copies before what comes after the round
			s.admit(k)
		}
	case s.machine.Copying != nil:
		s.ready(s.send(m), s.now)
	default: // g after the insertion before
		n, at := s.nic(k.id), s.now
		if i := len(n.insertions); i > 0 {
			at = max(at, n.insertions[i-1]+s.machine.Network.Gap)
		}
		n.insertions = append(n.insertions, at)
		s.ready(s.send(m), at)
	}
	if s.paid(m) {
		m.completed = s.now
	}
}

// beginRound lets a process without a library begin a round.
func (s *reference) beginRound(k *refRank) {
	j := k.rounds[0]
	k.rounds = k.rounds[1:]
	s.takeOn(k, j)
}

// beginsRounds tells whether the rank's CPU, which has nothing to do, begins rounds by itself.
func (s *reference) beginsRounds(k *refRank) bool {
	return (k.doing == refWaiting || k.doing == refInBarrier || k.doing == refRoom || k.doing == refEnded) && s.pulls(k)
}

// scheduleTerm returns the term that a picosecond of a wait for a schedule goes to.
func (s *reference) scheduleTerm(k *refRank, q *refSchedule, t sim.Time) results.Term {
	i := slices.IndexFunc(q.history, func(stage refStage) bool { return t < stage.to })
	if i < 0 {
		return results.Progress
	}
	switch stage := q.history[i]; {
	case stage.job && t >= stage.helped:
		return results.Overhead
	case stage.last != nil:
		return s.waitTerm(k, stage.last, t)
	}
	return results.Progress
}
