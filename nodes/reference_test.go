package nodes

import (
	"slices"
	"sort"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// The reference is a second version of docs/contributing/rules.md: no events that stand for others, no slots,
// no sums kept up to date. At every instant it lists what can happen, lets choose pick one event,
// and looks again. When nothing more can happen, it continues with the next instant at which
// something can. Where the rules leave open which of two events of one instant comes first, every
// answer of choose is right.
type reference struct {
	groups   []*refGroup // by number of the call
	machine  *machines.Machine
	perNode  int
	choose   chooser
	now      sim.Time
	ranks    []*refRank
	nics     []*refNIC
	pending  []refEvent // in the order in which they were scheduled
	messages []*refMessage
	barriers []refBarrier
	sharing  int // background threads that share the core of a process

	leads *refRank // the rank whose job, or call, makes more possible now; nil: none

	guide *guide   // what it must follow; nil: nothing
	lost  sim.Time // until when it did so; Forever: to the end
}

// refBarrier is one barrier of the program.
type refBarrier struct {
	come int
	exit sim.Time // Forever until all have come
}

// chooser returns the index of the event that comes first. It is given who would act in each: a
// lane of events, or a rank (kind aRank).
type chooser func(who []refLane) int

// refEvent happens at a time. Events of one lane keep their order.
type refEvent struct {
	at   sim.Time
	lane refLane
	do   func()
}

type refLane struct{ kind, index int }

const (
	aRank      = iota
	outOfNIC   // messages and chunks that one NIC sent
	dispatches // threads of handlers
	roomInNIC  // chunks that have left one NIC
	copiedIn   // chunks of one rank that another one has copied
	intoNIC    // what has passed one receiving NIC
	askings    // requests of one NIC of which their targets hear
	reads      // requests by one rank for the bytes of rendezvous
	copies     // messages that one rank copied for another one
	aHelper    // the agent of one rank, if it is not its CPU
	aGrant     // the NIC takes the post of one rank that waits for it
	aSleeper   // one rank, which waits and has nothing to do
	rounds     // of the schedules of one rank
	passings   // messages without bytes between two ranks
)

// refDoing is what a rank is doing.
type refDoing int

const (
	refReady     refDoing = iota // between two operations
	refComputing                 // work is left to compute
	refRoom                      // rule 2 (a)
	refRoomy                     // there is room
	refSlot                      // rule 2 (b), until accepted
	refGranted                   // it has its slot
	refPosting                   // rule 2 (c), or the copy of rule 10
	refWorking                   // other CPU work of a call
	refTesting                   // a test in a computation
	refTested                    // its agent has the jobs that the test found
	refWaiting                   // for request
	refReceiving                 // rule 8, o
	refInBarrier
	refLeaving // a call that has only copies left to do
	refEnded
)

type refRank struct {
	id        int32
	ops       []programs.Op
	pc        int
	doing     refDoing
	phase     uint8
	work      sim.Time    // CPU time that the operation still needs
	message   *refMessage // being posted
	accepted  sim.Time    // when the NIC takes it
	inserted  sim.Time    // when the NIC has taken it
	asked     *refTransfer
	request   *refRequest // waited for
	requests  map[int32]*refRequest
	posted    []*refRequest // receives without a message
	arrived   []*refMessage // messages without a receive
	given     int           // to switches, how many times
	unread    []*refMessage // rendezvous matched while it computed
	outgoing  []*refMessage // messages whose rest is to be copied into the send buffer
	possible  []*refJob     // not taken on
	handlers  []*refMessage // signals whose handlers wait for their thread
	cpu       []*refJob     // taken on, the first one is under way
	buffered  int64
	opening   *refSchedule // whose first round it does
	rounds    []*refJob    // without a library: possible jobs of schedules
	scheduled []*refSchedule
	window    map[int32]int64 // by target: bytes of which it does not know that they were copied in
	refLibrary
	barriers int // entered
	finish   sim.Time
	ledger   []results.Ledger // by phase; waits are in waits
	waits    []refWait
	series   int // waits after an operation that is none
	computed []refSpan
	moments  *sim.Stream // of noise, rule 23; nil: none
	moment   sim.Time    // the next one
	lost     sim.Time    // to noise that is not paid
	noise    sim.Time    // that goes on while it waits
	noisy    bool        // it computes for noise
}

type refSpan struct{ from, to sim.Time }

// refGroup is what the ranks give to the switches in their calls of a number.
type refGroup struct{ come []*refMessage }

// refWait is time spent in Wait for a request.
type refWait struct {
	refSpan
	phase   uint8
	request *refRequest
	series  int // of waits that nothing but waits comes between
}

type refRequest struct {
	receive     bool
	source, tag int32
	posted      sim.Time     // a receive of the program; of a round: 0
	message     *refMessage  // nil: no message has matched
	schedule    *refSchedule // instead
}

type refMessage struct {
	from, to, tag        int32 // of the bytes
	bytes                int64
	put, get, signal     bool
	rendezvous, local    bool
	requested            bool  // a send that the program can wait for
	uncopied             int64 // without RDMA: not yet given to the sender's CPU
	chunks               int   // without RDMA: not yet delivered; -1: not cut yet
	posted, flies        sim.Time
	asked, matched, read sim.Time // rendezvous
	wanted               sim.Time // when its receive was posted
	heard                sim.Time // its request can be answered
	group                *refGroup
	start, sent          sim.Time // of its bytes
	arrived, delivered   sim.Time
	completed            sim.Time
	refStory
}

// refNIC keeps all that a NIC has done.
type refNIC struct {
	insertions []sim.Time // ends, in the order of asking
	transfers  []*refTransfer
	passed     []sim.Time
	taken      []refEntry // two-sided messages, by when they are in memory
	delivered  sim.Time   // of the last message
}

type refEntry struct {
	from, to int32
	at       sim.Time
}

// refTransfer is something that a NIC sends.
type refTransfer struct {
	refSpan       // Forever: not known yet
	rank, peer    int32
	passes        bool // it carries no bytes of the user and waits only for what goes to the same rank
	read          bool // it was asked for by a read or a get
	ready, length sim.Time
	then          func(refSpan)
}

func newReference(m *machines.Machine, all [][]programs.Op, perNode, phases int, choose chooser) *reference {
	s := &reference{machine: m, perNode: perNode, choose: choose, lost: sim.Forever}
	for r, ops := range all {
		k := &refRank{id: int32(r), ops: ops, requests: map[int32]*refRequest{}, window: map[int32]int64{}, ledger: make([]results.Ledger, phases)}
		if m.Noise != nil {
			k.moments = sim.NewStream(0, noiseStream, uint64(r))
			k.moment = k.moments.Exp(sim.Seconds(1 / m.Noise.Rate))
		}
		s.ranks = append(s.ranks, k)
		if r%perNode == 0 {
			for range s.rails() {
				s.nics = append(s.nics, &refNIC{})
			}
		}
	}
	return s
}

func (s *reference) run() {
	for next := sim.Time(0); next < sim.Forever; next = s.next() {
		if s.advance(next); s.lost < sim.Forever {
			return
		}
		for s.happen() {
		}
	}
}

// happen does one of the things that can happen now.
func (s *reference) happen() bool {
	var can []func()
	var who []refLane
	for i, e := range s.pending {
		if e.at == s.now && s.firstOfLane(i) {
			can, who = append(can, func() {
				s.pending = append(s.pending[:i:i], s.pending[i+1:]...)
				e.do()
			}), append(who, e.lane)
		}
	}
	for _, k := range s.ranks {
		if step := s.step(k); step != nil {
			can, who = append(can, step), append(who, refLane{aRank, int(k.id)})
		}
		if step := s.grant(k); step != nil {
			can, who = append(can, step), append(who, refLane{aGrant, int(k.id)})
		}
		if step := s.doze(k); step != nil {
			can, who = append(can, step), append(who, refLane{aSleeper, int(k.id)})
		}
		if step := s.helperStep(k); step != nil {
			can, who = append(can, step), append(who, refLane{aHelper, int(k.id)})
		}
	}
	if len(can) == 0 {
		return false
	}
	can[s.choose(who)]()
	s.watch()
	for _, k := range s.ranks {
		s.admit(k)
	}
	return true
}

func (s *reference) firstOfLane(i int) bool {
	for _, e := range s.pending[:i] {
		if e.lane == s.pending[i].lane && e.at == s.now {
			return false
		}
	}
	return true
}

func (s *reference) at(t sim.Time, kind, index int, do func()) {
	s.pending = append(s.pending, refEvent{t, refLane{kind, index}, do})
}

// next returns the next instant at which something can happen; Forever: nothing will.
func (s *reference) next() sim.Time {
	t := sim.Forever
	for _, e := range s.pending {
		t = min(t, e.at)
	}
	for _, k := range s.ranks {
		t = min(t, s.nextOf(k))
	}
	return t
}

func (s *reference) nextOf(k *refRank) sim.Time {
	helper := s.helperEnds(k)
	if s.sleeps(k) {
		return min(helper, s.wakes(k))
	}
	return min(helper, s.cpuEnds(k), s.granted(k))
}

// grant returns what lets a post that waits for the NIC go on; nil: nothing yet.
func (s *reference) grant(k *refRank) func() {
	if s.granted(k) > s.now || k.doing == refRoom && !s.hasRoom(k) {
		return nil
	}
	return func() { k.doing++ } // refRoomy, refGranted
}

// granted returns when the NIC takes the post that waits for it, as far as that is known.
func (s *reference) granted(k *refRank) sim.Time {
	switch k.doing {
	case refRoom:
		return s.roomAt(k)
	case refSlot:
		return k.accepted
	}
	return sim.Forever
}

// cpuEnds returns when the rank's CPU has done what it is doing.
func (s *reference) cpuEnds(k *refRank) sim.Time {
	if len(k.cpu) > 0 {
		return s.now + k.cpu[0].left
	}
	switch k.doing {
	case refComputing:
		return s.now + min(k.work, k.untilTest)
	case refPosting, refReceiving, refWorking:
		return s.now + k.work
	case refTesting:
		return s.now + k.testing
	case refWaiting:
		return k.request.ends()
	case refInBarrier:
		return s.barriers[k.barriers-1].exit
	}
	return sim.Forever
}

// advance lets time pass, in which every CPU does what it is doing.
//
// The run gets lost when it leaves its guide.
func (s *reference) advance(to sim.Time) {
	passed := refSpan{s.now, to}
	s.now = to
	if passed.from == to {
		return
	}
	for r, k := range s.ranks {
		if s.guide != nil && !follows(s.guide.cpus[r], results.Span{Start: passed.from, End: passed.to, Term: s.guide.seen(k.term()),
			Phase: k.phase}) {
			s.lost = min(s.lost, passed.from)
		}
		s.pass(k, passed)
	}
}

// term returns what the rank's time goes to now: Compute, Overhead, BarrierTime, NICStall
// for all kinds of waiting, or Idle when it has ended.
func (k *refRank) term() results.Term {
	switch {
	case k.doing == refEnded:
		return results.Idle
	case k.asleep:
		return results.NICStall
	case len(k.cpu) > 0 || k.doing == refPosting || k.doing == refReceiving || k.doing == refWorking || k.doing == refTesting:
		return results.Overhead
	case k.noisy:
		return results.Interference
	case k.doing == refComputing:
		return results.Compute
	case k.doing == refInBarrier:
		return results.BarrierTime
	}
	return results.NICStall
}

// guide is the timeline that a run is to follow.
type guide struct {
	cpus [][]results.Span // by rank

	library bool // waits may be overhead
}

// seen tells whether the guide shows a term. It does not show what waits went to.
func (g *guide) seen(t results.Term) results.Term {
	if t == results.Compute || t == results.Interference || t == results.BarrierTime || t == results.Idle ||
		t == results.Overhead && !g.library {
		return t
	}
	return results.NICStall
}

func newGuide(t *results.Timeline, library bool) *guide {
	g := &guide{library: library}
	for _, lane := range t.Lanes {
		if lane.Kind != results.CPULane {
			continue
		}
		spans := slices.Clone(lane.Spans)
		for i := range spans {
			spans[i].Term = g.seen(spans[i].Term)
		}
		g.cpus = append(g.cpus, spans)
	}
	return g
}

// progress is how far a run could follow its guide.
type progress struct {
	at        sim.Time
	transfers int
}

func (s *reference) reached() progress {
	p := progress{at: min(s.lost, s.now)}
	for _, n := range s.nics {
		p.transfers += len(n.transfers)
	}
	return p
}

func (p progress) before(q progress) bool {
	return p.at < q.at || p.at == q.at && p.transfers < q.transfers
}

// follows tells whether a lane's time goes to a term and phase throughout a span of them.
func follows(lane []results.Span, want results.Span) bool {
	i := sort.Search(len(lane), func(i int) bool { return lane[i].End > want.Start })
	if i == len(lane) {
		return want.Term == results.Idle
	}
	for ; i < len(lane) && lane[i].Start < want.End; i++ {
		if lane[i].Term != want.Term || lane[i].Phase != want.Phase {
			return false
		}
	}
	return true
}

// noiseOf returns what the rank has lost to noise until now.
func (s *reference) noiseOf(k *refRank) sim.Time {
	for ; k.moment <= s.now; k.moment += k.moments.Exp(sim.Seconds(1 / s.machine.Noise.Rate)) {
		k.lost += s.machine.Noise.Length
	}
	k.lost, k.noise = k.lost+k.noise, 0
	return k.lost
}

// disturb lets noise come and go: what goes on when a wait ends is lost, and all that comes otherwise.
func (s *reference) disturb(k *refRank, p refSpan) {
	at := p.from
	for k.moment <= p.to {
		length := s.machine.Noise.Length
		if waits := k.term() >= results.NICStall; !waits || k.moment <= p.from {
			k.lost += length
		} else {
			k.noise = max(0, k.noise-(k.moment-at)) + length
			at = k.moment
		}
		k.moment += k.moments.Exp(sim.Seconds(1 / s.machine.Noise.Rate))
	}
	if k.term() < results.NICStall {
		k.lost, k.noise = k.lost+k.noise, 0
	}
	k.noise = max(0, k.noise-(p.to-at))
}

// pass lets time pass for a rank and its agent.
func (s *reference) pass(k *refRank, p refSpan) {
	if k.moments != nil && k.doing != refEnded {
		s.disturb(k, p)
	}
	d, book := p.to-p.from, &k.ledger[k.phase]
	if len(k.helper) > 0 && k.helper[0].begins < p.to {
		k.helper[0].left -= p.to - max(p.from, k.helper[0].begins)
	}
	if len(k.cpu) > 0 && !k.asleep {
		k.cpu[0].left -= d
		if k.doing != refEnded {
			book[results.Overhead] += d
		}
		return
	}
	switch k.doing {
	case refComputing:
		k.work -= d
		if k.untilTest < sim.Forever {
			k.untilTest -= d
		}
		book[k.term()] += d
		if !k.noisy {
			k.computed = append(k.computed, p)
		}
	case refPosting, refReceiving, refWorking:
		k.work -= d
		book[results.Overhead] += d
	case refTesting:
		k.testing -= d
		book[results.Overhead] += d
	case refRoom, refRoomy, refSlot, refGranted:
		book[results.NICStall] += d
	case refInBarrier:
		book[results.BarrierTime] += d
	case refWaiting:
		k.waits = append(k.waits, refWait{p, k.phase, k.request, k.series})
	}
}

// step returns what the rank's CPU can do now; nil: nothing. Copies come first.
func (s *reference) step(k *refRank) func() {
	if s.sleeps(k) {
		return nil
	}
	if len(k.cpu) > 0 {
		if k.cpu[0].left > 0 {
			return nil
		}
		return func() {
			j := k.cpu[0]
			if k.cpu = k.cpu[1:]; len(k.cpu) > 0 {
				k.cpu[0].started = s.now
			}
			s.jobDone(k, j)
		}
	}
	can := false
	switch k.doing {
	case refReady, refLeaving, refTested, refRoomy, refGranted:
		can = true
	case refComputing:
		can = k.work == 0 || k.untilTest == 0
	case refPosting, refReceiving, refWorking:
		can = k.work == 0
	case refTesting:
		can = k.testing == 0
	case refWaiting:
		can = k.request.ends() <= s.now
	case refInBarrier:
		can = s.barriers[k.barriers-1].exit <= s.now
	}
	if !can {
		return nil
	}
	return func() { s.continues(k) }
}

// continues ends what the rank is doing and begins what comes next.
func (s *reference) continues(k *refRank) {
	switch k.doing {
	case refReady:
		s.begin(k)
	case refComputing:
		if k.doing, k.noisy = refReady, false; k.work > 0 {
			k.doing, k.testing = refTesting, s.machine.Runtime.Progress.Test
		}
	case refTesting:
		k.doing = refTested
		s.poll(k, 1<<30)
	case refTested:
		k.doing, k.untilTest = refComputing, s.machine.Runtime.Progress.Every
	case refLeaving:
		k.doing = refReady
	case refRoomy:
		s.ask(k)
	case refGranted:
		k.doing, k.work = refPosting, s.overhead(k.message)
	case refPosting:
		k.doing = refLeaving
		s.posted(k, k.message)
	case refWaiting:
		k.doing = refLeaving
		if k.request.receive && !k.request.message.signal && s.machine.Runtime == nil {
			k.doing, k.work = refReceiving, refCost(s.machine.Network.ReceiveOverhead, k.request.message.received())
		}
	case refReceiving, refWorking:
		k.doing = refLeaving
	case refInBarrier:
		k.doing = refLeaving
	}
}

func (s *reference) begin(k *refRank) {
	if s.opened(k) {
		return
	}
	if k.pc == len(k.ops) {
		k.doing, k.finish = refEnded, s.now
		s.answer(k)
		return
	}
	op := k.ops[k.pc]
	if k.moments != nil && op.Kind != programs.OpPhase && op.Kind != programs.OpStart && s.noiseOf(k) > 0 {
		k.doing, k.noisy, k.work, k.untilTest = refComputing, true, k.lost, sim.Forever
		k.hasRun, k.lost = true, 0
		return
	}
	switch op.Kind {
	case programs.OpSend, programs.OpPut, programs.OpGet, programs.OpSignal, programs.OpReceive, programs.OpTest:
		if len(k.rounds) > 0 {
			s.answer(k)
			s.beginRound(k)
			return
		}
	}
	k.pc++
	if op.Kind != programs.OpWait && op.Kind != programs.OpPhase {
		k.series++
	}
	switch op.Kind {
	case programs.OpStart:
		s.opens(k, op)
	case programs.OpCompute:
		k.doing, k.work, k.untilTest = refComputing, sim.Time(op.Amount), sim.Forever
		if !op.ByLibrary() {
			k.untilTest = s.testEvery()
		}
		k.hasRun = true
	case programs.OpPhase:
		k.phase = op.Phase
	default:
		s.answer(k)
		s.call(k, op)
	}
}

// call begins an operation other than Compute.
func (s *reference) call(k *refRank, op programs.Op) {
	k.doing = refLeaving
	switch {
	case s.machine.Runtime == nil && s.machine.Copying == nil:
	case op.Kind == programs.OpTest:
		s.poll(k, 1<<30)
	case s.inPosts() && op.Kind != programs.OpWait && op.Kind != programs.OpBarrier:
		s.poll(k, 1)
	}
	switch op.Kind {
	case programs.OpPut, programs.OpGet, programs.OpSignal, programs.OpSend:
		s.post(k, op)
	case programs.OpReceive:
		s.receive(k, &refRequest{receive: true, source: op.Peer, tag: op.Tag, posted: s.now}, op.Request)
	case programs.OpWait:
		if q := k.requests[op.Request]; q != nil {
			delete(k.requests, op.Request)
			k.doing, k.request, k.began = refWaiting, q, s.now
			k.waits = append(k.waits, refWait{refSpan{s.now, s.now}, k.phase, q, k.series}) // also if it takes no time
		}
	case programs.OpTest:
		if rt := s.machine.Runtime; rt != nil {
			k.doing, k.work = refWorking, rt.Progress.Test
		}
	case programs.OpBarrier:
		s.enter(k)
	}
}

// Rule 9.
func (s *reference) enter(k *refRank) {
	k.doing = refInBarrier
	if k.barriers++; k.barriers > len(s.barriers) {
		s.barriers = append(s.barriers, refBarrier{exit: sim.Forever})
	}
	b := &s.barriers[k.barriers-1]
	if b.come++; b.come < len(s.ranks) {
		return
	}
	b.exit = s.now + s.machine.Barrier.Base
	left := 0 // rounds
	for p := 1; p < len(s.ranks); p *= 2 {
		left++
	}
	for n := 1; n < len(s.ranks) && s.machine.Barrier.Inside > 0 && n*s.perNode < len(s.ranks); n *= 2 {
		b.exit += s.machine.Barrier.PerRound
		left--
	}
	each := s.machine.Barrier.Inside
	if each == 0 {
		each = s.machine.Barrier.PerRound
	}
	b.exit += each * sim.Time(left)
}

// ends returns when a request is complete, as far as that is known.
func (q *refRequest) ends() sim.Time {
	switch {
	case q.schedule != nil:
		return q.schedule.over
	case q.message == nil:
		return sim.Forever
	case q.receive && q.message.signal:
		return q.message.handled
	case q.receive, q.message.get:
		return q.message.delivered
	}
	return q.message.completed
}

// Rule 2.

// newMessage returns the message of a post that begins now.
func (s *reference) newMessage(k *refRank, op programs.Op) *refMessage {
	m := &refMessage{
		from: k.id, to: op.Peer, tag: op.Tag, bytes: op.Amount,
		put: op.Kind == programs.OpPut, get: op.Kind == programs.OpGet, signal: op.Kind == programs.OpSignal,
		requested: op.Kind == programs.OpSend && op.Request >= 0,
		uncopied:  op.Amount, chunks: -1, posted: s.now,
		asked: sim.Forever, matched: sim.Forever, read: sim.Forever, start: sim.Forever, sent: sim.Forever,
		arrived: sim.Forever, delivered: sim.Forever, completed: sim.Forever,
		refStory: newStory(),
	}
	if m.get {
		m.from, m.to = m.to, m.from
	}
	in := s.machine.IntraNode
	m.local = m.to == m.from || in != nil && s.node(m.to) == s.node(m.from)
	limit := s.machine.Network.Rendezvous
	m.rendezvous = !m.local && op.Kind == programs.OpSend && limit > 0 && m.bytes > limit &&
		(s.machine.Copying == nil || s.machine.Runtime != nil)
	if rt := s.machine.Runtime; in != nil && rt != nil && m.local && m.to != m.from && op.Kind == programs.OpSend && in.Threshold > 0 {
		m.rendezvous = m.bytes > in.Threshold && !s.byNIC()
	}
	s.plan(m, op)
	return m
}

func (s *reference) post(k *refRank, op programs.Op) {
	m := s.newMessage(k, op)
	s.messages = append(s.messages, m)
	k.message = m
	if ranks, _ := op.Combined(); ranks > 0 {
		if k.given++; k.given > len(s.groups) {
			s.groups = append(s.groups, &refGroup{})
		}
		m.group = s.groups[k.given-1]
	}
	if op.Kind != programs.OpSend || m.rendezvous || s.machine.Runtime != nil {
		k.requests[op.Request] = &refRequest{message: m}
	}
	if !m.local {
		s.ask(k)
		return
	}
	k.doing, k.work = refPosting, s.localCost(m)
}

// localCost is the cost of a copy of rule 10.
func (s *reference) localCost(m *refMessage) sim.Time {
	if s.machine.IntraNode == nil {
		return 0
	}
	if m.rendezvous {
		return refCost(s.insideOf(m).Copy, 0)
	}
	return refCost(s.insideOf(m).Copy, m.bytes)
}

func (s *reference) node(r int32) int    { return int(r) / s.perNode }
func (s *reference) nic(r int32) *refNIC { return s.nics[s.rail(r)] }

// Rule 10a.

// rails is how many NICs a node has that work on their own.
func (s *reference) rails() int {
	if n := s.machine.NICs; n != nil && n.Use != machines.Striped {
		return n.Number
	}
	return 1
}

// among returns the number of a rank on its node, and how many the node has.
func (s *reference) among(r int32) (number, all int) {
	first := s.node(r) * s.perNode
	return int(r) - first, min(s.perNode, len(s.ranks)-first)
}

// core returns the core of a rank.
func (s *reference) core(r int32) int {
	number, _ := s.among(r)
	if k := s.machine.Sockets; k != nil && k.Cyclic {
		each := s.machine.Cores / k.Number
		return each*(number%k.Number) + number/k.Number
	}
	return number
}

// socket returns the socket of a core, seat the socket of a NIC.
func (s *reference) socket(core int) int {
	if s.machine.Sockets == nil {
		return 0
	}
	return core / (s.machine.Cores / s.machine.Sockets.Number)
}

func (s *reference) nicSocket(nic int) int {
	if s.machine.Sockets == nil {
		return 0
	}
	return nic * s.machine.Sockets.Number / s.machine.NICs.Number
}

// own returns the NICs that carry the messages of a rank.
func (s *reference) own(r int32) (nics []int) {
	n := s.machine.NICs
	number, all := s.among(r)
	for nic := range n.Number {
		mine := true
		switch n.Use {
		case machines.InBlocks: // the last whose first rank is not behind this one
			mine = nic*all <= number*n.Number && number*n.Number < (nic+1)*all
		case machines.RoundRobin:
			mine = (number-nic)%n.Number == 0
		case machines.Nearest:
			mine = nic*s.machine.Cores <= s.core(r)*n.Number && s.core(r)*n.Number < (nic+1)*s.machine.Cores
		}
		if mine {
			nics = append(nics, nic)
		}
	}
	return nics
}

// rail returns the number of the NIC of a rank in the run.
func (s *reference) rail(r int32) int {
	if s.rails() == 1 {
		return s.node(r)
	}
	return s.node(r)*s.rails() + s.own(r)[0]
}

// far returns the additional latency between a rank and its NICs.
func (s *reference) far(r int32) sim.Time {
	if s.machine.NICs == nil {
		return 0
	}
	for _, nic := range s.own(r) {
		if s.nicSocket(nic) != s.socket(s.core(r)) {
			return s.machine.NICs.Far
		}
	}
	return 0
}

// latency is the latency of the way between two ranks.
func (s *reference) latency(from, to int32) sim.Time {
	return s.machine.Network.Latency + s.far(from) + s.far(to)
}

// insideOf returns the cost of a message inside a node.
func (s *reference) insideOf(m *refMessage) machines.Across {
	in := s.machine.IntraNode
	if in.Across != nil && s.socket(s.core(m.from)) != s.socket(s.core(m.to)) {
		return *in.Across
	}
	return machines.Across{Latency: in.Latency, Copy: in.Copy}
}

// hasRoom is (a): whether fewer than Outstanding messages of the rank are on their
// way out of the NIC. Without RDMA it learns that when the last chunk has left.
func (s *reference) hasRoom(k *refRank) bool {
	if s.machine.Copying == nil {
		return s.roomAt(k) <= s.now
	}
	n := 0
	for _, m := range s.messages {
		if m.from == k.id && m != k.message && !m.local && !m.gone && m.counts <= s.now {
			n++
		}
	}
	return n < s.limit()
}

// roomAt returns when fewer than Outstanding messages of the rank will be on their way
// out of the NIC, as far as that is known.
func (s *reference) roomAt(k *refRank) sim.Time {
	var ends []sim.Time // of messages that are not sent
	if s.machine.Copying == nil {
		for _, t := range s.nic(k.id).transfers {
			if t.rank == k.id && t != k.asked && !t.passes && t.to > s.now {
				ends = append(ends, t.to)
			}
		}
	} else {
		for _, m := range s.messages {
			if m.from == k.id && m != k.message && !m.local && m.sent > s.now && m.counts <= s.now {
				ends = append(ends, m.sent)
			}
		}
	}
	limit := s.limit()
	if len(ends) < limit {
		return s.now
	}
	slices.Sort(ends)
	return ends[len(ends)-limit]
}

// limit returns how many messages a rank may have posted and not completely sent.
func (s *reference) limit() int {
	n := 1 << 30
	if o := s.machine.Network.Outstanding; o > 0 {
		n = o
	}
	if p := s.machine.Network.PerPeer * (len(s.ranks) - 1); p > 0 {
		n = min(n, p)
	}
	return n
}

// ask is (b), if (a) allows it.
func (s *reference) ask(k *refRank) {
	if !s.hasRoom(k) {
		k.doing = refRoom
		return
	}
	n, p, m := s.nic(k.id), &s.machine.Network, k.message
	k.doing, k.accepted = refSlot, s.now
	if i := len(n.insertions) - p.QueueDepth; p.QueueDepth > 0 && i >= 0 {
		k.accepted = max(k.accepted, n.insertions[i])
	}
	begin := k.accepted
	if i := len(n.insertions); i > 0 {
		begin = max(begin, n.insertions[i-1])
	}
	k.inserted = begin + p.Gap
	n.insertions = append(n.insertions, k.inserted)
	if k.accepted <= s.now {
		k.doing = refGranted
	}
	m.posted = k.accepted
	switch {
	case s.machine.Copying != nil:
	case p.Early:
		m.paid = k.accepted
		s.ready(s.send(m), k.inserted)
	case s.machine.Runtime == nil:
		k.asked = s.send(m)
	}
}

// posted ends (c), or the copy of rule 10.
func (s *reference) posted(k *refRank, m *refMessage) {
	early := s.machine.Network.Early && s.machine.Copying == nil && !m.local
	if !early {
		m.paid = s.now
	}
	switch {
	case m.local:
		s.localCopied(m)
	case early:
	case s.machine.Copying == nil && s.machine.Runtime == nil:
		s.ready(k.asked, max(k.inserted, s.now))
		k.asked = nil
	case s.machine.Copying == nil:
		s.ready(s.send(m), max(k.inserted, s.now))
	case m.get, m.rendezvous:
		s.ready(s.send(m), s.now)
	default:
		s.stream(k, m)
		if k.copying = s.ownCPU(); k.copying {
			s.admit(k)
		}
	}
	if !m.put && !m.get && !m.signal && s.paid(m) {
		m.completed = s.now
	}
}

// Rules 3 to 6.

// enqueue gives the NIC of a rank something to send to another one, behind everything given before, or only behind what goes to
// that rank. It calls then when the time of sending is known.
func (s *reference) enqueue(r, peer int32, passes bool, length sim.Time, then func(refSpan)) *refTransfer {
	n := s.nic(r)
	t := &refTransfer{refSpan{sim.Forever, sim.Forever}, r, peer, passes, false, sim.Forever, length, then}
	n.transfers = append(n.transfers, t)
	return t
}

// ready sets when a transfer is ready, and finds out what follows from that.
func (s *reference) ready(t *refTransfer, at sim.Time) {
	t.ready = at
	n := s.nic(t.rank)
	for i, t := range n.transfers {
		free := t.ready
		for _, u := range n.transfers[:i] {
			if !u.passes && !t.passes || u.rank == t.rank && u.peer == t.peer && !u.read && !t.read {
				free = max(free, u.to)
			}
		}
		if free < sim.Forever && t.from == sim.Forever {
			t.refSpan = refSpan{free, free + t.length}
			t.then(t.refSpan)
		}
	}
}

// length returns how long a message occupies a NIC.
func (s *reference) length(bytes int64) sim.Time {
	return s.machine.Network.Startup + s.passing(bytes)
}

// passing returns how long bytes take in a NIC, or the largest part of them in one of all.
func (s *reference) passing(bytes int64) sim.Time {
	if n := s.machine.NICs; n != nil && n.Use == machines.Striped {
		bytes = (bytes + int64(n.Number) - 1) / int64(n.Number)
	}
	return refCost(s.machine.Network.Transfer, bytes)
}

// send does the poster's part of a message: it sends the bytes, or a request.
func (s *reference) send(m *refMessage) *refTransfer {
	if s.machine.Runtime != nil && !m.put && !m.get && !m.signal {
		return s.sendTwoSided(m)
	}
	bytes := m.bytes
	if m.rendezvous || m.get {
		bytes = 0
	}
	to := m.from + m.to - m.poster()
	return m.travel(m.posted, s.enqueue(m.poster(), to, m.rendezvous || m.get, s.length(bytes), func(t refSpan) {
		arrives := t.to + s.latency(m.from, m.to)
		switch {
		case m.get:
			m.asked = arrives
			s.at(arrives, outOfNIC, s.rail(m.to), func() { s.fetch(m) })
			return
		case m.rendezvous:
			m.asked = arrives
		default:
			m.start, m.sent, m.arrived = t.from, t.to, arrives
		}
		if m.group != nil {
			s.at(arrives, outOfNIC, s.rail(m.from), func() { s.together(m) })
			return
		}
		if m.put || m.signal {
			m.delivered = arrives
			m.told, m.completed = arrives, arrives+s.latency(m.from, m.to)
		}
		if m.put {
			return
		}
		s.at(arrives, outOfNIC, s.rail(m.from), func() {
			switch {
			case m.signal:
				s.signalled(m)
				return
			case !m.rendezvous:
				m.delivered = s.intoMemory(m)
			default:
				s.asks(m, func() {
					m.mark(s.now, results.Partner)
					s.match(m)
				})
				return
			}
			s.match(m)
		})
	}))
}

// together completes the data of a group once all are there (rule 32).
func (s *reference) together(m *refMessage) {
	m.mark(s.now, results.Partner)
	if m.group.come = append(m.group.come, m); len(m.group.come) < len(s.ranks) {
		return
	}
	o, below, after := &s.machine.Runtime.Offload, 1, sim.Time(0)
	for after = o.Level; below*o.FanIn < len(s.ranks); below *= o.FanIn {
		after += o.Level
	}
	for cut := o.Segment; o.Segment > 0 && cut < m.bytes; cut += o.Segment {
		after += o.PerSegment
	}
	for _, one := range m.group.come {
		one.mark(s.now, results.Latency)
		one.delivered, one.completed = s.now+after, s.now+after
	}
}

// asks lets the target notice a request that has come (rules 6 and 15).
func (s *reference) asks(m *refMessage, come func()) {
	m.heard = s.now + s.machine.Network.Asking.Of(m.bytes)
	come()
}

// serve lets a NIC send bytes that are read.
func (s *reference) serve(m *refMessage, then func(refSpan)) *refTransfer {
	t := s.enqueue(m.from, m.to, false, s.length(m.bytes), then)
	t.read = true
	return t
}

// fetch does the target's part of a get.
func (s *reference) fetch(m *refMessage) {
	k := s.ranks[m.from]
	switch {
	case s.machine.Copying != nil && s.machine.Runtime != nil:
		s.job(k, m, s.receiving(0), func() { s.stream(k, m) })
		return
	case s.machine.Copying != nil:
		s.stream(k, m)
		return
	}
	s.ready(m.travel(s.now, s.serve(m, func(t refSpan) {
		m.start, m.sent, m.arrived = t.from, t.to, t.to+s.latency(m.from, m.to)
		m.delivered = m.arrived
	})), s.now)
}

// poster returns the rank that posted a message; posting returns how many bytes its CPU
// then handles.
func (m *refMessage) poster() int32 {
	if m.get {
		return m.to
	}
	return m.from
}

func (m *refMessage) posting() int64 {
	if m.get {
		return 0
	}
	return m.bytes
}

// takeIn lets something pass the receiving NIC of a rank, and returns when it is in memory.
func (s *reference) takeIn(r int32, bytes int64, delivery sim.Time) sim.Time {
	n, passed := s.nic(r), s.now
	if i := len(n.passed); i > 0 {
		passed = max(s.now, n.passed[i-1]+s.length(bytes))
	}
	n.passed = append(n.passed, passed)
	n.delivered = max(n.delivered, passed+delivery)
	return n.delivered
}

// entered notes when something that was sent, not read, has passed a receiving NIC.
func (s *reference) entered(from, to int32, at sim.Time) {
	n := s.nic(to)
	n.taken = append(n.taken, refEntry{from, to, at})
}

// intoMemory is takeIn of the bytes of a whole two-sided message.
func (s *reference) intoMemory(m *refMessage) sim.Time {
	delivery := s.machine.Network.Delivery.Of(m.bytes)
	at := s.takeIn(m.to, m.bytes, delivery)
	if !m.rendezvous || m.protocol == machines.Write {
		s.entered(m.from, m.to, at)
	}
	if delivery > 0 {
		m.mark(at-delivery, results.Latency)
	}
	return at
}

// answer fetches the bytes of the messages that matched while the rank computed.
func (s *reference) answer(k *refRank) {
	for _, m := range k.unread {
		s.read(m)
	}
	k.unread = nil
}

func (s *reference) read(m *refMessage) {
	m.read = s.now
	m.mark(s.now, results.Latency)
	latency := s.latency(m.from, m.to)
	s.at(s.now+latency, reads, int(m.to), func() {
		s.ready(m.travel(s.now, s.serve(m, func(t refSpan) {
			m.start, m.sent, m.arrived = t.from, t.to, t.to+latency
			s.at(m.arrived, outOfNIC, s.rail(m.from), func() {
				m.delivered = s.intoMemory(m)
				m.told, m.completed = m.delivered, m.delivered+latency
			})
		})), s.now)
	})
}

// Rule 7.

func (q *refRequest) accepts(m *refMessage) bool {
	return (q.source == programs.AnySource || q.source == m.from) && (q.tag == programs.AnyTag || q.tag == m.tag)
}

func (s *reference) match(m *refMessage) {
	k := s.ranks[m.to]
	for i, q := range k.posted {
		if q.accepts(m) {
			k.posted = append(k.posted[:i:i], k.posted[i+1:]...)
			s.matched(k, q, m)
			return
		}
	}
	k.arrived = append(k.arrived, m)
}

func (s *reference) receive(k *refRank, q *refRequest, index int32) {
	k.requests[index] = q
	for i, m := range k.arrived {
		if q.accepts(m) {
			k.arrived = append(k.arrived[:i:i], k.arrived[i+1:]...)
			if s.machine.Runtime != nil && s.ownCPU() {
				s.leads = k
			}
			s.matched(k, q, m)
			s.leads = nil
			s.unexpected(k, m)
			return
		}
	}
	k.posted = append(k.posted, q)
}

func (s *reference) matched(k *refRank, q *refRequest, m *refMessage) {
	q.message, m.matched, m.wanted = m, s.now, q.posted
	if m.rendezvous && m.heard > s.now {
		m.mark(s.now, results.Latency)
		s.at(m.heard, askings, s.rail(m.from), func() { s.answers(k, m) })
		return
	}
	s.answers(k, m)
}

// answers continues a message that has matched, and whose request is heard.
func (s *reference) answers(k *refRank, m *refMessage) {
	switch {
	case !m.rendezvous:
	case s.machine.Runtime != nil:
		s.agree(k, m)
	case k.doing == refComputing:
		m.mark(s.now, results.Progress)
		k.unread = append(k.unread, m)
	default:
		s.read(m)
	}
}

// Rule 10.

func (s *reference) localCopied(m *refMessage) {
	var latency sim.Time
	if in := s.machine.IntraNode; in != nil && m.to != m.from && !m.get {
		latency = s.insideOf(m).Latency
	}
	if m.rendezvous {
		m.sent = s.now
		s.inside(m, m.from, m.to, func() { s.requested(m) })
		return
	}
	m.start, m.sent, m.arrived = m.posted, s.now, s.now+latency
	m.mark(m.sent, results.Latency)
	if m.put || m.get || m.signal || s.machine.Runtime == nil {
		m.delivered, m.completed = m.arrived, m.arrived
	}
	if m.put || m.get {
		return
	}
	s.at(m.arrived, copies, int(m.from)*len(s.ranks)+int(m.to), func() {
		switch {
		case m.signal:
			s.signalled(m)
		case s.machine.Runtime != nil:
			s.take(m)
		default:
			s.match(m)
		}
	})
}

// inside lets the other end of a message within the node see something.
func (s *reference) inside(m *refMessage, from, to int32, seen func()) {
	m.mark(s.now, results.Latency)
	s.at(s.now+s.insideOf(m).Latency, copies, int(from)*len(s.ranks)+int(to), seen)
}

// refCost returns a cost of whole ps per byte.
func refCost(c network.Cost, bytes int64) sim.Time {
	var t sim.Time
	for _, p := range c {
		if p.From <= bytes {
			t = p.Base + sim.Time(bytes)*sim.Time(p.PerByte)
		}
	}
	return t
}
