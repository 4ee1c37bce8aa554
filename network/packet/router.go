package packet

import (
	"math/bits"

	"overlapsim/sim"
)

// push appends a packet to a FIFO.
func (f *Fabric) push(fi int, n int32) {
	q := &f.fifos[fi]
	f.packets[n].next = -1
	q.count++
	if q.head >= 0 {
		f.packets[q.tail].next = n
		q.tail = n
		return
	}
	q.head, q.tail = n, n
	if q.out == idle {
		f.consider(fi)
	}
}

// consider lets the new head of a FIFO request a link once it has arrived, if the FIFO is not
// sending.
func (f *Fabric) consider(fi int) {
	if ready := f.packets[f.fifos[fi].head].ready; ready > f.kernel.Now() {
		f.kernel.Schedule(ready, f.me, arrive, uint64(fi))
	} else {
		f.request(fi)
	}
}

// request makes the head of a FIFO wait for the links that it may take. It takes one of them if
// it can.
func (f *Fabric) request(fi int) {
	q := &f.fifos[fi]
	p := &f.packets[q.head]
	if p.steps == 0 {
		q.out = eject
		f.kernel.Schedule(f.kernel.Now()+f.length(p), f.me, release, uint64(fi))
		return
	}
	port := f.port(p.way)
	best := int(q.router)*f.ports + port
	f.wires[best].escape |= 1 << q.source
	q.wants = 1 << port
	if p.adaptive {
		if turns := f.turns(q, p); turns != 0 {
			q.wants = turns
			best = f.emptiest(q, best)
		}
	}
	f.arbitrate(best)
}

// turns returns the ports among which an adaptive head may choose; none at the switch of its node.
func (f *Fabric) turns(q *fifo, p *packet) uint64 {
	if f.switched {
		return f.choices(q.router, f.messages[p.message].To)
	}
	return p.ports()
}

// emptiest makes an adaptive head wait for all links that it may take. It returns the idle link
// with the most room in an adaptive channel; if there is none, the link of the static route. Among
// equals it is the first one from the port of the static route on.
func (f *Fabric) emptiest(q *fifo, static int) (best int) {
	best, most := static, int8(0)
	for w := q.wants; w != 0; w &= w - 1 {
		li := int(q.router)*f.ports + bits.TrailingZeros64(w)
		l := &f.wires[li]
		l.adaptive |= 1 << q.source
		_, room := f.roomiest(li)
		if !l.busy && (room > most || room == most && best < static && static <= li) {
			best, most = li, room
		}
	}
	return best
}

// roomiest returns the adaptive channel of a link with the most room; channel 0 if none has any.
func (f *Fabric) roomiest(li int) (channel int, room int8) {
	first := li * f.channels
	for c, r := range f.room[first : first+f.channels] {
		if c > 0 && r > room {
			channel, room = c, r
		}
	}
	return channel, room
}

// arbitrate lets an idle link take a packet, if one can go.
func (f *Fabric) arbitrate(li int) {
	l := &f.wires[li]
	if l.busy || l.escape|l.adaptive == 0 {
		return
	}
	channel := 0
	if l.adaptive != 0 {
		channel, _ = f.roomiest(li)
	}
	var adaptive uint64
	if channel > 0 {
		adaptive = l.adaptive
	}
	able := adaptive | f.escapers(li)
	if under := able & f.under; under != 0 && f.params.NetworkFirst {
		able = under
	}
	if able == 0 {
		return
	}
	source := bits.TrailingZeros64(able)
	if able&(able-1) != 0 {
		source = f.choose(l, able)
	}
	if adaptive>>source&1 == 0 {
		channel = 0
	}
	f.grant(li, source, channel)
}

// escapers returns the sources whose head may take the escape channel of a
// link now.
func (f *Fabric) escapers(li int) uint64 {
	l := &f.wires[li]
	room := int(f.room[li*f.channels])
	switch {
	case room > f.params.Bubble || room > 0 && !l.ring:
		return l.escape
	case room > 0:
		return l.escape & (1 << (int(l.port) * f.channels)) // a packet that is already on this ring
	}
	return 0
}

// choose picks one of several sources of a link.
func (f *Fabric) choose(l *wire, able uint64) int {
	rule := f.params.Arbitration
	if able&^l.adaptive == 0 && f.allData(int(l.base), able) {
		rule = f.params.AdaptiveArbitration
	}
	later := able &^ (2<<l.last - 1)
	switch rule {
	case LongestOrAny:
		if f.dice.Intn(2) == 0 {
			return f.any(able)
		}
		return f.longest(int(l.base), later, able&^later)
	case OldestFirst:
		return f.oldest(int(l.base), able)
	case LongestQueue:
		return f.longest(int(l.base), later, able&^later)
	}
	if later != 0 {
		able = later
	}
	return bits.TrailingZeros64(able)
}

// allData tells whether the heads of all these sources carry data.
func (f *Fabric) allData(base int, sources uint64) bool {
	for ; sources != 0; sources &= sources - 1 {
		if f.packets[f.fifos[base+bits.TrailingZeros64(sources)].head].control {
			return false
		}
	}
	return true
}

// any returns one of several sources at random.
func (f *Fabric) any(able uint64) int {
	for range f.dice.Intn(bits.OnesCount64(able)) {
		able &= able - 1
	}
	return bits.TrailingZeros64(able)
}

// oldest returns the source whose head was created first.
func (f *Fabric) oldest(base int, able uint64) (best int) {
	first := sim.Forever
	for ; able != 0; able &= able - 1 {
		s := bits.TrailingZeros64(able)
		if born := f.packets[f.fifos[base+s].head].born; born < first {
			best, first = s, born
		}
	}
	return best
}

// longest returns the source with the longest FIFO in two sets. Among equals it is the first one
// of the first set.
func (f *Fabric) longest(base int, sets ...uint64) (best int) {
	most := uint8(0)
	for _, able := range sets {
		for ; able != 0; able &= able - 1 {
			s := bits.TrailingZeros64(able)
			if n := f.fifos[base+s].count; n > most {
				best, most = s, n
			}
		}
	}
	return best
}

// grant sends the head of a source over a link on a virtual channel.
func (f *Fabric) grant(li, source, channel int) {
	l := &f.wires[li]
	fi := int(l.base) + source
	q := &f.fifos[fi]
	for w := q.wants; w != 0; w &= w - 1 {
		other := &f.wires[int(q.router)*f.ports+bits.TrailingZeros64(w)]
		other.escape &^= 1 << source
		other.adaptive &^= 1 << source
	}
	l.busy, l.last = true, uint8(source)
	q.wants, q.out = 0, int8(l.port)
	n := q.head
	p := &f.packets[n]
	now := f.kernel.Now()
	f.kernel.Schedule(now+f.length(p), f.me, release, uint64(fi))
	if l.into < 0 {
		f.note(li, p, 0)
		return
	}
	f.room[li*f.channels+channel]--
	f.note(li, p, f.params.Slots-int(f.room[li*f.channels+channel]))
	q.head = p.next
	p.ready = now + f.params.HopLatency
	if f.switched {
		p.way = f.onward(p.way, li, f.messages[p.message].To)
	} else {
		p.steps -= 1 << (8 * (l.port / 2))
	}
	f.push(int(l.into)+channel, n)
}

// release ends the departure of a packet, so that its slot, its FIFO and its link are free. The
// sink is called last, when the state is consistent.
func (f *Fabric) release(fi int) {
	q := &f.fifos[fi]
	out, ejected, sent := q.out, int32(-1), int32(-1)
	q.out = idle
	q.count--
	li := int(q.router)*f.ports + int(out)
	if out == eject || f.free(li) {
		ejected = q.head
		q.head = f.packets[ejected].next
	}
	others := q.head >= 0
	if q.link >= 0 {
		f.room[q.slot]++
	} else {
		sent = f.advance(int(q.slot))
	}
	if others {
		f.consider(fi)
	}
	if out != eject {
		f.arbitrate(li)
	}
	if q.link >= 0 {
		f.arbitrate(int(q.link))
	}
	f.report(sent, ejected)
}

// free ends the use of a link. It tells whether the link is the cable to a node.
func (f *Fabric) free(li int) (cable bool) {
	l := &f.wires[li]
	l.busy = false
	return l.into < 0
}

// length returns how long a packet occupies a link.
func (f *Fabric) length(p *packet) sim.Time {
	if p.control {
		return f.control
	}
	return f.data
}
