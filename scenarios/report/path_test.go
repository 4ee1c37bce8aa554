package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// pathed is a run of two ranks with its critical path: rank 0 computes and sends,
// its NIC sends with another message next to it, the message arrives, rank 1 takes
// it, and both meet in a barrier.
func pathed() *results.Result {
	r := textbook.result()
	span := func(start, end sim.Time, term results.Term, message int32) results.Span {
		return results.Span{Start: start, End: end, Term: term, Message: message}
	}
	const us = sim.Microsecond
	cpu := func(rank int, spans ...results.Span) results.Lane {
		return results.Lane{Name: fmt.Sprintf("rank %d", rank), Kind: results.CPULane, Index: rank, Spans: spans}
	}
	nic := func(name string, kind results.LaneKind, node int, spans ...results.Span) results.Lane {
		return results.Lane{Name: name, Kind: kind, Index: node, Spans: spans}
	}
	r.Ranks, r.Finish, r.Ledgers, r.Phases = 2, []sim.Time{60 * us, 60 * us}, make([][]results.Ledger, 2), nil
	r.Timeline = &results.Timeline{
		Lanes: []results.Lane{
			cpu(0, span(0, 10*us, results.Compute, -1), span(10*us, 12*us, results.Overhead, 1), span(12*us, 60*us, results.BarrierTime, -1)),
			nic("node 0 NIC insert", results.InsertLane, 0, span(12*us, 13*us, results.NICStall, 1)),
			nic("node 0 NIC send", results.SendLane, 0, span(5*us, 40*us, results.Transfer, 0)),
			nic("node 0 NIC send 2", results.SendLane, 0, span(13*us, 30*us, results.Transfer, 1)),
			cpu(1, span(0, 34*us, results.Transfer, 1), span(34*us, 36*us, results.Overhead, 1), span(36*us, 60*us, results.BarrierTime, -1)),
			nic("node 1 NIC insert", results.InsertLane, 1), nic("node 1 NIC send", results.SendLane, 1),
		},
		Messages: []results.Message{
			{From: 0, To: 1, Bytes: 9, Posted: us, Insert: us, Start: 5 * us, Sent: 40 * us, Delivered: 41 * us},
			{From: 0, To: 1, Bytes: 8, Posted: 12 * us, Insert: 12 * us, Start: 13 * us, Sent: 30 * us, Delivered: 34 * us},
		},
	}
	piece := func(start, end sim.Time, part results.Part, on results.Resource, index int32) results.Piece {
		return results.Piece{Start: start * us, End: end * us, Part: part, Resource: on, Index: index, Message: -1}
	}
	r.Critical = []results.Piece{
		piece(0, 4, results.PartCompute, results.CPU, 0), piece(4, 10, results.PartCompute, results.CPU, 0),
		piece(10, 10, parts.Tie, results.CPU, 0), piece(10, 12, parts.SendOverhead, results.CPU, 0),
		piece(12, 13, parts.Gap, results.NICInsert, 0), piece(13, 30, parts.Fabric, results.NICSend, 0),
		piece(30, 34, parts.FabricLatency, results.Wire, 0), piece(34, 36, parts.ReceiveOverhead, results.CPU, 1),
		piece(36, 60, parts.Barrier, results.Barriers, 0),
	}
	return r
}

// TestPathLane maps a path to its lanes: consecutive pieces of the same content are one,
// on a NIC with two lanes the path is where the span ends, and a message keeps its name
// on the way.
func TestPathLane(t *testing.T) {
	r := pathed()
	p := pathOf(r, byNode(r.Timeline))
	want := []struct {
		part    string
		lane    int
		message int32
	}{
		{"compute", 0, -1}, {"send overhead", 0, 1}, {"gap", 1, 1}, {"fabric", 3, 1},
		{"fabric latency", -1, 1}, {"receive overhead", 4, 1}, {"barrier", -1, -1},
	}
	if len(p.Spans) != len(want) {
		t.Fatalf("%d spans, want %d", len(p.Spans), len(want))
	}
	end := sim.Time(0)
	for i, s := range p.Spans {
		if got := p.parts[s.Phase].Name; got != want[i].part || p.where[i] != want[i].lane || s.Message != want[i].message {
			t.Errorf("span %d is %s of message %d on lane %d, want %+v", i, got, s.Message, p.where[i], want[i])
		}
		if s.Start != end {
			t.Errorf("span %d starts at %v, the one before ended at %v", i, s.Start, end)
		}
		end = s.End
	}
	if end != r.Makespan() {
		t.Errorf("the path ends at %v, the run at %v", end, r.Makespan())
	}
	if pathOf(textbook.result(), nil) != nil {
		t.Error("a run without a path has one")
	}
}

func TestPathInBrowser(t *testing.T) {
	must.Long(t)
	r := pathed()
	p := onePage("path", r)
	p.Runs = append(p.Runs, Run{Name: "without", Result: textbook.result()})
	b := browse(t, written(t, p), 1300, 900)
	if got := eval[[]int](b, "[...overlapsim.gantts[0].timeline.where]"); fmt.Sprint(got) != "[0 0 1 3 -1 4 -1]" {
		t.Errorf("in the browser the path is on the lanes %v", got)
	}
	for span, want := range map[int]string{
		0: "Critical path: compute, rank 0\n10 µs, from 0 s, piece 1 of 7",
		3: "Critical path: fabric, node 0 NIC send 2\n17 µs, from 13 µs, piece 4 of 7\nMessage 1: rank 0 → rank 1",
		4: "Critical path: fabric latency, wire\n4 µs",
		6: "Critical path: barrier, all ranks\n24 µs",
	} {
		if said := hoverOn(b, 0, len(r.Timeline.Lanes), span); !strings.Contains(said, want) {
			t.Errorf("the tooltip of piece %d says %q, not %q", span, said, want)
		}
	}
	if said := hoverOn(b, 0, 0, 1); !strings.Contains(said, "on the critical path\tall of it") {
		t.Errorf("the tooltip of a span on the path says %q", said)
	}
	if said := hoverOn(b, 0, 2, 0); strings.Contains(said, "critical") {
		t.Errorf("the tooltip of a span beside the path says %q", said)
	}
	// On the path a lane has its colour, elsewhere it is pale. Without the path all lanes have their colours.
	color := func(lane int, at sim.Time) string {
		return eval[string](b, fmt.Sprintf(`(() => { const g = overlapsim.gantts[0], row = g.rows[g.rowOf.get(%d)], scroll = g.box.scrollTop;
			const p = g.base.getContext('2d').getImageData(g.x(%d) * g.ratio, (row.top - scroll + 2) * g.ratio, 1, 1).data;
			return '#' + [p[0], p[1], p[2]].map((v) => v.toString(16).padStart(2, '0')).join(''); })()`, lane, int64(at)))
	}
	const at = 20 * sim.Microsecond
	transfer := looks[results.Transfer].Color
	if on, beside := color(3, at), color(2, at); on != transfer || beside == transfer {
		t.Errorf("on the path the NIC is %s, beside it %s", on, beside)
	}
	// Only the lanes of the path are shown if asked for.
	lanes := func() int { return eval[int](b, "overlapsim.gantts[0].rows.length") }
	all := lanes()
	eval[bool](b, `document.querySelector('[data-do="fold"]').click(), drawAll(), true`)
	if folded := lanes(); all != 7 || folded != 4 {
		t.Errorf("of %d lanes %d are left, want 4 of 7", all, folded)
	}
	eval[bool](b, `document.querySelector('[data-do="fold"]').click(), drawAll(), true`)
	top := eval[float64](b, "overlapsim.gantts[0].top")
	eval[bool](b, `document.querySelector('[data-do="path"]').click(), drawAll(), true`)
	if beside := color(2, at); beside != transfer {
		t.Errorf("without the path the NIC is %s", beside)
	}
	if without := eval[float64](b, "overlapsim.gantts[0].top"); without >= top {
		t.Errorf("the lanes begin at %g px with the path, at %g without", top, without)
	}
	b.Clean()
}

// TestPathOfMany draws a path that jumps between ranks more often than there are
// columns, and finds its way at any zoom.
func TestPathOfMany(t *testing.T) {
	must.Long(t)
	s := textbook
	s.rows = 2000
	r := s.result()
	const pieces = 50000
	step := r.Makespan() / pieces
	for i := range sim.Time(pieces) {
		p := results.Piece{Start: i * step, End: (i + 1) * step, Part: results.PartCompute, Index: int32(i % 4), Message: -1}
		if i == pieces-1 {
			p.End = r.Makespan()
		}
		r.Critical = append(r.Critical, p)
	}
	b := browse(t, written(t, onePage("many", r)), 1300, 900)
	if n := eval[int](b, "overlapsim.gantts[0].timeline.where.length"); n != pieces {
		t.Errorf("%d pieces in the browser, want %d", n, pieces)
	}
	sum := eval[float64](b, "(() => { const t = overlapsim.gantts[0].timeline; return [0, 1, 2, 3].reduce((s, r) => s + "+
		"t.onPath(t.cpu.get(r), 0, t.makespan), 0); })()")
	if sum != float64(r.Makespan()) {
		t.Errorf("the ranks are on the path for %g ps, the makespan is %d ps", sum, r.Makespan())
	}
	for _, zoom := range []float64{1, 100, 10000} {
		eval[bool](b, fmt.Sprintf("overlapsim.view.set(0.5 * overlapsim.view.length, 0.5 * overlapsim.view.length + overlapsim.view.length / "+
			"%g), drawAll(), true", zoom))
	}
	b.Clean()
}

// TestPathInFiles finds the path in a trace.
func TestPathInFiles(t *testing.T) {
	r := pathed()
	var trace strings.Builder
	must.Do(t, WriteTrace(&trace, r))
	var file struct {
		TraceEvents []struct {
			Ph, Name string
			Pid      int
			Ts, Dur  float64
			Args     struct {
				Name, On string
				Message  *int
			}
		}
	}
	must.Do(t, json.Unmarshal([]byte(trace.String()), &file))
	var pieces []string
	pid, end := -1, 0.0
	for _, e := range file.TraceEvents {
		if e.Args.Name == "critical path" {
			pid = e.Pid
		}
		if e.Ph != "X" || e.Pid != pid {
			continue
		}
		if e.Ts != end {
			t.Errorf("%s starts at %g us, the piece before ended at %g us", e.Name, e.Ts, end)
		}
		end = e.Ts + e.Dur
		pieces = append(pieces, e.Name+" on "+e.Args.On)
	}
	want := "[compute on rank 0 send overhead on rank 0 gap on node 0 NIC insert fabric on node 0 NIC send 2 fabric latency on wire " +
		"receive overhead on rank 1 barrier on barrier]"
	if fmt.Sprint(pieces) != want || end != 60 {
		t.Errorf("the trace has to %g us %v", end, pieces)
	}
}

// Every part of a path has the colour of a term, and parts of a kind share one.
func TestColorsOfPath(t *testing.T) {
	if c := PartColor(results.PartCompute.String()); c != looks[results.Compute].Color {
		t.Errorf("computation is %s", c)
	}
	if c := PartColor(parts.CopyIn.String()); c != looks[results.Overhead].Color {
		t.Errorf("a copy is %s", c)
	}
	if c := Tint("#204060", 0); c != "#204060" {
		t.Errorf("the first tint of #204060 is %s", c)
	}
	if c := Tint("#000000", 1); c != "#525252" { // 255 (1 - 0.68) = 81.6
		t.Errorf("the second tint of black is %s", c)
	}
}
