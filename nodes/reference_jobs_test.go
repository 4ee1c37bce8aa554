package nodes

import (
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Rules 11, 12, 16, 17 and 22 once more, and copying without RDMA: who does
// the jobs of a library, and when.

// refLibrary is the state of a rank's library.
type refLibrary struct {
	helper    []*refJob // taken on by an agent that is not the CPU
	polled    int       // possible jobs that a call that does not wait, or a test, still takes on
	copies    int       // out, possible or taken on
	copying   bool      // a post copies out
	fragments int       // taken on and not completely left
	untilTest sim.Time  // computation until the next test; Forever: none comes
	testing   sim.Time  // CPU time that a test still needs
	asleep    bool      // in a wait with nothing to do
	noticed   sim.Time  // asleep: when it notices that a job is possible
	idle      sim.Time  // asleep: since when
	worked    sim.Time  // when the CPU ended its last job
	began     sim.Time  // when its last Wait began
	hasRun    bool      // it has computed since its last job, of a call
}

// refJob is a piece of work of a library.
type refJob struct {
	message *refMessage
	piece   *refPiece       // the piece that it copies
	cost    func() sim.Time // known when it is taken on
	left    sim.Time
	begins  sim.Time // if the agent is not the CPU: not before
	do      func()   // what it does at its end

	round   *refSchedule // instead: it begins a round
	ofRound bool         // it is a part of the beginning of a round
	more    bool         // not the first one
	atOnce  bool         // a NIC does it in no time, as it takes on the round
	ahead   int64        // bytes that its read may still take in behind it
	within  bool         // it is part of the read of another job
	rest    bool         // that takes in the rest of its message
	reads   bool         // it takes in what has come
	takes   bool         // it takes in a whole eager message
	bytes   int64        // of the user that it takes in
	started sim.Time     // when it began, of a round
}

// refPiece is a chunk or a fragment.
type refPiece struct {
	message            *refMessage
	index              int
	bytes              int64
	last               bool
	taken, copied      sim.Time // by the sender
	left               sim.Time // left the NIC
	arrived, passed    sim.Time
	takenHere, emptied sim.Time // by the target
}

// agent returns the agent that works for a rank.
func (s *reference) agent() machines.Agent {
	switch {
	case s.machine.Runtime != nil:
		return s.machine.Runtime.Progress.By
	case s.machine.Copying != nil && s.machine.Copying.Interrupts:
		return machines.Interrupts
	}
	return machines.InCalls
}

// ownCPU tells whether the rank's CPU does the jobs.
func (s *reference) ownCPU() bool {
	return s.agent() != machines.Thread && !s.byNIC()
}

// byNIC tells whether the NIC does the jobs.
func (s *reference) byNIC() bool { return s.agent().OfNIC() }

// inPosts tells whether the rank's CPU does jobs in calls that do not wait.
func (s *reference) inPosts() bool {
	a := s.agent()
	return a == machines.InCalls || a == machines.Testing || a == machines.Interrupts
}

func (s *reference) testEvery() sim.Time {
	if rt := s.machine.Runtime; rt != nil && rt.Progress.By.Tests() {
		return rt.Progress.Every
	}
	return sim.Forever
}

// job makes a job of a rank possible.
func (s *reference) job(k *refRank, m *refMessage, cost func() sim.Time, do func()) *refJob {
	m.mark(s.now, results.Progress)
	j := &refJob{message: m, cost: cost, do: do}
	if s.leads == k {
		s.takeOn(k, j)
	} else {
		k.possible = append(k.possible, j)
	}
	return j
}

// read says that a job takes in what has come.
func (j *refJob) read(bytes int64) { j.reads, j.bytes = true, bytes }

// admit gives the agent of a rank what is possible: jobs, then copies out as long as there is room.
// The rank's own CPU takes on one after the other.
func (s *reference) admit(k *refRank) {
	if len(k.rounds) > 0 && len(k.cpu) == 0 && s.beginsRounds(k) {
		s.beginRound(k)
	}
	switch {
	case s.bare():
	case s.agent() == machines.Thread || s.byNIC():
		for ; len(k.possible) > 0; k.possible = k.possible[1:] {
			s.takeOn(k, k.possible[0])
		}
		s.copyNow(k)
	case s.pulls(k):
		s.admitCopies(k)
		k.copying = k.copying && k.copies > 0
		if len(k.cpu) == 0 && len(k.possible) > 0 && s.pulls(k) {
			j := k.possible[0]
			k.possible = k.possible[1:]
			k.polled = max(0, k.polled-1)
			s.takeOn(k, j)
		}
	}
}

// pulls tells whether the rank's CPU takes on a job when it has none.
func (s *reference) pulls(k *refRank) bool {
	switch k.doing {
	case refWaiting:
		return k.request.ends() > s.now
	case refInBarrier:
		return s.barriers[k.barriers-1].exit > s.now
	case refRoom, refSlot:
		return s.grant(k) == nil
	case refEnded:
		return true
	case refComputing:
		if s.agent() == machines.Interrupts {
			return true
		}
	}
	return k.polled > 0 || k.copying
}

// poll lets the rank's CPU do some of what is possible in a call that does not wait, or in a test.
func (s *reference) poll(k *refRank, most int) {
	if !s.ownCPU() {
		return
	}
	s.admitCopies(k)
	k.polled = min(most, len(k.possible))
	if most > 1 && s.machine.Runtime != nil && s.machine.Runtime.Progress.OneRead {
		k.polled = s.oneRead(k)
	}
	s.admit(k)
}

// oneRead puts at the front what one read of each connection takes in, and the jobs that take in nothing: it asks of
// each job whether the last one of its connection that is there leads to it.
func (s *reference) oneRead(k *refRank) int {
	var now, later []*refJob
	last, closed := map[int32]*refJob{}, map[int32]bool{}
	for _, j := range k.possible {
		if !j.reads {
			now = append(now, j)
			continue
		}
		from := j.message.from + j.message.to - k.id
		if before := last[from]; before != nil && (closed[from] || !s.leadsTo(k, before, j)) {
			closed[from] = true
			later = append(later, j)
			continue
		}
		last[from] = j
		now = append(now, j)
	}
	k.possible = append(now, later...)
	return len(now)
}

// leadsTo tells whether the read of a job continues with another one, and if so makes that a part of it.
func (s *reference) leadsTo(k *refRank, j, next *refJob) bool {
	if !next.reads || next.message.from+next.message.to != j.message.from+j.message.to {
		return false
	}
	left := s.machine.Runtime.Progress.Ahead
	if j.within {
		left = j.ahead
	}
	if s.machine.Runtime.Progress.OneRead && j.piece != nil {
		switch {
		case !j.within && j.piece.index > 0 || j.rest:
			next.rest = next.piece != nil && next.message == j.message
			next.within = next.rest
			return next.rest
		case j.piece.index == 0 && !j.piece.last:
			return false
		}
	}
	if left -= next.bytes; left < 0 {
		return false
	}
	next.within, next.ahead = true, left
	return true
}

// admitCopies makes copies out possible as long as there is room. copyNow does them next.
func (s *reference) admitCopies(k *refRank) {
	for j := s.nextCopy(k); j != nil; j = s.nextCopy(k) {
		k.possible = append(k.possible, j)
	}
}

// None overtakes a copy that is possible and not taken on.
func (s *reference) copyNow(k *refRank) {
	if slices.ContainsFunc(k.possible, (*refJob).copiesOut) {
		return
	}
	for j := s.nextCopy(k); j != nil; j = s.nextCopy(k) {
		s.takeOn(k, j)
	}
}

// nextCopy returns the next copy out; nil: there is no room for one.
func (s *reference) nextCopy(k *refRank) *refJob {
	if len(k.outgoing) == 0 {
		return nil
	}
	m := k.outgoing[0]
	p := s.nextPiece(m)
	if !s.room(k, m, p.bytes) {
		return nil
	}
	k.buffered += p.bytes
	k.window[m.to] += p.bytes
	k.fragments++
	k.copies++
	m.uncopied -= p.bytes
	m.pieces = append(m.pieces, p)
	if p.last {
		k.outgoing = k.outgoing[1:]
	}
	return &refJob{message: m, piece: p, cost: func() sim.Time { return s.copyOut(p) }, do: func() {
		k.copies--
		s.sendPiece(k, p)
	}}
}

// copiesOut tells whether a job copies a piece out.
func (j *refJob) copiesOut() bool { return j.piece != nil && !j.reads }

// takeOn puts a job behind the other work of a rank's agent.
func (s *reference) takeOn(k *refRank, j *refJob) {
	if j.round != nil {
		for _, part := range s.parts(j.round) {
			s.takeOn(k, part)
		}
		return
	}
	if j.cost != nil {
		j.left = j.cost()
	}
	j.begins = s.now
	var extra sim.Time
	if rt := s.machine.Runtime; rt != nil {
		extra = rt.Progress.Cost
	} else if s.machine.Copying != nil {
		extra = s.machine.Copying.Interrupt
	}
	if j.more {
		extra = 0
	}
	switch a := s.agent(); {
	case s.byNIC() && !j.ofRound: // beside the rounds that are under way
		j.left = 0
		busy := slices.IndexFunc(k.helper, (*refJob).lasts)
		if busy < 0 {
			busy = len(k.helper)
		}
		k.helper = slices.Insert(k.helper, busy, j)
	case a == machines.Triggered:
		j.atOnce = j.left == 0 && !slices.ContainsFunc(k.helper, (*refJob).lasts)
		k.helper = append(k.helper, j)
	case a.OfThread():
		j.left += extra
		j.begins += s.machine.Runtime.Progress.Delay
		k.helper = append(k.helper, j)
	default:
		if a == machines.Interrupts && k.doing == refComputing {
			j.left += extra
		}
		if k.asleep {
			k.noticed = min(k.noticed, s.notice(k, s.now))
			j.begins = max(s.now, s.wakes(k))
		}
		if j.takes && len(k.cpu) == 0 && a != machines.Interrupts {
			s.firstLook(k, j)
		}
		if len(k.cpu) == 0 {
			j.started = j.begins
		}
		k.cpu = append(k.cpu, j)
	}
	switch p := j.piece; {
	case j.message == nil:
	case p == nil:
		j.message.mark(j.begins, results.Overhead)
	case p.copied == sim.Forever:
		p.taken = j.begins
	default:
		p.takenHere = j.begins
	}
}

// lasts tells whether a job is a part of a round that takes time, or waits for one that does.
func (j *refJob) lasts() bool { return j.ofRound && !j.atOnce }

// Rule 19: what is left of the first look of a call.
func (s *reference) firstLook(k *refRank, j *refJob) {
	look := refCost(s.machine.Runtime.Unexpected, j.message.bytes)
	switch {
	case k.doing == refWaiting && k.hasRun:
		look -= j.begins - k.began
	case !j.message.lay || k.worked >= s.now:
		return
	}
	if look > 0 {
		j.left += look
		j.message.lay = true
	}
}

// jobDone ends a job of a rank. Its CPU continues with what the job leads to.
func (s *reference) jobDone(k *refRank, j *refJob) {
	if s.ownCPU() {
		s.leads, k.worked = k, s.now
		k.hasRun = k.hasRun && (k.doing == refComputing || k.doing == refTesting || k.doing == refTested)
	}
	j.do()
	s.leads = nil
	if rt := s.machine.Runtime; rt != nil && s.ownCPU() && k.doing == refWaiting && j.reads {
		s.readAhead(k, j, rt.Progress.Ahead)
	}
}

// readAhead takes on the next job if it is part of the read of a job.
func (s *reference) readAhead(k *refRank, j *refJob, ahead int64) {
	if len(k.possible) == 0 || ahead == 0 && !s.machine.Runtime.Progress.OneRead {
		return
	}
	next := k.possible[0]
	if rest := j.piece != nil && (j.rest || !j.within && j.piece.index > 0); ahead == 0 && !rest || !s.leadsTo(k, j, next) {
		return
	}
	k.possible = k.possible[1:]
	s.takeOn(k, next)
}

// helperStep returns what the helper of a rank can do now; nil: nothing.
func (s *reference) helperStep(k *refRank) func() {
	if len(k.helper) == 0 || k.helper[0].left > 0 || k.helper[0].begins > s.now {
		return nil
	}
	return func() {
		j := k.helper[0]
		j.started = j.begins
		beside := s.byNIC() && !j.ofRound
		if k.helper = k.helper[1:]; len(k.helper) > 0 && !beside {
			k.helper[0].begins = max(k.helper[0].begins, s.now)
		}
		s.jobDone(k, j)
	}
}

// helperEnds returns when the helper of a rank has done a job.
func (s *reference) helperEnds(k *refRank) sim.Time {
	if len(k.helper) == 0 {
		return sim.Forever
	}
	return max(s.now, k.helper[0].begins) + k.helper[0].left
}

// Rule 22.

// doze returns what lets a waiting rank without work sleep; nil: it does not sleep.
func (s *reference) doze(k *refRank) func() {
	if s.machine.Runtime == nil || k.asleep || k.doing != refWaiting || len(k.cpu) > 0 || k.request.ends() <= s.now {
		return nil
	}
	return func() { k.asleep, k.noticed, k.idle = true, sim.Forever, s.now }
}

// sleeps tells whether a rank sleeps, so that it notices nothing.
func (s *reference) sleeps(k *refRank) bool {
	if k.asleep && s.wakes(k) <= s.now {
		k.asleep = false
	}
	return k.asleep
}

// wakes returns when a sleeping rank notices something, as far as that is known.
func (s *reference) wakes(k *refRank) sim.Time {
	t := k.noticed
	if end := k.request.ends(); end < sim.Forever {
		t = min(t, s.notice(k, end))
	}
	return t
}

// notice returns when a waiting process notices what happens at a given time.
func (s *reference) notice(k *refRank, at sim.Time) sim.Time {
	rt, q := s.machine.Runtime, s.machine.Slice
	switch {
	case rt.Waiting == machines.Block:
		return at + rt.Wakeup
	case s.sharing == 0:
	case rt.Waiting == machines.Yield:
		t := k.idle
		for t < at {
			t += sim.Time(s.sharing) * q
		}
		return t
	default:
		for !s.hasTurn(k, at) {
			at++
		}
	}
	return at
}

// hasTurn tells whether a process that polls has its core; the rules leave open
// when its first turn begins.
func (s *reference) hasTurn(k *refRank, at sim.Time) bool {
	period := sim.Time(s.sharing+1) * s.machine.Slice
	first := period / 1_000_000 * (sim.Time(k.id) * 618_034 % 1_000_000)
	return (at-first+period)%period < s.machine.Slice
}

// Copies.

// stream makes the copies of a message possible.
func (s *reference) stream(k *refRank, m *refMessage) {
	m.counts, m.cut = s.now, s.now
	m.uncopied = m.bytes - m.first
	if k.outgoing = append(k.outgoing, m); s.leads == k {
		s.copyNow(k)
	}
}

func (s *reference) nextPiece(m *refMessage) *refPiece {
	bytes := m.pipe.Chunk
	if c := s.machine.Copying; c != nil {
		bytes = c.Chunk
	} else if bytes == 0 {
		bytes = m.uncopied
	}
	bytes = min(bytes, m.uncopied)
	p := &refPiece{message: m, index: len(m.pieces), bytes: bytes, last: bytes == m.uncopied}
	for _, t := range []*sim.Time{&p.taken, &p.copied, &p.left, &p.arrived, &p.passed, &p.takenHere, &p.emptied} {
		*t = sim.Forever
	}
	return p
}

func (s *reference) room(k *refRank, m *refMessage, bytes int64) bool {
	if c := s.machine.Copying; c != nil {
		return k.buffered+bytes <= c.Buffer && (c.Window == 0 || k.window[m.to]+bytes <= c.Window)
	}
	return m.pipe.Depth == 0 || k.fragments < m.pipe.Depth
}

// copyOut is the CPU time of a piece for its sender, copyIn for its target.
func (s *reference) copyOut(p *refPiece) sim.Time {
	m, c := p.message, s.machine.Copying
	if c == nil {
		return refCost(s.machine.Network.SendOverhead, 0) + sim.Time(p.bytes)*sim.Time(m.pipe.In)
	}
	perByte := sim.Time(c.SendPerByte)
	if m.strided {
		perByte += sim.Time(s.machine.Runtime.Strided.Pack)
	}
	return sim.Time(p.bytes) * perByte
}

func (s *reference) copyIn(p *refPiece) sim.Time {
	m, c := p.message, s.machine.Copying
	if c == nil {
		return s.receiving(0)() + sim.Time(p.bytes)*sim.Time(m.pipe.Out)
	}
	perByte := sim.Time(c.ReceivePerByte)
	if m.strided {
		perByte += sim.Time(s.machine.Runtime.Strided.Unpack)
	}
	cost := sim.Time(p.bytes) * perByte
	if p.last && m.twoSided() && !m.rendezvous && s.machine.Runtime != nil {
		cost += s.matching(m.to) + s.receiving(m.bytes)()
	}
	return cost
}

// sendPiece ends the copy of a piece out of the sender's memory.
func (s *reference) sendPiece(k *refRank, p *refPiece) {
	m, to, copying := p.message, s.ranks[p.message.to], s.machine.Copying != nil
	p.copied = s.now
	if p.last && m.twoSided() && (m.rendezvous && !m.pipe.Acknowledged || s.inPlace(m)) {
		m.completed = s.now
	}
	length := s.length(p.bytes)
	if copying && p.index > 0 {
		length -= s.machine.Network.Startup
	}
	arrive := func() {
		p.passed = s.now
		to.possible = append(to.possible, &refJob{message: m, piece: p, reads: true, bytes: p.bytes, cost: func() sim.Time { return s.copyIn(p) },
			do: func() { s.emptied(p) }})
	}
	s.ready(s.enqueue(k.id, m.to, false, length, func(t refSpan) {
		p.left, p.arrived = t.to, t.to+s.latency(m.from, m.to)
		m.start = min(m.start, t.from)
		if p.last {
			m.sent, m.arrived = p.left, p.arrived
		}
		s.at(p.left, roomInNIC, s.rail(k.id), func() {
			k.buffered -= p.bytes
			k.fragments--
			m.gone = m.gone || p.last
		})
		s.at(p.arrived, outOfNIC, s.rail(k.id), func() {
			if copying {
				arrive()
			} else {
				at := s.takeIn(m.to, p.bytes, 0)
				s.entered(m.from, m.to, at)
				s.at(at, intoNIC, s.rail(m.to), arrive)
			}
		})
	}), s.now)
}

// emptied ends the copy of a piece into the target's memory.
func (s *reference) emptied(p *refPiece) {
	m, from := p.message, s.ranks[p.message.from]
	if c := s.machine.Copying; c != nil && c.Window > 0 {
		s.at(s.now+s.latency(m.to, m.from), copiedIn, int(m.from)*len(s.ranks)+int(m.to), func() { from.window[m.to] -= p.bytes })
	}
	if p.emptied = s.now; p.last {
		s.deliver(m)
	}
}

func (s *reference) deliver(m *refMessage) {
	m.delivered = s.now
	if !m.twoSided() || s.machine.Runtime == nil {
		m.told, m.completed = s.now, s.now+s.latency(m.from, m.to)
	}
	switch {
	case m.put, m.get:
	case m.signal:
		s.signalled(m)
	case !m.rendezvous:
		s.match(m)
	case m.pipe.Acknowledged:
		s.finish(m)
	}
}
