package report

import (
	"fmt"
	"math"
	"testing"

	"github.com/chromedp/chromedp"

	"overlapsim/sim/must"
)

// Two timelines move together, and stand as they are aligned: by start, by end, or by the
// n-th time that a phase begins.
func TestAlignInBrowser(t *testing.T) {
	must.Long(t)
	a, b := textbook, textbook
	b.compute *= 2
	b.rows++
	page := &Page{Title: "two", Runs: []Run{{Name: "a", Result: a.result()}, {Name: "b", Result: b.result()}}}
	tab := browse(t, written(t, page), 1300, 900)
	type places struct{ A, B float64 }
	// where returns the columns of an instant of each run, given as expressions of its timeline t.
	where := func(instant string) places {
		return eval[places](tab, fmt.Sprintf(`(() => { const [A, B] = overlapsim.gantts.map((g) => { const t = g.timeline; return g.x(%s); });
			return { A, B }; })()`, instant))
	}
	together := func(what, instant string) {
		t.Helper()
		if at := where(instant); math.Abs(at.A-at.B) > 1e-6 || !(at.A > 0) {
			t.Errorf("%s: at %v", what, at)
		}
	}
	choose := func(on string, number int) {
		tab.Run(chromedp.Evaluate(fmt.Sprintf(`(() => {
			const [on, n] = ['align', 'occurrence'].map((d) => document.querySelector('[data-do=' + d + ']'));
			on.value = %q; n.value = %d; on.dispatchEvent(new Event('change')); })()`, on, number), nil))
	}
	together("by start", "0")
	choose("end", 1)
	together("by end", "t.makespan")
	if at := where("0"); at.A <= at.B {
		t.Errorf("the shorter run begins at %g, the longer one at %g", at.A, at.B)
	}
	for _, n := range []int{1, 2, 5} {
		choose("phase sync", n)
		together(fmt.Sprintf("by phase, number %d", n), fmt.Sprintf("phaseStarts(t, 'sync')[Math.min(%d, phaseStarts(t, 'sync').length) - 1]", n))
	}
	// Zoomed in, they stay together; what the pointer is on is what is drawn there.
	eval[bool](tab, "overlapsim.view.zoom(0.1, overlapsim.view.length / 2), drawAll(), true")
	together("zoomed in", "phaseStarts(t, 'sync')[Math.min(5, phaseStarts(t, 'sync').length) - 1]")
	if back := eval[float64](tab, "overlapsim.gantts[0].time(overlapsim.gantts[0].x(12345)) - 12345"); math.Abs(back) > 1e-3 {
		t.Errorf("there and back: %g ps off", back)
	}
	choose("start", 1)
	if !eval[bool](tab, "overlapsim.view.reset(), overlapsim.gantts.every((g) => overlapsim.view.length >= g.timeline.makespan)") {
		t.Error("not all of the runs can be seen")
	}
	together("by start again", "0")
	tab.Clean()
}
