package traces

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"overlapsim/sim"
)

// Cut says which part of a trace is taken, and whether the noise of the recording is taken away.
type Cut struct {
	Phase  string // the calls of the phase with this name; "loop": the part that repeats itself; "": all
	Median bool   // each computation of the loop takes the median of its repetitions
}

// CutOut is a part of a trace. It is a trace.
//
//   - A message of which one end is outside is omitted, and so is one in partitions of which some become ready outside, or a
//     collective that not all members call inside. The n-th send of a channel belongs to its n-th receive.
//   - A request that was started outside is not waited for. One that was started inside and completed outside is waited for at the
//     end of its rank.
//   - The computation before the first call of a loop is the median of those in its place in the other repetitions, because
//     what was recorded there is also that before the loop.
type CutOut struct {
	cut   Cut
	t     Trace
	head  Header
	phase int // its number; below 0: all calls

	loops   []loop // by rank; nil: none is looked for
	medians []map[place]computation
	paired  pairing

	taken, recorded      sim.Time // the longest of the ranks' times as they were recorded: inside, and of the whole trace
	computed, recomputed sim.Time // of all ranks, inside: as recorded, and as taken
}

// computation is what a rank does before a call.
type computation struct{ before, away sim.Time }

// New cuts a part out of a trace that Look has found to be right.
func (k Cut) New(t Trace) (*CutOut, error) {
	x := &CutOut{cut: k, t: t, head: *t.Header(), phase: -1}
	if k.Phase != "" {
		if x.phase = slices.Index(x.head.Phases, k.Phase); x.phase < 0 && k.Phase != loopName {
			return nil, fmt.Errorf("the trace has no phase %q; it has %s; %s is the part that repeats itself", k.Phase, phaseNames(&x.head), loopName)
		}
		if len(x.head.Missing) > 0 {
			return nil, errors.New("calls are missing from the trace, so it is not known which messages belong together")
		}
	}
	if k.Median || x.phase < 0 && k.Phase == loopName {
		if err := x.findLoops(); err != nil {
			return nil, err
		}
	}
	return x, x.pair()
}

// inPhase tells whether a call is in the phase that is taken.
func (x *CutOut) inPhase(c *Call) bool { return x.phase < 0 || int(c.Phase) == x.phase }

// onlyLoop tells whether no more than the loop is taken.
func (x *CutOut) onlyLoop() bool { return x.phase < 0 && x.cut.Phase == loopName }

// each reads the calls of a rank.
func (x *CutOut) each(rank int, do func(c *Call)) error {
	for c, err := range All(x.t.Calls(rank)) {
		if err != nil {
			return err
		}
		do(c)
	}
	return nil
}

// findLoops finds the loop of each rank, and the median of each of its computations.
func (x *CutOut) findLoops() error {
	x.loops = make([]loop, x.head.Ranks)
	for rank := range x.loops {
		var all marks
		err := x.each(rank, func(c *Call) {
			if x.inPhase(c) {
				all.add(c)
			}
		})
		if err != nil {
			return err
		}
		l, ok := all.loop()
		if !ok {
			return noLoop(rank)
		}
		x.loops[rank] = l
	}
	sameTimes(x.loops)
	x.medians = make([]map[place]computation, x.head.Ranks)
	for rank := range x.loops {
		if err := x.findMedians(rank); err != nil {
			return err
		}
	}
	return nil
}

func (x *CutOut) findMedians(rank int) error {
	before, away := map[place][]sim.Time{}, map[place][]sim.Time{}
	f := finder{loop: x.loops[rank]}
	err := x.each(rank, func(c *Call) {
		if !x.inPhase(c) {
			return
		}
		if at, repetition, ok := f.find(c); ok && (repetition > 0 || at != place{}) {
			before[at], away[at] = append(before[at], c.Before), append(away[at], c.Away)
		}
	})
	x.medians[rank] = map[place]computation{}
	for at := range before {
		x.medians[rank][at] = computation{median(before[at]), median(away[at])}
	}
	return err
}

// median of times; of an even number the mean of the two in the middle.
func median(of []sim.Time) sim.Time {
	slices.Sort(of)
	low, high := of[(len(of)-1)/2], of[len(of)/2]
	return low + (high-low)/2
}

// inside follows the calls of a rank. It tells whether a call is taken, and gives it the computation that is taken.
type inside struct {
	x    *CutOut
	rank int
	loop finder
}

func (x *CutOut) inside(rank int) inside {
	s := inside{x: x, rank: rank}
	if x.loops != nil {
		s.loop.loop = x.loops[rank]
	}
	return s
}

// take tells whether a call is taken, and what is computed before it.
func (s *inside) take(c *Call) (is bool, does computation) {
	does = computation{c.Before, c.Away}
	if !s.x.inPhase(c) {
		return false, computation{}
	}
	if s.x.loops == nil {
		return true, does
	}
	at, repetition, ok := s.loop.find(c)
	only, first := s.x.onlyLoop(), repetition == 0 && at == place{} // before the first call of the loop the program gets ready
	if ok && (s.x.cut.Median && !first || only && first) {
		does = s.x.medians[s.rank][at]
	}
	return ok || !only, does
}

// pairing says which messages and collectives are wholly inside.
type pairing struct {
	messages    map[channel]spans
	collectives map[int32]spans // by communicator
	left        int64           // messages and collectives with one end, or one member, inside
}

// pair finds which messages and collectives are wholly inside, and how much is taken.
func (x *CutOut) pair() error {
	sent, got := map[channel]spans{}, map[channel]spans{}
	called := make([]map[int32]spans, x.head.Ranks)
	wild := false
	for rank := range x.head.Ranks {
		taken, recorded := sim.Time(0), sim.Time(0)
		called[rank] = map[int32]spans{}
		in, n := x.inside(rank), newCounts()
		readies := map[int32]func(){} // by request: omits a message in partitions
		err := x.each(rank, func(c *Call) {
			is, does := in.take(c)
			recorded += c.Before + c.Away + c.Took
			if is {
				taken += c.Before + c.Away + c.Took
				x.computed, x.recomputed = sim.Later(x.computed, c.Before), sim.Later(x.recomputed, does.before)
			}
			if x.cut.Phase == "" {
				return
			}
			if omit := readies[c.Request]; c.Kind == Pready && !is && omit != nil {
				omit()
			}
			if c.Kind == Psend {
				delete(readies, c.Request)
			}
			n.see(int32(rank), c, func(at channel, send bool, number int64) {
				if c.Kind == Psend {
					readies[c.Request] = func() { sent[at] = sent[at].without(number) }
				}
				wild = wild || at.from == AnySource || at.tag == AnyTag
				of := got
				if send {
					of = sent
				}
				if is {
					of[at] = of[at].add(number)
				}
			}, func(comm int32, number int64) {
				if is {
					called[rank][comm] = called[rank][comm].add(number)
				}
			})
		})
		if err != nil {
			return err
		}
		x.taken, x.recorded = max(x.taken, taken), max(x.recorded, recorded)
	}
	if wild {
		return errors.New("has receives whose message is not known, so it is not known which messages are in a part of it")
	}
	x.paired = pairing{messages: map[channel]spans{}, collectives: map[int32]spans{}}
	for at, out := range sent {
		both := out.and(got[at])
		x.paired.messages[at] = both
		x.paired.left += out.size() - both.size()
	}
	for at, in := range got {
		x.paired.left += in.size() - x.paired.messages[at].size()
	}
	for comm := range x.head.Comms {
		x.pairCollectives(int32(comm), called)
	}
	return nil
}

func (x *CutOut) pairCollectives(comm int32, called []map[int32]spans) {
	of := &x.head.Comms[comm]
	all, any := called[of.Rank(0)][comm], int64(0)
	for i := range of.Size(x.head.Ranks) {
		own := called[of.Rank(i)][comm]
		all, any = all.and(own), max(any, own.size())
	}
	x.paired.collectives[comm] = all
	x.paired.left += any - all.size()
}

// counts numbers the messages of each channel and the collectives of each communicator, for one rank.
type counts struct {
	sent, got map[channel]int64
	called    map[int32]int64
}

func newCounts() counts { return counts{map[channel]int64{}, map[channel]int64{}, map[int32]int64{}} }

// see calls message for each end of a message of a call, and collective for a collective, with its number from 0. A probe has the
// number of the receive that follows it.
func (n *counts) see(rank int32, c *Call, message func(at channel, send bool, number int64), collective func(comm int32, number int64)) {
	if at, ok := c.sends(rank); ok {
		message(at, true, n.sent[at])
		n.sent[at]++
	}
	if at, ok := c.receives(rank); ok {
		message(at, false, n.got[at])
		n.got[at]++
	}
	if c.Kind.Collective() != nil || c.Kind == Make {
		collective(c.Comm, n.called[c.Comm])
		n.called[c.Comm]++
	}
}

// Remarks say what was taken.
func (x *CutOut) Remarks() (lines []string) {
	if x.cut.Phase != "" {
		what := "phase " + x.cut.Phase
		if x.onlyLoop() {
			what = "the loop found in the trace, " + x.loopText()
		}
		line := fmt.Sprintf("cut: %s; %s of %s recorded", what, seconds(x.taken), seconds(x.recorded))
		if x.paired.left > 0 {
			line += fmt.Sprintf("; %d messages and collectives across its ends omitted", x.paired.left)
		}
		lines = append(lines, line)
	}
	if x.cut.Median {
		of := fmt.Sprintf("its %d repetitions", x.Repetitions())
		if !x.onlyLoop() {
			of = "its repetitions (" + x.loopText() + ")"
		}
		lines = append(lines, fmt.Sprintf("median: each computation of the loop is the median of %s: %s for %s over all ranks",
			of, seconds(x.recomputed), seconds(x.computed)))
	}
	return lines
}

// loopText says how long the loops are.
func (x *CutOut) loopText() string {
	shorter := func(a, b loop) int { return a.period - b.period }
	least, most := slices.MinFunc(x.loops, shorter).period, slices.MaxFunc(x.loops, shorter).period
	each := fmt.Sprintf("%d messages and collectives", least)
	switch {
	case least < most:
		each = fmt.Sprintf("%d to %d messages and collectives", least, most)
	case least == 1:
		each = "1 message or collective"
	}
	return fmt.Sprintf("%d repetitions of %s", x.loops[0].times, each)
}

func seconds(t sim.Time) string { return fmt.Sprintf("%.4g s", t.Seconds()) }

// Repetitions is the number of repetitions of the loop; 0: none was looked for.
func (x *CutOut) Repetitions() int {
	if x.loops == nil {
		return 0
	}
	return x.loops[0].times
}

// LeftOut is the number of messages and collectives that were omitted because they are not wholly inside.
func (x *CutOut) LeftOut() int64 { return x.paired.left }

// Header implements Trace.
func (x *CutOut) Header() *Header { return &x.head }

// Calls implements Trace.
func (x *CutOut) Calls(rank int) Stream {
	return &cutStream{x: x, rank: int32(rank), in: x.t.Calls(rank), inside: x.inside(rank), counts: newCounts(), open: map[int32]int32{}}
}

// cutStream is the calls of a rank that are taken.
type cutStream struct {
	x      *CutOut
	rank   int32
	in     Stream
	inside inside
	counts counts

	open     map[int32]int32 // by requests of the whole trace: those in the cut
	numbers  Requests
	waits    []int32 // requests that a call outside completed, still to be waited for
	requests []int32
	last     *Call // the end, behind the wait for them
}

// Next implements Stream.
func (s *cutStream) Next(c *Call) error {
	for {
		if s.last != nil {
			*c, s.last = *s.last, nil
			return nil
		}
		err := s.in.Next(c)
		if err == io.EOF && len(s.waits) > 0 {
			s.release(c)
			return nil
		}
		if err != nil {
			return err
		}
		is, does := s.inside.take(c)
		c.Before, c.Away = does.before, does.away
		if s.x.cut.Phase == "" {
			return nil
		}
		if c.Kind == End {
			if !is {
				c.Before, c.Away = 0, 0
			}
			if len(s.waits) > 0 {
				end := *c
				s.last = &end
				s.release(c)
			}
			return nil
		}
		s.ends(c)
		if s.renumber(c, is); is {
			return nil
		}
	}
}

// release fills in a call that leaves the requests that calls outside completed to the end of the rank.
func (s *cutStream) release(c *Call) {
	*c = Call{Kind: Free, Request: NoRequest, Requests: s.waits}
	s.waits = nil
}

// ends leaves out ends of messages and collectives that are not wholly inside.
func (s *cutStream) ends(c *Call) {
	if c.Kind == Probe && c.Peer != Nobody {
		at := channel{c.Comm, c.Peer, s.rank, c.Tag}
		if !s.x.paired.messages[at].has(s.counts.got[at]) {
			c.Peer = Nobody
		}
	}
	if c.Kind == Pready || c.Kind == Parrived {
		if number, ok := s.open[c.Request]; ok {
			c.Request = number
		} else {
			*c = c.without()
		}
		return
	}
	noSend, noReceive, nothing := false, false, false
	s.counts.see(s.rank, c, func(at channel, send bool, number int64) {
		missing := !s.x.paired.messages[at].has(number)
		noSend, noReceive = noSend || missing && send, noReceive || missing && !send
	}, func(comm int32, number int64) { nothing = !s.x.paired.collectives[comm].has(number) })
	switch {
	case c.Kind == Sendrecv && noReceive:
		if c.From = Nobody; noSend {
			c.Peer = Nobody
		}
	case noSend || noReceive:
		c.Peer = Nobody
	case nothing && c.Start:
		*c = Call{Kind: Irecv, Peer: Nobody, Before: c.Before, Away: c.Away, Took: c.Took, Phase: c.Phase, Request: c.Request}
	case nothing:
		*c = c.without()
	}
}

// without is a call that does nothing, with the computation before it.
func (c *Call) without() Call {
	return Call{Kind: Recv, Peer: Nobody, Before: c.Before, Away: c.Away, Took: c.Took, Phase: c.Phase, Request: NoRequest}
}

// renumber gives the requests of a call the numbers that they have inside.
func (s *cutStream) renumber(c *Call, is bool) {
	s.requests = s.requests[:0]
	for _, request := range c.Requests {
		number, ok := s.open[request]
		switch {
		case ok && is:
			s.requests = append(s.requests, number)
			s.numbers.Return(number)
		case ok:
			s.waits = append(s.waits, number)
		}
		delete(s.open, request)
	}
	if c.Kind == Test && len(c.Requests) > 0 && len(s.requests) == 0 {
		c.Tries = max(1, c.Tries) // it found nothing of what is inside
	}
	c.Requests = s.requests
	if !c.starts() || c.Request == NoRequest || !is {
		return
	}
	number := s.numbers.Take()
	s.open[c.Request], c.Request = number, number
}

// spans are whole numbers, as ranges in their order.
type spans []span

type span struct{ from, to int64 } // without to

// add adds a number that is larger than all others.
func (s spans) add(n int64) spans {
	if last := len(s) - 1; last >= 0 && s[last].to == n {
		s[last].to++
		return s
	}
	return append(s, span{n, n + 1})
}

// without removes a number.
func (s spans) without(n int64) (all spans) {
	for _, one := range s {
		if n < one.from || n >= one.to {
			all = append(all, one)
			continue
		}
		if one.from < n {
			all = append(all, span{one.from, n})
		}
		if n+1 < one.to {
			all = append(all, span{n + 1, one.to})
		}
	}
	return all
}

// has tells whether a number is one of them.
func (s spans) has(n int64) bool {
	i, is := slices.BinarySearchFunc(s, n, func(one span, n int64) int { return int(min(1, max(-1, one.from-n))) })
	return is || i > 0 && n < s[i-1].to
}

// and returns the numbers that are in both.
func (s spans) and(other spans) (both spans) {
	for len(s) > 0 && len(other) > 0 {
		if from, to := max(s[0].from, other[0].from), min(s[0].to, other[0].to); from < to {
			both = append(both, span{from, to})
		}
		if s[0].to < other[0].to {
			s = s[1:]
		} else {
			other = other[1:]
		}
	}
	return both
}

func (s spans) size() (n int64) {
	for _, one := range s {
		n += one.to - one.from
	}
	return n
}
