package nodes

import (
	"overlapsim/nodes/cores"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/nodes/why"
	"overlapsim/sim"
)

// mixed adds a moment that is a mix, if derivatives are asked for. The critical path goes through the moment from.
func (t *causes) mixed(from cause, at sim.Time, part results.Part, on where, x why.Mix) cause {
	if !t.mixes {
		return t.add(from, at, part, x.Amount, on)
	}
	return t.Mixed(from, at, on.what(part, 0), x)
}

// slowed is the computation of a rank that others slow down.
type slowed struct {
	why.Pace
	alone   cause // the moment at which it would end alone
	effects []cores.Effect
}

// paces begins to follow the speed of a rank's computation, if others may slow it down.
func (t *causes) paces(c *cluster, r int32, now sim.Time) {
	if !t.shared {
		return
	}
	k := &t.slowed[r]
	*k = slowed{why.Pace{Speed: 1, Changes: k.Changes[:0]}, t.end[r], k.effects[:0]}
	t.repaces(c, r, now)
}

// repaces says that a rank's computation continues at the speed that its context allows.
func (t *causes) repaces(c *cluster, r int32, now sim.Time) {
	if t == nil {
		return
	}
	t.becomes(r, c.sharers.contexts.Speed(c.sharers.context[r]), now)
}

// becomes says that a rank's computation continues at another speed.
func (t *causes) becomes(r int32, speed float64, now sim.Time) {
	if k := &t.slowed[r]; speed != k.Speed && t.mixes {
		k.Becomes(speed, t.Is(t.now, now))
	}
}

// shows says that the context of a rank changes to what the rank does now. The cause is what
// happens now, or that the rank has continued, that its post got a slot, or that it has jobs.
func (t *causes) shows(r int32, now sim.Time) {
	if t == nil {
		return
	}
	for _, by := range [...]cause{t.now, t.at[r], t.slot[r], t.busy[r]} {
		if by.At == now {
			t.now = by
			return
		}
	}
}

// suspends says that the CPU of a rank turns from a computation to jobs.
func (t *causes) suspends(c *cluster, r int32, now sim.Time) {
	if t == nil {
		return
	}
	t.affect(c, r, now)
	t.becomes(r, 0, now)
}

// affect notes what has slowed down the computation of a rank.
func (t *causes) affect(c *cluster, r int32, now sim.Time) {
	if !t.mixes {
		return
	}
	k := &t.slowed[r]
	k.effects = append(k.effects, c.sharers.contexts.Effects(c.sharers.context[r], now)...)
}

// moves returns why the NIC begins and stops moving the bytes of a transfer, in the memories at
// both ends. The transfer has just begun.
func (t *causes) moves(c *cluster, between rankPair, start, sent, arrived sim.Time) [4]cause {
	if t == nil {
		return [4]cause{}
	}
	n := c.place.nic[between.from]
	nic := &t.nics[n]
	began, ended, on := t.Is(nic.began, start), nic.sent, where{results.Wire, n, nic.carries}
	came := t.travels(c, began, arrived-(sent-start), between, 1, on)
	return [4]cause{began, ended, came, t.travels(c, ended, arrived, between, 1, on)}
}

// streams says that a stream begins or ends now, which is the moment at.
func (t *causes) streams(at *cause, now sim.Time) {
	if t == nil {
		return
	}
	t.now, *at = t.Is(*at, now), cause{}
}

// differentiates makes contexts report derivatives of how they slow each other down.
func (t *causes) differentiates(contexts *cores.Contexts, n int) {
	if t == nil {
		return
	}
	if t.mixes {
		contexts.Differentiate()
	}
	t.balance = make([]cause, n)
}

// notesSiblings remembers what slows down library work that begins now on a context.
func (t *causes) notesSiblings(c *cluster, context int) {
	if t == nil || !t.mixes {
		return
	}
	t.beside = c.sharers.contexts.Beside(t.beside[:0], context, cores.Stack)
}

// reaches returns why the bytes of a transfer that starts now begin to arrive at the other side.
func (t *causes) reaches(c *cluster, between rankPair, now, at sim.Time) cause {
	if t == nil {
		return cause{}
	}
	return t.travels(c, t.Is(t.now, now), at, between, 1, where{results.Wire, c.place.nic[between.from], -1})
}

// computed says when the computation of a rank has ended.
func (t *causes) computed(c *cluster, r int32, now sim.Time) {
	if t == nil || !t.shared {
		return
	}
	t.affect(c, r, now)
	k := &t.slowed[r]
	if len(k.Changes)+len(k.effects) == 0 && (t.mixes || t.end[r].At == now) {
		return
	}
	x := why.Mix{Influences: k.Influences([]why.Influence{{From: k.alone, Weight: 1 / k.Speed}}), Amount: 1}
	for _, e := range k.effects {
		x.Effects = append(x.Effects, ofShared(e, -1/k.Speed))
	}
	t.end[r] = t.mixed(t.end[r], now, parts.Interference, where{results.CPU, r, -1}, x)
	k.alone, k.Changes = cause{}, k.Changes[:0]
}

// slows adds what siblings add to CPU work. The work began at one moment, and its items end at
// another.
func (t *causes) slows(begin, from cause, cost sim.Time, on where) cause {
	alone := float64(from.At - begin.At)
	factor := cost.Seconds() / sim.Time(alone).Seconds()
	x := why.Mix{Influences: []why.Influence{{From: from, Weight: factor}, {From: begin, Weight: 1 - factor}}, Amount: 1}
	for _, e := range t.beside {
		x.Effects = append(x.Effects, ofShared(e, alone))
	}
	return t.mixed(from, begin.At+cost, parts.Interference, on, x)
}

// ofShared returns an effect of what contexts share, multiplied by times.
func ofShared(e cores.Effect, times float64) why.Effect {
	value := e.Value * times
	if a, b, ok := e.By.Profiles(); ok {
		return why.Effect{Parameter: parts.SlowDown(a, b), Time: value}
	}
	if tag, ok := e.By.Tag(); ok {
		return why.Effect{Parameter: parts.Demand(int(tag)), Time: -value}
	}
	if e.By == cores.Stream { // the faster the NIC, the more it moves
		return why.Effect{Parameter: gapPerByte, Time: -value}
	}
	return why.Effect{Parameter: parts.Bandwidth, Time: -value}
}
