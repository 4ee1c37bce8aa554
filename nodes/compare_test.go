package nodes

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// script is a program given as lists of operations.
type script struct {
	phases int
	ops    [][]programs.Op // by rank
	atOnce int             // operations that each step gives
}

func (p *script) Ranks() int { return len(p.ops) }

func (p *script) Phases() []string {
	var names []string
	for i := range p.phases {
		names = append(names, fmt.Sprint("phase ", i))
	}
	return names
}

func (p *script) Step(rank, step int, do *programs.Ops) bool {
	ops := p.ops[rank]
	from := 0
	for range step {
		from = p.until(ops, from)
	}
	do.Add(ops[from:p.until(ops, from)]...)
	return from < len(ops)
}

// until returns where a step ends. It does not end within a schedule.
func (p *script) until(ops []programs.Op, from int) int {
	end, within := from, false
	for n := 0; end < len(ops) && (n < p.atOnce || within); n++ {
		within = within && ops[end].Kind != programs.OpStarted || ops[end].Kind == programs.OpStart
		end++
	}
	return end
}

// String writes a program as calls of the functions that make its operations.
func (p *script) String() string {
	var b strings.Builder
	for r, ops := range p.ops {
		fmt.Fprintf(&b, "rank %d:", r)
		for _, op := range ops {
			switch op.Kind {
			case programs.OpCompute:
				fmt.Fprintf(&b, " compute(%d)", op.Amount)
			case programs.OpPut:
				fmt.Fprintf(&b, " put(to %d, %dB, request %d)", op.Peer, op.Amount, op.Request)
			case programs.OpGet:
				fmt.Fprintf(&b, " get(from %d, %dB, request %d)", op.Peer, op.Amount, op.Request)
			case programs.OpSignal:
				fmt.Fprintf(&b, " signal(to %d, %dB, tag %d, request %d)", op.Peer, op.Amount, op.Tag, op.Request)
			case programs.OpSend:
				fmt.Fprintf(&b, " isend(to %d, %dB, tag %d, request %d%s)", op.Peer, op.Amount, op.Tag, op.Request,
					map[bool]string{true: ", strided"}[op.Strided])
			case programs.OpReceive:
				fmt.Fprintf(&b, " irecv(from %d, tag %d, request %d)", op.Peer, op.Tag, op.Request)
			case programs.OpWait:
				fmt.Fprintf(&b, " wait(%d)", op.Request)
			case programs.OpTest:
				fmt.Fprintf(&b, " test(%d)", op.Request)
			case programs.OpBarrier:
				b.WriteString(" barrier")
			case programs.OpMeet:
				fmt.Fprintf(&b, " meet(%d)", op.Peer)
			case programs.OpStart:
				fmt.Fprintf(&b, " start(request %d) [", op.Request)
			case programs.OpStarted:
				b.WriteString(" ]")
			case programs.OpPhase:
				fmt.Fprintf(&b, " phase(%d)", op.Phase)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// outcome is what the engine and the reference must agree on.
type outcome struct {
	failure string // deadlock, unreceived or unmatched; then nothing else is known
	finish  []sim.Time
	ledgers [][]results.Ledger // by rank and phase
	hidden  []sim.Time
}

func (o *outcome) equals(p *outcome) bool {
	return o.failure == p.failure && slices.Equal(o.finish, p.finish) && slices.Equal(o.hidden, p.hidden) &&
		slices.EqualFunc(o.ledgers, p.ledgers, slices.Equal[[]results.Ledger])
}

func (o *outcome) String() string {
	if o.failure != "" {
		return o.failure
	}
	var b strings.Builder
	for r, end := range o.finish {
		fmt.Fprintf(&b, "rank %d ends at %d, hides %d:", r, end, o.hidden[r])
		for i, l := range o.ledgers[r] {
			fmt.Fprintf(&b, " [%d]", i)
			for t, x := range l {
				if x != 0 {
					fmt.Fprintf(&b, " %v %d", results.Term(t), x)
				}
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// engineOutcome returns the outcome of a run of the engine.
func engineOutcome(r *results.Result, err error) *outcome {
	if err == nil {
		return &outcome{finish: r.Finish, ledgers: r.Ledgers, hidden: r.Hidden}
	}
	for word, failure := range map[string]string{"deadlock: ": "deadlock", "never receives": "unreceived",
		"no message comes for": "unmatched"} {
		if strings.Contains(err.Error(), word) {
			return &outcome{failure: failure}
		}
	}
	return &outcome{failure: err.Error()}
}

func (s *reference) outcome() *outcome {
	o := &outcome{failure: s.failure()}
	if o.failure != "" {
		return o
	}
	for _, k := range s.ranks {
		s.classify(k)
		o.finish = append(o.finish, k.finish)
		o.ledgers = append(o.ledgers, k.ledger)
		o.hidden = append(o.hidden, s.hidden(k))
	}
	return o
}

func (s *reference) failure() string {
	for _, k := range s.ranks {
		if k.doing != refEnded {
			return "deadlock"
		}
	}
	for _, k := range s.ranks {
		if len(k.arrived) > 0 {
			return "unreceived"
		}
		if len(k.posted) > 0 {
			return "unmatched"
		}
	}
	return ""
}

// classify books every picosecond of the rank's waits.
func (s *reference) classify(k *refRank) {
	came, series := sim.Time(0), -1 // when the other side had come for all that later waits of a series are for
	for _, w := range slices.Backward(k.waits) {
		if w.series != series {
			came, series = 0, w.series
		}
		for t := w.from; t < w.to; t++ {
			term := s.waitTerm(k, w.request, t)
			if term == results.Progress && t < came {
				term = results.Partner
			}
			k.ledger[w.phase][term]++
		}
		if m := w.request.message; m != nil {
			came = max(came, m.posted)
			if m.rendezvous && s.machine.Runtime != nil && !s.byNIC() {
				came = max(came, m.wanted)
			}
		}
	}
}

// sending returns whose bytes left the rank's NIC in a picosecond, as a term.
func (s *reference) sending(k *refRank, t sim.Time) results.Term {
	for _, x := range s.nic(k.id).transfers {
		if !x.passes && x.from <= t && t < x.to {
			if x.rank == k.id {
				return results.Transfer
			}
			return results.Contention
		}
	}
	return results.NICStall
}

// hidden returns for how many picoseconds the rank computed while its own message
// was under way.
func (s *reference) hidden(k *refRank) (sum sim.Time) {
	for _, c := range k.computed {
		for t := c.from; t < c.to; t++ {
			if slices.ContainsFunc(s.messages, func(m *refMessage) bool {
				return m.poster() == k.id && !m.local && max(m.posted, m.flies) <= t && t < m.underWay(s.machine)
			}) {
				sum++
			}
		}
	}
	return sum
}

// underWay returns until when a message is in flight: until the sender knows of its
// delivery, if it is told.
func (m *refMessage) underWay(on *machines.Machine) sim.Time {
	switch {
	case m.get:
		return m.delivered
	case on.Runtime != nil && m.twoSided():
		return max(m.delivered, m.completed)
	case m.put, m.signal, m.rendezvous:
		return m.completed
	case on.Copying != nil:
		return m.delivered
	}
	return m.arrived
}
