package goal

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim"
)

// slowCompat follows LogGOPSim's rules C to H of the format's description to the letter:
// one queue is searched for its minimum, an element that finds its resources busy is put
// back, and message queues are slices.
type slowCompat struct {
	s         *Schedule
	p         CompatParams
	byFile    bool // release in the order of the file, not of types
	queue     []slowEvent
	seq       int
	O, S, R   [][]uint64
	uq, rq    [][]slowEnvelope
	waits     []uint32
	readyList map[int][]int
	late      bool // a time is too late, or before 0
}

type slowEvent struct {
	at      uint64
	seq     int
	message bool
	op      int // of a message: the send
	host    int
}

type slowEnvelope struct {
	src, tag uint32
	op       int
}

func runSlowCompat(s *Schedule, p CompatParams, byFile bool) (r *CompatResult, late bool) {
	c := &slowCompat{s: s, p: p, byFile: byFile, waits: s.openCounts(), readyList: map[int][]int{}}
	for range s.Ranks() {
		c.O = append(c.O, make([]uint64, s.CPUs()))
		c.S = append(c.S, make([]uint64, s.NICs()))
		c.R = append(c.R, make([]uint64, s.NICs()))
	}
	c.uq, c.rq = make([][]slowEnvelope, s.Ranks()), make([][]slowEnvelope, s.Ranks())
	for h := range s.Ranks() {
		var list []int
		ops, first := s.Rank(h)
		for i := range ops {
			if c.waits[first+i] == 0 {
				list = append(list, first+i)
			}
		}
		for _, op := range c.ordered(list) {
			c.create(slowEvent{op: op, host: h})
		}
	}
	messages := uint64(0)
	for len(c.queue) > 0 {
		i := 0
		for j, e := range c.queue {
			if e.at < c.queue[i].at || e.at == c.queue[i].at && e.seq < c.queue[i].seq {
				i = j
			}
		}
		e := c.queue[i]
		c.queue = slices.Delete(c.queue, i, i+1)
		messages += c.event(e)
		c.enqueueReady()
		if c.late = compatTime(e.at) != nil; c.late {
			break
		}
	}
	r = &CompatResult{Events: uint64(c.seq), Messages: messages}
	for h := range s.Ranks() {
		r.Finish = append(r.Finish, slices.Max(c.O[h]))
		for _, e := range c.rq[h] {
			r.Posted = append(r.Posted, Left{h, e.src, e.tag, s.place(uint32(e.op))})
		}
		for _, e := range c.uq[h] {
			r.Unexpected = append(r.Unexpected, Left{h, e.src, e.tag, s.place(uint32(e.op))})
		}
		for _, clock := range slices.Concat(c.O[h], c.S[h], c.R[h]) {
			c.late = c.late || compatTime(clock) != nil
		}
	}
	return r, c.late
}

func (c *slowCompat) create(e slowEvent) {
	e.seq = c.seq
	c.seq++
	c.queue = append(c.queue, e)
}

func (c *slowCompat) ordered(list []int) []int {
	slices.SortStableFunc(list, func(a, b int) int {
		if c.byFile {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(c.s.ops[a].Kind, c.s.ops[b].Kind)
	})
	return list
}

func (c *slowCompat) enqueueReady() {
	for h := range c.s.Ranks() {
		for _, op := range c.ordered(c.readyList[h]) {
			o := c.s.ops[op]
			at := c.O[h][o.CPU]
			if o.Kind == Send {
				at = max(at, c.S[h][o.NIC])
			}
			c.create(slowEvent{at: at, op: op, host: h})
		}
		delete(c.readyList, h)
	}
}

func (c *slowCompat) tell(host, op int, start bool) {
	for _, d := range c.s.after(uint32(op)) {
		if d&onStart != 0 == start {
			x := d &^ onStart
			if c.waits[x]--; c.waits[x] == 0 {
				c.readyList[host] = append(c.readyList[host], int(x))
			}
		}
	}
}

func (c *slowCompat) putBack(e slowEvent, at uint64) uint64 {
	e.at = at
	c.queue = append(c.queue, e)
	return 0
}

// event returns the number of messages it creates.
func (c *slowCompat) event(e slowEvent) uint64 {
	o := c.s.ops[e.op]
	h, t := e.host, e.at
	k := o.Size - 1
	switch {
	case e.message:
		dst := int(o.Peer)
		if a := max(c.O[dst][o.CPU], c.R[dst][o.NIC]); a > t {
			return c.putBack(e, a)
		}
		c.O[dst][o.CPU] = t + c.p.Overhead + max(k*c.p.OverheadPerByte, k*c.p.GapPerByte)
		c.R[dst][o.NIC] = t + c.p.Gap + k*c.p.GapPerByte
		if r, ok := takeSlow(&c.rq[dst], uint32(h), o.Tag); ok {
			if o.Size > c.p.Rendezvous {
				c.sent(h, e.op, o, t)
			}
			c.tell(dst, r.op, false)
		} else {
			c.uq[dst] = append(c.uq[dst], slowEnvelope{uint32(h), o.Tag, e.op})
		}
	case o.Kind == Calc:
		if c.O[h][o.CPU] > t {
			return c.putBack(e, c.O[h][o.CPU])
		}
		c.O[h][o.CPU] = t + o.Size
		c.tell(h, e.op, true)
		c.tell(h, e.op, false)
	case o.Kind == Send:
		if a := max(c.O[h][o.CPU], c.S[h][o.NIC]); a > t {
			return c.putBack(e, a)
		}
		c.tell(h, e.op, true)
		c.O[h][o.CPU] = t + c.p.Overhead + k*c.p.OverheadPerByte
		c.S[h][o.NIC] = t + c.p.Gap + k*c.p.GapPerByte
		c.create(slowEvent{at: t + c.p.Overhead + c.p.Latency, message: true, op: e.op, host: h})
		if o.Size <= c.p.Rendezvous {
			c.tell(h, e.op, false)
		}
		return 1
	default:
		c.tell(h, e.op, true)
		m, ok := takeSlow(&c.uq[h], o.Peer, o.Tag)
		if !ok {
			c.rq[h] = append(c.rq[h], slowEnvelope{o.Peer, o.Tag, e.op})
			return 0
		}
		if o.Size > c.p.Rendezvous {
			c.sent(int(m.src), m.op, o, t)
		}
		c.tell(h, e.op, false)
	}
	return 0
}

func (c *slowCompat) sent(sender, op int, by Op, t uint64) {
	c.tell(sender, op, false)
	c.O[sender][by.CPU] = max(c.O[sender][by.CPU], t)
	c.S[sender][by.NIC] = max(c.S[sender][by.NIC], t)
}

func takeSlow(q *[]slowEnvelope, src, tag uint32) (slowEnvelope, bool) {
	for i, e := range *q {
		if (e.src == src || e.src == AnySource || src == AnySource) && (e.tag == tag || e.tag == AnyTag || tag == AnyTag) {
			*q = slices.Delete(*q, i, i+1)
			return e, true
		}
	}
	return slowEnvelope{}, false
}

func sameCompat(s *Schedule, p CompatParams) error {
	got, err := RunCompat(s, p)
	if got == nil && runnable(s, p.Params()) != nil {
		return nil
	}
	want, late := runSlowCompat(s, p, false)
	if late || got == nil {
		return differ("a time is refused", got == nil, late)
	}
	var unfinished *Unfinished
	left := len(got.Posted)+len(got.Unexpected) > 0
	if errors.As(err, &unfinished) != (err != nil) || left && err == nil || err != nil && err.Error() == "" {
		return fmt.Errorf("error %v, queues %v, %v", err, got.Posted, got.Unexpected)
	}
	for rank, l := range s.CompatLedgers(p, got) {
		if err == nil && s.CPUs() == 1 && l.Wait.Seconds() < 0 {
			return fmt.Errorf("rank %d: ledger %+v", rank, l)
		}
	}
	return errors.Join(
		differ("finish", got.Finish, want.Finish),
		differ("events", got.Events, want.Events),
		differ("messages", got.Messages, want.Messages),
		differ("posted", got.Posted, want.Posted),
		differ("unexpected", got.Unexpected, want.Unexpected),
	)
}

func TestCompatLikePutBack(t *testing.T) {
	t.Run("loose", func(t *testing.T) {
		compare(t, 4000, func(r *rand.Rand) draft {
			s := randomShape(r)
			s.wild = r.IntN(2) == 0
			return s.loose(r)
		}, sameCompat)
	})
	t.Run("paired", func(t *testing.T) {
		compare(t, 4000, func(r *rand.Rand) draft {
			s := randomShape(r)
			s.wild = r.IntN(3) == 0
			return s.paired(r)
		}, sameCompat)
	})
	// Clocks that run backwards, also before 0, and beyond the last time: messages of 0 bytes and long calcs.
	t.Run("ends", func(t *testing.T) {
		compare(t, 2000, func(r *rand.Rand) draft {
			s := randomShape(r)
			s.wild = r.IntN(2) == 0
			s.sizes = append(s.sizes, 0, 0, 0)
			s.calcs = append(s.calcs, uint64(maxDuration/sim.Nanosecond))
			return s.paired(r)
		}, sameCompat)
	})
}

// By LogGOPSim's rules too, a schedule that cannot finish says who waits for whom, and sizes and times
// at the ends of their types are refused.
func TestCompatRefuses(t *testing.T) {
	const two = "num_ranks 2\nrank 0 {\na: %s\nb: %s\nb requires a\n}\nrank 1 {\na: %s\nb: %s\nb requires a\n}\n"
	const cycle = "the schedule cannot finish, 4 operations left: rank 0 waits for tag 0 from rank 1 (line 3), which rank 1 sends at line 9, " +
		"but first waits for tag 0 from rank 0 (line 8), which rank 0 sends at line 4, but first waits for tag 0 from rank 1 (line 3): a cycle; "
	for _, c := range []struct{ a, b, want string }{
		{"recv 8b from %d", "send 8b to %d", cycle},
		{"send 100000b to %d", "recv 100000b from %d",
			"the schedule cannot finish, 4 operations left: rank 0 waits for a receive of tag 0, 100000 bytes, by rank 1"},
		{"send 8b to %d", "calc 5", "2 messages without a receive: rank 1 sends tag 0 to rank 0 (line 8)"},
		{"send 9223372036854775807b to %d", "recv 9223372036854775807b from %d",
			"rank 0, line 3: 9223372036854775807 bytes take longer than 1000000s"},
		{"send 18446744073709551615b to %d", "recv 8b from %d",
			"rank 0, line 3: 18446744073709551615 bytes take longer than 1000000s"},
		{"calc 9223372036854775807", "calc 5", "rank 0, line 3: a calc of 9223372036854775807 ns is longer than 1000000s"},
	} {
		at := func(form string, peer int) string { return strings.ReplaceAll(form, "%d", fmt.Sprint(peer)) }
		s := mustRead(t, fmt.Sprintf(two, at(c.a, 1), at(c.b, 1), at(c.a, 0), at(c.b, 0)))
		if _, err := RunCompat(s, peer); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s, %s: %v, want %s", c.a, c.b, err, c.want)
		}
	}
	long := "num_ranks 1\nrank 0 {\n" + strings.Repeat("calc 900000000000000\n", 20_000) + "}\n"
	if _, err := RunCompat(mustRead(t, long), peer); err == nil || err.Error() != "the run lasts longer than 4000000s" {
		t.Errorf("calcs of 2^64 ns and more: %v", err)
	}
	for _, p := range []CompatParams{{Latency: 1 << 63}, {Overhead: 1<<64 - 1}, {Gap: 1 << 62}} {
		if _, err := RunCompat(mustRead(t, "num_ranks 1\nrank 0 {\ncalc 1\n}\n"), p); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}
