package goal

import (
	"bytes"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
)

// A text is cut where lines begin with "rank", and the parts are read at the same time. A part is
// used if it holds whole ranks without mistakes. If it does not, a comment or a label may have
// misled the cut, or there is a mistake to report. Then the text is read line by line from there
// on.

const (
	partBytes     = 128 << 10 // of a part, at least
	mostPartBytes = 16 << 20  // then the text is not cut
)

// part is read on its own.
type part struct {
	textReader
	text  []byte
	first uint64        // its first rank
	done  chan struct{} // is closed when it is read
}

// readParts reads ranks in parts, as far as possible. The remaining lines follow.
func (t *textReader) readParts() {
	processors := runtime.GOMAXPROCS(0)
	if processors == 1 || t.parts == 0 {
		return
	}
	c := newCutter(t.lines, t.parts)
	var queue, free []*part
	for t.rank < t.ranks {
		for len(queue) <= processors {
			text := c.next()
			if text == nil {
				break
			}
			p := &part{}
			if n := len(free); n > 0 {
				p, free = free[n-1], free[:n-1]
			}
			p.begin(t, text, c.cuts == 1)
			queue = append(queue, p)
		}
		if len(queue) == 0 {
			break
		}
		p := queue[0]
		if <-p.done; !t.adopt(p) {
			break
		}
		c.spare = append(c.spare, p.text[:0])
		queue, free = queue[1:], append(free, p)
	}
	t.follow(queue, c)
}

// begin starts reading a part. The first part begins with rank 0; the others name their first
// rank.
func (p *part) begin(t *textReader, text []byte, first bool) {
	p.text, p.done = text, make(chan struct{})
	p.name, p.ranks, p.inPart = t.name, t.ranks, true
	if p.a == nil {
		p.a = NewAssembler(0)
	}
	p.a.clear()
	p.a.reserve(len(text) / usualBytes)
	p.lines = &lines{buf: text[:len(text)+1], end: len(text), eof: true}
	if p.first = 0; !first {
		p.first = firstRank(text)
	}
	p.rank = p.first
	go func() {
		p.read()
		close(p.done)
	}()
}

// firstRank returns the number behind the word rank.
func firstRank(text []byte) uint64 {
	number := bytes.TrimLeft(text[len(newRank)-1:], " \t")
	n := 0
	for n < len(number) && classes[number[n]] == digit {
		n++
	}
	rank, err := strconv.ParseUint(string(number[:n]), 10, 32)
	if err != nil {
		return math.MaxUint64
	}
	return rank
}

// adopt appends the contents of a part, and returns false if that is not possible.
func (t *textReader) adopt(p *part) bool {
	number := t.lines.number + p.lines.number
	whole := p.first == t.rank && !p.inside && p.comment == 0 && !p.lines.tooLong
	if !whole || len(p.problems) > 0 || p.a.s.twice != nil || uint64(number) > math.MaxUint32 || len(t.a.s.ops)+len(p.a.s.ops) > maxOps {
		return false
	}
	t.measure(t.adopted)
	t.a.join(&p.a.s, uint32(t.lines.number))
	t.adopted += int64(len(p.text))
	t.lines.number, t.rank = number, p.rank
	return true
}

// follow queues the lines of parts that were not adopted, and the text that was not cut.
func (t *textReader) follow(queue []*part, c *cutter) {
	var all []io.Reader
	for _, p := range queue {
		<-p.done
		all = append(all, bytes.NewReader(p.text))
	}
	rest := newLines(io.MultiReader(append(all, c)...))
	rest.number = t.lines.number
	t.lines = rest
}

// join appends the ranks of another schedule, whose lines follow others.
func (a *Assembler) join(s *Schedule, lines uint32) {
	a.foresee(s.Ranks())
	ops, dependants := uint32(len(a.s.ops)), uint32(len(a.s.dependants))
	a.s.ops = append(a.s.ops, s.ops...)
	for i := range a.s.ops[ops:] {
		a.s.ops[int(ops)+i].first += dependants
	}
	a.s.dependants = append(a.s.dependants, s.dependants...)
	shift(a.s.dependants[dependants:], ops)
	a.s.lines = append(a.s.lines, s.lines...)
	shift(a.s.lines[ops:], lines)
	ranks := len(a.s.ranks)
	a.s.ranks = append(a.s.ranks, s.ranks[1:]...)
	shift(a.s.ranks[ranks:], ops)
	a.s.cpus, a.s.nics = max(a.s.cpus, s.cpus), max(a.s.nics, s.nics)
}

func shift(list []uint32, by uint32) {
	for i := range list {
		list[i] += by
	}
}

// usualBytes are fewer than a text usually has for an operation with its dependencies.
const usualBytes = 24

// reserve makes room for the given number of operations and dependencies, and does not touch it.
func (a *Assembler) reserve(n int) {
	if cap(a.s.ops) < n {
		a.s.ops, a.s.lines = make([]Op, 0, n), make([]uint32, 0, n)
		a.edges, a.s.dependants = make([]edge, 0, n), make([]uint32, 0, n)
	}
}

// clear makes room for other ranks.
func (a *Assembler) clear() {
	s := &a.s
	s.ops, s.dependants, s.lines, s.twice = s.ops[:0], s.dependants[:0], s.lines[:0], nil
	s.ranks, s.cpus, s.nics = append(s.ranks[:0], 0), 1, 1
	a.edges, a.back = a.edges[:0], false
}

// cutter cuts a text into parts. It is also a reader of what it has not cut.
type cutter struct {
	from  *lines   // what it reads
	rest  []byte   // read, and not cut
	spare [][]byte // memory of parts that were adopted
	size  int
	want  int // bytes of the rest before it is cut
	last  int // where the last rank of the rest begins, as far as it is searched; 0: nowhere
	seen  int // bytes of the rest that are searched
	cuts  int
	eof   bool
	err   error // of what it reads
	whole bool  // the rest is not to be cut
}

// newRank is how a part begins, and the byte before it.
var newRank = []byte("\nrank")

// lastRank returns where the last line that begins with "rank" starts, not counting the first
// line of the text; 0 if there is none. It searches piece after piece from the end, and in a piece
// for the k, because few words have one and bytes.IndexByte is fast.
func lastRank(text []byte) int {
	const piece = 4 << 10
	for to := len(text); to > 0; to -= piece {
		last := 0
		for i := max(0, to-piece); ; i++ {
			n := bytes.IndexByte(text[i:to], 'k')
			if n < 0 {
				break
			}
			if i += n; bytes.HasSuffix(text[:i+1], newRank) {
				last = i + 1 - len(newRank) + 1
			}
		}
		if last > 0 {
			return last
		}
	}
	return 0
}

func newCutter(l *lines, size int) *cutter {
	return &cutter{from: l, rest: slices.Clone(l.buf[l.pos:l.end]), size: size, want: size, eof: l.eof, err: l.err}
}

// next returns another part; nil: there is none.
func (c *cutter) next() []byte {
	for !c.whole {
		switch n := c.lastRank(); {
		case len(c.rest) < c.want && !c.eof:
			c.fill()
		case n > 0:
			return c.take(n)
		case c.eof && c.cuts > 0 && len(c.rest) > 0:
			return c.take(len(c.rest))
		case c.eof || len(c.rest) >= mostPartBytes:
			c.whole = true
		default:
			c.want = len(c.rest) + c.size
		}
	}
	return nil
}

// lastRank returns where the last rank of the rest starts, and searches no byte twice, because
// the text of a rank may be longer than many parts.
func (c *cutter) lastRank() int {
	if n := lastRank(c.rest[c.seen:]); n > 0 {
		c.last = c.seen + n
	}
	c.seen = max(0, len(c.rest)-len(newRank)+1)
	return c.last
}

// fill reads on.
func (c *cutter) fill() {
	have := len(c.rest)
	c.rest = slices.Grow(c.rest, c.size+1)
	n, err := c.from.read(c.rest[have : have+c.size])
	c.rest = c.rest[:have+n]
	switch {
	case err == io.EOF:
		c.eof = true
	case err != nil:
		c.err, c.whole = err, true
	}
}

// take cuts after the given bytes. Behind them is room for the end of a line.
func (c *cutter) take(n int) []byte {
	text := slices.Grow(c.rest[:n], 1)
	c.rest = append(c.room(len(c.rest)-n+c.size+1), c.rest[n:]...)
	c.cuts, c.want, c.last, c.seen = c.cuts+1, c.size, 0, 0
	return text
}

// room returns memory for the given bytes.
func (c *cutter) room(bytes int) []byte {
	last := len(c.spare) - 1
	if last < 0 {
		return make([]byte, 0, bytes)
	}
	room := c.spare[last]
	c.spare = c.spare[:last]
	return slices.Grow(room, bytes)
}

// Read implements io.Reader.
func (c *cutter) Read(b []byte) (n int, err error) {
	switch {
	case len(c.rest) > 0:
		n = copy(b, c.rest)
		c.rest = c.rest[n:]
		return n, nil
	case c.err != nil:
		return 0, c.err
	case c.eof:
		return 0, io.EOF
	}
	return c.from.in.Read(b)
}
