package nodes

import (
	"slices"
	"sort"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Rules 13 to 16 and 18 to 21 once more: what a library does with a message, and where
// the time of a wait for it goes.

// refStory is what a library knows about a message, with its history.
type refStory struct {
	strided  bool
	protocol machines.Protocol // of a rendezvous
	pipe     machines.Pipeline // pipelined
	first    int64             // bytes with the request
	counts   sim.Time          // without RDMA: when it began to count in (a)
	cut      sim.Time          // when its copies could begin
	paid     sim.Time          // when its overhead was paid
	handled  sim.Time          // signal: when the handler is done
	told     sim.Time          // from then on its sender books all as latency
	stations []refStation
	pieces   []*refPiece
	gone     bool // without RDMA: the last piece has left the NIC
	lay      bool // it came while its target computed, or in the first look of a Wait
}

// refStation is where a message is from a time on.
type refStation struct {
	at    sim.Time
	where results.Term
	trip  *refTransfer // instead: through a NIC, over the fabric, and into the other NIC
}

func newStory() refStory {
	return refStory{counts: sim.Forever, cut: sim.Forever, handled: sim.Forever, told: sim.Forever}
}

func (m *refStory) mark(at sim.Time, where results.Term) {
	m.stations = append(m.stations, refStation{at: at, where: where})
}

// travel notes that a message is on a trip from a time on.
func (m *refStory) travel(at sim.Time, trip *refTransfer) *refTransfer {
	m.stations = append(m.stations, refStation{at: at, trip: trip})
	return trip
}

func (m *refMessage) twoSided() bool { return !m.put && !m.get && !m.signal }

// plan decides how a message travels.
func (s *reference) plan(m *refMessage, op programs.Op) {
	rt := s.machine.Runtime
	if !m.get && !m.rendezvous {
		m.counts = 0
	}
	if rt == nil {
		return
	}
	m.strided = op.Strided && !m.local
	if !m.rendezvous {
		return
	}
	if m.local {
		m.protocol = machines.Copy
		return
	}
	m.protocol, m.pipe = rt.Rendezvous, rt.Pipeline
	if m.protocol == machines.Copy && s.byNIC() {
		m.protocol = machines.Read
	}
	if m.strided {
		m.protocol, m.pipe = machines.Pipelined, rt.Strided.Pipeline
	}
	if s.machine.Copying != nil {
		m.protocol, m.pipe = machines.Pipelined, machines.Pipeline{}
	}
	if m.protocol == machines.Pipelined {
		m.first = min(m.pipe.First, m.bytes)
	}
}

// overhead is the time of (c) in rule 2, and in rules 14, 15 and 17.
func (s *reference) overhead(m *refMessage) sim.Time {
	o, request := s.machine.Network.SendOverhead, sim.Time(0)
	if m.requested && s.machine.Runtime != nil {
		request = refCost(s.machine.Runtime.Request, m.bytes)
	}
	switch {
	case m.rendezvous && s.machine.Runtime != nil:
		return request + refCost(o, 0) + sim.Time(m.first)*sim.Time(m.pipe.In)
	case m.strided && s.machine.Copying == nil:
		return request + refCost(o, m.bytes) + sim.Time(m.bytes)*sim.Time(s.machine.Runtime.Strided.Pack)
	}
	return request + refCost(o, m.posting())
}

// inPlace tells whether the library sends an eager message without copying it.
func (s *reference) inPlace(m *refMessage) bool {
	rt := s.machine.Runtime
	return rt != nil && !m.local && !m.rendezvous && rt.CopyLimit > 0 && m.bytes > rt.CopyLimit
}

// paid tells whether the request of a two-sided message is complete when its
// overhead is paid.
func (s *reference) paid(m *refMessage) bool {
	switch {
	case s.machine.Runtime == nil:
		return false
	case m.rendezvous:
		return m.protocol == machines.Pipelined && m.first == m.bytes
	}
	return !s.inPlace(m)
}

// received are the bytes for which a receive is paid (rule 10).
func (m *refMessage) received() int64 {
	if m.local {
		return 0
	}
	return m.bytes
}

// receiving returns the overhead of receiving that many bytes, sending the overhead of sending none.
func (s *reference) receiving(bytes int64) func() sim.Time {
	return func() sim.Time { return refCost(s.machine.Network.ReceiveOverhead, bytes) }
}

func (s *reference) sending0() sim.Time { return refCost(s.machine.Network.SendOverhead, 0) }

// matching returns the CPU time that it takes to find a receive now.
func (s *reference) matching(r int32) sim.Time {
	rt := s.machine.Runtime
	return rt.Matching + sim.Time(len(s.ranks[r].posted))*rt.Search/2
}

// Rule 13.

// carry sends a leg of a message. It calls left when the time of leaving is known, and
// passed when the leg has passed the NIC.
func (s *reference) carry(from, to int32, bytes int64, left func(refSpan), passed func()) *refTransfer {
	return s.enqueue(from, to, bytes == 0, s.length(bytes), func(t refSpan) {
		left(t)
		s.at(t.to+s.latency(from, to), outOfNIC, s.rail(from), func() {
			if s.machine.Copying != nil {
				passed()
				return
			}
			if bytes > 0 {
				at := s.takeIn(to, bytes, 0)
				s.entered(from, to, at)
				s.at(at, intoNIC, s.rail(to), passed)
				return
			}
			at, kind, index := s.now, passings, int(from)*len(s.ranks)+int(to)
			for _, e := range s.nic(to).taken {
				if e.from == from && e.to == to && e.at >= s.now {
					at, kind, index = max(at, e.at), intoNIC, s.rail(to)
				}
			}
			s.at(at, kind, index, passed)
		})
	})
}

// note sends a leg of a message that has no bytes of the user.
func (s *reference) note(m *refMessage, from, to int32, passed func()) {
	s.ready(m.travel(s.now, s.carry(from, to, 0, func(refSpan) {}, passed)), s.now)
}

// sendBytes sends the bytes of a message. They have been in line since that time.
func (s *reference) sendBytes(m *refMessage, since sim.Time, passed func()) *refTransfer {
	t := s.serve(m, func(t refSpan) {
		m.start, m.sent, m.arrived = t.from, t.to, t.to+s.latency(m.from, m.to)
		s.at(m.arrived, outOfNIC, s.rail(m.from), func() {
			s.at(s.intoMemory(m), intoNIC, s.rail(m.to), passed)
		})
	})
	t.read = m.rendezvous && m.protocol == machines.Read
	return m.travel(since, t)
}

// sendTwoSided sends an eager message, or the request of a rendezvous.
func (s *reference) sendTwoSided(m *refMessage) *refTransfer {
	if m.rendezvous {
		return m.travel(m.posted, s.carry(m.from, m.to, m.first, func(refSpan) {}, func() { s.asks(m, func() { s.requested(m) }) }))
	}
	t := s.sendBytes(m, m.posted, func() { s.take(m) })
	if s.inPlace(m) {
		then := t.then
		t.then = func(x refSpan) {
			then(x)
			m.completed = x.to
		}
	}
	return t
}

// Rule 14: take.
func (s *reference) take(m *refMessage) {
	doing := s.ranks[m.to].doing
	m.lay = (doing == refComputing || doing == refTesting || doing == refTested) && s.ownCPU() && s.agent() != machines.Interrupts
	j := s.job(s.ranks[m.to], m, func() sim.Time {
		cost := s.matching(m.to) + s.receiving(m.received())()
		if m.strided {
			cost += sim.Time(m.bytes) * sim.Time(s.machine.Runtime.Strided.Unpack)
		}
		return cost
	}, func() {
		m.delivered = s.now
		s.match(m)
	})
	j.read(m.bytes)
	j.takes = true
}

// Rule 15.

func (s *reference) requested(m *refMessage) {
	s.job(s.ranks[m.to], m, func() sim.Time {
		return s.matching(m.to) + s.receiving(0)() + sim.Time(m.first)*sim.Time(m.pipe.Out)
	}, func() {
		m.mark(s.now, results.Partner)
		s.match(m)
	}).read(m.first)
}

// agree continues after a match.
func (s *reference) agree(k *refRank, m *refMessage) {
	if m.protocol == machines.Pipelined && m.first == m.bytes {
		m.delivered = s.now
		return
	}
	if m.protocol == machines.Copy {
		cost := func() sim.Time { return s.sending0() + refCost(s.machine.Network.Transfer, m.bytes) }
		if m.local {
			cost = func() sim.Time { return refCost(s.insideOf(m).Copy, m.bytes) }
		}
		s.job(k, m, cost, func() {
			m.delivered = s.now
			s.finish(m)
		})
		return
	}
	s.job(k, m, s.sending0, func() {
		if m.protocol == machines.Read {
			s.fetchBytes(k, m)
			return
		}
		s.note(m, m.to, m.from, func() { s.replied(m) })
	})
}

func (s *reference) fetchBytes(k *refRank, m *refMessage) {
	m.mark(s.now, results.Latency)
	s.at(s.now+s.latency(m.from, m.to), reads, int(k.id), func() {
		s.ready(s.sendBytes(m, s.now, func() {
			s.job(k, m, func() sim.Time { return s.receiving(0)() + s.sending0() }, func() {
				m.delivered = s.now
				s.finish(m)
			}).read(m.bytes)
		}), s.now)
	})
}

// finish tells the sender that its bytes have been read, or copied.
func (s *reference) finish(m *refMessage) {
	heard := func() {
		s.job(s.ranks[m.from], m, s.receiving(0), func() { m.completed = s.now }).read(0)
	}
	if m.local {
		s.inside(m, m.to, m.from, heard)
		return
	}
	s.note(m, m.to, m.from, heard)
}

// replied continues after the reply of a write or a pipeline.
func (s *reference) replied(m *refMessage) {
	k := s.ranks[m.from]
	if m.protocol == machines.Pipelined {
		s.job(k, m, s.receiving(0), func() { s.stream(k, m) }).read(0)
		return
	}
	s.job(k, m, func() sim.Time { return s.receiving(0)() + s.sending0() }, func() {
		var finish *refTransfer
		s.ready(s.sendBytes(m, s.now, func() {
			m.travel(s.now, finish)
			m.told, m.completed = s.now, s.now+s.latency(m.from, m.to)
		}), s.now)
		finish = s.carry(m.from, m.to, 0, func(refSpan) {}, func() {
			s.job(s.ranks[m.to], m, s.receiving(0), func() { m.delivered = s.now }).read(0)
		})
		s.ready(finish, s.now)
	}).read(0)
}

// Rule 18.
func (s *reference) signalled(m *refMessage) {
	rt := s.machine.Runtime
	if rt == nil {
		m.handled = m.delivered
		s.match(m)
		return
	}
	m.told = s.now
	if rt.Dispatch == 0 {
		s.handle(m)
		return
	}
	m.mark(s.now, results.Progress)
	k := s.ranks[m.to]
	if k.handlers = append(k.handlers, m); len(k.handlers) > 1 {
		return
	}
	s.at(s.now+rt.Dispatch, dispatches, int(k.id), func() {
		batch := k.handlers
		k.handlers = nil
		for _, m := range batch {
			s.handle(m)
		}
	})
}

// handle runs the handler of a signal.
func (s *reference) handle(m *refMessage) {
	s.job(s.ranks[m.to], m, func() sim.Time { return s.machine.Runtime.Handler }, func() {
		m.handled = s.now
		s.match(m)
	})
}

// Rule 19.
func (s *reference) unexpected(k *refRank, m *refMessage) {
	if s.machine.Runtime == nil || m.signal || m.lay {
		return
	}
	k.doing, k.work = refWorking, s.unexpectedCost(m)
}

func (s *reference) unexpectedCost(m *refMessage) sim.Time {
	if m.rendezvous {
		return refCost(s.machine.Runtime.Unexpected, m.first)
	}
	return refCost(s.machine.Runtime.Unexpected, m.bytes)
}

// The ledger.

// waitTerm returns the term that a picosecond of a wait goes to.
func (s *reference) waitTerm(k *refRank, q *refRequest, t sim.Time) results.Term {
	if q.schedule != nil {
		return s.scheduleTerm(k, q.schedule, t)
	}
	m := q.message
	switch {
	case t >= q.ends():
		return results.Progress
	case t < m.posted:
		return results.Partner
	case !q.receive && t >= m.told:
		return results.Latency
	case t >= m.cut && t < m.delivered:
		return m.pieceTerm(t)
	}
	i := sort.Search(len(m.stations), func(i int) bool { return m.stations[i].at > t }) - 1
	switch {
	case m.local && t < m.sent, t < m.paid:
		return results.Overhead
	case i < 0:
		panic("a message that is nowhere")
	case m.rendezvous && m.stations[i].where == results.Progress && t < m.wanted:
		return results.Partner
	case m.stations[i].trip == nil:
		return m.stations[i].where
	}
	return s.tripTerm(k, m, m.stations[i].trip, t)
}

// tripTerm returns the term of a leg on its trip.
func (s *reference) tripTerm(k *refRank, m *refMessage, trip *refTransfer, t sim.Time) results.Term {
	switch {
	case t >= trip.to+s.latency(m.from, m.to):
		return results.Contention
	case t >= trip.to:
		return results.Latency
	case t >= trip.from, trip.passes && t >= trip.ready:
		return results.Transfer
	case k.id == trip.rank && !trip.passes:
		return s.sending(k, t)
	}
	return results.NICStall
}

// pieceTerm returns the term of the oldest piece that was not delivered.
func (m *refMessage) pieceTerm(t sim.Time) results.Term {
	i := slices.IndexFunc(m.pieces, func(p *refPiece) bool { return t < p.emptied })
	if i < 0 {
		return results.Progress
	}
	switch p := m.pieces[i]; {
	case t < p.taken:
		return results.Progress
	case t < p.copied:
		return results.Overhead
	case t < p.left:
		return results.Transfer
	case t < p.arrived:
		return results.Latency
	case t < p.passed:
		return results.Contention
	case t < p.takenHere:
		return results.Progress
	}
	return results.Overhead
}
