package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report/headless"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// A search, a click, an area and a list of waits lead to spans; the address holds what is seen.
func TestFindInBrowser(t *testing.T) {
	must.Long(t)
	r := textbook.result()
	file := written(t, onePage("textbook", r))
	b := browse(t, file, 1300, 1000)
	t.Run("search", func(t *testing.T) { checkSearch(t, b, r) })
	t.Run("click", func(t *testing.T) { checkClick(t, b) })
	t.Run("area", func(t *testing.T) { checkArea(t, b, r) })
	t.Run("waits", func(t *testing.T) { checkWaits(t, b, r) })
	b.Clean()
	t.Run("address", func(t *testing.T) { checkAddress(t, b, file) })
}

const heldText = `document.getElementById('pinned').innerText`

func checkSearch(t *testing.T, b *tab, r *results.Result) {
	search := func(text string) string { return eval[string](b, fmt.Sprintf("search(%q)", text)) }
	for text, want := range map[string]string{
		"rank 2": "", "2": "", "node 1": "", "message 3": "", "sync": "", "phase sync": "", "rank 99": "there is no rank 99",
		"message 99999": "there is no message 99999", "breakfast": "there is no phase breakfast", "node x": "there is no phase node x", "": "",
	} {
		if got := search(text); got != want {
			t.Errorf("search %q: %q, want %q", text, got, want)
		}
	}
	search("message 3")
	m := r.Timeline.Messages[3]
	want := fmt.Sprintf("Message 3: rank %d → rank %d", m.From, m.To)
	if held := eval[string](b, heldText); !strings.Contains(held, want) {
		t.Errorf("held is %q, not %q", held, want)
	}
	if in := eval[bool](b, fmt.Sprintf("overlapsim.view.t0 < %d && overlapsim.view.t1 > %d", m.Posted, m.Delivered)); !in {
		t.Error("the message is not in the view")
	}
	search("rank 2")
	if held := eval[string](b, heldText); !strings.HasPrefix(held, "Rank 2 ") {
		t.Errorf("held is %q", held)
	}
	eval[bool](b, "overlapsim.view.reset(), true")
}

func checkClick(t *testing.T, b *tab) {
	p := eval[point](b, "overlapsim.gantts[0].locate(0, 2)")
	b.Run(chromedp.MouseClickXY(p.X, p.Y))
	if held := eval[[]int](b, "[overlapsim.pinned.lane, overlapsim.pinned.span]"); held[0] != 0 || held[1] != 2 {
		t.Errorf("held is lane %d, span %d", held[0], held[1])
	}
	b.Run(chromedp.KeyEvent("\x1b"))
	if still := eval[bool](b, "overlapsim.pinned !== null || !document.getElementById('pinned').hidden"); still {
		t.Error("Escape does not let go")
	}
}

// checkArea compares the sums of an area with those of its spans.
func checkArea(t *testing.T, b *tab, r *results.Result) {
	from, to := r.Makespan()/5, r.Makespan()*4/7
	var want [results.NumTerms]sim.Time
	for _, l := range r.Timeline.Lanes {
		if l.Kind != results.CPULane {
			continue
		}
		for _, s := range l.Spans {
			want[s.Term] += max(0, min(s.End, to)-max(s.Start, from))
		}
	}
	got := eval[[]float64](b, fmt.Sprintf(`(() => { const t = overlapsim.gantts[0].timeline;
		return [...areaSums(t, t.lanes.map((lane, l) => l), %d, %d)]; })()`, from, to))
	for term := range want {
		if math.Abs(got[term]-float64(want[term])) > 1 {
			t.Errorf("%v: %g ps in the area, want %d", results.Term(term), got[term], want[term])
		}
	}
	p := eval[point](b, "overlapsim.gantts[0].locate(0, 2)")
	shift := func(e *input.DispatchMouseEventParams) *input.DispatchMouseEventParams {
		return e.WithModifiers(input.ModifierShift)
	}
	left := func(e *input.DispatchMouseEventParams) *input.DispatchMouseEventParams {
		return shift(e.WithButton(input.Left).WithClickCount(1))
	}
	b.Run(chromedp.MouseEvent(input.MousePressed, p.X, p.Y, left), chromedp.MouseEvent(input.MouseMoved, p.X+200, p.Y+2, left),
		chromedp.MouseEvent(input.MouseReleased, p.X+200, p.Y+2, left))
	if held := eval[string](b, heldText); !strings.HasPrefix(held, "1 rank, rank 0\n") || !strings.Contains(held, " a rank, ") {
		t.Errorf("the area says %q", held)
	}
}

// checkWaits compares the first of the longest waits with all spans.
func checkWaits(t *testing.T, b *tab, r *results.Result) {
	var longest sim.Time
	for _, l := range r.Timeline.Lanes {
		for _, s := range l.Spans {
			if l.Kind == results.CPULane && !looks[s.Term].NoWait {
				longest = max(longest, s.End-s.Start)
			}
		}
	}
	waits := eval[[]float64](b, "longestWaits(waitsOf(-1), 5).map((w) => w.time)")
	if len(waits) != 5 || waits[0] != float64(longest) || waits[4] > waits[3] {
		t.Errorf("longest waits %v, want %d first", waits, longest)
	}
	b.Run(chromedp.Click("#waits summary"), chromedp.Click("#waits li button", chromedp.NodeVisible))
	held := eval[float64](b, `(() => { const p = overlapsim.pinned, t = overlapsim.gantts[0].timeline;
		return t.end[p.span] - t.start[p.span]; })()`)
	if held != waits[0] {
		t.Errorf("the first wait leads to a span of %g ps", held)
	}
	b.Run(chromedp.Click(`[data-term="5"]`))
	term := eval[[]int](b, "longestWaits(waitsOf(overlapsim.options.only), 5).map((w) => overlapsim.gantts[0].timeline.term[w.span])")
	if term[0] != int(results.Transfer) {
		t.Errorf("waits of a term: %v", term)
	}
}

// checkAddress opens the page at its address in another tab, and finds what was seen.
func checkAddress(t *testing.T, b *tab, file string) {
	type seen struct {
		T0, T1     float64
		Term, Span int
	}
	const look = `({ T0: Math.round(overlapsim.view.t0), T1: Math.round(overlapsim.view.t1),
		Term: overlapsim.options.only, Span: overlapsim.pinned.span })`
	b.Run(chromedp.Poll("location.hash.includes('span=') && location.hash.includes('term=5') && location.hash.includes('t=')", nil))
	was, hash := eval[seen](b, look), eval[string](b, "location.hash")
	again := headless.BrowseAt(t, file, hash, 1300, 1000)
	again.Clean()
	if is := eval[seen](again, look); is != was {
		t.Errorf("%s shows %+v, was %+v", hash, is, was)
	}
}
