package goal

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// slowRun implements the package's rules in the slow and obvious way: one queue is
// searched for its minimum; an element that finds its resources busy is put back under
// its number; message queues are slices; the state of an operation is in its own struct.
type slowRun struct {
	s           *Schedule
	p           Params
	queue       []slowStep
	seq         uint64
	cpu         [][]sim.Time
	out, in     [][]sim.Time // sides of the NICs
	uq, rq      [][]slowEnvelope
	state       []slowState
	released    []int
	finish      []sim.Time
	messages    uint64
	open        int
	truncations int
}

type slowStep struct {
	at   sim.Time
	seq  uint64
	what string
	op   int
}

type slowState struct {
	rank     int
	waits    int
	ready    sim.Time
	receive  int // matched with this message; -1: none
	cpu      int // that receives this message
	received sim.Time
	stretch  []sim.Time // the interval in which it computes, or is in flight
}

func runSlow(s *Schedule, p Params) (*slowRun, error) {
	e := &slowRun{s: s, p: p, open: len(s.Ops())}
	for r := range s.Ranks() {
		e.cpu = append(e.cpu, make([]sim.Time, s.CPUs()))
		e.out = append(e.out, make([]sim.Time, s.NICs()))
		e.in = append(e.in, make([]sim.Time, s.NICs()))
		ops, _ := s.Rank(r)
		for range ops {
			e.state = append(e.state, slowState{rank: r, receive: -1, received: -1})
		}
	}
	e.uq, e.rq = make([][]slowEnvelope, s.Ranks()), make([][]slowEnvelope, s.Ranks())
	e.finish = make([]sim.Time, s.Ranks())
	for _, d := range s.dependants {
		e.state[d&^onStart].waits++
	}
	for op := range e.state {
		if e.state[op].waits == 0 {
			e.released = append(e.released, op)
		}
	}
	e.commit()
	for len(e.queue) > 0 {
		i := 0
		for j, x := range e.queue {
			if x.at < e.queue[i].at || x.at == e.queue[i].at && x.seq < e.queue[i].seq {
				i = j
			}
		}
		x := e.queue[i]
		e.queue = slices.Delete(e.queue, i, i+1)
		e.step(x)
		e.commit()
	}
	for r := range e.finish {
		e.finish[r] = max(e.finish[r], slices.Max(e.cpu[r]))
	}
	return e, nil
}

func (e *slowRun) create(at sim.Time, what string, op int) {
	e.queue = append(e.queue, slowStep{at, e.seq, what, op})
	e.seq++
}

// commit schedules the operations that the last event has released, in the order of the
// file.
func (e *slowRun) commit() {
	slices.Sort(e.released)
	for _, op := range e.released {
		o, at := e.s.ops[op], e.state[op].ready
		switch o.Kind {
		case Calc:
			e.create(at, "calc", op)
		case Recv:
			e.create(max(at, e.cpu[e.state[op].rank][o.CPU]), "post", op)
		case Send:
			e.create(at, "send", op)
		}
	}
	e.released = nil
}

// need returns whether all of the resources are free. If not, x is put back at the time
// when they will be free, as far as known.
func (e *slowRun) need(x slowStep, resources ...sim.Time) bool {
	if at := slices.Max(resources); at > x.at {
		x.at = at
		e.queue = append(e.queue, x)
		return false
	}
	return true
}

func (e *slowRun) tell(op int, start bool, at sim.Time) {
	for _, d := range e.s.after(uint32(op)) {
		if d&onStart != 0 == start {
			x := &e.state[d&^onStart]
			x.ready = max(x.ready, at)
			if x.waits--; x.waits == 0 {
				e.released = append(e.released, int(d&^onStart))
			}
		}
	}
}

func (e *slowRun) end(op int, at sim.Time) {
	e.open--
	e.tell(op, false, at)
	r := e.state[op].rank
	if e.s.ops[op].Kind == Send {
		e.finish[r] = max(e.finish[r], at)
	}
}

// perByte are k·O and k·G.
func (e *slowRun) perByte(o Op) (kO, kG sim.Time) {
	if o.Size > 1 {
		k := int64(o.Size) - 1
		kO, kG = sim.PerByte(k, e.p.OverheadPerByte), sim.PerByte(k, e.p.GapPerByte)
	}
	return kO, kG
}

func (e *slowRun) step(x slowStep) {
	o, t, h := e.s.ops[x.op], x.at, e.state[x.op].rank
	kO, kG := e.perByte(o)
	big := o.Size > e.p.Rendezvous
	switch x.what {
	case "calc":
		if e.need(x, e.cpu[h][o.CPU]) {
			e.cpu[h][o.CPU] = t + sim.Time(o.Size)*sim.Nanosecond
			e.state[x.op].stretch = []sim.Time{t, e.cpu[h][o.CPU]}
			e.tell(x.op, true, t)
			e.end(x.op, e.cpu[h][o.CPU])
		}
	case "send":
		wants := []sim.Time{e.cpu[h][o.CPU], e.out[h][o.NIC]}
		if big {
			wants = wants[:1]
		}
		if !e.need(x, wants...) {
			return
		}
		e.messages++
		e.state[x.op].stretch = []sim.Time{t, sim.Forever}
		e.create(t+e.p.Overhead+e.p.Latency, "arrive", x.op)
		e.cpu[h][o.CPU] = t + e.p.Overhead + kO
		e.tell(x.op, true, t)
		if !big {
			e.out[h][o.NIC] = t + e.p.Gap + kG
			e.end(x.op, e.cpu[h][o.CPU])
		}
	case "clear":
		if e.need(x, e.out[h][o.NIC]) {
			e.out[h][o.NIC] = t + e.p.Gap + kG
			e.create(t+e.p.Latency, "take", x.op)
			e.end(x.op, t+kG)
		}
	case "post":
		e.post(x, o)
	default:
		e.incoming(x, o, kO, kG)
	}
}

func (e *slowRun) post(x slowStep, o Op) {
	h, t := e.state[x.op].rank, x.at
	e.tell(x.op, true, t)
	m, ok := takeSlow(&e.uq[h], o.Peer, o.Tag)
	if !ok {
		e.rq[h] = append(e.rq[h], slowEnvelope{o.Peer, o.Tag, x.op})
		return
	}
	e.match(m.op, x.op)
	if e.s.ops[m.op].Size > e.p.Rendezvous {
		e.state[m.op].cpu = int(o.CPU)
		e.create(t+e.p.Latency, "clear", m.op)
	} else if at := e.state[m.op].received; at >= 0 {
		e.end(x.op, max(at, t))
	}
}

// incoming handles a message, or its request, where it arrives.
func (e *slowRun) incoming(x slowStep, o Op, kO, kG sim.Time) {
	st, t, dst := &e.state[x.op], x.at, int(o.Peer)
	switch x.what {
	case "arrive":
		big := o.Size > e.p.Rendezvous
		if r, ok := takeSlow(&e.rq[dst], uint32(st.rank), o.Tag); ok {
			e.match(x.op, r.op)
			st.cpu = int(e.s.ops[r.op].CPU)
			if big {
				e.create(t+e.p.Latency, "clear", x.op)
			}
		} else {
			e.uq[dst] = append(e.uq[dst], slowEnvelope{uint32(st.rank), o.Tag, x.op})
		}
		if !big {
			x.what = "take"
			e.queue = append(e.queue, x)
		}
	case "take":
		if e.p.ReceiveOverlap {
			if e.need(x, e.in[dst][o.NIC]) {
				e.in[dst][o.NIC] = t + e.p.Gap + kG
				st.stretch[1] = t + kG
				e.create(t+kG, "deliver", x.op)
			}
		} else if e.need(x, e.in[dst][o.NIC], e.cpu[dst][st.cpu]) {
			e.in[dst][o.NIC] = t + e.p.Gap + kG
			e.cpu[dst][st.cpu] = t + e.p.Overhead + max(kO, kG)
			st.stretch[1] = e.cpu[dst][st.cpu]
			e.receive(st, e.cpu[dst][st.cpu])
		}
	case "deliver":
		if e.need(x, e.cpu[dst][st.cpu]) {
			e.cpu[dst][st.cpu] = t + e.p.Overhead + kO
			e.receive(st, e.cpu[dst][st.cpu])
		}
	}
}

func (e *slowRun) match(m, r int) {
	e.state[m].receive = r
	if e.s.ops[m].Size > e.s.ops[r].Size {
		e.truncations++
	}
}

func (e *slowRun) receive(m *slowState, at sim.Time) {
	m.received = at
	if m.receive >= 0 {
		e.end(m.receive, at)
	}
}

// hidden sums, over the calcs of each rank, the time during which messages that it sent
// are in flight.
func (e *slowRun) hidden() []sim.Total {
	sums := make([]sim.Total, e.s.Ranks())
	for i, calc := range e.state {
		if e.s.ops[i].Kind != Calc || calc.stretch == nil {
			continue
		}
		at := calc.stretch[0]
		for at < calc.stretch[1] {
			next := calc.stretch[1] // where another message begins or ends
			covered := false
			for j, m := range e.state {
				if e.s.ops[j].Kind != Send || m.rank != calc.rank || m.stretch == nil {
					continue
				}
				covered = covered || m.stretch[0] <= at && at < m.stretch[1]
				for _, edge := range m.stretch {
					if edge > at {
						next = min(next, edge)
					}
				}
			}
			if covered {
				sums[calc.rank].Add(next - at)
			}
			at = next
		}
	}
	return sums
}

func (e *slowRun) unmatched() (n int) {
	for r := range e.uq {
		n += len(e.uq[r]) + len(e.rq[r])
	}
	return n
}

func sameRun(s *Schedule, p Params) error {
	want, _ := runSlow(s, p)
	got, err := Run(s, p)
	var stuck *Unfinished
	switch {
	case want.truncations > 0:
		if got != nil || err == nil {
			return errors.New("a message is longer than its receive, and no error")
		}
		return nil
	case err != nil && !errors.As(err, &stuck):
		return err
	case (err != nil) != (want.open > 0 || want.unmatched() > 0):
		return differ("open operations", err, want.open)
	}
	if err == nil {
		for rank, l := range got.Ledgers() {
			if l.Wait.Seconds() < 0 {
				return differ("waiting time", l, rank)
			}
		}
	}
	return errors.Join(
		differ("finish", got.Finish, want.finish),
		differ("hidden", got.Hidden, want.hidden()),
		differ("events", got.Events, want.seq),
		differ("messages", got.Messages, want.messages),
		differ("unmatched", got.Unmatched, want.unmatched()),
	)
}

// fractional makes parameters that are not whole numbers of ns.
func fractional(r *rand.Rand, c CompatParams) Params {
	p := c.Params()
	p.ReceiveOverlap = r.IntN(2) == 0
	if r.IntN(2) == 0 {
		p.GapPerByte = r.Float64() * 2000
		p.OverheadPerByte *= r.Float64()
	}
	return p
}

func TestRunLikeSlowRun(t *testing.T) {
	must.Long(t)
	same := func(s *Schedule, c CompatParams) error {
		r := rand.New(rand.NewPCG(c.Latency, c.Overhead))
		return sameRun(s, fractional(r, c))
	}
	t.Run("loose", func(t *testing.T) {
		compare(t, 6000, func(r *rand.Rand) draft {
			s := randomShape(r)
			s.wild = r.IntN(2) == 0
			return s.loose(r)
		}, same)
	})
	t.Run("paired", func(t *testing.T) {
		compare(t, 6000, func(r *rand.Rand) draft {
			s := randomShape(r)
			s.sizes = append(s.sizes, 0)
			s.wild = r.IntN(3) == 0
			return s.paired(r)
		}, same)
	})
}

// TestAgreesWithCompat: on one CPU, with eager messages of at least a byte, the rules are
// LogGOPSim's, except for the order of operations released together and of messages that
// arrive through several NICs.
func TestAgreesWithCompat(t *testing.T) {
	agree := func(s *Schedule, p CompatParams) error {
		p.Rendezvous = 1 << 40
		want, _ := runSlowCompat(s, p, true)
		got, err := Run(s, p.Params())
		var stuck *Unfinished
		if got == nil || err != nil && !errors.As(err, &stuck) {
			return nil // a message longer than its receive
		}
		return errors.Join(
			differ("finish", got.Finish, inPs(want.Finish)),
			differ("events", got.Events, want.Events),
			differ("unmatched", got.Unmatched, len(want.Posted)+len(want.Unexpected)),
		)
	}
	t.Run("one NIC", func(t *testing.T) {
		compare(t, 6000, func(r *rand.Rand) draft {
			s := randomShape(r)
			s.cpus, s.nics = 1, 1
			s.wild = r.IntN(3) == 0
			return s.paired(r)
		}, agree)
	})
	t.Run("two NICs", func(t *testing.T) {
		compare(t, 3000, func(r *rand.Rand) draft {
			s := randomShape(r)
			s.cpus, s.nics, s.unique = 1, 2, true
			return s.paired(r)
		}, agree)
	})
}

// TestAgreesWithRecordedCases: the rules also agree on the recorded cases.
func TestAgreesWithRecordedCases(t *testing.T) {
	agreed := 0
	for _, c := range sharedCases(t) {
		for _, want := range append([]recorded{c.recorded}, c.More...) {
			p := want.params()
			if c.schedule.CPUs() > 1 || slices.ContainsFunc(c.schedule.Ops(), func(op Op) bool {
				return op.Kind != Calc && op.Size > p.Rendezvous
			}) {
				continue
			}
			got, err := Run(c.schedule, p.Params())
			if err != nil || !slices.Equal(got.Finish, inPs(want.finish())) {
				t.Errorf("%s, %v: finish %v, %v; want %v", c.name, want.RawParams, got.Finish, err, inPs(want.finish()))
			}
			agreed++
		}
	}
	if agreed < 19 {
		t.Errorf("only %d recorded runs are eager on one CPU", agreed)
	}
}

func inPs(ns []uint64) (ps []sim.Time) {
	for _, t := range ns {
		ps = append(ps, sim.Time(t)*sim.Nanosecond)
	}
	return ps
}
