package collectives

import "testing"

// The blocks of a place in any step are one piece of memory, and a place is the inverse of its
// number.
func TestRenumberedBlocksAreOnePiece(t *testing.T) {
	for name, c := range map[string]struct {
		partner partners
		by      renumbering
	}{"doubled": {doubled, mirrored}, "swing": {swinging, swung}} {
		for ranks := 1; ranks <= 256; ranks *= 2 {
			b := renumbered(&Group{Ranks: ranks, Bytes: int64(ranks)}, c.partner, c.by)
			for place := range ranks {
				if got := c.by.inverse(c.by.perm(place, b.steps), b.steps); got != place {
					t.Fatalf("%s: the inverse of the number of place %d of %d is %d", name, place, ranks, got)
				}
				for step := range b.steps + 1 {
					if !onePiece(b.rest(place, step, &Round{describe: true})) {
						t.Fatalf("%s: place %d of %d before step %d has more than one piece", name, place, ranks, step)
					}
				}
			}
		}
	}
}

// onePiece tells whether the spans of a set fill the bytes from the first to the last one.
func onePiece(s set) bool {
	from, to := int64(1<<62), int64(0)
	for one := range s.spans {
		from, to = min(from, one.From), max(to, one.From+one.Bytes)
	}
	return to-from == s.bytes
}

// The ranges of blocks of a member are those that Swing's steps leave it with.
func TestRangesAreSwing(t *testing.T) {
	const ranks = 64
	g := Group{Ranks: ranks, Bytes: ranks}
	b := overMembers(&g, swingingBack)
	for g.Me = range ranks {
		for step := range b.steps {
			out, _ := g.ranges(step)
			has := map[int64]bool{}
			for s := range b.rest(g.Me, b.steps-step, &Round{describe: true}).spans {
				has[s.From] = true
			}
			for i := range 1 << step {
				if !has[int64(g.wrap(out+i))] || len(has) != 1<<step {
					t.Fatalf("member %d before step %d: blocks from %d, want %v", g.Me, step, out, has)
				}
			}
		}
	}
}

// The vector that a reduction works on is a copy, with the cost of a copy.
func TestReductionsCopyTheVector(t *testing.T) {
	for _, a := range []*Algorithm{AllreduceDoubling, AllreduceRing, ReduceScatterHalving, ReduceScatterSwingPermuted} {
		copied := int64(0)
		g := Group{Ranks: 8, Bytes: 800}
		for round := range a.Rounds(&g) {
			var r Round
			r.reset()
			a.Round(&g, round, &r)
			for _, s := range r.steps {
				if s.doing == copies {
					copied += s.bytes
				}
			}
		}
		if copied != g.Bytes {
			t.Errorf("%s %s copies %d bytes, want %d", a.Of.Name, a.Name, copied, g.Bytes)
		}
	}
}

// The bytes of parts that lie one after the other are the sum of the parts, also where these differ.
func TestPartsTogether(t *testing.T) {
	for ranks := 2; ranks <= 64; ranks++ {
		for _, bytes := range []int64{1, 8, 63, 1001} {
			b := overParts(&Group{Ranks: ranks, Bytes: bytes}, doubled, mirroredPart)
			for step := range b.steps + 1 {
				for place := range 1 << b.steps {
					sum := int64(0)
					b.each(place, step, func(s Span) bool { sum += s.Bytes; return true })
					if got := b.bytes(place, step); got != sum {
						t.Fatalf("%d ranks, %d bytes, place %d before step %d: %d bytes, want %d", ranks, bytes, place, step, got, sum)
					}
				}
			}
		}
	}
}
