package report

import (
	"fmt"
	"math"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// synthetic is a small deterministic stand-in for the simulator. Every rank computes a row and
// puts it to the next rank in turn, rows times; then it waits for its last message, and then in a
// barrier. The NIC of a node serves its ranks in the order of posting, and holds back a rank
// whose queue is full.
type synthetic struct {
	ranks, perNode, rows int
	compute              sim.Time
	bytes                int64
	jitter               float64 // of the computation, relative
	queue                int     // messages a node's NIC holds
}

const (
	synLatency  = 4500 * sim.Nanosecond
	synOverhead = 800 * sim.Nanosecond
	synGap      = 1200 * sim.Nanosecond
	synPerByte  = 1067.0 // ps
	synBarrier  = 12 * sim.Microsecond
)

var (
	textbook = synthetic{ranks: 4, perNode: 1, rows: 4, compute: 18 * sim.Microsecond, bytes: 16 << 10, jitter: 0.4, queue: 2}
	large    = synthetic{ranks: 32, perNode: 2, rows: 8192, compute: 9 * sim.Microsecond, bytes: 8 << 10, jitter: 1.7, queue: 8}
	huge     = synthetic{ranks: 256, perNode: 4, rows: 8192, compute: 18 * sim.Microsecond, bytes: 8 << 10, jitter: 1.8, queue: 16}
)

// synNode is the state of one node while it is simulated.
type synNode struct {
	insert, send   results.Lane
	inserts, sends sim.Time // when the NIC is free again
	starts         []sim.Time
}

// synRank is the state of one rank.
type synRank struct {
	at   sim.Time
	row  int
	lane results.Lane
	last int32
}

func (s synthetic) result() *results.Result {
	t := &results.Timeline{}
	ranks := make([]synRank, s.ranks)
	nics := make([]synNode, (s.ranks+s.perNode-1)/s.perNode)
	for r := range ranks {
		ranks[r].lane = results.Lane{Name: fmt.Sprintf("rank %d", r), Kind: results.CPULane, Index: r}
	}
	for s.step(t, ranks, nics) {
	}
	s.finish(t, ranks)
	for r := range ranks {
		t.Lanes = append(t.Lanes, ranks[r].lane)
		if n := r / s.perNode; r+1 == s.ranks || (r+1)/s.perNode != n {
			nics[n].insert.Name, nics[n].send.Name = fmt.Sprintf("node %d NIC insert", n), fmt.Sprintf("node %d NIC send", n)
			nics[n].insert.Kind, nics[n].send.Kind = results.InsertLane, results.SendLane
			nics[n].insert.Index, nics[n].send.Index = n, n
			t.Lanes = append(t.Lanes, nics[n].insert, nics[n].send)
		}
	}
	inPostingOrder(t)
	return accounted(t, s.ranks)
}

// step lets the rank that is furthest behind do one row.
func (s synthetic) step(t *results.Timeline, ranks []synRank, nics []synNode) bool {
	r := -1
	for i := range ranks {
		if ranks[i].row < s.rows && (r < 0 || ranks[i].at < ranks[r].at) {
			r = i
		}
	}
	if r < 0 {
		return false
	}
	k, n := &ranks[r], &nics[r/s.perNode]
	work := s.compute + sim.Time(float64(s.compute)*s.jitter*wobble(r, k.row))
	k.span(results.Compute, 0, work*9/10, -1)
	k.span(results.Interference, 0, work/10*sim.Time(k.row%2), -1)
	if q := len(n.starts); q >= s.queue {
		k.until(results.NICStall, 0, n.starts[q-s.queue], int32(len(t.Messages)))
	}
	k.span(results.Overhead, 0, synOverhead, int32(len(t.Messages)))
	to := (r + 1 + k.row%max(1, s.ranks-1)) % s.ranks
	k.last = n.post(t, r, to, k.at, s.bytes)
	k.row++
	return true
}

func (n *synNode) post(t *results.Timeline, from, to int, now sim.Time, bytes int64) int32 {
	id := int32(len(t.Messages))
	m := results.Message{From: int32(from), To: int32(to), Bytes: bytes, Posted: now, Insert: max(now, n.inserts)}
	n.inserts = m.Insert + synGap
	m.Start = max(n.inserts, n.sends)
	m.Sent = m.Start + sim.PerByte(bytes, synPerByte)
	m.Delivered = m.Sent + synLatency
	n.sends = m.Sent
	n.starts = append(n.starts, m.Start)
	n.insert.Spans = append(n.insert.Spans, results.Span{Start: m.Insert, End: n.inserts, Message: id, Term: results.NICStall})
	n.send.Spans = append(n.send.Spans, results.Span{Start: m.Start, End: m.Sent, Message: id, Term: results.Transfer})
	t.Messages = append(t.Messages, m)
	return id
}

// finish lets all ranks wait for their last message and for each other.
func (s synthetic) finish(t *results.Timeline, ranks []synRank) {
	var last sim.Time
	for r := range ranks {
		k, m := &ranks[r], &t.Messages[ranks[r].last]
		k.until(results.Contention, 1, m.Start, k.last)
		k.until(results.Transfer, 1, m.Sent, k.last)
		k.until(results.Latency, 1, m.Delivered, k.last)
		last = max(last, k.at)
	}
	for r := range ranks {
		ranks[r].until(results.BarrierTime, 2, last+synBarrier, -1)
	}
}

func (k *synRank) span(term results.Term, phase uint8, d sim.Time, message int32) {
	if d > 0 {
		k.lane.Spans = append(k.lane.Spans, results.Span{Start: k.at, End: k.at + d, Message: message, Term: term, Phase: phase})
		k.at += d
	}
}

func (k *synRank) until(term results.Term, phase uint8, end sim.Time, message int32) {
	k.span(term, phase, end-k.at, message)
}

// wobble is a number in [0, 1) that depends on rank and row only; it grows
// and falls slowly over the ranks, so that a picture has structure.
func wobble(rank, row int) float64 {
	x := uint64(rank)<<32 + uint64(row)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	noise := float64((x^x>>31)>>11) / (1 << 53)
	wave := math.Sin(2 * math.Pi * (float64(row)/3000 + float64(rank)/40))
	return noise/2 + (1+wave)/4
}

// inPostingOrder sorts the messages as the simulator records them.
func inPostingOrder(t *results.Timeline) {
	order := make([]int32, len(t.Messages))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(t.Messages[a].Posted - t.Messages[b].Posted) })
	place, sorted := make([]int32, len(order)), make([]results.Message, len(order))
	for i, m := range order {
		place[m], sorted[i] = int32(i), t.Messages[m]
	}
	t.Messages = sorted
	for _, l := range t.Lanes {
		for i := range l.Spans {
			if m := l.Spans[i].Message; m >= 0 {
				l.Spans[i].Message = place[m]
			}
		}
	}
}

// accounted makes a result whose ledgers are the sums of the spans.
func accounted(t *results.Timeline, ranks int) *results.Result {
	r := &results.Result{Ranks: ranks, Messages: uint64(len(t.Messages)), Phases: []string{"FFT and puts", "sync", "barrier"}, Timeline: t}
	for _, l := range t.Lanes {
		r.Events += uint64(len(l.Spans))
		if l.Kind != results.CPULane {
			continue
		}
		ledgers := make([]results.Ledger, len(r.Phases))
		for _, s := range l.Spans {
			ledgers[s.Phase][s.Term] += s.End - s.Start
		}
		compute := ledgers[0][results.Compute]
		r.Ledgers = append(r.Ledgers, ledgers)
		r.Finish = append(r.Finish, l.Spans[len(l.Spans)-1].End)
		r.Hidden = append(r.Hidden, compute*2/3)
		r.Bound.Work = max(r.Bound.Work, compute+ledgers[0][results.Overhead])
	}
	for _, m := range t.Messages {
		r.Bytes += m.Bytes
	}
	return r
}
