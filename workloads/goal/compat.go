package goal

import (
	"cmp"
	"fmt"
	"slices"

	"overlapsim/nodes/match"
	"overlapsim/sim"
)

// CompatParams are LogGOPSim's parameters: whole numbers of ns, ns per byte and
// bytes.
type CompatParams struct {
	Latency         uint64 // L
	Overhead        uint64 // o
	Gap             uint64 // g
	GapPerByte      uint64 // G
	OverheadPerByte uint64 // O
	Rendezvous      uint64 // S
}

// Params returns the same parameters for Run. Its Validate reports those that are too
// large.
func (p *CompatParams) Params() Params {
	const ps = sim.Nanosecond
	ns := func(n uint64) sim.Time { return ps * sim.Time(min(n, uint64(sim.Forever/ps))) }
	return Params{
		Latency:         ns(p.Latency),
		Overhead:        ns(p.Overhead),
		Gap:             ns(p.Gap),
		GapPerByte:      float64(p.GapPerByte) * float64(ps),
		OverheadPerByte: float64(p.OverheadPerByte) * float64(ps),
		Rendezvous:      p.Rendezvous,
	}
}

// CompatResult holds the results that LogGOPSim prints.
type CompatResult struct {
	Finish   []uint64 // ns, of each rank
	Events   uint64   // operations begun, plus messages
	Messages uint64

	// The entries left in the queues; LogGOPSim prints these instead of times.
	Posted, Unexpected []Left
}

// CompatLedgers returns the ledger of each rank, for a run without error.
func (s *Schedule) CompatLedgers(p CompatParams, r *CompatResult) []Ledger {
	finish := make([]sim.Time, len(r.Finish))
	for i, ns := range r.Finish {
		finish[i] = compatPs(ns)
	}
	return s.ledgers(finish, func(size uint64) (send, receive, transfer sim.Time) {
		k := size - 1 // of a message of 0 bytes it is -1
		kO, most := k*p.OverheadPerByte, max(k*p.OverheadPerByte, k*p.GapPerByte)
		if size == 0 {
			return compatPs(p.Overhead + kO), compatPs(p.Overhead + most), 0
		}
		return compatPs(p.Overhead + kO), compatPs(p.Overhead + kO), compatPs(most - kO)
	})
}

// compatPs converts ns; they may be negative for a message of 0 bytes.
func compatPs(ns uint64) sim.Time { return sim.Time(ns) * sim.Nanosecond }

// Makespan returns the latest finish in ns, and the lowest rank that has it.
func (r *CompatResult) Makespan() (ns uint64, rank int) {
	for i, f := range r.Finish {
		if f > ns {
			ns, rank = f, i
		}
	}
	return ns, rank
}

// RunCompat simulates the schedule exactly as LogGOPSim does, with one exception: if more
// than 16 operations are released together, operations of the same type keep their order. In
// LogGOPSim up to 16 do so. As of Run, there are times that are refused, and a schedule that
// cannot finish gives an *Unfinished error, and the result up to that point.
func RunCompat(s *Schedule, p CompatParams) (*CompatResult, error) {
	if err := runnable(s, p.Params()); err != nil {
		return nil, err
	}
	c := newCompat(s, p)
	if err := c.run(); err != nil {
		return nil, err
	}
	r := c.result()
	if c.open > 0 || len(r.Posted)+len(r.Unexpected) > 0 {
		return r, c.unfinished(r)
	}
	return r, nil
}

// The kind of an entry of the agenda. It stands in the bits above the number of an
// operation or lane.
const (
	compatStart   = iota << 30 // a calc or send
	compatPost                 // a receive; rank: its own
	compatArrive               // a message; rank: its sender
	compatLane                 // the first element of a lane
	compatPayload = 1<<30 - 1
)

// Kinds of lanes.
const (
	compatCalcs uint8 = iota
	compatSends
	compatMessages
	compatLaneKinds
)

// compat runs one schedule by LogGOPSim's rules. There, an element that finds its
// resources busy goes back into the queue under its old number, at the time at which they
// will be free as far as known. Here it joins the lane of all elements that wait for the
// same resources. The order is the same. Suppose that the resources are busy until T.
// Elements put back earlier come up before T and go back to T without effect, until all
// elements of the lane are at T; then the lowest number goes first. This holds if clocks
// do not run backwards. Where they may, elements go back one by one.
type compat struct {
	s        *Schedule
	ops      []Op
	p        CompatParams
	waits    []uint32
	states   []compatState // of the operations
	open     int           // operations that have not ended
	clocks   []uint64      // laid out as in engine
	stride   int
	lanes    *lanes
	literal  bool // clocks may run backwards
	agenda   agenda
	matching *match.Matching[uint32]
	released [2][]uint32 // by the current event: on its host, and on the sender's rank
	seq      uint32
	messages uint64
}

// compatState is how far an operation is.
type compatState uint8

const (
	compatBlocked compatState = iota
	compatBegun
	compatEnded
)

func newCompat(s *Schedule, p CompatParams) *compat {
	stride := s.cpus + 2*s.nics
	return &compat{
		s: s, ops: s.ops, p: p,
		waits:    s.openCounts(),
		states:   make([]compatState, len(s.Ops())),
		open:     len(s.Ops()),
		clocks:   make([]uint64, s.Ranks()*stride),
		stride:   stride,
		lanes:    newLanes(s, int(compatLaneKinds)),
		literal:  p.mayRunBackwards(s),
		matching: match.NewMatching[uint32](s.Ranks()),
	}
}

// mayRunBackwards tells whether a clock may be set to an earlier time: by a message of 0
// bytes, which counts as -1 bytes after the first.
func (p *CompatParams) mayRunBackwards(s *Schedule) bool {
	O, G := p.OverheadPerByte, p.GapPerByte
	reception := min(O, G)
	if reception == 0 {
		reception = max(O, G)
	}
	if O <= p.Overhead && G <= p.Gap && reception <= p.Overhead {
		return false
	}
	return slices.ContainsFunc(s.Ops(), func(op Op) bool { return op.Kind == Send && op.Size == 0 })
}

func (c *compat) cpu(host uint32, cpu uint8) *uint64 {
	return &c.clocks[int(host)*c.stride+int(cpu)]
}

func (c *compat) sendSide(host uint32, nic uint8) *uint64 {
	return &c.clocks[int(host)*c.stride+c.s.cpus+2*int(nic)]
}

func (c *compat) receiveSide(host uint32, nic uint8) *uint64 {
	return &c.clocks[int(host)*c.stride+c.s.cpus+2*int(nic)+1]
}

// run handles the roots at time 0, with the first numbers, and then the agenda. No
// operation that the roots release can come between them.
func (c *compat) run() error {
	roots := c.roots()
	c.seq = uint32(len(roots))
	for i, x := range roots {
		c.step(entry{seq: uint32(i), what: c.fresh(x.op), rank: x.rank})
	}
	for len(c.agenda) > 0 {
		x := c.agenda.pop()
		if err := compatTime(x.at); err != nil {
			return err
		}
		c.step(x)
	}
	return compatTime(slices.Max(c.clocks))
}

// compatTime reports a time in ns that is too late, or before 0 s.
func compatTime(ns uint64) error {
	switch {
	case ns > 1<<63:
		return fmt.Errorf("a time is before 0 s: a message of 0 bytes counts as -1 bytes after the first")
	case ns > uint64((horizon+3*maxDuration)/sim.Nanosecond):
		return fmt.Errorf("the run lasts longer than %v", horizon)
	}
	return nil
}

type root struct{ op, rank uint32 }

// roots returns the operations without dependencies, host by host, and on each host in
// order of type.
func (c *compat) roots() []root {
	var list []root
	for rank := range uint32(c.s.Ranks()) {
		from := len(list)
		for op := c.s.ranks[rank]; op < c.s.ranks[rank+1]; op++ {
			if c.waits[op] == 0 {
				list = append(list, root{op, rank})
			}
		}
		slices.SortStableFunc(list[from:], func(a, b root) int {
			return cmp.Compare(c.ops[a.op].Kind, c.ops[b.op].Kind)
		})
	}
	return list
}

// fresh is the agenda entry of a released operation.
func (c *compat) fresh(op uint32) uint32 {
	if c.ops[op].Kind == Recv {
		return op | compatPost
	}
	return op | compatStart
}

func (c *compat) step(x entry) {
	op := x.what & compatPayload
	switch x.what &^ compatPayload {
	case compatStart:
		c.start(op, x)
	case compatPost:
		c.post(x.rank, op, x.at)
	case compatArrive:
		o := &c.ops[op]
		c.offer(compatMessages, o.Peer, o.CPU, o.NIC, x)
	case compatLane:
		c.turn(op, x)
	}
}

func (c *compat) start(op uint32, x entry) {
	o := &c.ops[op]
	if o.Kind == Calc {
		c.offer(compatCalcs, x.rank, o.CPU, 0, x)
	} else {
		c.offer(compatSends, x.rank, o.CPU, o.NIC, x)
	}
}

// offer serves an element if its resources are free, and makes it wait if not.
func (c *compat) offer(kind uint8, host uint32, cpu, nic uint8, x entry) {
	at := c.free(kind, host, cpu, nic)
	switch {
	case at <= x.at:
		c.serve(kind, host, x.what&compatPayload, x.rank, x.at)
	case c.literal:
		x.at = at
		c.agenda.push(x)
	default:
		lane := c.lanes.at(host, kind, cpu, nic)
		if c.lanes.push(lane, x.what&compatPayload, x.rank, x.seq) {
			c.wake(lane, x.seq, at)
		}
	}
}

func (c *compat) free(kind uint8, host uint32, cpu, nic uint8) uint64 {
	switch at := *c.cpu(host, cpu); kind {
	case compatSends:
		return max(at, *c.sendSide(host, nic))
	case compatMessages:
		return max(at, *c.receiveSide(host, nic))
	default:
		return at
	}
}

func (c *compat) wake(lane, seq uint32, at uint64) {
	c.lanes.lanes[lane].wake = at
	c.agenda.push(entry{at: at, seq: seq, what: lane | compatLane})
}

// turn serves the first element of a lane, if its resources are free.
func (c *compat) turn(lane uint32, x entry) {
	first, some := c.lanes.first(lane)
	l := c.lanes.lanes[lane]
	if !some || first != x.seq || l.wake != x.at {
		return // the lane has a newer entry
	}
	if c.free(l.kind, l.host, l.cpu, l.nic) <= x.at {
		op, rank := c.lanes.pop(lane)
		c.serve(l.kind, l.host, op, rank, x.at)
	}
	if first, some = c.lanes.first(lane); some {
		c.wake(lane, first, c.free(l.kind, l.host, l.cpu, l.nic))
	}
}

// serve performs the operation of an element; from is the sender if it is a message.
func (c *compat) serve(kind uint8, host, op, from uint32, now uint64) {
	switch kind {
	case compatCalcs:
		c.calc(host, op, now)
	case compatSends:
		c.send(host, op, now)
	case compatMessages:
		c.receive(host, op, from, now)
	}
}

func (c *compat) calc(host, op uint32, now uint64) {
	*c.cpu(host, c.ops[op].CPU) = now + c.ops[op].Size
	c.started(op)
	c.done(op, 0)
	c.commit(host, host)
}

func (c *compat) send(host, op uint32, now uint64) {
	o := &c.ops[op]
	k := o.Size - 1
	*c.cpu(host, o.CPU) = now + c.p.Overhead + k*c.p.OverheadPerByte
	*c.sendSide(host, o.NIC) = now + c.p.Gap + k*c.p.GapPerByte
	c.agenda.push(entry{now + c.p.Overhead + c.p.Latency, c.seq, op | compatArrive, host})
	c.seq++
	c.messages++
	c.started(op)
	if o.Size <= c.p.Rendezvous {
		c.done(op, 0)
	}
	c.commit(host, host)
}

func (c *compat) post(host, op uint32, now uint64) {
	o := &c.ops[op]
	c.started(op)
	m, ok := c.matching.Post(int(host), match.Envelope[uint32]{Source: o.Peer, Tag: o.Tag, Value: op})
	if !ok {
		c.commit(host, host)
		return
	}
	if o.Size > c.p.Rendezvous {
		c.sent(m.Value, m.Source, host, o, now)
	}
	c.done(op, 0)
	c.commit(host, m.Source)
}

func (c *compat) receive(host, op, from uint32, now uint64) {
	o := &c.ops[op]
	k := o.Size - 1
	*c.cpu(host, o.CPU) = now + c.p.Overhead + max(k*c.p.OverheadPerByte, k*c.p.GapPerByte)
	*c.receiveSide(host, o.NIC) = now + c.p.Gap + k*c.p.GapPerByte
	r, ok := c.matching.Arrive(int(host), match.Envelope[uint32]{Source: from, Tag: o.Tag, Value: op})
	if ok {
		if o.Size > c.p.Rendezvous {
			c.sent(op, from, host, o, now)
		}
		c.done(r.Value, 0)
	}
	c.commit(host, from)
}

// sent ends a send behind a rendezvous; by is the operation whose CPU and NIC it
// advances.
func (c *compat) sent(op, from, host uint32, by *Op, now uint64) {
	list := 1
	if from == host {
		list = 0
	}
	c.done(op, list)
	cpu, side := c.cpu(from, by.CPU), c.sendSide(from, by.NIC)
	*cpu, *side = max(*cpu, now), max(*side, now)
}

// started and done notify the dependants of an operation. A receive that is larger than the
// rendezvous threshold ends a send that is not, again.
func (c *compat) started(op uint32) {
	c.states[op] = compatBegun
	for _, d := range c.s.after(op) {
		if d&onStart == 0 {
			break
		}
		c.satisfy(d&^onStart, 0)
	}
}

func (c *compat) done(op uint32, list int) {
	if c.states[op] != compatEnded {
		c.states[op] = compatEnded
		c.open--
	}
	for _, d := range c.s.after(op) {
		if d&onStart == 0 {
			c.satisfy(d, list)
		}
	}
}

func (c *compat) satisfy(op uint32, list int) {
	if c.waits[op]--; c.waits[op] == 0 {
		c.released[list] = append(c.released[list], op)
	}
}

// commit puts the operations that the current event has released into the agenda: those
// on its host and those on the sender's, the lower host first.
func (c *compat) commit(host, sender uint32) {
	if len(c.released[0])+len(c.released[1]) == 0 {
		return
	}
	if sender < host {
		c.enqueue(sender, 1)
		c.enqueue(host, 0)
	} else {
		c.enqueue(host, 0)
		c.enqueue(sender, 1)
	}
}

func (c *compat) enqueue(host uint32, list int) {
	ops := c.released[list]
	if len(ops) > 1 {
		slices.SortStableFunc(ops, func(a, b uint32) int { return cmp.Compare(c.ops[a].Kind, c.ops[b].Kind) })
	}
	for _, op := range ops {
		o := &c.ops[op]
		at := *c.cpu(host, o.CPU)
		if o.Kind == Send {
			at = max(at, *c.sendSide(host, o.NIC))
		}
		c.agenda.push(entry{at, c.seq, c.fresh(op), host})
		c.seq++
	}
	c.released[list] = ops[:0]
}

func (c *compat) result() *CompatResult {
	r := &CompatResult{Finish: make([]uint64, c.s.Ranks()), Events: uint64(c.seq), Messages: c.messages}
	for rank := range r.Finish {
		r.Finish[rank] = slices.Max(c.clocks[rank*c.stride : rank*c.stride+c.s.cpus])
		r.Posted = c.s.left(r.Posted, rank, c.matching.Posted(rank))
		r.Unexpected = c.s.left(r.Unexpected, rank, c.matching.Unexpected(rank))
	}
	return r
}

// unfinished explains the remaining operations when no event is left.
func (c *compat) unfinished(r *CompatResult) *Unfinished {
	w := &waitGraph{s: c.s, blocked: func(op uint32) bool { return c.states[op] == compatBlocked }, held: map[uint32]bool{}}
	for op, state := range c.states {
		if state == compatBegun {
			w.held[uint32(op)] = true
		}
	}
	return w.explain(&Unfinished{Open: c.open, Posted: r.Posted, Unexpected: r.Unexpected})
}
