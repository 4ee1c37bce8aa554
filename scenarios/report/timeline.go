package report

import (
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// The timeline travels as gzip of: the length of the header (uvarint), the
// header (JSON), and columns of unsigned varints, each over all spans of all
// lanes in the header's order, then over all messages:
//
//	gap       start minus the end of the lane's span before (or minus 0)
//	duration  end minus start
//	term      index into the page's terms
//	phase     index into the header's phases
//	message   0: none, else 1 + zigzag(index minus the index of the lane's last one)
//	from, to, bytes
//	posted    zigzag(posted minus the time of the message before)
//	insert, start, sent, delivered: zigzag, each minus the column before
//
// The critical path, if there is one, is the last lane; its phases count the
// header's parts, and after the messages comes for each of its spans
//
//	where     zigzag(index of the lane it is on, -1: of none, minus the index of the span before)
//
// Times are picoseconds. The data are in columns because gzip finds the repetitions of a
// program in each of them, and differences because they are small.
type header struct {
	Ranks    int        `json:"ranks"`
	Makespan sim.Time   `json:"makespan"`
	Phases   []string   `json:"phases"`
	Messages int        `json:"messages"`
	Lanes    []track    `json:"lanes"`
	Parts    []pathPart `json:"parts,omitempty"` // of the critical path
}

// track describes a lane in the header.
type track struct {
	Name  string           `json:"name"`
	Kind  results.LaneKind `json:"kind"`
	Index int              `json:"index"`
	Node  int              `json:"node"`
	Spans int              `json:"spans"`
	Alike int              `json:"alike"` // index of the first lane that does the same
	Twin  int              `json:"twin"`  // index of the lane at its place in the first node that does the same
}

// encode writes the timeline of a result, compressed.
func encode(w io.Writer, r *results.Result) error {
	packed := gzip.NewWriter(w)
	if err := encodePlain(packed, r); err != nil {
		return err
	}
	return packed.Close()
}

// encodePlain writes the timeline of a result.
func encodePlain(w io.Writer, r *results.Result) error {
	c := columns{w: w, buf: make([]byte, 0, mostBuffered+atOnce*binary.MaxVarintLen64)}
	lanes := byNode(r.Timeline)
	critical := pathOf(r, lanes)
	if critical != nil {
		lanes = append(lanes, placed{&critical.Lane, -1})
	}
	c.header(r, lanes, critical)
	c.spans(lanes)
	c.messages(r.Timeline)
	c.path(critical)
	return cmp.Or(c.flush(), r.Timeline.Err())
}

// columns writes varints, in groups because there are many. The first error stays until flush.
type columns struct {
	w    io.Writer
	buf  []byte
	room [atOnce]uint64
	err  error
}

// atOnce is how many numbers of a column are written together, and mostBuffered how many bytes are kept before they are written.
const atOnce, mostBuffered = 1 << 12, 1 << 16

func (c *columns) uint(x uint64) {
	c.room[0] = x
	c.uints(c.room[:1])
}

func (c *columns) uints(numbers []uint64) {
	buf := c.buf
	for _, x := range numbers {
		for x >= 0x80 {
			buf = append(buf, byte(x)|0x80)
			x >>= 7
		}
		buf = append(buf, byte(x))
	}
	if c.buf = buf; len(buf) > mostBuffered {
		c.flush()
	}
}

func (c *columns) flush() error {
	if c.err == nil {
		_, c.err = c.w.Write(c.buf)
	}
	c.buf = c.buf[:0]
	return c.err
}

// zigzag maps small numbers of either sign to small unsigned ones.
func zigzag(x int64) uint64 { return uint64(x<<1) ^ uint64(x>>63) }

func (c *columns) header(r *results.Result, lanes []placed, critical *path) {
	h := header{Ranks: r.Ranks, Makespan: r.Makespan(), Phases: r.Phases, Messages: r.Timeline.Count()}
	alike := alikes(lanes)
	twin := twins(lanes, alike)
	for i, l := range lanes {
		h.Lanes = append(h.Lanes, track{l.Name, l.Kind, l.Index, l.node, l.Len(), alike[i], twin[i]})
	}
	if critical != nil {
		h.Parts = critical.parts
	}
	text, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	c.uint(uint64(len(text)))
	c.buf = append(c.buf, text...)
}

func (c *columns) spans(lanes []placed) {
	var last int64 // of the lane
	column := func(number func(spans []results.Span, into []uint64)) {
		for _, l := range lanes {
			last = 0
			for part := range l.Parts() {
				for spans := range slices.Chunk(part, atOnce) {
					into := c.room[:len(spans)]
					number(spans, into)
					c.uints(into)
				}
			}
		}
	}
	column(func(spans []results.Span, into []uint64) {
		for i := range spans {
			into[i] = uint64(int64(spans[i].Start) - last)
			last = int64(spans[i].End)
		}
	})
	column(func(spans []results.Span, into []uint64) {
		for i := range spans {
			into[i] = uint64(spans[i].End - spans[i].Start)
		}
	})
	column(func(spans []results.Span, into []uint64) {
		for i := range spans {
			into[i] = uint64(spans[i].Term)
		}
	})
	column(func(spans []results.Span, into []uint64) {
		for i := range spans {
			into[i] = uint64(spans[i].Phase)
		}
	})
	column(func(spans []results.Span, into []uint64) {
		for i := range spans {
			into[i] = 0
			if m := int64(spans[i].Message); m >= 0 {
				into[i] = 1 + zigzag(m-last)
				last = m
			}
		}
	})
}

func (c *columns) messages(line *results.Timeline) {
	column := func(number func(m *results.Message) uint64) {
		for part := range line.MessageParts() {
			for messages := range slices.Chunk(part, atOnce) {
				into := c.room[:len(messages)]
				for i := range messages {
					into[i] = number(&messages[i])
				}
				c.uints(into)
			}
		}
	}
	column(func(m *results.Message) uint64 { return uint64(m.From) })
	column(func(m *results.Message) uint64 { return uint64(m.To) })
	column(func(m *results.Message) uint64 { return uint64(m.Bytes) })
	last := sim.Time(0)
	column(func(m *results.Message) uint64 {
		d := m.Posted - last
		last = m.Posted
		return zigzag(int64(d))
	})
	column(func(m *results.Message) uint64 { return zigzag(int64(m.Insert - m.Posted)) })
	column(func(m *results.Message) uint64 { return zigzag(int64(m.Start - m.Insert)) })
	column(func(m *results.Message) uint64 { return zigzag(int64(m.Sent - m.Start)) })
	column(func(m *results.Message) uint64 { return zigzag(int64(m.Delivered - m.Sent)) })
}

// path writes where the spans of the critical path are.
func (c *columns) path(p *path) {
	if p == nil {
		return
	}
	last := 0
	for _, lane := range p.where {
		c.uint(zigzag(int64(lane - last)))
		last = lane
	}
}

// placed is a lane and the node it belongs to, -1 if there is no NIC.
type placed struct {
	*results.Lane
	node int
}

// byNode finds the node of every lane: the lanes of a node come together, its
// processes before its NIC.
func byNode(t *results.Timeline) []placed {
	lanes := make([]placed, len(t.Lanes))
	node := -1
	for i := len(lanes) - 1; i >= 0; i-- {
		l := &t.Lanes[i]
		if l.Kind == results.InsertLane || l.Kind == results.SendLane {
			node = l.Index
		}
		lanes[i] = placed{l, node}
	}
	return lanes
}

// checkTimeline returns an error if the encoding cannot represent the timeline.
func checkTimeline(r *results.Result) error {
	if r == nil || r.Timeline == nil {
		return nil
	}
	messages := r.Timeline.Count()
	for _, l := range r.Timeline.Lanes {
		end := sim.Time(0)
		for i, s := range l.All() {
			switch {
			case s.Start < end:
				return fmt.Errorf("lane %s: span %d starts at %v, before %v where the one before it ends", l.Name, i, s.Start, end)
			case s.End < s.Start:
				return fmt.Errorf("lane %s: span %d ends at %v, before it starts at %v", l.Name, i, s.End, s.Start)
			case s.Term >= results.NumTerms:
				return fmt.Errorf("lane %s: span %d: there is no term %d", l.Name, i, s.Term)
			case int(s.Message) >= messages:
				return fmt.Errorf("lane %s: span %d: there is no message %d", l.Name, i, s.Message)
			}
			end = s.End
		}
	}
	return checkMessages(r)
}

func checkMessages(r *results.Result) error {
	for i, m := range r.Timeline.AllMessages() {
		if min(m.From, m.To) < 0 || int(max(m.From, m.To)) >= r.Ranks {
			return fmt.Errorf("message %d goes from rank %d to rank %d of %d", i, m.From, m.To, r.Ranks)
		}
	}
	return r.Timeline.Err()
}
