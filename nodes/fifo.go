package nodes

// fifo is a first-in first-out queue.
type fifo[T any] struct {
	items []T
	head  int
}

func (q *fifo[T]) empty() bool { return q.head == len(q.items) }

func (q *fifo[T]) len() int { return len(q.items) - q.head }

func (q *fifo[T]) first() T { return q.items[q.head] }

// left returns what is in the queue, first item first.
func (q *fifo[T]) left() []T { return q.items[q.head:] }

// push puts x at the end. It moves the rest of the queue to the front only if at least as much
// room is free there as the queue is long. Therefore a long queue costs no more per push than a short
// one.
func (q *fifo[T]) push(x T) {
	if len(q.items) == cap(q.items) && 2*q.head > len(q.items) {
		q.items = q.items[:copy(q.items, q.items[q.head:])]
		q.head = 0
	}
	q.items = append(q.items, x)
}

func (q *fifo[T]) pop() T {
	x := q.items[q.head]
	if q.head++; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	return x
}
