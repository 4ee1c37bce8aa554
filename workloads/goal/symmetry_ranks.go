package goal

import "slices"

// alike is a schedule whose ranks all do the same. Each rank numbers its peers, from 0, in the order
// in which its operations first name them; these numbers are slots. Operation i is the same on all
// ranks, with the same slot in place of a peer. If a rank has a peer in slot k, the peer has that
// rank in slot back[k], which does not depend on the rank.
type alike struct {
	one   *Schedule // rank 0: its sends go to rank 0, its receives name slots
	slots []uint32  // of the peer of each operation
	back  []uint32  // of each slot
}

// findAlike returns nil if the ranks differ.
func findAlike(s *Schedule) *alike {
	x := &comparison{s: s}
	if s.Ranks() < 2 || s.ranks[1] == 0 || !x.equallyLong() {
		return nil
	}
	x.first()
	for rank := 1; rank < s.Ranks(); rank++ {
		if !x.sameAsFirst(uint32(rank)) {
			return nil
		}
	}
	back := x.back()
	if back == nil {
		return nil
	}
	return &alike{x.one(), x.slots, back}
}

// comparison compares the ranks of a schedule with rank 0.
type comparison struct {
	s     *Schedule
	slots []uint32 // of each operation of a rank, if it has a peer
	width int      // number of slots
	peers []uint32 // of all ranks, width for each
	met   []uint32 // of each peer: 1 + the last rank that named it
}

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

// first numbers the peers of rank 0.
func (x *comparison) first() {
	ops, _ := x.s.Rank(0)
	x.slots = make([]uint32, len(ops))
	number := map[uint32]uint32{}
	for i := range ops {
		if !hasPeer(&ops[i]) {
			continue
		}
		slot, known := number[ops[i].Peer]
		if !known {
			slot = uint32(len(number))
			number[ops[i].Peer] = slot
			x.peers = append(x.peers, ops[i].Peer)
		}
		x.slots[i] = slot
	}
	x.width = len(number)
	x.met = make([]uint32, x.s.Ranks())
}

// sameAsFirst tells whether a rank does the same as rank 0, and notes its peers.
func (x *comparison) sameAsFirst(rank uint32) bool {
	s, n := x.s, x.s.ranks[1]
	start := s.ranks[rank]
	a, b := s.ops[:n], s.ops[start:][:n]
	edges := b[0].first
	from := len(x.peers)
	for i := range a {
		a, b := &a[i], &b[i]
		if a.Size != b.Size || a.Tag != b.Tag || a.Kind != b.Kind || a.CPU != b.CPU || a.NIC != b.NIC || a.first != b.first-edges ||
			hasPeer(a) != hasPeer(b) || hasPeer(a) && !x.samePeer(x.peers[from:], i, rank, b.Peer) {
			return false
		}
	}
	return x.sameEdges(rank, edges)
}

// samePeer tells whether a peer of a rank is in the slot that it has for operation i of rank 0.
func (x *comparison) samePeer(known []uint32, i int, rank, peer uint32) bool {
	slot := int(x.slots[i])
	if slot < len(known) {
		return known[slot] == peer
	}
	fresh := x.met[peer] != rank+1
	x.met[peer] = rank + 1
	x.peers = append(x.peers, peer)
	return fresh
}

// sameEdges tells whether the operations of a rank wait for each other like those of rank 0.
func (x *comparison) sameEdges(rank, edges uint32) bool {
	s, n := x.s, x.s.ranks[1]
	start := s.ranks[rank]
	a, b := s.dependants[:s.ops[n].first], s.dependants[edges:s.ops[start+n].first]
	return slices.EqualFunc(a, b, func(a, b uint32) bool { return a == b-start })
}

// back returns, for each slot, the slot in which the peer has the rank; nil: the ranks differ in it.
func (x *comparison) back() []uint32 {
	back := make([]uint32, x.width)
	for k, peer := range x.of(0) {
		at := slices.Index(x.of(peer), 0)
		if at < 0 {
			return nil
		}
		back[k] = uint32(at)
	}
	for rank := range uint32(x.s.Ranks()) {
		for k, peer := range x.of(rank) {
			if x.of(peer)[back[k]] != rank {
				return nil
			}
		}
	}
	return back
}

// of returns the peers of a rank.
func (x *comparison) of(rank uint32) []uint32 { return x.peers[int(rank)*x.width:][:x.width] }

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
