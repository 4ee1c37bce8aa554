package report

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"pgregory.net/rapid"

	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

type point struct{ X, Y float64 }

// onePage is a page with one run.
func onePage(title string, r *results.Result) *Page {
	return &Page{Title: title, Subtitle: fmt.Sprintf("made up, %d ranks", r.Ranks), Runs: []Run{{Name: title, Result: r}}}
}

// hoverOn puts the pointer on a span and returns what the tooltip says.
func hoverOn(b *tab, gantt, lane, span int) string {
	b.Helper()
	p := eval[point](b, fmt.Sprintf("document.querySelectorAll('.gantt')[%d].scrollIntoView(), overlapsim.gantts[%[1]d].locate(%d, %d)",
		gantt, lane, span))
	b.Run(chromedp.MouseEvent(input.MouseMoved, p.X, p.Y))
	return eval[string](b, `document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText.replaceAll('\n\n', '\n')`)
}

func TestGanttInBrowser(t *testing.T) {
	must.Long(t)
	r := textbook.result()
	b := browse(t, written(t, onePage("textbook", r)), 1300, 900)
	t.Run("draws", func(t *testing.T) {
		if n := eval[int](b, "overlapsim.spans"); n != int(r.Events) {
			t.Errorf("%d spans in the browser, %d here", n, r.Events)
		}
		if n := eval[int](b, "overlapsim.messages"); n != len(r.Timeline.Messages) {
			t.Errorf("%d messages in the browser, %d here", n, len(r.Timeline.Messages))
		}
		blank := eval[[]int](b, `[...document.querySelectorAll('canvas:not(.over)')].map((c) => {
			const p = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
			return new Set(p).size; })`)
		for i, colors := range blank {
			if colors < 4 {
				t.Errorf("canvas %d has only %d colours", i, colors)
			}
		}
		if charts := eval[int](b, "overlapsim.charts"); charts != 2 || len(blank) != 2+2 {
			t.Errorf("%d charts, %d canvases", charts, len(blank))
		}
	})
	t.Run("every wide span has its colour", func(t *testing.T) { checkColors(t, b, r) })
	t.Run("tooltips", func(t *testing.T) { checkTooltips(t, b, r) })
	t.Run("zoom and keys", func(t *testing.T) { checkZoom(t, b) })
	t.Run("sums", func(t *testing.T) { checkSums(t, b) })
	t.Run("overview", func(t *testing.T) { checkOverview(t, b, r) })
	t.Run("decoder", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { checkDecoder(t, b) }) })
	b.Clean()
}

// checkColors looks at a pixel of every span that is wide enough.
func checkColors(t *testing.T, b *tab, r *results.Result) {
	seen := 0
	for lane, l := range byNode(r.Timeline) {
		for i, s := range l.Spans {
			if float64(s.End-s.Start) < 0.01*float64(r.Makespan()) {
				continue
			}
			// A quarter into the span there is no label and no edge.
			got := eval[string](b, fmt.Sprintf(`(() => { const g = overlapsim.gantts[0], row = g.rows[g.rowOf.get(%d)];
				const x = g.x(%d), p = g.base.getContext('2d').getImageData(x * g.ratio, (row.top + 2) * g.ratio, 1, 1).data;
				return '#' + [p[0], p[1], p[2]].map((v) => v.toString(16).padStart(2, '0')).join(''); })()`, lane, int64(s.Start+(s.End-s.Start)/4)))
			if got != looks[s.Term].Color {
				t.Errorf("%s, span %d: %s, want %s of %v", l.Name, i, got, looks[s.Term].Color, s.Term)
			}
			seen++
		}
	}
	if seen < 40 {
		t.Errorf("only %d spans were looked at", seen)
	}
}

func checkTooltips(t *testing.T, b *tab, r *results.Result) {
	find := func(lane int, term results.Term) int {
		for i, s := range r.Timeline.Lanes[lane].Spans {
			if s.Term == term {
				return i
			}
		}
		t.Fatalf("lane %d never has %v", lane, term)
		return 0
	}
	for _, c := range []struct {
		lane int
		term results.Term
		want []string
	}{
		{0, results.Compute, []string{"Rank 0 computes\n", "µs, from 0 s, phase FFT and puts"}},
		{0, results.Transfer, []string{"Rank 0 waits while the bytes of its message to rank 1 leave\n", "phase sync", "16 KiB",
			"bytes leave\t17.48 µs", "travels and is taken in\t4.5 µs"}},
		{3, results.BarrierTime, []string{"Rank 1 waits in the barrier\n"}},
		{1, results.NICStall, []string{"The NIC of node 0 takes the message from rank 0 to rank 1 into its queue\n1.2 µs"}},
		{2, results.Transfer, []string{"The NIC of node 0 sends the bytes of the message from rank 0 to rank 1\n"}},
	} {
		said := hoverOn(b, 0, c.lane, find(c.lane, c.term))
		for _, want := range c.want {
			if !strings.Contains(said, want) {
				t.Errorf("lane %d, %v: the tooltip says %q, not %q", c.lane, c.term, said, want)
			}
		}
	}
	compute := r.Timeline.Lanes[0].Spans[5]
	under, sent := 0, 0
	for _, m := range r.Timeline.Messages {
		if m.Posted <= compute.End && m.Delivered >= compute.Start && (m.From == 0 || m.To == 0) {
			under++
			sent += 1 - int(min(m.From, 1))
		}
	}
	want := fmt.Sprintf("Messages under way meanwhile\t%d\nof them sent by this rank\t%d", under, sent)
	if said := hoverOn(b, 0, 0, 5); compute.Term != results.Compute || !strings.Contains(said, want) {
		t.Errorf("the tooltip of %v says %q, not %q", compute.Term, said, want)
	}
	// The life of a message is drawn over the lanes while its span is under the pointer.
	hoverOn(b, 0, 2, 0)
	drawn := `(() => {
		const c = overlapsim.gantts[0].over, image = c.getContext('2d').getImageData(0, 0, c.width, c.height);
		return image.data.filter((v, i) => i % 4 === 3 && v > 200).length; })()`
	with := eval[int](b, drawn)
	eval[bool](b, "overlapsim.gantts[0].leave(), true")
	if without := eval[int](b, drawn); with < without+200 {
		t.Errorf("%d dark pixels with a message under the pointer, %d without", with, without)
	}
}

func checkZoom(t *testing.T, b *tab) {
	type view struct{ T0, T1, At float64 }
	p := eval[point](b, "scrollTo(0, 0), overlapsim.gantts[0].locate(0, 2)") // below the toolbar
	p.X = math.Floor(p.X)                                                    // a wheel event has whole pixels
	look := func() view {
		return eval[view](b, fmt.Sprintf(`(() => { const v = overlapsim.view, g = overlapsim.gantts[0];
			return { T0: v.t0, T1: v.t1, At: g.time(%g - g.box.getBoundingClientRect().left - 1) }; })()`, p.X))
	}
	whole, draws := look(), eval[int](b, "overlapsim.draws")
	wheel := func(keys input.Modifier) {
		b.Run(chromedp.MouseEvent(input.MouseWheel, p.X, p.Y, func(e *input.DispatchMouseEventParams) *input.DispatchMouseEventParams {
			return e.WithDeltaX(0).WithDeltaY(-120).WithModifiers(keys)
		}))
	}
	if wheel(0); look() != whole {
		t.Errorf("without a key, and before a click, the wheel changes the view to %+v", look())
	}
	wheel(input.ModifierCtrl)
	b.Run(chromedp.Poll(fmt.Sprintf("overlapsim.view.width < %g", 0.9*(whole.T1-whole.T0)), nil, chromedp.WithPollingTimeout(5*time.Second)))
	eval[bool](b, "document.querySelector('.lanes').focus({ preventScroll: true }), true")
	for range 4 {
		wheel(0)
	}
	b.Run(chromedp.Poll(fmt.Sprintf("overlapsim.draws > %d && overlapsim.view.width < %g", draws, 0.25*(whole.T1-whole.T0)), nil))
	if zoomed := look(); math.Abs(zoomed.At-whole.At) > 1e-6*whole.T1 {
		t.Errorf("zooming moved the instant under the pointer from %g to %g ps", whole.At, zoomed.At)
	}
	before := look()
	b.Run(chromedp.Focus(".lanes"), chromedp.KeyEvent(kb.ArrowRight))
	if after := look(); after.T0 <= before.T0 || math.Abs(after.T1-after.T0-(before.T1-before.T0)) > 1 {
		t.Errorf("the right arrow moved the view from %+v to %+v", before, after)
	}
	b.Run(chromedp.KeyEvent("0"))
	if after := look(); after.T0 != whole.T0 || after.T1 != whole.T1 {
		t.Errorf("key 0 shows %+v, not everything, %+v", after, whole)
	}
}

func TestPageInBrowser(t *testing.T) {
	must.Long(t)
	b := browse(t, written(t, samplePage()), 1300, 900)
	if n := eval[int](b, "overlapsim.gantts.length"); n != 2 {
		t.Fatalf("%d Gantt charts", n)
	}
	if charts := eval[int](b, "overlapsim.charts"); charts != 11 {
		t.Errorf("%d charts, want the timers, 2 of a section, 3 figures, 2 of each run and a map of links", charts)
	}
	// Zooming redraws both Gantt charts, which have one time axis.
	changed := eval[[]bool](b, `(() => { const look = () => overlapsim.gantts.map((g) => g.base.toDataURL());
		const before = look(); overlapsim.view.zoom(0.3, 0); drawAll(); const after = look(); return before.map((x, i) => x !== after[i]); })()`)
	if len(changed) != 2 || !changed[0] || !changed[1] {
		t.Errorf("zooming redrew %v", changed)
	}
	said := eval[string](b, `(() => {
		const figure = [...document.querySelectorAll('figure.chart')].find((f) => f.innerText.startsWith('Figure 8'));
		const chart = echarts.getInstanceByDom(figure.querySelector('.plot'));
		chart.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex: 1 }); return chart.getDom().innerText; })()`)
	for _, want := range []string{"128 × 32k", "E\n160 ms", "S\n", "P\n140 ms", "Comm Sync\n60 ms"} {
		if !strings.Contains(said, want) {
			t.Errorf("the tooltip of Figure 8 lacks %q: %q", want, said)
		}
	}
	b.Clean()
}

func TestHostilePageInBrowser(t *testing.T) {
	must.Long(t)
	b := browse(t, written(t, hostilePage()), 1300, 900)
	if eval[bool](b, "window.hacked !== undefined || document.querySelector('img') !== null") {
		t.Error("hostile text became markup")
	}
	for _, place := range []string{"h1", ".subtitle", "pre", ".claims td:nth-child(2)", ".gantt figcaption"} {
		if got := eval[string](b, fmt.Sprintf("document.querySelector('%s').textContent", place)); !strings.Contains(got, hostile) {
			t.Errorf("%s says %q", place, got)
		}
	}
	if said := hoverOn(b, 0, 0, 0); !strings.Contains(said, hostile) {
		t.Errorf("the tooltip says %q", said)
	}
	said := eval[string](b, `[...document.querySelectorAll('.plot')].map((plot) => { const chart = echarts.getInstanceByDom(plot);
		chart.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex: 0 }); return plot.textContent; }).join('\n')`)
	if !strings.Contains(said, hostile) || eval[bool](b, "window.hacked !== undefined || document.querySelector('img') !== null") {
		t.Errorf("the tooltips of the charts say %q", said)
	}
	b.Clean()
}

// checkDecoder compares the output of the script's decoder with the encoded timeline.
func checkDecoder(t *rapid.T, b *tab) {
	r := anyTimeline(t, 1<<52) // beyond 2^53 the script's numbers are not exact
	want := listed(r)
	got := eval[lists](b, fmt.Sprintf(`(() => {
		const t = new Timeline(Uint8Array.from(atob('%s'), (c) => c.charCodeAt(0)), %d), list = (a) => (a.length ? [...a] : null);
		return {
			Start: list(t.start), End: list(t.end), Term: list(t.term), Phase: list(t.phase), Message: list(t.message),
			From: list(t.from), To: list(t.to), Bytes: list(t.bytes), Posted: list(t.posted), Insert: list(t.insert),
			Begin: list(t.begin), Sent: list(t.sent), Delivered: list(t.delivered), Makespan: t.makespan }; })()`,
		unpacked(t, r), results.NumTerms))
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("the browser read\n%v\nand not\n%v", got, want)
	}
}

// lists are the columns of a timeline.
type lists struct {
	Start, End, Term, Phase, Message, From, To, Bytes, Posted, Insert, Begin, Sent, Delivered []int64
	Makespan                                                                                  int64
}

func listed(r *results.Result) (l lists) {
	add := func(list *[]int64, x int64) { *list = append(*list, x) }
	for _, lane := range r.Timeline.Lanes {
		for _, s := range lane.Spans {
			add(&l.Start, int64(s.Start))
			add(&l.End, int64(s.End))
			add(&l.Term, int64(s.Term))
			add(&l.Phase, int64(s.Phase))
			add(&l.Message, int64(s.Message))
		}
	}
	for _, m := range r.Timeline.Messages {
		add(&l.From, int64(m.From))
		add(&l.To, int64(m.To))
		add(&l.Bytes, m.Bytes)
		add(&l.Posted, int64(m.Posted))
		add(&l.Insert, int64(m.Insert))
		add(&l.Begin, int64(m.Start))
		add(&l.Sent, int64(m.Sent))
		add(&l.Delivered, int64(m.Delivered))
	}
	l.Makespan = int64(r.Makespan())
	return l
}

// With many runs the ledgers are folded; their charts are drawn when opened.
func TestManyRunsInBrowser(t *testing.T) {
	must.Long(t)
	p := &Page{Title: "many"}
	for i := range 5 {
		s := textbook
		s.compute += sim.Time(i) * sim.Microsecond
		p.Runs = append(p.Runs, Run{Name: fmt.Sprint("run ", i), Result: s.result()})
	}
	b := browse(t, written(t, p), 1000, 800)
	drawn := "document.querySelectorAll('details canvas').length"
	if n := eval[int](b, drawn); n != 0 {
		t.Errorf("%d charts of folded parts are drawn", n)
	}
	// A zoom redraws what is in the window, and the rest when it comes into view.
	eval[bool](b, "document.querySelector('.gantt').scrollIntoView(), overlapsim.view.zoom(0.5, 0), true")
	b.Run(chromedp.Poll("overlapsim.gantts[4].stale && !overlapsim.gantts[0].stale", nil))
	eval[bool](b, "document.querySelectorAll('.gantt')[4].scrollIntoView(), true")
	b.Run(chromedp.Poll("!overlapsim.gantts[4].stale", nil))
	eval[bool](b, "document.querySelectorAll('details')[2].open = true")
	b.Run(chromedp.Poll(drawn+" === 2", nil))
	b.Clean()
}

// The names of a thousand nodes and of their ranks do not overlap.
func TestLongNamesInBrowser(t *testing.T) {
	must.Long(t)
	s := textbook
	s.ranks, s.perNode, s.rows = 2004, 2, 1
	b := browse(t, written(t, onePage("many nodes", s.result())), 1300, 900)
	room := eval[float64](b, "chooseLanes('all'), overlapsim.gantts[0].gutter")
	node := eval[float64](b, "overlapsim.gantts[0].options.measure('node 1001', nodeStyle)")
	rank := eval[float64](b, "overlapsim.gantts[0].options.measure('rank 2003', laneStyle)")
	if room < 8+node+rank+8 || room > 40+node+rank {
		t.Errorf("%g pixels for names of %g and %g", room, node, rank)
	}
	b.Clean()
}
