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

// The timeline is used by keys, by names, by areas and by search.
func TestTimelineInUse(t *testing.T) {
	must.Long(t)
	p := answeredPage()
	b := browse(t, written(t, p), 1300, 900)
	t.Run("keys", func(t *testing.T) { checkKeys(t, b) })
	t.Run("search", func(t *testing.T) { checkFinds(t, b) })
	t.Run("filter", func(t *testing.T) { checkFilter(t, b, p.Runs[0].Result) })
	t.Run("kept", func(t *testing.T) { checkKept(t, b) })
	t.Run("follows", func(t *testing.T) { checkFollows(t, b) })
	b.Clean()
}

func checkKeys(t *testing.T, b *tab) {
	width := func() float64 { return eval[float64](b, "overlapsim.view.width") }
	begin := func() float64 { return eval[float64](b, "overlapsim.view.t0") }
	was := width()
	if b.Run(chromedp.KeyEvent("w")); width() >= was {
		t.Error("w does not zoom in")
	}
	was = width()
	if b.Run(chromedp.KeyEvent("s")); width() <= was {
		t.Error("s does not zoom out")
	}
	at := begin()
	if b.Run(chromedp.KeyEvent("d")); begin() <= at {
		t.Error("d does not move to the right")
	}
	at = begin()
	if b.Run(chromedp.KeyEvent("a")); begin() >= at {
		t.Error("a does not move to the left")
	}
}

func checkFinds(t *testing.T, b *tab) {
	find := func(text string) {
		b.Run(chromedp.Evaluate("document.getElementById('find').value = ''", nil), chromedp.SendKeys("#find", text+"\r", chromedp.ByQuery))
	}
	for text, held := range map[string]string{"sync": "phase sync", "rank 2": "Rank 2 ", "message 3": "Message 3: ", "iteration 4": ""} {
		find(text)
		if wrong := eval[string](b, "document.getElementById('found').textContent"); wrong != "" {
			t.Errorf("%s: %s", text, wrong)
		}
		if got := eval[string](b, heldText); !strings.Contains(got, held) {
			t.Errorf("%s holds %q", text, got)
		}
	}
	find("iteration 99")
	if wrong := eval[string](b, "document.getElementById('found').textContent"); wrong != "there is no iteration 99" {
		t.Errorf("iteration 99: %q", wrong)
	}
}

// checkFilter compares what the charts show of an area with the spans in it, and asks that Escape shows all again.
func checkFilter(t *testing.T, b *tab, r *results.Result) {
	const look = `(of) => { const one = overlapsim.drawn.find((d) => d.data.of === of), o = one.chart.getOption();
		return Object.fromEntries(o.series.map((s) => [s.name, s.data.map((item) => item.value)])); }`
	whole := eval[map[string][]float64](b, "("+look+")('ranks')")
	from, to := r.Makespan()/5, r.Makespan()*4/7
	eval[bool](b, fmt.Sprintf(`(() => { const g = overlapsim.gantts[0], t = g.timeline;
		filterCharts(g, [1, 2].map((rank) => t.cpu.get(rank)), %d, %d); return true; })()`, from, to))
	part, phases := eval[map[string][]float64](b, "("+look+")('ranks')"), eval[map[string][]float64](b, "("+look+")('phases')")
	for term := range results.NumTerms {
		var want [4]sim.Time
		byPhase := map[int32]sim.Time{}
		for _, l := range r.Timeline.Lanes {
			for _, s := range l.Spans {
				if l.Kind == results.CPULane && (l.Index == 1 || l.Index == 2) && s.Term == term {
					time := max(0, min(s.End, to)-max(s.Start, from))
					want[l.Index] += time
					byPhase[int32(s.Phase)] += time
				}
			}
		}
		for rank, got := range part[looks[term].Title] {
			if math.Abs(got-want[rank].Seconds()) > 1e-12 {
				t.Errorf("%v of rank %d: %g s, want %g", term, rank, got, want[rank].Seconds())
			}
		}
		for phase, got := range phases[looks[term].Title] {
			if want := byPhase[int32(phase)].Seconds() / 2; math.Abs(got-want) > 1e-12 {
				t.Errorf("%v of phase %d: %g s, want %g", term, phase, got, want)
			}
		}
	}
	if note := eval[string](b, "document.querySelector('.filtered').textContent"); !strings.Contains(note, "2 ranks") {
		t.Errorf("the chart says %q", note)
	}
	b.Run(chromedp.KeyEvent("\x1b"))
	again := eval[map[string][]float64](b, "("+look+")('ranks')")
	if fmt.Sprint(again) != fmt.Sprint(whole) || eval[bool](b, "document.querySelector('.filtered') !== null") {
		t.Error("Escape does not show all again")
	}
}

// checkKept clicks on the name of the last rank, scrolls, and finds its lane on top.
func checkKept(t *testing.T, b *tab) {
	place := eval[point](b, `(() => { const g = overlapsim.gantts[0]; g.options.scale = 3; g.layout(); g.draw();
		const lane = g.timeline.cpu.get(3), row = g.rows[g.rowOf.get(lane)]; g.box.scrollTop = row.top - g.top; g.draw();
		g.box.scrollIntoView({ block: 'center' });
		const frame = g.box.getBoundingClientRect(); return { X: frame.left + 40, Y: frame.top + row.top - Math.round(g.box.scrollTop) + 8 }; })()`)
	b.Run(chromedp.MouseClickXY(place.X, place.Y))
	const find = `(() => { const g = overlapsim.gantts[0]; g.box.scrollTop = %d; g.draw(); const row = g.keptRows[0];
		const found = row && g.find(g.gutter + 20, row.top - g.box.scrollTop + 3); return found ? g.timeline.lanes[found.row.lane].name : ''; })()`
	for _, scroll := range []int{0, 30} {
		if name := eval[string](b, fmt.Sprintf(find, scroll)); name != "rank 3" {
			t.Errorf("scrolled by %d px, %q is on top", scroll, name)
		}
	}
	eval[bool](b, "overlapsim.gantts[0].keep(overlapsim.gantts[0].timeline.cpu.get(3)) || true")
	if n := eval[int](b, "overlapsim.gantts[0].keptRows.length"); n != 0 {
		t.Errorf("%d lanes are kept", n)
	}
}

// checkFollows zooms under a pointer that does not move: the tooltip tells what has come there.
func checkFollows(t *testing.T, b *tab) {
	eval[bool](b, "overlapsim.view.reset() || drawAll() || true")
	was := hoverOn(b, 0, 0, 0)
	b.Run(chromedp.Evaluate("overlapsim.view.set(overlapsim.view.length * 0.6, overlapsim.view.length * 0.7)", nil), headless.Drawn())
	now := eval[string](b, "document.getElementById('tip').innerText")
	if was == "" || now == "" || now == was {
		t.Errorf("the tooltip says %q, and then %q", was, now)
	}
	b.Run(chromedp.MouseEvent(input.MouseMoved, 2, 2))
}
