package overlap

import (
	"slices"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// trace is the timeline of one of the paper's Figures 5 to 10.
type trace struct {
	*testing.T
	*outcomes.Outcome
}

func traced(t *testing.T, name string) trace {
	study := must.Get(scenarios.Load(name, nil))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{Timeline: true}))(t)
	return trace{t, o}
}

// message is the first one of this size.
func (t trace) message(bytes int64) results.Message {
	for _, m := range t.Result.Timeline.Messages {
		if m.Bytes == bytes {
			return m
		}
	}
	t.Fatalf("no message of %d B", bytes)
	return results.Message{}
}

// spans returns the spans of a lane.
func (t trace) spans(kind results.LaneKind, index int) []results.Span {
	for _, l := range t.Result.Timeline.Lanes {
		if l.Kind == kind && l.Index == index {
			return l.Spans
		}
	}
	t.Fatalf("no lane %d of kind %d", index, kind)
	return nil
}

// computes is when a rank's computation begins and ends.
func (t trace) computes(rank int) (begin, end sim.Time) {
	begin = sim.Forever
	for _, s := range t.spans(results.CPULane, rank) {
		if s.Term == results.Compute {
			begin, end = min(begin, s.Start), max(end, s.End)
		}
	}
	return begin, end
}

// works tells whether a rank's CPU works for messages up to a moment.
func (t trace) works(rank int, until sim.Time) bool {
	for _, s := range t.spans(results.CPULane, rank) {
		if s.Term == results.Overhead && s.Start < until && until <= s.End {
			return true
		}
	}
	return false
}

// Figure 5: the receiver posts the RDMA read, L before the first byte leaves,
// while the sender computes; the sender's CPU has no part in it.
func TestFigure5(t *testing.T) {
	r := traced(t, "overlap-fig5")
	m, latency := r.message(500_000), r.Machine.Network.Latency
	begin, end := r.computes(0)
	if m.Start <= begin || m.Sent >= end {
		t.Errorf("bytes leave from %s to %s, the sender computes from %s to %s", m.Start, m.Sent, begin, end)
	}
	if !r.works(1, m.Start-latency) || r.works(0, m.Start) {
		t.Errorf("the receiver does not post the read at %s", m.Start-latency)
	}
}

// Figure 6: the sender posts the RDMA write when it has computed.
func TestFigure6(t *testing.T) {
	r := traced(t, "overlap-fig6")
	m := r.message(500_000)
	if _, end := r.computes(0); m.Start < end || m.Start > end+sim.Microsecond || !r.works(0, m.Start) {
		t.Errorf("bytes leave from %s, the sender computes until %s", m.Start, end)
	}
}

// Figure 7: the receiver posts the RDMA read when it has computed, though the
// request came long before.
func TestFigure7(t *testing.T) {
	r := traced(t, "overlap-fig7")
	m, latency := r.message(500_000), r.Machine.Network.Latency
	_, end := r.computes(0)
	if posted := m.Start - latency; posted < end || posted > end+sim.Microsecond || !r.works(0, posted) || r.works(1, m.Start) {
		t.Errorf("the read is posted at %s, the receiver computes until %s", posted, end)
	}
	if asked := m.Posted + 2*latency; asked > end/10 {
		t.Errorf("the request comes at %s, the receiver computes until %s", asked, end)
	}
}

// Figure 8: both messages move while both nodes compute; the senders' threads post the
// writes, and the CPUs of the application do nothing for them except post the messages.
func TestFigure8(t *testing.T) {
	r := traced(t, "overlap-fig8")
	for _, m := range r.Result.Timeline.Messages {
		if posts := r.spans(results.HelperLane, int(m.From)); !slices.ContainsFunc(posts, func(s results.Span) bool { return s.End == m.Start }) {
			t.Errorf("the sender's thread does not post the write at %s", m.Start)
		}
		if r.works(int(m.From), m.Start) || r.works(int(m.To), m.Delivered) {
			t.Errorf("the CPU of an application works for the message from %d", m.From)
		}
		for _, rank := range []int{0, 1} {
			if begin, end := r.computes(rank); m.Start < begin || m.Delivered > end {
				t.Errorf("the message from %d is under way from %s to %s, rank %d computes from %s to %s", m.From, m.Start, m.Delivered, rank, begin,
					end)
			}
		}
	}
}

// Figure 9: one fragment leaves before the computation is over, all others
// after it, and the sender's CPU copies them.
func TestFigure9(t *testing.T) {
	r := traced(t, "overlap-fig9")
	_, end := r.computes(0)
	early, late := 0, 0
	for _, s := range r.spans(results.SendLane, 0) {
		if s.Start < end {
			early++
		} else {
			late++
		}
	}
	// 500,000 B without the first 12 KiB, in fragments of 64 KiB.
	if early != 1 || late != 8 {
		t.Errorf("%d fragments leave during the computation, %d after it", early, late)
	}
	if !r.works(0, end+10*sim.Microsecond) {
		t.Error("the sender's CPU does not copy in MPI_Wait")
	}
}

// Figure 10: all the CPU time of an eager message is in MPI_Isend.
func TestFigure10(t *testing.T) {
	r := traced(t, "overlap-fig10")
	m := r.message(8000)
	begin, end := r.computes(0)
	for _, s := range r.spans(results.CPULane, 0) {
		if s.Term != results.Compute && s.Start >= begin {
			t.Errorf("node 0 does not compute from %s to %s", s.Start, s.End)
		}
	}
	if m.Sent >= end || m.Start < begin-sim.Microsecond {
		t.Errorf("bytes leave from %s to %s, node 0 computes from %s to %s", m.Start, m.Sent, begin, end)
	}
}
