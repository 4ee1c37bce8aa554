package goal

import (
	"cmp"
	"slices"
)

// alike is a schedule whose ranks all do the same. Each rank numbers its channels, from 0, in the
// order in which its operations first use them; these numbers are slots. A channel is a peer and a
// tag. Operation i is the same on all ranks, with the same slot in place of a peer. If a channel in
// slot k leads to a peer, the peer's channel back, with the same tag, is in slot back[k], whatever
// the rank. Messages of one channel do not meet receives of another.
type alike struct {
	one   *Schedule // rank 0: its sends go to rank 0, its receives name slots
	slots []uint32  // of the channel of each operation
	back  []uint32  // of each slot
}

// findAlike returns nil if the ranks differ.
func findAlike(s *Schedule) *alike {
	x := &comparison{s: s, number: map[channel]uint32{}}
	if s.Ranks() < 2 || s.ranks[1] == 0 || !x.equallyLong() || !x.first() {
		return nil
	}
	for rank := 1; rank < s.Ranks(); rank++ {
		if !x.sameAsFirst(uint32(rank)) {
			return nil
		}
	}
	if !x.turnBack() {
		return nil
	}
	return &alike{x.one(), x.slots, x.back}
}

// comparison compares the ranks of a schedule with rank 0.
type comparison struct {
	s     *Schedule
	slots []uint32 // of each operation of a rank
	peers []uint32 // of each slot of each rank
	tags  []uint32 // of each slot
	back  []uint32 // of each slot
	early early

	number map[channel]uint32 // the slots of a rank
	byTag  []uint32           // slots
	met    []uint64           // of each peer: the mark when it was named
	mark   uint64
}

// channel is a peer and a tag.
type channel struct{ peer, tag uint32 }

// equallyLong tells whether all ranks have the same number of operations.
func (x *comparison) equallyLong() bool {
	n := x.s.ranks[1]
	for rank, from := range x.s.ranks[1:] {
		if from != uint32(rank+1)*n {
			return false
		}
	}
	return true
}

// hasPeer tells whether an operation names one rank.
func hasPeer(op *Op) bool { return op.Kind != Calc && op.Peer != AnySource }

// first numbers the channels of rank 0. It returns false if an operation has any tag.
func (x *comparison) first() bool {
	ops, _ := x.s.Rank(0)
	if slices.ContainsFunc(ops, func(op Op) bool { return op.Kind != Calc && op.Tag == AnyTag }) {
		return false
	}
	x.slots, x.met = make([]uint32, len(ops)), make([]uint64, x.s.Ranks())
	if early := x.s.earlyReceives(); x.numberFrom(early, ops) {
		x.early = newEarly(x.slots[:early], len(x.tags))
	} else {
		x.numberFrom(0, ops)
	}
	for k := range x.tags {
		x.byTag = append(x.byTag, uint32(k))
	}
	slices.SortFunc(x.byTag, func(a, b uint32) int { return cmp.Compare(x.tags[a], x.tags[b]) })
	return true
}

// numberFrom numbers the channels of operations from one on. It returns false if those before it use
// other ones.
func (x *comparison) numberFrom(from int, ops []Op) bool {
	clear(x.number)
	x.peers, x.tags = x.peers[:0], x.tags[:0]
	for i := from; i < len(ops); i++ {
		if !hasPeer(&ops[i]) {
			continue
		}
		c := channel{ops[i].Peer, ops[i].Tag}
		slot, known := x.number[c]
		if !known {
			slot = uint32(len(x.tags))
			x.number[c] = slot
			x.peers, x.tags = append(x.peers, c.peer), append(x.tags, c.tag)
		}
		x.slots[i] = slot
	}
	for i := range from {
		slot, known := x.number[channel{ops[i].Peer, ops[i].Tag}]
		if !known {
			return false
		}
		x.slots[i] = slot
	}
	return true
}

// sameAsFirst tells whether a rank does the same as rank 0, and notes its peers.
func (x *comparison) sameAsFirst(rank uint32) bool {
	s, n, from := x.s, x.s.ranks[1], len(x.peers)
	start := s.ranks[rank]
	a, b := s.ops[:n], s.ops[start:][:n]
	edges := b[0].first
	for i := len(x.early.sorted); i < len(a); i++ {
		if !same(&a[i], &b[i], edges) || hasPeer(&a[i]) && !x.samePeer(x.peers[from:], x.slots[i], b[i].Peer) {
			return false
		}
	}
	return x.distinct(x.peers[from:]) && x.sameEarly(x.peers[from:], a, b, edges) && x.sameEdges(start, edges)
}

// same tells whether two operations are the same, except for their peers. The dependants of the
// second one's rank begin at edges.
func same(a, b *Op, edges uint32) bool {
	return a.Size == b.Size && a.Tag == b.Tag && a.Kind == b.Kind && a.CPU == b.CPU && a.NIC == b.NIC && a.first == b.first-edges &&
		hasPeer(a) == hasPeer(b)
}

// samePeer tells whether a peer is that of a slot. It notes the peer of a new slot.
func (x *comparison) samePeer(known []uint32, slot, peer uint32) bool {
	if int(slot) < len(known) {
		return known[slot] == peer
	}
	x.peers = append(x.peers, peer)
	return true
}

// distinct tells whether no two channels of a rank are the same.
func (x *comparison) distinct(peers []uint32) bool {
	for i, k := range x.byTag {
		if i == 0 || x.tags[k] != x.tags[x.byTag[i-1]] {
			x.mark++
		}
		if x.met[peers[k]] == x.mark {
			return false
		}
		x.met[peers[k]] = x.mark
	}
	return true
}

// sameEdges tells whether the operations of a rank wait for each other like those of rank 0. They
// begin at start, and their dependants at edges.
func (x *comparison) sameEdges(start, edges uint32) bool {
	s, n := x.s, x.s.ranks[1]
	a, b := s.dependants[:s.ops[n].first], s.dependants[edges:s.ops[start+n].first]
	return slices.EqualFunc(a, b, func(a, b uint32) bool { return a == b-start })
}

// turnBack finds the slot of the channel back for each slot. It returns false if the ranks differ in
// it.
func (x *comparison) turnBack() bool {
	back, seen := map[channel]uint32{}, map[uint32]bool{}
	for k, peer := range x.of(0) {
		if !seen[peer] {
			seen[peer] = true
			for slot, its := range x.of(peer) {
				if its == 0 {
					back[channel{peer, x.tags[slot]}] = uint32(slot)
				}
			}
		}
		slot, there := back[channel{peer, x.tags[k]}]
		if !there {
			return false
		}
		x.back = append(x.back, slot)
	}
	for rank := range uint32(x.s.Ranks()) {
		for k, peer := range x.of(rank) {
			if x.of(peer)[x.back[k]] != rank {
				return false
			}
		}
	}
	return true
}

// of returns the peers of a rank.
func (x *comparison) of(rank uint32) []uint32 {
	return x.peers[int(rank)*len(x.tags):][:len(x.tags)]
}

// one returns the schedule of rank 0 alone. Its sends go to itself, and its receives name slots.
func (x *comparison) one() *Schedule {
	s, n := x.s, x.s.ranks[1]
	one := &Schedule{
		ops: slices.Clone(s.ops[:n+1]), ranks: []uint32{0, n}, dependants: s.dependants[:s.ops[n].first],
		cpus: s.cpus, nics: s.nics,
	}
	for i := range one.Ops() {
		switch op := &one.ops[i]; {
		case op.Kind == Send:
			op.Peer = 0
		case hasPeer(op):
			op.Peer = x.slots[i]
		}
	}
	return one
}
