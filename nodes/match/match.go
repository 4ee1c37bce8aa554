// Package match pairs messages with receives as MPI does.
package match

import (
	"iter"
	"math"
	"slices"
)

// Any as the source or tag of an Envelope matches every source or tag.
const Any uint32 = math.MaxUint32

// Envelope is the part of a message or a receive that is matched. Value identifies the message or
// receive for the caller.
type Envelope[T any] struct {
	Source, Tag uint32
	Value       T
}

func (e *Envelope[T]) matches(source, tag uint32) bool {
	return (e.Source == source || e.Source == Any || source == Any) &&
		(e.Tag == tag || e.Tag == Any || tag == Any)
}

// Matching pairs the messages and receives of many processes as MPI does. A receive gets the
// first unexpected message that fits it, and a message the first posted receive. Either side may
// have wildcards.
type Matching[T any] struct {
	queues *queueSet[T] // of process i: posted receives in 2i, unexpected messages in 2i+1
}

// NewMatching returns the empty queues of n processes.
func NewMatching[T any](processes int) *Matching[T] {
	return &Matching[T]{newQueueSet[T](2 * processes)}
}

// Beside returns a matching of the same processes for use at the same time. Each process may use
// only one of the two.
func (m *Matching[T]) Beside() *Matching[T] {
	return &Matching[T]{&queueSet[T]{queues: m.queues.queues, nodes: make([]node[T], 1)}}
}

// Reserve makes room for n entries in all queues together.
func (m *Matching[T]) Reserve(n int) { m.queues.nodes = slices.Grow(m.queues.nodes, n) }

// Post finds the message for a receive of a process, or queues the receive.
func (m *Matching[T]) Post(process int, receive Envelope[T]) (message Envelope[T], ok bool) {
	if message, ok = m.queues.Take(2*process+1, receive.Source, receive.Tag); !ok {
		m.queues.Add(2*process, receive)
	}
	return message, ok
}

// Arrive finds the receive for a message to a process, or queues the message.
func (m *Matching[T]) Arrive(process int, message Envelope[T]) (receive Envelope[T], ok bool) {
	if receive, ok = m.queues.Take(2*process, message.Source, message.Tag); !ok {
		m.queues.Add(2*process+1, message)
	}
	return receive, ok
}

// Posted yields the receives of a process that have no message, in the order of posting.
func (m *Matching[T]) Posted(process int) iter.Seq[Envelope[T]] {
	return m.queues.All(2 * process)
}

// Unexpected yields the messages to a process that have no receive, in the order of arrival.
func (m *Matching[T]) Unexpected(process int) iter.Seq[Envelope[T]] {
	return m.queues.All(2*process + 1)
}

// Waiting returns the number of receives and messages of a process that have no
// match.
func (m *Matching[T]) Waiting(process int) (posted, unexpected int) {
	return m.queues.Len(2 * process), m.queues.Len(2*process + 1)
}

// queueSet holds first-in first-out queues of envelopes, two for each process of a Matching, in
// one slab. Take searches a short queue from its front. For a long queue it uses an index, which
// takes constant time. An empty queue costs 16 bytes, and an entry 24 bytes and its value,
// rounded up to 8.
type queueSet[T any] struct {
	queues  []queue
	nodes   []node[T] // node 0 ends every list
	free    uint32    // head of the list of unused nodes
	added   uint64
	indexes []*index // by queue.index-1
	spare   []uint32 // values of queue.index not in use

	_ [64]byte // keeps the set of another core in other cache lines
}

// queue is one queue. Its index is 0 if it has none.
type queue struct{ head, tail, len, index uint32 }

type node[T any] struct {
	Envelope[T]
	prev, next uint32 // in the queue; next also in the list of unused nodes
	same       uint32 // in an indexed queue: the next node with the same source and tag
	order      uint64 // running number over all entries that were added
}

// longWalk is how many entries Take looks at before it builds an index.
const longWalk = 16

// newQueueSet returns n empty queues.
func newQueueSet[T any](n int) *queueSet[T] {
	return &queueSet[T]{queues: make([]queue, n), nodes: make([]node[T], 1)}
}

// Len returns the number of entries of queue i.
func (q *queueSet[T]) Len(i int) int { return int(q.queues[i].len) }

// All yields the entries of queue i, first in first.
func (q *queueSet[T]) All(i int) iter.Seq[Envelope[T]] {
	return func(yield func(Envelope[T]) bool) {
		for n := q.queues[i].head; n != 0 && yield(q.nodes[n].Envelope); n = q.nodes[n].next {
		}
	}
}

// Add appends an envelope to queue i.
func (q *queueSet[T]) Add(i int, e Envelope[T]) {
	l := &q.queues[i]
	n := q.node()
	q.added++
	x := &q.nodes[n] // is empty
	x.Source, x.Tag, x.Value = e.Source, e.Tag, e.Value
	x.prev, x.next, x.order = l.tail, 0, q.added
	if l.tail != 0 {
		q.nodes[l.tail].next = n
	} else {
		l.head = n
	}
	l.tail = n
	l.len++
	if l.index != 0 {
		q.enter(l, n)
	}
}

func (q *queueSet[T]) node() uint32 {
	n := q.free
	if n == 0 {
		if len(q.nodes) == cap(q.nodes) { // append would add only a quarter, and so copy many nodes four times as often
			q.nodes = append(make([]node[T], 0, 2*len(q.nodes)), q.nodes...)
		}
		q.nodes = append(q.nodes, node[T]{})
		return uint32(len(q.nodes) - 1)
	}
	q.free = q.nodes[n].next
	return n
}

// Take removes and returns the first entry of queue i that matches.
func (q *queueSet[T]) Take(i int, source, tag uint32) (e Envelope[T], ok bool) {
	l := &q.queues[i]
	var n uint32
	if l.index == 0 {
		n = l.head
		for steps := 0; n != 0 && !q.nodes[n].matches(source, tag); n = q.nodes[n].next {
			if steps++; steps == longWalk {
				q.buildIndex(l)
				break
			}
		}
	}
	if l.index != 0 {
		n = q.search(l, source, tag)
	}
	if n == 0 {
		return e, false
	}
	e = q.nodes[n].Envelope
	q.remove(l, n)
	return e, true
}

func (q *queueSet[T]) remove(l *queue, n uint32) {
	x := &q.nodes[n]
	if l.index != 0 {
		q.leave(q.indexes[l.index-1], n)
	}
	if x.prev != 0 {
		q.nodes[x.prev].next = x.next
	} else {
		l.head = x.next
	}
	if x.next != 0 {
		q.nodes[x.next].prev = x.prev
	} else {
		l.tail = x.prev
	}
	if l.len--; l.len == 0 && l.index != 0 {
		q.dropIndex(l)
	}
	*x = node[T]{next: q.free}
	q.free = n
}
