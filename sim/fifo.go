package sim

// chunkLen is the number of events in a chunk: a power of two, large enough
// that taking a new chunk is rare and the events of a bucket lie in sequence.
const chunkLen = 128

// chunk is the unit of storage of fifos. The pointer comes first, so that the garbage
// collector scans nothing else.
type chunk struct {
	next   *chunk
	events [chunkLen]Event
}

// fifo is a list of chunks that holds n events in order of arrival. All but
// its last chunk are full; an empty fifo owns no chunk.
type fifo struct {
	head, tail *chunk
	n          uint
}

// span returns the events of the first chunk of a fifo that is not empty.
func (f *fifo) span() []Event { return f.head.events[:min(f.n, chunkLen)] }

// pool is a free list of chunks. It never shrinks: it keeps as many chunks as the run
// needed at its peak.
type pool struct{ free *chunk }

// extend adds a chunk to a fifo whose chunks are full.
func (p *pool) extend(f *fifo) {
	c := p.free
	if c == nil {
		c = new(chunk)
	} else {
		p.free, c.next = c.next, nil
	}
	if f.n == 0 {
		f.head = c
	} else {
		f.tail.next = c
	}
	f.tail = c
}

// push appends e to f.
func (p *pool) push(f *fifo, e Event) {
	if f.n%chunkLen == 0 {
		p.extend(f)
	}
	f.tail.events[f.n%chunkLen] = e
	f.n++
}

// drop removes the first span of f.
func (p *pool) drop(f *fifo) {
	c := f.head
	f.head = c.next
	f.n -= min(f.n, chunkLen)
	c.next, p.free = p.free, c
}
