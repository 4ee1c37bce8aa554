package traces

import (
	"fmt"
	"maps"
	"slices"
)

// agreement finds out whether the ranks of a trace fit together: whether each message that is sent is
// received, and whether the members of a communicator call the same collectives.
type agreement struct {
	sent, received map[channel]int64
	wild           bool // a receive from any source, or of any tag: messages are not compared
	sequences      map[member]sequence
}

// channel is where messages are equal to those who match them.
type channel struct{ comm, from, to, tag int32 }

// member is a rank of a communicator.
type member struct{ comm, rank int32 }

// sequence sums up the collectives of a member in their order.
type sequence struct {
	calls int64
	sum   uint64
}

// mostChannels is the largest number of channels that are compared: more would take too much memory.
const mostChannels = 1 << 20

func newAgreement() *agreement {
	return &agreement{sent: map[channel]int64{}, received: map[channel]int64{}, sequences: map[member]sequence{}}
}

// see notes a call of a rank.
func (a *agreement) see(rank int32, c *Call) {
	if to, ok := c.sends(rank); ok {
		a.count(a.sent, to)
	}
	if from, ok := c.receives(rank); ok {
		a.wild = a.wild || from.from == AnySource || from.tag == AnyTag
		a.count(a.received, from)
	}
	if is, ok := c.together(); ok {
		const factor = 0x9e3779b97f4a7c15
		at := member{c.Comm, rank}
		s := a.sequences[at]
		a.sequences[at] = sequence{s.calls + 1, (s.sum*factor+uint64(is.kind)+1)*factor + uint64(is.bytes)}
	}
}

// together is what all members of a communicator call in the same way.
type together struct {
	kind  CallKind
	bytes int64 // where MPI wants the same of all members
}

func (c *Call) together() (together, bool) {
	switch c.Kind {
	case Broadcast, Reduce, Allreduce, Scan:
		return together{c.Kind, c.Bytes}, true
	}
	return together{kind: c.Kind}, c.Kind.Collective() != nil || c.Kind == Make
}

// beside says what a call is, next to another one.
func (t together) beside(other together) string {
	if t.kind == other.kind {
		return fmt.Sprintf("%s of %d bytes", t.kind, t.bytes)
	}
	return t.kind.String()
}

func (a *agreement) count(of map[channel]int64, at channel) {
	if of[at]++; len(of) > mostChannels {
		a.wild = true
	}
	if a.wild {
		clear(a.sent)
		clear(a.received)
	}
}

// sends returns the channel of the message that a call sends.
func (c *Call) sends(rank int32) (channel, bool) {
	switch c.Kind {
	case Send, Isend, Sendrecv:
		return channel{c.Comm, rank, c.Peer, c.Tag}, c.Peer != Nobody
	case Psend:
		return c.partitions(rank, c.Peer), c.Peer != Nobody
	}
	return channel{}, false
}

// receives returns the channel of the message that a call receives.
func (c *Call) receives(rank int32) (channel, bool) {
	switch c.Kind {
	case Recv, Irecv:
		return channel{c.Comm, c.Peer, rank, c.Tag}, c.Peer != Nobody
	case Precv:
		return c.partitions(c.Peer, rank), c.Peer != Nobody
	case Sendrecv:
		return channel{c.Comm, c.From, rank, c.FromTag}, c.From != Nobody
	}
	return channel{}, false
}

// check returns an error that names the first call that no other rank fits.
func (s *Survey) check(a *agreement) error {
	if err := s.checkCollectives(a); err != nil || a.wild {
		return err
	}
	for _, at := range slices.SortedFunc(maps.Keys(a.sent), compareChannels) {
		if sent, received := a.sent[at], a.received[at]; sent > received {
			n := s.find(at.from, received, func(c *Call) bool { to, ok := c.sends(at.from); return ok && to == at })
			return fmt.Errorf("rank %d, call %d: sends message %d with tag %d to rank %d, which receives %d of these", at.from, n, received+1,
				at.tag, at.to, received)
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(a.received), compareChannels) {
		if sent, received := a.sent[at], a.received[at]; received > sent {
			n := s.find(at.to, sent, func(c *Call) bool { from, ok := c.receives(at.to); return ok && from == at })
			return fmt.Errorf("rank %d, call %d: receives message %d with tag %d from rank %d, which sends %d of these", at.to, n, sent+1,
				at.tag, at.from, sent)
		}
	}
	return nil
}

func compareChannels(a, b channel) int {
	return slices.Compare([]int32{a.from, a.to, a.comm, a.tag}, []int32{b.from, b.to, b.comm, b.tag})
}

// checkCollectives compares the collectives of each member of a communicator with those of its first one.
func (s *Survey) checkCollectives(a *agreement) error {
	for comm := range s.h.Comms {
		first := int32(s.h.Comms[comm].Rank(0))
		for i := range s.h.Comms[comm].Size(s.h.Ranks) {
			rank := int32(s.h.Comms[comm].Rank(i))
			if a.sequences[member{int32(comm), rank}] != a.sequences[member{int32(comm), first}] {
				return s.differs(int32(comm), first, rank)
			}
		}
	}
	return nil
}

// differs says where the collectives of two members begin to differ.
func (s *Survey) differs(comm, first, rank int32) error {
	one, other := follower{in: s.t.Calls(int(first))}, follower{in: s.t.Calls(int(rank))}
	for n := 1; ; n++ {
		if a, b := one.next(comm), other.next(comm); a != b || a.kind == End {
			return fmt.Errorf("rank %d, call %d: %s, as collective %d on communicator %d, of which rank %d calls %s there (call %d)", rank,
				other.at-1, b.beside(a), n, comm, first, a.beside(b), one.at-1)
		}
	}
}

// follower reads the collectives of a rank on a communicator.
type follower struct {
	in Stream
	at int64 // number of the call behind the last one
}

// next returns the next one; End: there is none.
func (f *follower) next(comm int32) together {
	var c Call
	for f.in.Next(&c) == nil {
		f.at++
		if is, ok := c.together(); ok && c.Comm == comm {
			return is
		}
	}
	return together{kind: End}
}

// find returns the number of the call of a rank that is behind n others of its kind.
func (s *Survey) find(rank int32, n int64, is func(c *Call) bool) (at int64) {
	var c Call
	for calls := s.t.Calls(int(rank)); calls.Next(&c) == nil; at++ {
		if is(&c) {
			if n == 0 {
				return at
			}
			n--
		}
	}
	return at
}
