package sim

import "math/bits"

const (
	digitBits = 6
	radix     = 1 << digitBits
	levels    = (63 + digitBits - 1) / digitBits

	// sortMax is the largest bucket that is sorted rather than split.
	sortMax = 24
	// sortLevels is the number of low levels whose buckets' ranges fit the
	// front's keys.
	sortLevels = (64-slotBits)/digitBits + 1
)

// queue holds the pending events; see the package comment.
type queue struct {
	now  Time // time of the latest event popped
	last Time // reference of the digits: last <= At of every event in a bucket
	near Time // earliest At in the buckets, Forever if none, or unknown

	due  fifo // events at now that come after the front's
	head uint // events already popped from due's first chunk
	pool pool

	front front

	inUse    uint64         // bit l: occupied[l] != 0
	occupied [levels]uint64 // bit d of word l: bucket (l, d) is not empty
	buckets  [levels][radix]bucket
}

// bucket holds events, and the earliest and latest of their times.
type bucket struct {
	fifo
	earliest, latest Time
}

const unknown Time = -1

// reset returns an empty queue to its beginning.
func (q *queue) reset() {
	q.now, q.last, q.near = 0, 0, Forever
	q.front.base, q.front.limit = 0, -1
}

// place puts an event with At > last into its bucket.
func (q *queue) place(e Event) {
	level := uint(bits.Len64(uint64(e.At^q.last))-1) / digitBits
	digit := uint(e.At>>(level*digitBits&63)) % radix
	b := &q.buckets[level][digit]
	if b.n%chunkLen == 0 {
		if b.n == 0 {
			b.earliest, b.latest = e.At, e.At
		}
		q.pool.extend(&b.fifo)
		q.occupied[level] |= 1 << digit
		q.inUse |= 1 << level
	}
	b.tail.events[b.n%chunkLen] = e
	b.n++
	b.earliest, b.latest = min(b.earliest, e.At), max(b.latest, e.At)
}

// insert adds an event with now < At <= front.limit.
func (q *queue) insert(e Event) {
	if !q.front.full() {
		q.front.insert(e)
		return
	}
	q.spill()
	q.near = min(q.near, e.At)
	q.place(e)
}

// spill returns the events of the front to the buckets, now with digits
// relative to now, so that the next front covers a shorter range. Events at
// now must stay, for they come before those due.
func (q *queue) spill() {
	f := &q.front
	q.last = q.now
	end := f.end
	f.end = f.head
	for i := f.head; i < end; i++ {
		e := f.events[f.keys[i%frontCap]%frontCap]
		if e.At == q.now {
			f.end++
			continue
		}
		q.near = min(q.near, e.At)
		q.place(e)
	}
	f.limit = -1
	if f.empty() {
		f.clear()
	}
}

// pop removes the next event.
func (q *queue) pop() (e Event, ok bool) {
	for {
		if !q.front.empty() {
			if e := q.front.first(); q.due.n == 0 || e.At == q.now {
				q.front.pop()
				q.now = e.At
				return *e, true
			}
		}
		if q.due.n > 0 {
			return q.popDue(), true
		}
		if !q.refill() {
			return e, false
		}
	}
}

// popDue removes the first event of due, which must not be empty.
func (q *queue) popDue() Event {
	e := q.due.head.events[q.head%chunkLen]
	q.head++
	if q.head == chunkLen || q.head == q.due.n {
		q.pool.drop(&q.due)
		q.head = 0
	}
	return e
}

// lowest returns the bucket with the earliest events; there must be one.
func (q *queue) lowest() (level, digit uint) {
	level = uint(bits.TrailingZeros64(q.inUse))
	return level, uint(bits.TrailingZeros64(q.occupied[level]))
}

// refill empties the lowest bucket into the front, if it is small, or into due and the
// lower levels. Front and due must be empty. It reports whether there was a bucket.
func (q *queue) refill() bool {
	if q.inUse == 0 {
		return false
	}
	level, digit := q.lowest()
	b := q.buckets[level][digit]
	q.buckets[level][digit] = bucket{}
	q.occupied[level] &^= 1 << digit
	if q.occupied[level] == 0 {
		q.inUse &^= 1 << level
	}
	q.near = unknown
	if b.n > sortMax || level >= sortLevels {
		q.split(b)
		return true
	}
	shift := level * digitBits
	low := Time(1)<<shift - 1
	f := &q.front
	f.base = b.head.events[0].At &^ low
	f.limit = f.base | low
	q.last = f.base
	span := b.span()
	for i := range span {
		f.insert(span[i])
	}
	q.pool.drop(&b.fifo)
	return true
}

// split sets now to the earliest time of b, makes the events at that time due, and places
// the others relative to it.
func (q *queue) split(b bucket) {
	q.now, q.last = b.earliest, b.earliest
	if b.earliest == b.latest {
		q.due = b.fifo
		return
	}
	for b.n > 0 {
		span := b.span()
		for i := range span {
			if span[i].At == b.earliest {
				q.pool.push(&q.due, span[i])
			} else {
				q.place(span[i])
			}
		}
		q.pool.drop(&b.fifo)
	}
}

// peek returns the time of the next event.
func (q *queue) peek() (Time, bool) {
	switch {
	case q.due.n > 0:
		return q.now, true
	case !q.front.empty():
		return q.front.first().At, true
	case q.inUse == 0:
		return 0, false
	}
	if q.near == unknown {
		level, digit := q.lowest()
		q.near = q.buckets[level][digit].earliest
	}
	return q.near, true
}
