package flow

import "cmp"

// heap orders links by a key, least first. It knows where each link stands, so
// that its key can change.
type heap[K cmp.Ordered] struct {
	entries []entry[K]
	place   []int32 // of each link in entries, -1: not in the heap
}

type entry[K cmp.Ordered] struct {
	key  K
	link int32
}

// grow makes room for n links.
func (h *heap[K]) grow(n int) {
	for len(h.place) < n {
		h.place = append(h.place, -1)
	}
}

func (h *heap[K]) contains(link int32) bool { return h.place[link] >= 0 }

// set puts a link into the heap or changes its key.
func (h *heap[K]) set(link int32, key K) {
	i := h.place[link]
	if i < 0 {
		i = int32(len(h.entries))
		h.entries = append(h.entries, entry[K]{})
		h.up(i, entry[K]{key, link})
		return
	}
	if key < h.entries[i].key {
		h.up(i, entry[K]{key, link})
	} else {
		h.down(i, entry[K]{key, link})
	}
}

// remove takes a link out of the heap if it is there.
func (h *heap[K]) remove(link int32) {
	i := h.place[link]
	if i < 0 {
		return
	}
	h.place[link] = -1
	end := len(h.entries) - 1
	last := h.entries[end]
	h.entries = h.entries[:end]
	if int(i) == end {
		return
	}
	if i > 0 && last.key < h.entries[(i-1)/4].key {
		h.up(i, last)
	} else {
		h.down(i, last)
	}
}

// up puts e at i or above.
func (h *heap[K]) up(i int32, e entry[K]) {
	for i > 0 {
		parent := (i - 1) / 4
		if h.entries[parent].key <= e.key {
			break
		}
		h.put(i, h.entries[parent])
		i = parent
	}
	h.put(i, e)
}

// down puts e at i or below.
func (h *heap[K]) down(i int32, e entry[K]) {
	for {
		first := 4*i + 1
		if int(first) >= len(h.entries) {
			break
		}
		least := first
		for c := first + 1; int(c) < min(int(first)+4, len(h.entries)); c++ {
			if h.entries[c].key < h.entries[least].key {
				least = c
			}
		}
		if e.key <= h.entries[least].key {
			break
		}
		h.put(i, h.entries[least])
		i = least
	}
	h.put(i, e)
}

func (h *heap[K]) put(i int32, e entry[K]) {
	h.entries[i] = e
	h.place[e.link] = i
}
