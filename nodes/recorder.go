package nodes

import (
	"cmp"
	"fmt"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// recorder collects the timeline of a run. The run only writes notes, in blocks. Meanwhile
// another goroutine, on a second processor, draws them into lanes. The zero recorder records
// nothing.
type recorder struct {
	on          bool
	notes       []note // the block that is being written
	full, empty chan []note
	drawn       chan struct{} // closed when all blocks are drawn
	posted      int32         // messages so far
	home        []int32       // by rank: its NIC
	calls       bool          // calls of NICs are recorded
	drawing
}

// drawing holds the lanes so far. During the run only the other goroutine uses it.
type drawing struct {
	cpus, inserts, sends []results.Lane
	helpers              []results.Lane   // nil: there are none
	line                 results.Timeline // its messages
	room                 room
}

// note is something that the timeline will show. Its kind determines which fields it has.
type note struct {
	kind       noteKind
	term       results.Term
	phase      uint8
	lane       int32 // rank or NIC
	message    int32
	from, to   int32
	start, end sim.Time
	at         sim.Time
	bytes      int64
	call       results.CallKind
}

type noteKind uint8

const (
	spanNote       noteKind = iota // a rank did something
	helperNote                     // the helper thread of a rank did
	postNote                       // a message: posted at, and inserted from start to end
	sendNote                       // bytes of a message left the node
	deliveryNote                   // a message is in memory
	copyNote                       // the target of a message has copied it
	callNote                       // a rank called the NIC
	helperCallNote                 // a rank's helper thread called the NIC
)

// A block is a few pages. The run waits for the other goroutine when all blocks are full.
const (
	notesPerBlock = 1024
	noteBlocks    = 8
)

// begin begins to record a run.
func (rec *recorder) begin(c *cluster, o *Options) {
	*rec = recorder{
		on: true, calls: o.Calls,
		home: c.place.nic, notes: make([]note, 0, notesPerBlock), drawn: make(chan struct{}),
		full: make(chan []note, noteBlocks), empty: make(chan []note, noteBlocks),
	}
	for r := range c.ranks {
		rec.cpus = append(rec.cpus, results.Lane{Name: fmt.Sprintf("rank %d", r), Kind: results.CPULane, Index: r})
		if c.agent.cpu == helperCPU {
			rec.helpers = append(rec.helpers, results.Lane{Name: fmt.Sprintf("rank %d thread", r), Kind: results.HelperLane, Index: r})
		}
	}
	for n := range c.nics {
		name := c.nicName(n)
		rec.inserts = append(rec.inserts, results.Lane{Name: name + " insert", Kind: results.InsertLane, Index: n})
		rec.sends = append(rec.sends, results.Lane{Name: name + " send", Kind: results.SendLane, Index: n})
	}
	rec.room = newRoom(len(rec.cpus)+len(rec.helpers)+len(rec.inserts)+len(rec.sends), o.Spill)
	go rec.draw(rec.full)
}

// add writes a note.
func (rec *recorder) add(n note) {
	if len(rec.notes) == notesPerBlock {
		rec.pass()
	}
	rec.notes = append(rec.notes, n)
}

// pass hands over the full block and takes another one.
func (rec *recorder) pass() {
	rec.full <- rec.notes
	select {
	case rec.notes = <-rec.empty:
	default:
		rec.notes = make([]note, 0, notesPerBlock)
	}
}

// end tells the other goroutine that there are no more notes, and waits until it has drawn
// everything.
func (rec *recorder) end() {
	if rec.full == nil {
		return
	}
	rec.full <- rec.notes
	close(rec.full)
	rec.full = nil
	<-rec.drawn
}

// draw draws the notes of all blocks.
func (rec *recorder) draw(full <-chan []note) {
	defer close(rec.drawn)
	for block := range full {
		for i := range block {
			rec.show(&block[i])
		}
		rec.tidy()
		select {
		case rec.empty <- block[:0]:
		default:
		}
	}
}

// span records what a rank did.
func (rec *recorder) span(r int32, s results.Span) {
	rec.add(note{kind: spanNote, term: s.Term, phase: s.Phase, lane: r, message: s.Message, start: s.Start, end: s.End})
}

// helped records a job of the helper thread of a rank. What a NIC does in rounds has no lane.
func (rec *recorder) helped(r int32, begin, end sim.Time, message int32) {
	if !rec.on || len(rec.helpers) == 0 {
		return
	}
	rec.add(note{kind: helperNote, lane: r, message: message, start: begin, end: end})
}

// post records a message of a rank, and returns its index in the timeline, or -1. Its insertion
// begins at insert and takes gap (g).
func (rec *recorder) post(r int32, m *message, insert, gap sim.Time) int32 {
	if !rec.on {
		return -1
	}
	rec.add(note{kind: postNote, lane: rec.home[r], from: m.from, to: m.to, bytes: m.bytes, at: m.posted, start: insert, end: insert + gap})
	rec.posted++
	return rec.posted - 1
}

// send records that bytes of a message left the node.
func (rec *recorder) send(id, node int32, start, sent sim.Time) {
	if !rec.on {
		return
	}
	rec.add(note{kind: sendNote, lane: node, message: id, start: start, end: sent})
}

// copied records that the target of a message has copied its bytes, which passed no NIC.
func (rec *recorder) copied(id int32, start, end sim.Time) {
	if !rec.on || id < 0 {
		return
	}
	rec.add(note{kind: copyNote, message: id, start: start, end: end})
}

// delivered records that a message is in memory. A message inside a node has no index.
func (rec *recorder) delivered(id int32, at sim.Time) {
	if id < 0 {
		return
	}
	rec.add(note{kind: deliveryNote, message: id, at: at})
}

// show draws a note.
func (d *drawing) show(n *note) {
	s := results.Span{Start: n.start, End: n.end, Message: n.message}
	switch n.kind {
	case spanNote:
		s.Term, s.Phase = n.term, n.phase
		d.span(&d.cpus[n.lane], s)
	case helperNote:
		s.Term = results.Overhead
		d.take(&d.helpers[n.lane], s)
	case postNote:
		s.Term, s.Message = results.NICStall, int32(d.line.Count())
		d.line.Messages = doubled(d.line.Messages, results.Message{From: n.from, To: n.to, Bytes: n.bytes, Posted: n.at, Insert: n.start})
		d.take(&d.inserts[n.lane], s)
	case sendNote:
		s.Term = results.Transfer
		d.line.Change(int(n.message), func(m *results.Message) { leave(m, &s) })
		d.draws(&d.sends[n.lane], s)
	case copyNote:
		d.line.Change(int(n.message), func(m *results.Message) { leave(m, &s) })
	case deliveryNote:
		d.line.Change(int(n.message), func(m *results.Message) { m.Delivered = n.at })
	case callNote:
		called(&d.cpus[n.lane], n)
	case helperCallNote:
		called(&d.helpers[n.lane], n)
	}
}

// leave records when the bytes of a message left.
func leave(m *results.Message, s *results.Span) {
	if m.Start == 0 && m.Sent == 0 {
		m.Start = s.Start
	}
	m.Sent = s.End
}

// take draws a span, if it takes time.
func (d *drawing) take(lane *results.Lane, s results.Span) {
	if s.End > s.Start {
		d.draws(lane, s)
	}
}

// draws draws a span.
func (d *drawing) draws(lane *results.Lane, s results.Span) {
	lane.Spans = doubled(lane.Spans, s)
	d.room.held++
}

// span draws what a rank did. A span that continues the last one extends it.
func (d *drawing) span(lane *results.Lane, s results.Span) {
	if n := len(lane.Spans); n > 0 && s.Term != results.Compute {
		last := &lane.Spans[n-1]
		if last.End == s.Start && last.Term == s.Term && last.Phase == s.Phase && last.Message == s.Message {
			last.End = s.End
			return
		}
	}
	d.draws(lane, s)
}

// nicName says whose NIC one is.
func (c *cluster) nicName(n int) string {
	each := len(c.nics) / len(c.place.count)
	switch {
	case c.place.own:
		return fmt.Sprintf("rank %d NIC", n)
	case each > 1:
		return fmt.Sprintf("node %d NIC %d", n/each, n%each)
	}
	return fmt.Sprintf("node %d NIC", n)
}

// doubled appends x, and doubles the capacity of a full list. Append would add only a quarter,
// and so copy a long list four times as often.
func doubled[T any](list []T, x T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(16, len(list)))
	}
	return append(list, x)
}

// timeline puts together the lanes of each node: its processes, then its NIC. It is nil if nothing
// was recorded.
func (rec *recorder) timeline() (*results.Timeline, error) {
	if !rec.on {
		return nil, nil
	}
	rec.end()
	t := &rec.line
	processes := make([][]int, len(rec.inserts))
	for r, n := range rec.home {
		processes[n] = append(processes[n], r)
	}
	for n, ranks := range processes {
		for _, r := range ranks {
			t.Lanes = append(t.Lanes, callsInOrder(rec.cpus[r]))
			if rec.helpers != nil {
				t.Lanes = append(t.Lanes, callsInOrder(rec.helpers[r]))
			}
		}
		t.Lanes = append(append(t.Lanes, rec.inserts[n]), rec.room.apart(rec.sends[n])...)
	}
	if err := cmp.Or(rec.room.err, t.Err()); err != nil {
		return nil, fmt.Errorf("memory does not hold the timeline, and a temporary file cannot: %w", err)
	}
	return t, nil
}
