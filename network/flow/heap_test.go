package flow

import (
	"slices"
	"testing"

	"overlapsim/sim"
)

// TestHeap compares the heap with a plain map over random insertions, changes of keys and
// removals.
func TestHeap(t *testing.T) {
	const links = 50
	var h heap[int]
	h.grow(links)
	keys := map[int32]int{}
	stream := sim.NewStream(1)
	for range 20000 {
		l := int32(stream.Intn(links))
		if stream.Intn(3) == 0 {
			h.remove(l)
			delete(keys, l)
		} else {
			key := stream.Intn(30)
			h.set(l, key)
			keys[l] = key
		}
		if len(h.entries) != len(keys) || h.empty() != (len(keys) == 0) {
			t.Fatalf("%d entries, want %d", len(h.entries), len(keys))
		}
		for i, e := range h.entries {
			if key, ok := keys[e.link]; !ok || key != e.key || int(h.place[e.link]) != i || !h.contains(e.link) {
				t.Fatalf("entry %d is %+v at place %d, want key %d (%v)", i, e, h.place[e.link], key, ok)
			}
		}
		if least := slices.MinFunc(append(h.entries, entry[int]{key: 99}), func(a, b entry[int]) int { return a.key - b.key }); !h.empty() &&
			h.entries[0].key != least.key {
			t.Fatalf("first key %d, least %d", h.entries[0].key, least.key)
		}
	}
}
