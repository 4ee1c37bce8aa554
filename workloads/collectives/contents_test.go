package collectives

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"overlapsim/nodes/machines"
)

// content is the content of a byte of a member's memory: the sum of byte at of some members'
// data. In the data of an all-to-all, a byte is numbered in the data that its member sends.
type content struct {
	who [2]uint64 // a bit for each member
	at  int64
}

func of(member int, at int64) (c content) {
	c.who[member/64] = 1 << (member % 64)
	c.at = at
	return c
}

func (c content) empty() bool { return c.who == [2]uint64{} }

// plus adds two contents: of the same byte, and no member twice.
func (c content) plus(d content) (content, bool) {
	both := c.who[0]&d.who[0] | c.who[1]&d.who[1]
	return content{[2]uint64{c.who[0] | d.who[0], c.who[1] | d.who[1]}, c.at}, both == 0 && c.at == d.at && !c.empty() && !d.empty()
}

// action is something that a member does.
type action struct {
	step    step
	spans   []Span
	wait    bool
	end     bool // of a round
	request int
}

// recorder is a Caller that writes down the actions of a round, with the spans of its steps.
type recorder struct {
	t       *testing.T
	round   Round
	next    int
	actions []action
}

func (c *recorder) Isend(to int, bytes int64, _, request int) { c.posts(sends, to, bytes, request) }
func (c *recorder) Irecv(from int, bytes int64, _, request int) {
	c.posts(receives, from, bytes, request)
}
func (c *recorder) Combine(next, first, ranks int, bytes int64, _, request int) {
	if s := c.take(combines, request); s.peer != next || s.first != first || s.members != ranks || s.bytes != bytes {
		c.t.Fatalf("combined %d bytes of %d for the step %+v", bytes, ranks, s)
	}
}
func (c *recorder) Wait(request int) {
	c.actions = append(c.actions, action{wait: true, request: request})
}

// Compute is a copy if it takes 1 ps.
func (c *recorder) Compute(t machines.Task, _ int) {
	if t.Time == 1 {
		c.take(copies, 0)
	}
}

func (c *recorder) posts(what doing, peer int, bytes int64, request int) {
	s := c.take(what, request)
	if s.peer != peer || s.bytes != bytes {
		c.t.Fatalf("posted %d bytes to %d for the step %+v", bytes, peer, s)
	}
}

// take writes down the next step of the round; copies of nothing are not done.
func (c *recorder) take(what doing, request int) step {
	for c.round.steps[c.next].doing == copies && c.round.steps[c.next].bytes == 0 {
		c.next++
	}
	s := c.round.steps[c.next]
	if s.doing != what {
		c.t.Fatalf("the step %+v was done as %d", s, what)
	}
	c.actions = append(c.actions, action{step: s, spans: slices.Clone(c.round.spans[s.spans[0]:s.spans[1]]), request: request})
	c.next++
	return s
}

// actionsOf writes down all that a member does.
func actionsOf(t *testing.T, a *Algorithm, g Group) []action {
	c := recorder{t: t}
	g.Copy = func(int64) machines.Task { return machines.Task{Time: 1} }
	g.Combine = func(int64) machines.Task { return machines.Task{Time: 2} }
	for round := range a.Rounds(&g) {
		c.round.reset()
		c.round.describe = true
		c.next = 0
		a.Round(&g, round, &c.round)
		c.sizes()
		c.round.post(&g, &c)
		c.round.finish(&g, &c)
		c.actions = append(c.actions, action{end: true})
	}
	return c.actions
}

// sizes checks that each message has the bytes of its spans.
func (c *recorder) sizes() {
	for _, s := range c.round.steps {
		sum := int64(0)
		for _, one := range c.round.spans[s.spans[0]:s.spans[1]] {
			sum += one.Bytes
		}
		if s.doing == copies {
			sum /= 2
		}
		if sum != s.bytes && !s.bare {
			c.t.Fatalf("a step of %d bytes has spans of %d: %+v", s.bytes, sum, s)
		}
	}
}

// message is a message in flight.
type message struct {
	data    []content
	bare    bool
	carries [2]uint64 // members of which its sender has heard
	matched bool      // its receive is posted
}

// member is a member that does its actions.
type member struct {
	actions  []action
	next     int
	memory   []content
	heard    [2]uint64
	open     map[int]*posted
	late     []func() // what is combined at the end of the round
	sent     int64
	messages int
	calls    int // of the switches
}

// byte is a byte of the member's memory, which grows as it is used.
func (m *member) byte(at int64) *content {
	for int64(len(m.memory)) <= at {
		m.memory = append(m.memory, content{})
	}
	return &m.memory[at]
}

type posted struct {
	action
	message *message
	from    *way
	number  int // of the receive among those from its sender
}

// way are the messages from one member to another.
type way struct {
	messages []*message
	receives int
}

// play is a collective without time. Sends wait for their receives, as in a rendezvous.
type play struct {
	t       *testing.T
	what    string
	members []*member
	ways    map[[2]int]*way
	groups  map[[2]int]*together // by first member and number of the call
}

// together are data that the switches combine.
type together struct {
	came  int
	heard [2]uint64
	data  []content
}

func (p *play) fail(who int, format string, args ...any) {
	p.t.Helper()
	p.t.Fatalf("%s: member %d: %s", p.what, who, fmt.Sprintf(format, args...))
}

func (p *play) way(from, to int) *way {
	w := p.ways[[2]int{from, to}]
	if w == nil {
		w = new(way)
		p.ways[[2]int{from, to}] = w
	}
	return w
}

// run does the actions of all members, as far as they go.
func (p *play) run() {
	for moved := true; moved; {
		moved = false
		for who, m := range p.members {
			for m.next < len(m.actions) && p.step(who, &m.actions[m.next]) {
				m.next++
				moved = true
			}
		}
	}
	for who, m := range p.members {
		if m.next < len(m.actions) {
			p.fail(who, "stands at %+v", m.actions[m.next])
		}
		if len(m.open) > 0 {
			p.fail(who, "%d requests are open at the end", len(m.open))
		}
	}
	for ends, w := range p.ways {
		if w.receives != len(w.messages) {
			p.fail(ends[1], "%d receives for %d messages of %d", w.receives, len(w.messages), ends[0])
		}
	}
}

// step does an action, and returns false if it has to wait.
func (p *play) step(who int, a *action) bool {
	m := p.members[who]
	switch {
	case a.end:
		for _, combine := range m.late {
			combine()
		}
		m.late = nil
	case a.wait:
		return p.wait(who, a.request)
	case a.step.doing == copies:
		p.store(who, a.spans[1:], p.load(who, a.spans[:1]))
	default:
		p.post(who, *a)
	}
	return true
}

func (p *play) post(who int, a action) {
	m := p.members[who]
	if m.open[a.request] != nil {
		p.fail(who, "uses request %d again", a.request)
	}
	one := &posted{action: a}
	m.open[a.request] = one
	if a.step.doing == combines {
		p.give(who, one)
		return
	}
	if a.step.peer == who || a.step.peer < 0 || a.step.peer >= len(p.members) {
		p.fail(who, "has a message with member %d", a.step.peer)
	}
	if a.step.doing == sends {
		one.message = &message{data: p.load(who, a.spans), bare: a.step.bare, carries: m.heard}
		w := p.way(who, a.step.peer)
		one.message.matched = w.receives > len(w.messages)
		w.messages = append(w.messages, one.message)
		m.sent += a.step.bytes
		m.messages++
		return
	}
	one.from = p.way(a.step.peer, who)
	one.number = one.from.receives
	one.from.receives++
	if one.number < len(one.from.messages) {
		one.from.messages[one.number].matched = true
	}
}

// give gives data to the switches: what the member has, or nothing.
func (p *play) give(who int, one *posted) {
	m := p.members[who]
	one.number = m.calls
	m.calls++
	m.sent += one.step.bytes
	m.messages++
	at := [2]int{one.step.first, one.number}
	if p.groups[at] == nil {
		p.groups[at] = new(together)
	}
	all := p.groups[at]
	all.came++
	all.heard[0] |= m.heard[0]
	all.heard[1] |= m.heard[1]
	i := 0
	for _, s := range one.spans {
		for b := s.From; b < s.From+s.Bytes; b, i = b+1, i+1 {
			if i == len(all.data) {
				all.data = append(all.data, content{})
			}
			switch mine := *m.byte(b); {
			case mine.empty():
			case all.data[i].empty():
				all.data[i] = mine
			default:
				both, ok := all.data[i].plus(mine)
				if !ok {
					p.fail(who, "gives %+v, which is combined with %+v", mine, all.data[i])
				}
				all.data[i] = both
			}
		}
	}
}

// wait ends a request, or returns false if it is not over.
func (p *play) wait(who, request int) bool {
	m := p.members[who]
	one := m.open[request]
	if one == nil {
		p.fail(who, "waits for request %d, which is not open", request)
	}
	if one.step.doing == combines {
		all := p.groups[[2]int{one.step.first, one.number}]
		if all.came < one.step.members {
			return false
		}
		delete(m.open, request)
		m.heard = all.heard
		p.store(who, one.spans, all.data)
		return true
	}
	if one.step.doing == sends {
		if one.message.matched {
			delete(m.open, request)
		}
		return one.message.matched
	}
	if one.number >= len(one.from.messages) {
		return false
	}
	delete(m.open, request)
	got := one.from.messages[one.number]
	m.heard[0] |= got.carries[0]
	m.heard[1] |= got.carries[1]
	size := int64(0)
	for _, s := range one.spans {
		size += s.Bytes
	}
	if got.bare != one.step.bare || int64(len(got.data)) != size {
		p.fail(who, "gets %d bytes of member %d for %d", len(got.data), one.step.peer, size)
	}
	switch {
	case !one.step.add:
		p.store(who, one.spans, got.data)
	default:
		m.late = append(m.late, func() { p.combine(who, one.spans, got.data) })
	}
	return true
}

// load reads spans of a member's memory, all of which must hold something.
func (p *play) load(who int, spans []Span) (data []content) {
	for _, s := range spans {
		for at := s.From; at < s.From+s.Bytes; at++ {
			c := *p.members[who].byte(at)
			if c.empty() {
				p.fail(who, "sends or copies byte %d, which holds nothing", at)
			}
			data = append(data, c)
		}
	}
	return data
}

// store writes spans of a member's memory. Data that are being sent must not change.
func (p *play) store(who int, spans []Span, data []content) {
	m := p.members[who]
	for _, s := range spans {
		for _, one := range m.open {
			for _, out := range one.spans {
				if one.step.doing == sends && s.From < out.From+out.Bytes && out.From < s.From+s.Bytes {
					p.fail(who, "stores %+v while it sends %+v", s, out)
				}
			}
		}
		for i := range s.Bytes {
			*m.byte(s.From + i) = data[i]
		}
		data = data[s.Bytes:]
	}
}

func (p *play) combine(who int, spans []Span, data []content) {
	sum := slices.Clone(data)
	for i, has := range p.load(who, spans) {
		both, ok := has.plus(data[i])
		if !ok {
			p.fail(who, "combines %+v with %+v", has, data[i])
		}
		sum[i] = both
	}
	p.store(who, spans, sum)
}

// begin gives each member what it has at the start, and lets all do the algorithm.
func begin(t *testing.T, a *Algorithm, g Group) *play {
	p := &play{t: t, what: describe(a, g), ways: map[[2]int]*way{}, groups: map[[2]int]*together{}}
	for who := range g.Ranks {
		mine := g
		mine.Me = who
		m := &member{actions: actionsOf(t, a, mine), open: map[int]*posted{}}
		m.heard = of(who, 0).who
		for at := range mine.memory(a.Of, false) {
			*m.byte(at.at) = at.content
		}
		p.members = append(p.members, m)
	}
	return p
}

func describe(a *Algorithm, g Group) string {
	return fmt.Sprintf("%s %s of %d, root %d, %d bytes, segment %d, radix %d, window %d, levels %v, grid %v",
		a.Of.Name, a.Name, g.Ranks, g.Root, g.Bytes, g.Segment, g.Radix, g.Window, g.Levels, g.Dims)
}

// place is a byte of the memory and what it holds.
type place struct {
	at      int64
	content content
}

// memory is what the caller has before an operation, or must have after it.
func (g *Group) memory(of *Operation, after bool) iter.Seq[place] {
	return func(yield func(place) bool) { holdings[of](g, after, yield) }
}

// proof runs an algorithm and checks that all members end with what they must have.
func proof(t *testing.T, a *Algorithm, g Group) *play {
	t.Helper()
	p := begin(t, a, g)
	p.run()
	for who, m := range p.members {
		mine := g
		mine.Me = who
		for want := range mine.memory(a.Of, true) {
			if has := *m.byte(want.at); has != want.content {
				p.fail(who, "ends with %+v at %d, want %+v", has, want.at, want.content)
			}
		}
		if a.Of == Barrier && m.heard != everyone(g.Ranks) {
			p.fail(who, "goes on before all have come: %x", m.heard)
		}
	}
	return p
}

func everyone(ranks int) (who [2]uint64) {
	for member := range ranks {
		who[member/64] |= 1 << (member % 64)
	}
	return who
}
