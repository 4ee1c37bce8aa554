package collectives

import "testing"

// Around a ring a member receives the block that the one before has sent. After the
// scatter, a member's own block holds the contributions of all. After the gather, all
// blocks are complete everywhere.
func TestBlocks(t *testing.T) {
	at := func(p, block int) int { return ((block % p) + p) % p }
	for p := 1; p < 30; p++ {
		from := make([][]map[int]bool, p) // by member, by block: the members whose contributions it has
		for me := range p {
			for range p {
				from[me] = append(from[me], map[int]bool{me: true})
			}
		}
		around := func(blocks func(me, round int) (out, in int), take func(to, from map[int]bool)) {
			for round := range p - 1 {
				sent := make([]map[int]bool, p)
				for me := range p {
					out, _ := blocks(me, round)
					sent[me] = map[int]bool{}
					for who := range from[me][at(p, out)] {
						sent[me][who] = true
					}
				}
				for me := range p {
					before := at(p, me-1)
					out, _ := blocks(before, round)
					_, in := blocks(me, round)
					if at(p, out) != at(p, in) {
						t.Fatalf("%d members, round %d: %d sends block %d, %d receives %d", p, round, before, out, me, in)
					}
					take(from[me][at(p, in)], sent[before])
				}
			}
		}
		around(scattered, func(to, from map[int]bool) {
			for who := range from {
				to[who] = true
			}
		})
		for me := range p {
			if got := len(from[me][me]); got != p {
				t.Fatalf("%d members: block %d has come from %d", p, me, got)
			}
		}
		around(gathered, func(to, from map[int]bool) {
			clear(to)
			for who := range from {
				to[who] = true
			}
		})
		for me := range p {
			for block := range p {
				if got := len(from[me][block]); got != p {
					t.Fatalf("%d members: block %d at %d has come from %d", p, block, me, got)
				}
			}
		}
	}
}
