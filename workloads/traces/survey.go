package traces

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"overlapsim/sim"
)

// Survey is what one reading of a trace finds out about it.
type Survey struct {
	t        Trace
	h        *Header
	members  []map[int32]int32 // the member that a rank is, of each communicator; nil: the rank
	requests []int32           // by rank: the largest number of messages that have a request at the same time
	tags     map[context]int32 // numbers of the tags of messages
	calls    int64
	tests    int64               // that stay tests
	polls    int64               // tests in a row that found nothing until one did, which are waits
	recorded sim.Time            // the longest of the ranks' times
	before   float64             // time between calls, of all ranks, in seconds
	away     float64             // part of it in which they did not run
	refused  map[string]int64    // what is not supported, and how often it was called
	unitary  bool                // tags are used as their own numbers
	largest  int32               // of tags
	anyTag   int64               // receives of any tag
	lists    map[collective]int  // collectives that were seen, and an example's call
	parted   map[channel]cutting // messages in partitions, as their senders cut them
	partTags map[context]int32   // their first tags
	parting  []int32             // by rank: starts of such messages, at most, that may be open at the same time
}

// context is a communicator and a tag.
type context struct{ comm, tag int32 }

// collective is a kind of collective of a communicator.
type collective struct {
	kind   CallKind
	comm   int32
	start  bool
	uneven bool
}

// Look reads a trace. The error is its first mistake.
func Look(t Trace) (*Survey, error) {
	h := t.Header()
	if err := h.check(); err != nil {
		return nil, err
	}
	s := &Survey{t: t, h: h, requests: make([]int32, h.Ranks),
		tags: map[context]int32{}, refused: map[string]int64{}, lists: map[collective]int{},
		parted: map[channel]cutting{}, partTags: map[context]int32{}}
	for i := range h.Comms {
		s.members = append(s.members, h.Comms[i].members())
	}
	all := newAgreement()
	for rank := range h.Ranks {
		if err := s.rank(rank, t.Calls(rank), all); err != nil {
			return nil, err
		}
	}
	if len(h.Missing) == 0 {
		if err := s.check(all); err != nil {
			return nil, err
		}
	}
	if err := s.number(); err != nil {
		return nil, err
	}
	return s, s.partition()
}

// Header is the header of the trace.
func (s *Survey) Header() *Header { return s.h }

// Calls is how many calls the trace has.
func (s *Survey) Calls() int64 { return s.calls }

// Tests are how many tests stay tests, and how many rows of tests are waits because the program polled.
func (s *Survey) Tests() (tests, polls int64) { return s.tests, s.polls }

// Recorded is how long the recorded run took: the longest of the ranks' times; 0: not known.
func (s *Survey) Recorded() sim.Time {
	if !s.h.Timed {
		return 0
	}
	return s.recorded
}

// MuchAway is the part of the time between calls from which it is reported that ranks did not run.
const MuchAway = 0.02

// Away is the part of the time between calls in which ranks did not run: they waited for something else, or shared their cores.
func (s *Survey) Away() float64 { return s.away / max(s.before, 1e-12) }

// members returns the member that each rank is; nil: its own number.
func (c *Comm) members() map[int32]int32 {
	if c.Ranks == nil {
		return nil
	}
	members := make(map[int32]int32, len(c.Ranks))
	for member, rank := range c.Ranks {
		members[rank] = int32(member)
	}
	return members
}

// member returns the member that a rank is.
func (s *Survey) member(comm, rank int32) (int, bool) {
	if s.members[comm] == nil {
		return int(rank), rank >= 0
	}
	member, ok := s.members[comm][rank]
	return int(member), ok
}

// rank reads a rank's calls.
func (s *Survey) rank(rank int, calls Stream, all *agreement) error {
	use := usage{open: map[int32]CallKind{}, parts: map[int32]*readiness{}}
	took := sim.Time(0)
	n := int64(0)
	at := func(err error) error { return fmt.Errorf("rank %d, call %d: %w", rank, n, err) }
	for c, err := range All(calls) {
		if err != nil {
			return err
		}
		if err = s.h.Check(c); err == nil {
			if err = use.follow(c); err == nil {
				err = s.call(rank, c, use.found > 0)
			}
		}
		if err != nil {
			return at(err)
		}
		all.see(s, int32(rank), c)
		took += c.Before + c.Away + c.Took
		s.away += c.Away.Seconds()
		s.before += (c.Before + c.Away).Seconds()
		n++
	}
	if err := use.end(); err != nil {
		return at(err)
	}
	s.calls += n
	s.requests[rank], s.recorded = use.most, max(s.recorded, took)
	s.parting = append(s.parting, use.parted)
	return nil
}

// usage follows the requests of a rank.
type usage struct {
	open    map[int32]CallKind
	orphans int32 // messages that nothing completes
	found   int32 // messages that tests have completed since the last call that waits
	most    int32
	parts   map[int32]*readiness // by request: partitions of a message that is in use
	cut     int64                // partitions of all of these
	parted  int32                // messages in partitions that were started and may be open
	holding int32                // the same now
	over    int32                // of them, completed by calls since the last one that waits, or by that
}

func (u *usage) follow(c *Call) error {
	for _, request := range c.Requests {
		if _, ok := u.open[request]; !ok {
			return fmt.Errorf("%s completes request %d, which is not in use", c.Kind, request)
		}
		if c.Kind == Free {
			u.orphans++
		}
		if of := u.parts[request]; of != nil && of.left > 0 {
			return fmt.Errorf("%s completes request %d, of which %d partitions are not ready", c.Kind, request, of.left)
		} else if of != nil {
			u.cut -= int64(len(of.ready))
			delete(u.parts, request)
		}
		if kind := u.open[request]; (kind == Psend || kind == Precv) && c.Kind != Free {
			u.over++
		}
		delete(u.open, request)
	}
	if err := u.partitions(c); err != nil {
		return err
	}
	switch {
	case c.waits():
		u.found = 0
		u.holding -= u.over
		u.over = 0
	case c.Kind == Test:
		u.found += int32(len(c.Requests))
	}
	starts := c.starts()
	switch _, used := u.open[c.Request]; {
	case starts && c.Request == NoRequest || c.Copied:
		u.orphans++
	case starts && used:
		return fmt.Errorf("%s starts request %d, which is in use", c.Kind, c.Request)
	}
	if starts && c.Request != NoRequest {
		u.open[c.Request] = c.Kind
	}
	u.most = max(u.most, int32(len(u.open))+u.orphans+u.found)
	return nil
}

// synchronous is what an incomplete run does as an ordinary send.
const synchronous = "a synchronous send (MPI_Ssend, MPI_Issend)"

// call notes what a call needs. found: tests have completed requests since the last call that waits.
func (s *Survey) call(rank int, c *Call, found bool) error {
	switch {
	case c.Kind == Parrived && c.Tries > 0:
		s.polls++
	case c.Kind == Parrived:
		s.tests++
	case c.Kind != Test || c.asksNothing() && !found:
	case c.polled():
		s.polls++
	default:
		s.tests++
	}
	if c.Sync && c.Peer != Nobody {
		s.refused[synchronous]++
	}
	if c.Kind == Psend || c.Kind == Precv {
		if err := s.cuts(int32(rank), c); err != nil {
			return err
		}
	} else if c.Kind.uses(fieldPeer) && c.Kind.uses(fieldTag) && c.Peer != Nobody {
		s.tag(context{c.Comm, c.Tag})
	}
	if c.Kind == Sendrecv && c.From != Nobody {
		s.tag(context{c.Comm, c.FromTag})
	}
	if c.Kind.Collective() == nil && c.Kind != Make {
		return nil
	}
	if _, ok := s.member(c.Comm, int32(rank)); !ok {
		return fmt.Errorf("%s on communicator %d, of which rank %d is not a member", c.Kind, c.Comm, rank)
	}
	if c.Kind.uses(fieldPeer) {
		if _, ok := s.member(c.Comm, c.Peer); !ok {
			return fmt.Errorf("%s on communicator %d, of which its root %d is not a member", c.Kind, c.Comm, c.Peer)
		}
	}
	if c.Uneven && c.Kind == Alltoall && (c.Out == nil || c.Into == nil) {
		return errors.New("alltoall of unequal sizes has no list of them")
	}
	s.lists[collective{c.Kind, c.Comm, c.Start, c.Uneven}]++
	return nil
}

func (s *Survey) tag(c context) {
	if c.tag == AnyTag {
		s.anyTag++
	}
	if _, ok := s.tags[c]; !ok {
		s.tags[c] = 0
		s.largest = max(s.largest, c.tag)
	}
}

// perComm is the number of tags that the collectives of a communicator use in turn.
const perComm = 64

// number gives the tags of messages their numbers, and returns an error if there are too many.
func (s *Survey) number() error {
	comms := map[int32]bool{}
	for c := range s.tags {
		comms[c.comm] = true
	}
	if s.anyTag > 0 && (len(s.lists) > 0 || len(s.h.Comms) > 1) {
		s.refused["a receive of any tag together with collectives or other communicators"] = s.anyTag
	}
	s.unitary = len(comms) <= 1 && int64(s.largest)+1+int64(len(s.h.Comms))*perComm < math.MaxInt32
	if s.unitary {
		return nil
	}
	if int64(len(s.tags)+len(s.h.Comms)*perComm) >= math.MaxInt32 {
		return fmt.Errorf("%d tags on %d communicators are too many", len(s.tags), len(s.h.Comms))
	}
	all := slices.SortedFunc(maps.Keys(s.tags), func(a, b context) int {
		return cmp.Or(cmp.Compare(a.comm, b.comm), cmp.Compare(a.tag, b.tag))
	})
	for i, c := range all {
		s.tags[c] = int32(i)
	}
	s.largest = int32(len(all)) - 1
	return nil
}

// tagOf is the tag of messages on a communicator; members of others never use it.
func (s *Survey) tagOf(comm, tag int32) int {
	if s.unitary || tag == AnyTag {
		return int(tag)
	}
	return int(s.tags[context{comm, tag}])
}

// collectiveTag is the tag of the n-th collective of a communicator.
func (s *Survey) collectiveTag(comm int32, n int) int {
	return int(s.largest) + 1 + int(comm)*perComm + n%perComm
}
