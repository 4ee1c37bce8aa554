package flow

import "cmp"

// heap orders links by a key, smallest first. It is a 4-ary heap that knows where each link
// stands, so that a key can change.
type heap[K cmp.Ordered] struct {
	entries []entry[K]
	place   []int32 // of each link in entries, -1: not in the heap
}

type entry[K cmp.Ordered] struct {
	key  K
	link int32
}

// grow makes room for links up to n.
func (h *heap[K]) grow(n int) {
	for len(h.place) < n {
		h.place = append(h.place, -1)
	}
}

func (h *heap[K]) empty() bool              { return len(h.entries) == 0 }
func (h *heap[K]) contains(link int32) bool { return h.place[link] >= 0 }

// set puts a link into the heap or changes its key.
func (h *heap[K]) set(link int32, key K) {
	e, i := entry[K]{key, link}, int(h.place[link])
	switch {
	case i < 0:
		h.entries = append(h.entries, e)
		h.up(len(h.entries)-1, e)
	case key < h.entries[i].key:
		h.up(i, e)
	default:
		h.down(i, e)
	}
}

// remove takes a link out of the heap if it is there.
func (h *heap[K]) remove(link int32) {
	i := int(h.place[link])
	if i < 0 {
		return
	}
	h.place[link] = -1
	end := len(h.entries) - 1
	last := h.entries[end]
	h.entries = h.entries[:end]
	switch {
	case i == end:
	case i > 0 && last.key < h.entries[(i-1)/4].key:
		h.up(i, last)
	default:
		h.down(i, last)
	}
}

// up puts e at i or nearer to the root.
func (h *heap[K]) up(i int, e entry[K]) {
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

// down puts e at i or farther from the root.
func (h *heap[K]) down(i int, e entry[K]) {
	first := 4*i + 1
	for ; first+4 <= len(h.entries); first = 4*i + 1 {
		four := (*[4]entry[K])(h.entries[first:])
		least := leastOf(four[0].key, four[1].key, four[2].key, four[3].key)
		if e.key <= four[least&3].key {
			h.put(i, e)
			return
		}
		h.put(i, four[least&3])
		i = first + least
	}
	if first < len(h.entries) {
		least := first
		for c := first + 1; c < len(h.entries); c++ {
			if h.entries[c].key < h.entries[least].key {
				least = c
			}
		}
		if h.entries[least].key < e.key {
			h.put(i, h.entries[least])
			i = least
		}
	}
	h.put(i, e)
}

// leastOf returns which of four keys is the smallest, the first of them if several are. It
// compares in pairs and without branches, because which one it is cannot be predicted.
func leastOf[K cmp.Ordered](a, b, c, d K) int {
	first, last := one(b < a), 2+one(d < c)
	return first + (last-first)*one(min(c, d) < min(a, b))
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (h *heap[K]) put(i int, e entry[K]) {
	h.entries[i] = e
	h.place[e.link] = int32(i)
}
