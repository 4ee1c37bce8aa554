package nodes

import (
	"fmt"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// recorder collects the timeline of a run.
type recorder struct {
	cpus, inserts, sends []results.Lane
	helpers              []results.Lane // nil: there are none
	messages             []results.Message
	home                 []int32 // by rank: its NIC
}

func newRecorder(c *cluster) *recorder {
	rec := &recorder{home: c.place.nic}
	for r := range c.ranks {
		rec.cpus = append(rec.cpus, results.Lane{Name: fmt.Sprintf("rank %d", r), Kind: results.CPULane, Index: r})
		if c.agent.cpu == helperCPU {
			rec.helpers = append(rec.helpers, results.Lane{Name: fmt.Sprintf("rank %d thread", r), Kind: results.HelperLane, Index: r})
		}
	}
	owner := "node"
	if c.crowd != nil {
		owner = "rank"
	}
	for n := range c.nics {
		rec.inserts = append(rec.inserts, results.Lane{Name: fmt.Sprintf("%s %d NIC insert", owner, n), Kind: results.InsertLane, Index: n})
		rec.sends = append(rec.sends, results.Lane{Name: fmt.Sprintf("%s %d NIC send", owner, n), Kind: results.SendLane, Index: n})
	}
	return rec
}

// doubled appends x and doubles a list that is full. Append itself adds only a quarter,
// and so copies a long list four times as often.
func doubled[T any](list []T, x T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(16, len(list)))
	}
	return append(list, x)
}

// span records what a rank did; a span that continues the last one extends it.
func (rec *recorder) span(r int32, s results.Span) {
	lane := &rec.cpus[r]
	if n := len(lane.Spans); n > 0 && s.Term != results.Compute {
		last := &lane.Spans[n-1]
		if last.End == s.Start && last.Term == s.Term && last.Phase == s.Phase && last.Message == s.Message {
			last.End = s.End
			return
		}
	}
	lane.Spans = doubled(lane.Spans, s)
}

// helped records a job of the helper thread of a rank.
func (rec *recorder) helped(r int32, begin, end sim.Time, message int32) {
	if lane := &rec.helpers[r]; end > begin {
		lane.Spans = doubled(lane.Spans, results.Span{Start: begin, End: end, Message: message, Term: results.Overhead})
	}
}

// post records a message of a rank. Its insertion begins at insert and takes gap (g).
func (rec *recorder) post(r int32, m *message, insert, gap sim.Time) int32 {
	id := int32(len(rec.messages))
	rec.messages = doubled(rec.messages, results.Message{From: m.from, To: m.to, Bytes: m.bytes, Posted: m.posted, Insert: insert})
	if gap > 0 {
		lane := &rec.inserts[rec.home[r]]
		lane.Spans = doubled(lane.Spans, results.Span{Start: insert, End: insert + gap, Message: id, Term: results.NICStall})
	}
	return id
}

// send records that a leg of a message left the node: the one with its bytes, or another one.
func (rec *recorder) send(id, node int32, start, sent sim.Time, bytes bool) {
	if m := &rec.messages[id]; bytes {
		if m.Start == 0 && m.Sent == 0 {
			m.Start = start
		}
		m.Sent = sent
	}
	lane := &rec.sends[node]
	lane.Spans = doubled(lane.Spans, results.Span{Start: start, End: sent, Message: id, Term: results.Transfer})
}

func (rec *recorder) delivered(id int32, at sim.Time) { rec.messages[id].Delivered = at }

// timeline puts together the lanes of each node: its processes, then its NIC.
func (rec *recorder) timeline() *results.Timeline {
	t := &results.Timeline{Messages: rec.messages}
	processes := make([][]int, len(rec.inserts))
	for r, n := range rec.home {
		processes[n] = append(processes[n], r)
	}
	for n, ranks := range processes {
		for _, r := range ranks {
			t.Lanes = append(t.Lanes, rec.cpus[r])
			if rec.helpers != nil {
				t.Lanes = append(t.Lanes, rec.helpers[r])
			}
		}
		t.Lanes = append(append(t.Lanes, rec.inserts[n]), apart(rec.sends[n])...)
	}
	return t
}
