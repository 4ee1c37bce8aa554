package nodes

import (
	"errors"
	"slices"

	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/nodes/why"
	"overlapsim/sim"
)

// causes remembers what led to each moment of a run that something may wait for: the moment
// before it and what passed in between. If a moment needs several others, only the last of them
// counts. Therefore moments form a tree, and the path from the end of the run to the root is the
// critical path (docs/explanation/gradients.md). Where activities slow each other down, further moments also
// move a moment (mix).
//
// The engine knows times; these methods say why each time is what it is. An unexplained time is
// an error, never a guess. A run without a critical path has no causes (nil), and then the
// methods do nothing.
type causes struct {
	why.History
	now    cause          // of what is happening now
	way    results.Part   // part for latency on this fabric
	shared bool           // siblings or memory may slow CPU work down
	mixes  bool           // derivatives are asked for, so moments may be mixes
	beside []cores.Effect // effects of the siblings on the time of CPU work

	notice sim.Time // longest time from the event that a process waits for until the process continues

	at          []cause       // by rank: where it is in its program
	end         []cause       // by rank: the end of the operation under way
	room        []cause       // what lets a stalled post continue
	posted      [][]cause     // by rank, request + 1: of receives
	schedules   []cause       // by schedule: when it came to where it is, or was complete
	inserted    []cause       // by rank: the NIC has the descriptor of its post
	slot        []cause       // by rank: its post got a slot
	busy        []cause       // by rank: the jobs of its CPU are done
	helper      []cause       // by rank: the jobs of the thread next to it are done
	dispatch    []cause       // by rank: the thread of handlers runs
	balance     []cause       // by memory, as scheduler.due: an idle core takes a rank over
	stretch     []cause       // the beginning of its worker.stretch
	slowed      []slowed      // by rank, where ranks slow each other down
	moving      *slab[stream] // as cluster.moving
	connections *connections  // the connections of the cluster
	later       []fifo[help]  // by rank: jobs of a thread whose core is shared
	jobs        []fifo[cause] // by rank: the ends of its jobs
	sent        []why.Ring    // by rank: transfers that limit its posts
	nics        []nicCauses
	messages    slab[messageCauses]
	answered    slab[answeredCauses] // no longer than needed
	chunked     []chunkCauses        // of messages
	transfers   []cause              // by transfer of a carrier: why it is ready, and later why its bytes leave
	started     []cause              // by transfer of a carrier: why it started
	begun       cause                // the start of what arrives now
	flows       []flowing            // by part of a transfer of a carrier
	departed    []cause              // by part of a transfer of a carrier
	latency     sim.Time             // of the transfer that arrives now
	changed     cause                // a transfer that begins or ends now, and so may change the rates of others
	links       *links               // nil: the fabric does not explain how long transfers take
	lastArrival cause                // the latest arrival at the barrier so far
}

// cause is a moment; the zero cause is the start of the run.
type cause = why.Moment

// where says which resource a part occupied, and for which message.
type where struct {
	resource results.Resource
	index    int32 // rank or NIC
	message  int32 // number of the message, -1: none
}

// what describes a part that occupied the resource.
func (w where) what(part results.Part, amount int64) why.What {
	return why.What{Amount: amount, Index: w.index, Message: w.message, Part: uint8(part), Resource: uint8(w.resource)}
}

// nicCauses are the moments of the servers of a NIC.
type nicCauses struct {
	insertions               why.Ring
	inserted, sent, received cause
	began                    cause // of the transfer that ended with sent
	carries                  int32 // its message
	leaving                  fifo[departure]
	passing                  []departure     // without bytes
	coming                   fifo[departure] // what it takes in
	lanes                    why.Ring        // ends of the last messages taken in, one for each lane
}

// departure is the end of a transfer between two ranks.
type departure struct {
	end     cause
	between rankPair
}

// sends says that bytes leave the NIC until some time.
func (n *nicCauses) sends(began cause, d departure, number int32, now sim.Time) {
	for !n.leaving.empty() && n.leaving.first().end.At < now {
		n.leaving.pop()
	}
	if n.began, n.carries, n.sent = began, number, d.end; d.between.to != nobody {
		n.leaving.push(d)
	}
}

// behind returns the latest end of one of these transfers that goes between two ranks.
func behind(these []departure, between rankPair) (last cause) {
	for _, d := range these {
		if d.between == between && d.end.At >= last.At {
			last = d.end
		}
	}
	return last
}

// turn returns why bytes begin to leave the NIC at start: they are handed over now and are ready then.
func (t *causes) turn(n *nicCauses, between rankPair, start sim.Time) cause {
	return t.Last(t.now, t.Latest(behind(n.passing, between), n.sent, start), start)
}

// overtakes says that a message without bytes leaves the NIC, and when.
func (t *causes) overtakes(c *cluster, n *nicCauses, between rankPair, p passage, on where) cause {
	now := c.kernel.Now()
	n.passing = slices.DeleteFunc(n.passing, func(d departure) bool { return d.end.At < now })
	begun := t.Last(t.now, t.Latest(behind(n.passing, between), behind(n.leaving.left(), between), p.start), p.start)
	left := t.add(begun, p.sent, parts.Transfer, 0, on)
	n.passing = append(n.passing, departure{left, between})
	return left
}

// messageCauses are the moments in the life of every message. They fit a cache line, because a run
// may have many messages in flight.
type messageCauses struct {
	number    int32 // number of the message in the run
	chunks    int32 // index in chunked + 1; 0: no chunks so far
	load      cause // the arrival of the bytes
	delivered cause
	completed cause
}

// answeredCauses are the further moments of a message that is matched, or that has several legs.
type answeredCauses struct {
	request, reply, finish cause // the arrivals
	heard                  cause // the request can be answered
	readArrives            cause // the request of a read is at the NIC of the sender
	matched                cause
}

// chunkCauses are the moments of the chunks or fragments of a message, which keep their order.
type chunkCauses struct{ leaving, arriving, passing fifo[cause] }

func newCauses(c *cluster, o *Options) *causes {
	n, limit := len(c.ranks), 0
	if c.limit == 0 { // NICs count whole messages
		limit = c.machine.Network.Limit(n)
	}
	t := &causes{
		History: why.New(where{results.CPU, 0, -1}.what(parts.Tie, 0)), way: parts.Latency, shared: c.machine.Sharing != nil, mixes: !o.PathOnly,
		at: make([]cause, n), end: make([]cause, n), room: make([]cause, n), posted: make([][]cause, n),
		slot: make([]cause, n), inserted: make([]cause, n), busy: make([]cause, n), helper: make([]cause, n), stretch: make([]cause, n),
		dispatch: make([]cause, n),
		jobs:     make([]fifo[cause], n),
		sent:     make([]why.Ring, n), nics: make([]nicCauses, len(c.nics)),
	}
	for r := range t.sent {
		t.sent[r] = why.NewRing(limit)
	}
	t.moving, t.connections = &c.moving, &c.connections
	if t.shared {
		t.slowed, t.later = make([]slowed, n), make([]fifo[help], n)
	}
	for i := range t.nics {
		t.nics[i].insertions = why.NewRing(c.machine.Network.QueueDepth)
		t.nics[i].lanes = why.NewRing(1)
	}
	if rt := c.machine.Runtime; rt != nil {
		t.notice = rt.Wakeup + (c.background+1)*c.machine.Slice
	}
	if o.Fabric != nil {
		t.way = parts.FabricLatency
	}
	return t
}

// add adds the moment at which a part ends. The part began at from and occupied a resource.
func (t *causes) add(from cause, at sim.Time, part results.Part, amount int64, on where) cause {
	return t.Add(from, at, on.what(part, amount))
}

// rankPair are the ranks between which something travels.
type rankPair struct{ from, to int32 }

// pair are the ranks between which a message travels.
func (m *message) pair() rankPair { return rankPair{m.from, m.to} }

// travels adds the way from NIC to NIC, and before it the way from a rank to a NIC on another
// socket.
func (t *causes) travels(c *cluster, from cause, at sim.Time, between rankPair, amount int64, on where) cause {
	if far := c.place.far(between.from) + c.place.far(between.to); far > 0 {
		from = t.add(from, from.At+far, parts.Far, int64(far/c.machine.NICs.Far), on)
	}
	return t.add(from, at, t.way, amount, on)
}

// message returns the causes of a message.
func (t *causes) message(id int32) *messageCauses {
	for id >= t.messages.n {
		t.messages.add()
	}
	return t.messages.at(id)
}

// answers returns the further causes of a message.
func (t *causes) answers(id int32) *answeredCauses {
	for id >= t.answered.n {
		t.answered.add()
	}
	return t.answered.at(id)
}

// leg returns the arrival of a leg of a message.
func (t *causes) leg(id int32, l leg) *cause {
	switch l {
	case request:
		return &t.answers(id).request
	case reply:
		return &t.answers(id).reply
	case finish:
		return &t.answers(id).finish
	}
	return &t.message(id).load
}

// refuse ends a run whose critical path is not known.
func (t *causes) refuse(what string) {
	if t == nil {
		return
	}
	t.Refuse(errors.New("the critical path is not known for " + what))
}

// continues says that a rank continues its program now.
func (t *causes) continues(r int32, now sim.Time) {
	if t != nil {
		t.now = t.Last(t.at[r], t.busy[r], now)
		t.at[r] = t.now
	}
}

// operationEnds says that an operation of a rank ends now. The end was known before, unless jobs took
// longer.
func (t *causes) operationEnds(r int32, now sim.Time) {
	if t == nil {
		return
	}
	t.now = t.Last(t.end[r], t.busy[r], now)
	t.at[r] = t.now
}

// messageEvent says that an event in the life of a message happens now.
func (t *causes) messageEvent(e sim.Event) {
	if t == nil {
		return
	}
	id := int32(uint32(e.Arg))
	switch e.Kind {
	case evRead:
		t.now = t.Is(t.answers(id).readArrives, e.At)
	case evHeard:
		t.now = t.Is(t.answers(id).heard, e.At)
	default:
		t.now = t.Is(*t.leg(id, leg(e.Arg>>32)), e.At)
	}
}

// deliversRequest says when a request that has arrived now is heard.
func (t *causes) deliversRequest(c *cluster, id int32, bytes int64, at sim.Time) {
	if t == nil {
		return
	}
	m := t.message(id)
	t.answers(id).heard = t.add(t.now, at, parts.Asking, bytes, where{results.Wire, c.place.nic[c.messages.at(id).from], m.number})
}

// computes begins a computation with its tests, or the time for which noise takes the CPU.
func (t *causes) computes(c *cluster, r int32, op *programs.Op, now sim.Time) {
	if t == nil {
		return
	}
	k, on := &c.ranks[r], where{results.CPU, r, -1}
	t.continues(r, now)
	part := results.PartCompute
	if k.disturbed {
		part = parts.Noise
	}
	t.stretch[r] = t.at[r]
	t.end[r] = t.add(t.at[r], now+sim.Time(op.Amount), part, int64(op.Kernel), on)
	if c.agent.tests && k.left > 0 {
		t.end[r] = t.add(t.end[r], k.opEnd, parts.Test, int64(k.left), on)
	}
	t.paces(c, r, now)
}

// tests says that n tests of a computation have passed since the last one that found something
// to do. The last of the n ends now, and has found something.
func (t *causes) tests(r int32, op *programs.Op, n, test, now sim.Time) {
	if t == nil {
		return
	}
	computed := t.add(t.stretch[r], now-n*test, results.PartCompute, int64(op.Kernel), where{results.CPU, r, -1})
	t.now = t.add(computed, now, parts.Test, int64(n), where{results.CPU, r, -1})
	t.stretch[r] = t.now
}

// stalls says that a post waits for the end of an earlier transfer of the rank.
func (t *causes) stalls(r int32) {
	if t == nil {
		return
	}
	t.room[r] = t.sent[r].Oldest()
}

// roomFor returns why a rank posts now, and not before: it was not there, or a stalled post had no room.
func (t *causes) roomFor(r int32, now sim.Time) cause {
	free := t.Latest(t.room[r], t.sent[r].Oldest(), now)
	return t.Latest(t.Latest(t.at[r], t.busy[r], now), free, now)
}

// looksForRoom says that a stalled post may continue now. If transfers take longer than they were
// going to, there is no room yet, and nothing has happened.
func (t *causes) looksForRoom(r int32, now sim.Time) {
	if t != nil {
		t.now = t.roomFor(r, now)
	}
}

// getsSlot says that a queued post is accepted now.
func (t *causes) getsSlot(r int32, now sim.Time) {
	if t != nil {
		t.now = t.Last(t.slot[r], t.busy[r], now)
	}
}

// posts says when a post gets its slot and when it is ready for the NIC. Readiness is the cause
// of what happens until the rank continues.
func (t *causes) posts(c *cluster, r, id int32, now, accepted, insert, ready sim.Time, b *charge) {
	if t == nil {
		return
	}
	number := c.number(id)
	nic, n := &t.nics[c.place.nic[r]], c.place.nic[r]
	t.at[r] = t.Is(t.roomFor(r, now), now)
	t.room[r] = cause{}
	slot := t.Last(t.at[r], nic.insertions.Oldest(), accepted)
	nic.inserted = t.add(t.Last(slot, nic.inserted, insert), insert+c.machine.Network.Gap, parts.Gap, 1, where{results.NICInsert, n, number})
	nic.insertions.Push(nic.inserted)
	t.slot[r], t.inserted[r] = slot, nic.inserted
	t.end[r] = t.chain(slot, b, where{results.CPU, r, number})
	if t.now = nic.inserted; !c.machine.Network.Early { // else the NIC waits for no overhead
		t.now = t.Last(t.end[r], nic.inserted, ready)
	}
}

// readies says when a post that jobs may have delayed is ready for the NIC.
func (t *causes) readies(r int32, at sim.Time) {
	if t == nil {
		return
	}
	t.now = t.Last(t.at[r], t.inserted[r], at)
}

// postWaits says that a rank reaches now a post that has to wait.
func (t *causes) postWaits(r int32) {
	if t == nil {
		return
	}
	t.now = t.at[r]
}

// makesRoom says that what happens now lets a stalled post continue.
func (t *causes) makesRoom(r int32) {
	if t == nil {
		return
	}
	t.room[r] = t.now
}

// number begins the causes of a new message and returns the message's number.
func (c *cluster) number(id int32) int32 {
	m := c.causes.message(id)
	*m = messageCauses{number: int32(c.sent - 1), chunks: m.chunks}
	if id < c.causes.answered.n {
		*c.causes.answered.at(id) = answeredCauses{}
	}
	return m.number
}

// receives says that a receive is posted.
func (t *causes) receives(r, request int32, by cause) {
	if t == nil {
		return
	}
	for int(request)+1 >= len(t.posted[r]) {
		t.posted[r] = append(t.posted[r], cause{})
	}
	t.posted[r][request+1] = by
}

// copies says when a rank has copied a message inside its node.
func (t *causes) copies(c *cluster, r, id int32, b *charge) {
	if t == nil {
		return
	}
	c.number(id)
	t.slot[r] = t.at[r]
	t.end[r] = t.chain(t.at[r], b, where{results.CPU, r, t.message(id).number})
}

// copied says when a message inside a node becomes visible to its receiver; its copy ends now.
func (t *causes) copied(c *cluster, m *message, id int32, now sim.Time) {
	if t == nil {
		return
	}
	r, k := m.poster(), t.message(id)
	seen := t.now
	if !m.byJob {
		seen = t.Is(t.end[r], now)
		t.at[r] = seen
	}
	if m.arrived > now {
		seen = t.add(seen, m.arrived, c.place.insideOf(m.from, m.to).latency, 1, where{results.Wire, r, k.number})
	}
	k.load, k.delivered, k.completed = seen, seen, seen
}

// sendsInside says when a leg of a message within the node is seen at its other end.
func (t *causes) sendsInside(c *cluster, m *message, id int32, l leg, now, at sim.Time) {
	if t == nil {
		return
	}
	from := t.now
	if l == request && !m.byJob {
		from = t.Is(t.end[m.from], now)
		t.at[m.from] = from
	}
	_, to := m.endpoints(l)
	*t.leg(id, l) = t.add(from, at, c.place.insideOf(m.from, m.to).latency, 1, where{results.Wire, m.other(to), t.message(id).number})
}

// sends says when bytes leave the NIC of a rank and when they arrive. They are handed to the NIC
// now.
func (t *causes) sends(c *cluster, id int32, l leg, from, to int32, bytes int64, passes bool, p passage, arrived sim.Time) {
	if t == nil {
		return
	}
	n, between := c.place.nic[from], rankPair{from, to}
	nic, m := &t.nics[n], t.message(id)
	on := where{results.NICSend, n, m.number}
	left := cause{}
	if passes {
		left = t.overtakes(c, nic, between, p, on)
	} else {
		ordered := between
		if c.messages.at(id).answers(l) {
			ordered.to = nobody
		}
		left = t.occupies(c, nic, ordered, bytes, p, on)
		t.sent[from].Push(left)
	}
	there := t.travels(c, left, arrived, between, 1, where{results.Wire, n, m.number})
	if *t.leg(id, l) = there; l == load {
		m.delivered = there
	}
}

// occupies says that bytes leave the NIC, and when.
func (t *causes) occupies(c *cluster, nic *nicCauses, between rankPair, bytes int64, p passage, on where) cause {
	part := parts.Transfer
	if p.sent-p.begun < c.length(bytes) {
		part = parts.CalibratedTransfer
	}
	began := t.turn(nic, between, p.start)
	left := began
	if p.begun > p.start {
		left = t.add(left, p.begun, parts.CalibratedContention, bytes, on)
	}
	left = t.add(left, p.sent, part, c.stripe(bytes), on)
	nic.sends(began, departure{left, between}, on.message, c.kernel.Now())
	return left
}

// takesIn says when a leg of a message has passed the receiving NIC. The leg arrives there now.
func (t *causes) takesIn(c *cluster, id int32, l leg, to int32, bytes int64, delivery, now, at sim.Time) {
	if t == nil {
		return
	}
	m, passed := t.message(id), t.passes(c, id, to, bytes, delivery, now, at)
	if !c.messages.at(id).answers(l) {
		t.comes(c, c.between(id, l), passed, now)
	}
	if *t.leg(id, l) = passed; l == load {
		m.delivered = passed
	}
}

// comes says when something will have passed its receiving NIC.
func (t *causes) comes(c *cluster, between rankPair, passed cause, now sim.Time) {
	q := &t.nics[c.place.nic[between.to]].coming
	for !q.empty() && q.first().end.At < now {
		q.pop()
	}
	q.push(departure{passed, between})
}

// comesBehind says when a leg that passes others is taken in. It arrives now.
func (t *causes) comesBehind(c *cluster, id int32, l leg, at sim.Time) {
	if t == nil {
		return
	}
	between := c.between(id, l)
	*t.leg(id, l) = t.Last(t.now, behind(t.nics[c.place.nic[between.to]].coming.left(), between), at)
}

// passes returns the moment at which something has passed the receiving NIC, and is delivered.
func (t *causes) passes(c *cluster, id, to int32, bytes int64, delivery, now, at sim.Time) cause {
	nic := &t.nics[c.place.nic[to]]
	worked := t.intake(c, id, to, bytes, now)
	switch at - delivery {
	case now:
		nic.received = t.lands(c, id, to, t.Is(t.now, now), at)
	case worked.At:
		nic.received = t.lands(c, id, to, worked, at)
	default: // it is not done before the message ahead of it
		nic.received = t.Is(nic.received, at)
	}
	nic.lanes.Push(worked)
	return nic.received
}

// lands returns the moment at which a message that has passed the receiving NIC is in memory.
func (t *causes) lands(c *cluster, id, to int32, passed cause, at sim.Time) cause {
	if passed.At == at {
		return passed
	}
	return t.add(passed, at, parts.Delivery, c.messages.at(id).bytes, where{results.NICReceive, c.place.nic[to], t.message(id).number})
}

// intake returns the moment until which the receiving NIC works on bytes that arrive now.
func (t *causes) intake(c *cluster, id, to int32, bytes int64, now sim.Time) cause {
	n := c.place.nic[to]
	free, first := t.nics[n].lanes.Oldest(), now-c.travelled(bytes)
	end := max(free.At, first) + c.length(bytes)
	switch {
	case end == now:
		return t.Is(t.now, now)
	case free.At < first:
		free = t.reached(c, id, to, bytes, first)
	}
	return t.add(free, end, parts.Intake, c.stripe(bytes), where{results.NICReceive, n, t.message(id).number})
}

// reached returns the moment at which the first of the bytes that arrive now reached the
// receiving NIC. Any time beyond the latency they spent waiting in the fabric.
func (t *causes) reached(c *cluster, id, to int32, bytes int64, first sim.Time) cause {
	m := c.messages.at(id)
	from, on := m.from+m.to-to, where{results.Wire, c.place.nic[to], t.message(id).number}
	left := t.begun
	if queued := first - t.latency; queued > left.At {
		left = t.add(left, queued, parts.FabricQueue, bytes, on)
	}
	return t.travels(c, left, first, rankPair{from, to}, bytes, on)
}

// delivers says when the sender of a message knows that it is delivered.
func (t *causes) delivers(c *cluster, id int32) {
	if t == nil {
		return
	}
	m, k := c.messages.at(id), t.message(id)
	k.delivered = t.Last(k.delivered, t.now, m.delivered)
	if !m.held() {
		return
	}
	k.completed = t.travels(c, k.delivered, m.completed, m.pair(), 1, where{results.Wire, c.place.nic[m.to], k.number})
}

// matches says that a receive and its message are both there now.
func (t *causes) matches(r, index, id int32, now sim.Time) {
	if t == nil {
		return
	}
	m := t.answers(id)
	m.matched = t.Last(t.Last(t.now, t.posted[r][index+1], now), m.request, now)
	t.now = m.matched
}

// reads says when a read that is requested now reaches the sender's NIC.
func (t *causes) reads(c *cluster, id int32, now, arrives sim.Time) {
	if t == nil {
		return
	}
	m, of := t.message(id), c.messages.at(id)
	k := t.answers(id)
	by := t.Last(t.now, k.matched, now)
	k.readArrives = t.travels(c, by, arrives, of.pair(), 1, where{results.Wire, c.place.nic[of.to], m.number})
}

// over returns the moment that ends what a rank waits for: the latest one not after until.
func (t *causes) over(c *cluster, r int32, until sim.Time) cause {
	if k := &c.ranks[r]; k.awaited == nobody {
		return t.schedules[scheduleOf(k.requests[k.waitsOn+1])]
	}
	return t.overFor(c, r, c.ranks[r].awaited, until)
}

// overFor returns the moment at which a message is over for a rank: the latest one not after until.
func (t *causes) overFor(c *cluster, r, id int32, until sim.Time) cause {
	m, of := c.messages.at(id), t.message(id)
	over := of.delivered
	if m.from == r && m.protocol != got && m.held() {
		over = of.completed
	}
	if m.to == r {
		over = t.Latest(over, t.answers(id).matched, until)
	}
	return over
}

// waited ends the wait of a rank, which then pays for the receive.
func (t *causes) waited(c *cluster, r int32, b *charge) {
	if t == nil {
		return
	}
	k := &c.ranks[r]
	over := t.over(c, r, k.opEnd)
	t.at[r] = t.Latest(t.at[r], t.busy[r], k.opEnd)
	if t.at[r].At < k.opEnd {
		over = t.notices(c, r, over, k.opEnd)
	}
	t.at[r] = t.Last(t.at[r], over, k.opEnd)
	if k.awaited != nobody {
		t.at[r] = t.chain(t.at[r], b, where{results.CPU, r, t.message(k.awaited).number})
	}
	t.end[r] = t.at[r]
}

// lags notes how long after the awaited event a waiting process may continue.
func (t *causes) lags(cost sim.Time) {
	if t == nil {
		return
	}
	t.notice = max(t.notice, cost)
}

// entersBarrier says that a rank arrives at the barrier. The last rank to arrive determines when it ends.
func (t *causes) entersBarrier(r int32, now sim.Time) {
	if t == nil {
		return
	}
	t.lastArrival = t.Last(t.at[r], t.lastArrival, now)
}

// leavesBarrier lets all ranks continue at exit.
func (t *causes) leavesBarrier(c *cluster, exit sim.Time) {
	if t == nil {
		return
	}
	between, inside := c.machine.Barrier.Rounds(len(c.ranks), len(c.place.count))
	in := where{results.Barriers, 0, -1}
	end := t.add(t.lastArrival, exit-c.machine.Barrier.Inside.Times(inside), parts.Barrier, between, in)
	if inside > 0 {
		end = t.add(end, exit, parts.BarrierInside, inside, in)
	}
	for r := range t.end {
		t.end[r] = end
	}
	t.lastArrival = cause{}
}

// meet lets two threads continue at exit. The second one has arrived now.
func (t *causes) meet(r, peer int32, now, exit sim.Time) {
	if t == nil {
		return
	}
	end := t.add(t.Last(t.at[r], t.at[peer], now), exit, parts.Meet, 1, where{results.Barriers, 0, -1})
	t.end[r], t.end[peer] = end, end
}

// inMemory says that a two-sided message is delivered now.
func (t *causes) inMemory(id int32) {
	if t == nil {
		return
	}
	t.message(id).delivered = t.now
}

// releases says when the request of a sender is complete: when its bytes have left, which is now,
// or when an acknowledgement arrives.
func (t *causes) releases(c *cluster, id int32, at sim.Time) {
	if t == nil {
		return
	}
	m, k := c.messages.at(id), t.message(id)
	n := c.place.nic[m.from]
	switch k.completed = t.now; at {
	case t.now.At:
	case t.nics[n].sent.At:
		k.completed = t.nics[n].sent
	default:
		k.completed = t.travels(c, t.now, at, m.pair(), 1, where{results.Wire, c.place.nic[m.to], k.number})
	}
}

// explains gives a result its critical path, and derivatives if they are asked for.
func (t *causes) explains(res *results.Result, m *machines.Machine) error {
	if t == nil {
		return nil
	}
	end, err := t.lastEnd(res.Finish)
	if err != nil {
		return err
	}
	path := t.Tree().Path(end)
	res.Critical = make([]results.Piece, len(path))
	for i, p := range path {
		res.Critical[i] = pieceOf(p)
	}
	if t.mixes {
		res.Derive(t.slopes(m, end))
	}
	return nil
}

// lastEnd returns the moment at which the last rank has ended.
func (t *causes) lastEnd(finish []sim.Time) (cause, error) {
	end, makespan := cause{}, sim.Time(0)
	for r, at := range t.at {
		switch t.Is(at, finish[r]); {
		case finish[r] > makespan:
			end, makespan = at, finish[r]
		case finish[r] == makespan:
			end = t.Last(end, at, makespan)
		}
	}
	return end, t.Lost()
}

// pieceOf converts a piece of the path to the form that results have.
func pieceOf(p why.Piece) results.Piece {
	return results.Piece{
		Start: p.Start, End: p.End, Amount: p.Amount, Index: p.Index, Message: p.Message,
		Part: results.Part(p.Part), Resource: results.Resource(p.Resource),
	}
}
