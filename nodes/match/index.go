package match

import "math/bits"

// index finds entries of one long queue. Every entry is in the bin of its source and tag. Take
// always removes the first entry of a bin, because all entries of a bin match equally. Searches
// that leave the source or the tag open use further bins, which are built when first needed.
// Those bins may refer to entries that are gone.
type index struct {
	pairs     bins  // of nodes, linked by same
	bySource  *wild // nil until a search leaves the tag open
	byTag     *wild
	anySource int // number of entries with wildcards
	anyTag    int
}

// wild holds references to entries by source or by tag.
type wild struct {
	bins  bins // of cells, linked by next
	cells []cell
	free  uint32
	refs  int // cells in bins, including those whose entry is gone
}

// cell refers to a node, and is valid while the node holds the same entry.
type cell struct {
	node, next uint32
	order      uint64
}

func pairKey(source, tag uint32) uint64 { return uint64(source)<<32 | uint64(tag) }

func (q *queueSet[T]) buildIndex(l *queue) {
	if n := len(q.spare); n > 0 {
		l.index = q.spare[n-1]
		q.spare = q.spare[:n-1]
	} else {
		q.indexes = append(q.indexes, &index{})
		l.index = uint32(len(q.indexes))
	}
	for n := l.head; n != 0; n = q.nodes[n].next {
		q.enter(l, n)
	}
}

// dropIndex removes the index of an empty queue.
func (q *queueSet[T]) dropIndex(l *queue) {
	x := q.indexes[l.index-1]
	x.bySource, x.byTag = nil, nil
	x.pairs.clear()
	q.spare = append(q.spare, l.index)
	l.index = 0
}

// enter adds a node, the last of its queue.
func (q *queueSet[T]) enter(l *queue, n uint32) {
	x := q.indexes[l.index-1]
	e := &q.nodes[n]
	b := x.pairs.at(pairKey(e.Source, e.Tag))
	if e.same = 0; b.head == 0 {
		b.head = n
	} else {
		q.nodes[b.tail].same = n
	}
	b.tail = n
	x.count(e.Source, e.Tag, 1)
	if x.bySource = x.bySource.unlessStale(l); x.bySource != nil {
		x.bySource.add(e.Source, n, e.order)
	}
	if x.byTag = x.byTag.unlessStale(l); x.byTag != nil {
		x.byTag.add(e.Tag, n, e.order)
	}
}

func (x *index) count(source, tag uint32, by int) {
	if source == Any {
		x.anySource += by
	}
	if tag == Any {
		x.anyTag += by
	}
}

// leave removes a node, the first of its bin.
func (q *queueSet[T]) leave(x *index, n uint32) {
	e := &q.nodes[n]
	x.pairs.slot(pairKey(e.Source, e.Tag)).head = e.same
	x.count(e.Source, e.Tag, -1)
}

// search returns the first match in an indexed queue; 0: none.
func (q *queueSet[T]) search(l *queue, source, tag uint32) uint32 {
	x := q.indexes[l.index-1]
	switch {
	case source == Any && tag == Any:
		return l.head
	case source == Any:
		if x.byTag == nil {
			x.byTag = q.buildWild(l, func(e *node[T]) uint32 { return e.Tag })
		}
		return q.earlier(q.firstOf(x.byTag, tag), q.firstOf(x.byTag, Any))
	case tag == Any:
		if x.bySource == nil {
			x.bySource = q.buildWild(l, func(e *node[T]) uint32 { return e.Source })
		}
		return q.earlier(q.firstOf(x.bySource, source), q.firstOf(x.bySource, Any))
	}
	n := x.pairs.head(pairKey(source, tag))
	if x.anySource > 0 {
		n = q.earlier(n, x.pairs.head(pairKey(Any, tag)))
	}
	if x.anyTag > 0 {
		n = q.earlier(n, x.pairs.head(pairKey(source, Any)))
	}
	if x.anySource > 0 && x.anyTag > 0 {
		n = q.earlier(n, x.pairs.head(pairKey(Any, Any)))
	}
	return n
}

func (q *queueSet[T]) earlier(a, b uint32) uint32 {
	if a == 0 || b != 0 && q.nodes[b].order < q.nodes[a].order {
		return b
	}
	return a
}

func (q *queueSet[T]) buildWild(l *queue, key func(*node[T]) uint32) *wild {
	w := &wild{cells: make([]cell, 1, l.len+1)}
	for n := l.head; n != 0; n = q.nodes[n].next {
		w.add(key(&q.nodes[n]), n, q.nodes[n].order)
	}
	return w
}

// unlessStale returns nil if most references are to entries that are gone, as in bins that have
// not been searched for a long time.
func (w *wild) unlessStale(l *queue) *wild {
	if w != nil && w.refs > 2*int(l.len)+64 {
		return nil
	}
	return w
}

func (w *wild) add(key, n uint32, order uint64) {
	c := w.free
	if c == 0 {
		w.cells = append(w.cells, cell{})
		c = uint32(len(w.cells) - 1)
	} else {
		w.free = w.cells[c].next
	}
	w.cells[c] = cell{node: n, order: order}
	b := w.bins.at(uint64(key))
	if b.head == 0 {
		b.head = c
	} else {
		w.cells[b.tail].next = c
	}
	b.tail = c
	w.refs++
}

// firstOf returns the first entry of a bin that is still there.
func (q *queueSet[T]) firstOf(w *wild, key uint32) uint32 {
	b := w.bins.find(uint64(key))
	if b == nil {
		return 0
	}
	for b.head != 0 {
		c := b.head
		if n := w.cells[c].node; q.nodes[n].order == w.cells[c].order {
			return n
		}
		b.head = w.cells[c].next
		w.cells[c].next, w.free = w.free, c
		w.refs--
	}
	return 0
}

// bins is a hash table of lists with open addressing. A bin whose list became empty stays
// until the table is rebuilt.
type bins struct {
	slots []bin // their number is a power of two
	used  int   // including empty lists
}

type bin struct {
	key        uint64
	head, tail uint32 // head 0: the list is empty; tail 0: the slot is free
}

func (b *bins) slot(key uint64) *bin {
	mask := uint64(len(b.slots) - 1)
	for i := mix(key) & mask; ; i = (i + 1) & mask {
		if s := &b.slots[i]; s.tail == 0 || s.key == key {
			return s
		}
	}
}

// find returns the bin of key; nil: there is none.
func (b *bins) find(key uint64) *bin {
	if len(b.slots) == 0 {
		return nil
	}
	if s := b.slot(key); s.tail != 0 {
		return s
	}
	return nil
}

// head returns the first node of the list of key; 0: it is empty.
func (b *bins) head(key uint64) uint32 { return b.slot(key).head }

// at returns the bin of key. If there is none it makes one, and the caller must set the bin's
// tail.
func (b *bins) at(key uint64) *bin {
	if 2*b.used >= len(b.slots) {
		b.rebuild()
	}
	s := b.slot(key)
	if s.tail == 0 {
		s.key = key
		b.used++
	}
	return s
}

// clear empties the table, and releases it if it is too big to keep.
func (b *bins) clear() {
	if b.used = 0; len(b.slots) > 1<<10 {
		b.slots = nil
	}
	clear(b.slots)
}

// rebuild drops empty lists and makes room.
func (b *bins) rebuild() {
	old := b.slots
	live := 0
	for i := range old {
		if old[i].head != 0 {
			live++
		}
	}
	size := 4 * longWalk
	for size < 4*live {
		size *= 2
	}
	b.slots, b.used = make([]bin, size), live
	for i := range old {
		if old[i].head != 0 {
			*b.slot(old[i].key) = old[i]
		}
	}
}

// mix is the multiply-and-fold step of wyhash.
func mix(x uint64) uint64 {
	hi, lo := bits.Mul64(x, 0x9e3779b97f4a7c15)
	return hi ^ lo
}
