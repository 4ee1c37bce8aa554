package nodes

import (
	"overlapsim/nodes/cores"
	"overlapsim/sim"
)

// Where processes share a core, a memory or a link, a thing ends at a time that many
// moments move: all those at which its speed changed. If it runs at the speed v0
// from T0 on, v1 from T1, ..., and needs a work w, it ends at
//
//	T = (w + v0 T0 + (v1-v0) T1 + ...) / v, with v the last speed,
//
// which is linear in them. The moment of its end is then a mix.

// mix is what moves a moment besides the one before it.
type mix struct {
	influences []influence // their weights add up to 1
	effects    []effect
	amount     int64 // of the part
}

// influence says that a moment moves another one by so much for each ps.
type influence struct {
	from   cause
	weight float64
}

// effect is the time that a parameter makes of a moment, in ps: what it would move
// it by for each per cent, times 100; for rates, with the other sign.
type effect struct {
	of   number
	time float64
}

// mixed adds a moment that is a mix. The one before it is where it is drawn.
func (t *causes) mixed(from cause, at sim.Time, part Part, on where, x mix) cause {
	t.mixes = append(t.mixes, x)
	return t.add(from, at, part, ^int64(len(t.mixes)-1), on)
}

// mix returns that of a moment; nil: it is none.
func (t *causes) mix(m *moment) *mix {
	if m.amount >= 0 {
		return nil
	}
	return &t.mixes[^m.amount]
}

// pace remembers how fast something went.
type pace struct {
	speed   float64
	changes []influence // at those moments it became so much faster
}

// becomes says that the speed changes by what happens at a moment.
func (p *pace) becomes(speed float64, by cause) {
	if speed == p.speed {
		return
	}
	p.changes = append(p.changes, influence{by, speed - p.speed})
	p.speed = speed
}

// influences returns those of an end, and of the moment at which it would end at
// the speed 1; nobody: there is none.
func (p *pace) influences(alone cause) (all []influence) {
	if alone != nobody {
		all = append(all, influence{alone, 1 / p.speed})
	}
	for _, c := range p.changes {
		all = append(all, influence{c.from, c.weight / p.speed})
	}
	return all
}

// slowed is the computation of a rank that others slow down.
type slowed struct {
	pace
	alone   cause // it would end then
	effects []cores.Effect
}

// paces begins to follow how fast the computation of a rank goes, if others may slow
// it down.
func (t *causes) paces(c *cluster, r int32, now sim.Time) {
	if c.sharers == nil {
		return
	}
	k := &t.slowed[r]
	*k = slowed{pace{1, k.changes[:0]}, t.end[r], k.effects[:0]}
	t.repaces(c, r, now)
}

// repaces says that the computation of a rank goes on as fast as its context lets it.
func (t *causes) repaces(c *cluster, r int32, now sim.Time) {
	if t == nil {
		return
	}
	t.becomes(r, c.sharers.contexts.Speed(c.sharers.context[r]), now)
}

// becomes says that the computation of a rank goes on at another speed.
func (t *causes) becomes(r int32, speed float64, now sim.Time) {
	if k := &t.slowed[r]; speed != k.speed {
		k.becomes(speed, t.is(t.now, now))
	}
}

// shows says that the context of a rank turns to what the rank does now, because of
// what happens, or because the rank has gone on, with a post that got its slot, or
// with jobs.
func (t *causes) shows(r int32, now sim.Time) {
	if t == nil {
		return
	}
	for _, by := range [...]cause{t.now, t.at[r], t.slot[r], t.busy[r]} {
		if t.moments[by].at == now {
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

// affect notes by what the computation of a rank has been slowed down.
func (t *causes) affect(c *cluster, r int32, now sim.Time) {
	k := &t.slowed[r]
	k.effects = append(k.effects, c.sharers.contexts.Effects(c.sharers.context[r], now)...)
}

// moves returns why the NIC begins and ends to move the bytes of a transfer, which
// was just begun, in the memories at both its ends.
func (t *causes) moves(c *cluster, from int32, start, sent, arrived sim.Time) [4]cause {
	if t == nil {
		return [4]cause{}
	}
	n := c.place.nic[from]
	ended := t.nics[n].sent
	turn := t.moments[ended].from
	if t.moments[turn].at > start { // what a calibrated fabric adds came first
		turn = t.moments[turn].from
	}
	began := t.is(turn, start)
	on := where{Wire, n, t.moments[ended].message}
	came := t.add(began, arrived-(sent-start), t.way, 1, on)
	return [4]cause{began, ended, came, t.add(ended, arrived, t.way, 1, on)}
}

// streams says that what happens is the begin or end of a stream, which is at a moment.
func (t *causes) streams(at *cause, now sim.Time) {
	if t == nil {
		return
	}
	t.now, *at = t.is(*at, now), 0
}

// differentiates lets contexts tell by what they slow each other down.
func (t *causes) differentiates(contexts *cores.Contexts) {
	if t == nil {
		return
	}
	contexts.Differentiate()
}

// notesSiblings remembers what slows down library work that begins now on a context.
func (t *causes) notesSiblings(c *cluster, context int) {
	if t == nil {
		return
	}
	t.beside = c.sharers.contexts.Beside(t.beside[:0], context, cores.Stack)
}

// reaches returns why the bytes of a transfer that starts now begin to come to the
// other side.
func (t *causes) reaches(c *cluster, from int32, now, at sim.Time) cause {
	if t == nil {
		return 0
	}
	return t.add(t.is(t.now, now), at, t.way, 1, where{Wire, c.place.nic[from], -1})
}

// computed says when the computation of a rank has ended.
func (t *causes) computed(c *cluster, r int32, now sim.Time) {
	if t == nil {
		return
	}
	if c.sharers == nil {
		return
	}
	t.affect(c, r, now)
	k := &t.slowed[r]
	if len(k.changes)+len(k.effects) == 0 {
		return
	}
	x := mix{influences: k.influences(k.alone), amount: 1}
	for _, e := range k.effects {
		x.effects = append(x.effects, ofShared(e, -1/k.speed))
	}
	t.end[r] = t.mixed(t.end[r], now, PartInterference, where{CPU, r, -1}, x)
	k.alone, k.changes = 0, k.changes[:0]
}

// slows adds what siblings add to CPU work that began at a moment, and has its
// charges behind it.
func (t *causes) slows(begin, from cause, cost sim.Time, on where) cause {
	alone := float64(t.moments[from].at - t.moments[begin].at)
	factor := cost.Seconds() / sim.Time(alone).Seconds()
	x := mix{influences: []influence{{from, factor}, {begin, 1 - factor}}, amount: 1}
	for _, e := range t.beside {
		x.effects = append(x.effects, ofShared(e, alone))
	}
	return t.mixed(from, t.moments[begin].at+cost, PartInterference, on, x)
}

// ofShared returns an effect of what contexts share, so many times.
func ofShared(e cores.Effect, times float64) effect {
	value := e.Value * times
	if a, b, ok := e.By.Profiles(); ok {
		return effect{number{paramSlowDown(a, b), 0}, value}
	}
	if tag, ok := e.By.Tag(); ok {
		return effect{number{paramDemands + int(tag), 0}, -value}
	}
	if e.By == cores.Stream { // the faster the NIC, the more it moves
		return effect{number{paramTransferPerByte, 0}, -value}
	}
	return effect{number{paramBandwidth, 0}, -value}
}
