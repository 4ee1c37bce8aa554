package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// anyNodes draws nodes of few short lanes, so that many are alike.
func anyNodes(t *rapid.T) (lanes []placed) {
	for node := range rapid.IntRange(1, 6).Draw(t, "nodes") {
		for range rapid.IntRange(1, 2).Draw(t, "ranks") {
			lanes = append(lanes, placed{anyShort(t, results.CPULane), node})
		}
		lanes = append(lanes, placed{anyShort(t, results.SendLane), node})
	}
	for range rapid.IntRange(0, 3).Draw(t, "alone") {
		lanes = append(lanes, placed{anyShort(t, results.CPULane), -1})
	}
	return lanes
}

func anyShort(t *rapid.T, kind results.LaneKind) *results.Lane {
	l := &results.Lane{Kind: kind}
	for at := sim.Time(0); at < 2; at++ {
		l.Spans = append(l.Spans, results.Span{Start: at, End: at + 1, Message: int32(rapid.IntRange(-1, 9).Draw(t, "message")),
			Term: results.Term(rapid.IntRange(0, 1).Draw(t, "term")), Phase: uint8(rapid.IntRange(0, 1).Draw(t, "phase"))})
	}
	return l
}

// written as text, lanes are alike if the texts are equal, and nodes if those of their lanes are.
func textOf(l *results.Lane) string {
	var b strings.Builder
	fmt.Fprint(&b, l.Kind)
	for _, s := range l.Spans {
		fmt.Fprint(&b, " ", int64(s.Start), int64(s.End), s.Term, s.Phase)
	}
	return b.String()
}

func TestAlikeLanesAndNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lanes := anyNodes(t)
		alike := alikes(lanes)
		twin := twins(lanes, alike)
		byNode := map[int]string{}
		for i, l := range lanes {
			first := slices.IndexFunc(lanes, func(o placed) bool { return textOf(o.Lane) == textOf(l.Lane) })
			if alike[i] != first {
				t.Fatalf("lane %d is alike to %d, want %d", i, alike[i], first)
			}
			byNode[l.node] += textOf(l.Lane) + "\n"
		}
		for i, l := range lanes {
			model := lanes[twin[i]]
			if textOf(model.Lane) != textOf(l.Lane) || l.node >= 0 && byNode[model.node] != byNode[l.node] {
				t.Fatalf("lane %d of node %d has the twin %d of node %d", i, l.node, twin[i], model.node)
			}
			for node := 0; node < l.node; node++ {
				if l.node >= 0 && byNode[node] == byNode[l.node] && model.node > node {
					t.Fatalf("node %d is like node %d, not first like node %d", l.node, node, model.node)
				}
			}
		}
	})
}

// alikeNodes is a run of nodes that do the same, except for the last one.
func alikeNodes(nodes int) *results.Result {
	s := textbook
	s.ranks, s.perNode, s.rows, s.jitter = 2*nodes, 2, 2, 0
	r := s.result()
	for i := range r.Timeline.Lanes {
		if l := &r.Timeline.Lanes[i]; l.Index == 2*nodes-1 && l.Kind == results.CPULane {
			l.Spans[0].End -= sim.Microsecond
		}
	}
	return r
}

func TestLanesInGroups(t *testing.T) {
	must.Long(t)
	const nodes = 300
	r := alikeNodes(nodes)
	b := browse(t, written(t, onePage("alike", r)), 1300, 900)
	t.Run("rows", func(t *testing.T) { checkRows(t, b, nodes) })
	t.Run("search", func(t *testing.T) {
		eval[bool](b, "chooseLanes('alike'), drawAll(), true")
		for text, want := range map[string]string{"rank 0": "", "rank 4": "rank 4 does what rank 0 does"} {
			if got := eval[string](b, fmt.Sprintf("search(%q)", text)); got != want {
				t.Errorf("search %q: %q, want %q", text, got, want)
			}
		}
		if held := eval[string](b, heldText); !strings.Contains(held, fmt.Sprintf("%d ranks alike\t0, 2, 4, 6, 8, 10, 12, 14, …", nodes)) {
			t.Errorf("held is %q", held)
		}
		eval[bool](b, "chooseLanes('blocks'), drawAll(), true")
		if got := eval[string](b, `search("rank 13")`); got != "rank 13 is in the row of rank 10–19" {
			t.Errorf("in rows of neighbours: %q", got)
		}
	})
	t.Run("mixture", func(t *testing.T) { checkMixture(t, b, r) })
	t.Run("address", func(t *testing.T) {
		if hash := eval[string](b, "here()"); !strings.Contains(hash, "lanes=blocks") {
			t.Errorf("the address is %q", hash)
		}
	})
	b.Clean()
}

// checkRows counts rows by way. The two ranks of a node differ; the last one differs from all.
func checkRows(t *testing.T, b *tab, nodes int) {
	if way := eval[string](b, "overlapsim.options.lanes"); way != "nodes" {
		t.Errorf("the page begins with the lanes in the way %q", way)
	}
	for way, want := range map[string]int{"all": 4 * nodes, "nodes": 8, "blocks": 60} {
		got := eval[int](b, fmt.Sprintf("chooseLanes('%s'), drawAll(), overlapsim.gantts[0].rows.length", way))
		if got != want {
			t.Errorf("%s: %d rows, want %d", way, got, want)
		}
		if all := eval[int](b, "overlapsim.gantts[0].rowOf.size"); all != 4*nodes && way != "blocks" || all != 2*nodes && way == "blocks" {
			t.Errorf("%s: the rows stand for %d lanes", way, all)
		}
	}
	eval[bool](b, "chooseLanes('nodes'), drawAll(), true")
	if names := eval[string](b, "overlapsim.gantts[0].rows.map((r) => r.title + ' ' + r.name).slice(0, 3).join(', ')"); names !=
		fmt.Sprintf("node 0 ×%[1]d rank 0, node 0 ×%[1]d rank 1, node 0 ×%[1]d NIC insert", nodes-1) {
		t.Errorf("the rows are %q", names)
	}
}

// checkMixture compares the columns of a row of neighbours with sums over its spans.
func checkMixture(t *testing.T, b *tab, r *results.Result) {
	const columns = 37
	from, to := float64(r.Makespan())*0.13, float64(r.Makespan())*0.91
	width := (to - from) / columns
	got := eval[[]float64](b, fmt.Sprintf(
		"[...mixture(overlapsim.gantts[0].timeline, overlapsim.gantts[0].rows[1].lanes, %d, %g, %g)]", columns, from, width))
	want := make([]float64, columns*int(results.NumTerms))
	for _, l := range r.Timeline.Lanes {
		if l.Kind != results.CPULane || l.Index < 10 || l.Index > 19 {
			continue
		}
		for _, s := range l.Spans {
			for c := range columns {
				a := from + float64(c)*width
				want[c*int(results.NumTerms)+int(s.Term)] += max(0, min(float64(s.End), a+width)-max(float64(s.Start), a))
			}
		}
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1 {
			t.Errorf("column %d, %v: %g ps, want %g", i/int(results.NumTerms), results.Term(i%int(results.NumTerms)), got[i], want[i])
		}
	}
}
