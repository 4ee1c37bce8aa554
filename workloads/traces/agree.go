package traces

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// agreement finds out whether the ranks of a trace fit together: whether each message that is sent is
// received, and whether the members of a communicator call the same collectives.
type agreement struct {
	sent, received map[channel]sizes
	wild           bool // a receive from any source, or of any tag: messages are not compared
	sequences      map[member]sequence
	blocks         map[int32]uint64 // by communicator: blocks of unequal sizes, those sent less those received; 0: they agree
}

// channel is where messages are equal to those who match them.
type channel struct{ comm, from, to, tag int32 }

// sizes are how many messages pass a channel, as one of its ends says, and with how many bytes.
type sizes struct {
	messages, least, most int64
	sum                   uint64 // depends on all sizes and their order
}

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
	return &agreement{sent: map[channel]sizes{}, received: map[channel]sizes{}, sequences: map[member]sequence{}, blocks: map[int32]uint64{}}
}

// see notes a call of a rank.
func (a *agreement) see(of *Survey, rank int32, c *Call) {
	if to, ok := c.sends(rank); ok {
		a.count(a.sent, to, c.Bytes)
	}
	if from, ok := c.receives(rank); ok {
		a.wild = a.wild || from.from == AnySource || from.tag == AnyTag
		a.count(a.received, from, c.room())
	}
	if is, ok := c.together(); ok {
		at := member{c.Comm, rank}
		s := a.sequences[at]
		a.sequences[at] = sequence{s.calls + 1, mixed(s.sum, int64(is.kind), int64(is.root), is.bytes, int64(is.list))}
		of.blocks(rank, c, func(b block, sent bool) {
			if h := mixed(0, s.calls, int64(b.from), int64(b.to), b.bytes); sent {
				a.blocks[c.Comm] += h
			} else {
				a.blocks[c.Comm] -= h
			}
		})
	}
}

// mixed is a sum that depends on all values and on their order.
func mixed(sum uint64, values ...int64) uint64 {
	for _, v := range values {
		sum = (sum ^ uint64(v)) * 0x9e3779b97f4a7c15
		sum ^= sum >> 29
	}
	return sum
}

// together is what all members of a communicator call in the same way.
type together struct {
	kind   CallKind
	root   int32
	uneven bool
	bytes  int64  // where MPI wants the same of all members
	list   uint64 // sums up the sizes of blocks, where all members give all of them
}

func (c *Call) together() (together, bool) {
	t := together{kind: c.Kind, uneven: c.Uneven}
	if c.Kind.uses(fieldPeer) {
		t.root = c.Peer
	}
	switch c.Kind {
	case Broadcast, Reduce, Allreduce, Scan:
		t.bytes = c.Bytes
	case Allgather, ReduceScatter:
		t.bytes, t.list = c.Bytes, mixed(mixed(0, c.Into...), c.Out...)
	case Alltoall, Gather, Scatter:
		if !c.Uneven {
			t.bytes = c.Bytes
		}
	}
	return t, c.Kind.Collective() != nil || c.Kind == Make
}

// beside says what a call is, next to another one: as much as tells them apart.
func (t together) beside(other together) string {
	switch text := t.kind.String(); {
	case t.kind != other.kind:
		return text
	case t.root != other.root:
		return fmt.Sprintf("%s with root %d", text, t.root)
	case t.uneven != other.uneven && t.uneven:
		return text + " with a size for each rank"
	case t.uneven != other.uneven:
		return text + " with one size for all ranks"
	case t.bytes != other.bytes:
		return fmt.Sprintf("%s of %d bytes", text, t.bytes)
	default:
		return text + " with other sizes of blocks"
	}
}

// block is what one member sends another one in a collective on blocks of unequal sizes.
type block struct {
	from, to int
	bytes    int64
}

// blocks yields the blocks that a rank sends and receives in a call, if both members say their sizes: all of an all-to-all,
// and those between the root and the others.
func (s *Survey) blocks(rank int32, c *Call, yield func(b block, sent bool)) {
	if !c.Uneven || c.Kind != Alltoall && c.Kind != Gather && c.Kind != Scatter {
		return
	}
	me, _ := s.member(c.Comm, rank)
	root, _ := s.member(c.Comm, c.Peer)
	for other := range s.h.Comms[c.Comm].Size(s.h.Ranks) {
		switch {
		case other == me:
		case c.Kind == Alltoall:
			yield(block{me, other, c.Out[other]}, true)
			yield(block{other, me, c.Into[other]}, false)
		case me == root && c.Kind == Gather:
			yield(block{other, me, sizeOf(c.Into, other, 0)}, false)
		case me == root:
			yield(block{me, other, sizeOf(c.Out, other, 0)}, true)
		case other == root && c.Kind == Gather:
			yield(block{me, root, sizeOf(c.Into, me, c.Bytes)}, true)
		case other == root:
			yield(block{root, me, sizeOf(c.Out, me, c.Bytes)}, false)
		}
	}
}

// sizeOf is the size for a member in a list of all; without a list, another one.
func sizeOf(list []int64, member int, without int64) int64 {
	if list == nil {
		return without
	}
	return list[member]
}

func (a *agreement) count(of map[channel]sizes, at channel, bytes int64) {
	n := of[at]
	if n.messages == 0 {
		n.least = bytes
	}
	if of[at] = (sizes{n.messages + 1, min(n.least, bytes), max(n.most, bytes), mixed(n.sum, bytes)}); len(of) > mostChannels {
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

// room is how many bytes a call that receives takes; if it says none, its size may not be known (traces of SimGrid), and any number.
func (c *Call) room() int64 {
	bytes := c.Bytes
	if c.Kind == Sendrecv {
		bytes = c.In
	}
	if bytes == 0 {
		return math.MaxInt64
	}
	return bytes
}

// check returns an error that names the first call that no other rank fits.
func (s *Survey) check(a *agreement) error {
	if err := s.checkCollectives(a); err != nil || a.wild {
		return err
	}
	for _, at := range slices.SortedFunc(maps.Keys(a.sent), compareChannels) {
		if sent, received := a.sent[at].messages, a.received[at].messages; sent > received {
			n := s.find(at.from, received, func(c *Call) bool { to, ok := c.sends(at.from); return ok && to == at })
			return fmt.Errorf("rank %d, call %d: sends message %d with tag %d to rank %d, which receives %d of these", at.from, n, received+1,
				at.tag, at.to, received)
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(a.received), compareChannels) {
		if sent, received := a.sent[at].messages, a.received[at].messages; received > sent {
			n := s.find(at.to, sent, func(c *Call) bool { from, ok := c.receives(at.to); return ok && from == at })
			return fmt.Errorf("rank %d, call %d: receives message %d with tag %d from rank %d, which sends %d of these", at.to, n, sent+1,
				at.tag, at.from, sent)
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(a.sent), compareChannels) {
		if sent, received := a.sent[at], a.received[at]; sent.most > received.least && sent.sum != received.sum && at.comm >= 0 {
			if err := s.truncated(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// truncated says which message of a channel is longer than its receive, an error of MPI; nil: none is.
func (s *Survey) truncated(at channel) error {
	sends, receives := s.t.Calls(int(at.from)), s.t.Calls(int(at.to))
	var send, receive Call
	for n, from, to := int64(1), int64(-1), int64(-1); ; n++ {
		if !next(sends, &send, &from, func(c *Call) bool { is, ok := c.sends(at.from); return ok && is == at }) ||
			!next(receives, &receive, &to, func(c *Call) bool { is, ok := c.receives(at.to); return ok && is == at }) {
			return nil
		}
		if send.Bytes > receive.room() {
			return fmt.Errorf("rank %d, call %d: receives message %d with tag %d from rank %d in %d bytes, and it has %d (call %d)", at.to, to, n, at.tag,
				at.from, receive.room(), send.Bytes, from)
		}
	}
}

// next reads on to the next call of a kind, and counts calls; false: there is none.
func next(in Stream, c *Call, at *int64, is func(c *Call) bool) bool {
	for in.Next(c) == nil {
		if *at++; is(c) {
			return true
		}
	}
	return false
}

func compareChannels(a, b channel) int {
	return slices.Compare([]int32{a.from, a.to, a.comm, a.tag}, []int32{b.from, b.to, b.comm, b.tag})
}

// checkCollectives compares the collectives of each member of a communicator with the collectives of its first member.
func (s *Survey) checkCollectives(a *agreement) error {
	for comm := range s.h.Comms {
		first := int32(s.h.Comms[comm].Rank(0))
		for i := range s.h.Comms[comm].Size(s.h.Ranks) {
			rank := int32(s.h.Comms[comm].Rank(i))
			if a.sequences[member{int32(comm), rank}] != a.sequences[member{int32(comm), first}] {
				return s.differs(int32(comm), first, rank)
			}
		}
		if a.blocks[int32(comm)] != 0 {
			return s.blocksDiffer(int32(comm))
		}
	}
	return nil
}

// blocksDiffer says which block of a communicator its receiver expects with another size than it is sent with.
func (s *Survey) blocksDiffer(comm int32) error {
	of := &s.h.Comms[comm]
	all := make([]follower, of.Size(s.h.Ranks))
	for i := range all {
		all[i] = follower{in: s.t.Calls(of.Rank(i))}
	}
	for {
		sent := map[[2]int]int64{}
		var received []block
		for i := range all {
			if all[i].next(comm).kind == End {
				return fmt.Errorf("the sizes of blocks on communicator %d do not agree (a bug)", comm)
			}
			s.blocks(int32(of.Rank(i)), &all[i].call, func(b block, sends bool) {
				if sends {
					sent[[2]int{b.from, b.to}] = b.bytes
				} else {
					received = append(received, b)
				}
			})
		}
		for _, b := range received {
			if bytes := sent[[2]int{b.from, b.to}]; bytes != b.bytes {
				return fmt.Errorf("rank %d, call %d: %s with %d bytes from rank %d, which sends %d bytes (call %d)", of.Rank(b.to),
					all[b.to].at-1, all[b.to].call.Kind, b.bytes, of.Rank(b.from), bytes, all[b.from].at-1)
			}
		}
	}
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
	in   Stream
	at   int64 // number of the call behind the last one
	call Call
}

// next returns the next one; End: there is none.
func (f *follower) next(comm int32) together {
	for f.in.Next(&f.call) == nil {
		f.at++
		if is, ok := f.call.together(); ok && f.call.Comm == comm {
			return is
		}
	}
	return together{kind: End}
}

// find returns the number of the call of a rank that is behind n others of its kind.
func (s *Survey) find(rank int32, n int64, is func(c *Call) bool) int64 {
	var c Call
	at := int64(-1)
	for calls := s.t.Calls(int(rank)); n >= 0 && next(calls, &c, &at, is); n-- {
	}
	return at
}
