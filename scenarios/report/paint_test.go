package report

import (
	"fmt"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// slowPaint is the obvious second version of paintLane: for every column it goes through
// all spans of the lane that are in the window. It returns the first few errors in the columns of the fast
// version.
const slowPaint = `(lane, t0, perPixel) => {
	const g = overlapsim.gantts[0], t = g.timeline, W = 300, H = 40, raster = new Raster(W, H), palette = g.palette(), wrong = [];
	const termOf = new Map();
	palette.fill.forEach((c, k) => termOf.set(c, k));
	palette.edge.forEach((c, k) => termOf.set(c, k));
	paintLane(raster, t, lane, 0, H, t0, perPixel, palette, () => {});
	const seen = [];
	for (let i = t.first[lane]; i < t.first[lane + 1]; i++) {
		if (t.end[i] > t0 && t.start[i] < t0 + (W + 1) * perPixel) seen.push(i);
	}
	for (let x = 0; x < W && wrong.length < 5; x++) {
		const a = t0 + x * perPixel, b = a + perPixel, share = new Array(t.terms).fill(0), painted = new Array(t.terms).fill(0);
		let pieces = 0, gaps = 0, at = a;
		for (const i of seen) {
			const from = Math.max(a, t.start[i]), to = Math.min(b, t.end[i]);
			if (from >= to) continue;
			if (from > at) gaps++;
			share[t.term[i]] += (to - from) / perPixel;
			pieces++;
			at = to;
		}
		if (at < b) gaps++;
		for (let y = 0; y < H; y++) if (termOf.has(raster.pixels[y * W + x])) painted[termOf.get(raster.pixels[y * W + x])]++;
		const kinds = share.filter((s) => s > 0).length, near = painted.every((n, k) => Math.abs(n - H * share[k]) <= 1.001);
		const one = painted.findIndex((n) => n === H), none = painted.every((n) => n === 0);
		const longer = pieces + gaps <= 2 && ((one >= 0 && share[one] > 0.499) || (none && share.reduce((s, v) => s + v, 0) < 0.501));
		if (!near && !longer) wrong.push({ lane, x, pieces, gaps, kinds, share: share.map((s) => +s.toFixed(3)).join(' '), painted: painted.join(' ') });
	}
	return JSON.stringify(wrong);
}`

// Every column of a lane shows the terms of its interval of time, at any zoom.
func TestPaintAgainstSlowVersion(t *testing.T) {
	must.Long(t)
	s := large
	s.rows = 160
	r := s.result()
	b := browse(t, written(t, onePage("paint", r)), 800, 600)
	makespan := float64(r.Makespan())
	for zoom := 1.0; zoom < 3e4; zoom *= 5 {
		for lane := range len(r.Timeline.Lanes) {
			if lane%7 > 2 && zoom > 1 {
				continue
			}
			perPixel := makespan * 1.01 / 300 / zoom
			t0 := (makespan - 290*perPixel) * float64(lane) / float64(len(r.Timeline.Lanes))
			if wrong := eval[string](b, fmt.Sprintf("(%s)(%d, %g, %g)", slowPaint, lane, t0, perPixel)); wrong != "[]" {
				t.Fatalf("zoom %g: %s", zoom, wrong)
			}
		}
	}
	b.Clean()
}

// A lane may hold gaps, instants without length, and equal neighbours.
func TestPaintOddLanes(t *testing.T) {
	must.Long(t)
	var spans []results.Span
	at := sim.Time(0)
	for i := range 3000 {
		gap, length := sim.Time(0), sim.Time(1000*wobble(1, i))
		if i%5 == 0 {
			gap = sim.Time(3000 * wobble(2, i))
		}
		if i%7 == 0 {
			length = 0
		}
		if i%101 == 0 {
			length *= 60
		}
		spans = append(spans, results.Span{Start: at + gap, End: at + gap + length, Message: -1,
			Term: results.Term(i / 3 % int(results.NumTerms))})
		at += gap + length
	}
	lanes := []results.Lane{{Name: "rank 0", Spans: spans}, {Name: "rank 1", Index: 1},
		{Name: "rank 2", Index: 2, Spans: []results.Span{{Start: at / 2, End: at, Message: -1}}}}
	r := &results.Result{Ranks: 3, Finish: []sim.Time{at, 0, at}, Phases: []string{"all"}, Ledgers: make([][]results.Ledger, 3),
		Timeline: &results.Timeline{Lanes: lanes}}
	for rank := range r.Ledgers {
		r.Ledgers[rank] = make([]results.Ledger, 1)
	}
	b := browse(t, written(t, onePage("odd", r)), 800, 600)
	for zoom := 1.0; zoom < 3e4; zoom *= 3 {
		for step := range 4 {
			perPixel := float64(at) * 1.01 / 300 / zoom
			t0 := (float64(at) - 290*perPixel) * float64(step) / 3
			for lane := range lanes {
				if wrong := eval[string](b, fmt.Sprintf("(%s)(%d, %g, %g)", slowPaint, lane, t0, perPixel)); wrong != "[]" {
					t.Fatalf("zoom %g: %s", zoom, wrong)
				}
			}
		}
	}
	b.Clean()
}

// The precomputed sums equal those added up one by one.
func checkSums(t *testing.T, b *tab) {
	wrong := eval[int](b, `(() => { const t = overlapsim.gantts[0].timeline; let wrong = 0;
		for (let i = 0; i <= t.spanCount; i++) for (let j = i; j <= t.spanCount; j++) {
			const fast = new Float64Array(t.terms), slow = new Float64Array(t.terms);
			t.sums(i, j, fast);
			for (let k = i; k < j; k++) slow[t.term[k]] += t.end[k] - t.start[k];
			if (fast.some((v, k) => Math.abs(v - slow[k]) > 1)) wrong++;
		}
		return wrong; })()`)
	if wrong > 0 {
		t.Errorf("%d ranges of spans have wrong sums", wrong)
	}
}

// The overview shows the whole run: its columns hold the ledgers.
func checkOverview(t *testing.T, b *tab, r *results.Result) {
	got := eval[[]float64](b, `(() => { const t = overlapsim.gantts[0].timeline, out = new Array(t.terms).fill(0);
		profile(t, strips(t)[0].lanes, 97, t.makespan).forEach((v, i) => { out[i % t.terms] += v / 97 * t.makespan * 4e-12; }); return out; })()`)
	for term, want := range r.Total() {
		if !close(got[term], want.Seconds()) {
			t.Errorf("%v: the overview holds %g s, the ledgers %g s", results.Term(term), got[term], want.Seconds())
		}
	}
}
