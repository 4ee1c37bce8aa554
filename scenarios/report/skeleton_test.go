package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// answeredPage is a page of one run with an answer: every part of the skeleton.
func answeredPage() *Page {
	s := textbook
	s.rows = 9
	p := onePage("answered", s.result())
	r := p.Runs[0].Result
	r.Bound.Work = r.Makespan() / 2
	for _, l := range r.Timeline.Lanes {
		for i := range l.Spans { // a row of the transform is an iteration
			l.Spans[i].Phase = 1
			if l.Spans[i].Term == results.Compute {
				l.Spans[i].Phase = 0
			}
		}
	}
	makespan := r.Makespan().Seconds()
	part := func(x float64) *float64 { return new(x * makespan) }
	p.Lead, p.Command = "Communication costs much.", "overlapsim run answered --set ranks=4"
	p.Runs[0].Scenario = "machine: jacquard\n"
	p.Runs[0].Answer = &outcomes.Answer{Computation: part(0.6), Communication: part(0.5), Exposed: part(0.4), Hidden: part(0.1),
		Overlap: part(0.2), Without: []outcomes.Change{{Cause: "bandwidth", Set: []string{"without=bandwidth"}, Makespan: 0.7 * makespan, Saves: 0.3},
			{Cause: "synchronisation", Set: []string{"without=synchronisation"}, Makespan: 0.9 * makespan, Saves: 0.1},
			{Cause: "latency", Set: []string{"without=latency"}, Makespan: 0.999 * makespan, Saves: 0.001}},
		Help: []outcomes.Change{
			{Change: "larger messages", Of: "program", Set: []string{"workload.messages=x0.5"}, Makespan: 0.8 * makespan, Saves: 0.2,
				Price: "memory"},
			{Change: "NICs of twice the bandwidth", Of: "machine", Set: []string{"machine.network.bandwidth=x2"},
				Makespan: 0.7 * makespan, Saves: 0.3}}}
	return p
}

// The sections of a page come in one order, each is in the contents, and no two have one anchor.
func TestContents(t *testing.T) {
	text := render(t, answeredPage())
	at := 0
	for _, want := range []string{"Content-Security-Policy", `<p class="lead">`, `<nav class="contents"`, `<section id="makespan"`,
		`<section id="why"`, `<section id="what-would-help"`, `<section id="timeline"`, `<section id="where-the-time-goes"`, `<section id="scenario"`} {
		next := strings.Index(text[at:], want)
		if next < 0 {
			t.Fatalf("%s is not on the page, or not after what is above it", want)
		}
		at += next
	}
	p := &Page{Sections: []Section{{Title: "Fit"}, {Title: "Fit: again"}, {Title: "!"}, {Title: strings.Repeat("long ", 30)}}}
	text = render(t, p)
	for _, want := range []string{`id="fit"`, `id="fit-2"`, `id="part"`, `href="#fit-2">Fit<`, "long long long long long lo…"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// Where no change is told, the page says why, as the terminal does.
func TestUnhelped(t *testing.T) {
	for _, c := range []struct {
		saves   float64
		patient bool
		want    string
	}{
		{0.02, false, "No cause costs 5 %, so hardly any change was tried: --advice tries all."},
		{0.02, true, "No change that was tried makes the run noticeably shorter."},
		{0.3, false, "No change that was tried makes the run noticeably shorter."},
	} {
		p := answeredPage()
		a := p.Runs[0].Answer
		a.Help, a.Patient, a.Without = nil, c.patient, a.Without[:1]
		a.Without[0].Saves = c.saves
		if text := render(t, p); !strings.Contains(text, c.want) || help(a).Note != c.want {
			t.Errorf("a cause of %g, %v: the page lacks %q, the terminal says %q", c.saves, c.patient, c.want, help(a).Note)
		}
	}
}

// The bar of a makespan is as long as its pieces, and those of several runs are on one scale; of many the ten shortest are drawn first.
func TestMakespans(t *testing.T) {
	one := makespansOf(answeredPage().Runs)
	if sum := one.Bars[0].Pieces[0].Width + one.Bars[0].Pieces[1].Width; math.Abs(sum-100) > 1e-9 || math.Abs(one.Bars[0].Tick-50) > 1e-6 {
		t.Errorf("the bar is %g %% long, its tick at %g %%", sum, one.Bars[0].Tick)
	}
	var runs []Run
	for i := range 14 {
		s := textbook
		s.compute = sim.Time(20-i) * sim.Microsecond
		runs = append(runs, Run{Name: fmt.Sprint("run ", i), Result: s.result()})
	}
	all := makespansOf(runs)
	if len(all.Bars) != mostListed || len(all.More) != 4 || !all.Ranked {
		t.Fatalf("%d bars and %d more", len(all.Bars), len(all.More))
	}
	listed := slices.Concat(all.Bars, all.More)
	for i, b := range listed {
		sum := 0.0
		for _, p := range b.Pieces {
			sum += p.Width
		}
		if i > 0 && b.seconds() < listed[i-1].seconds() || b.Best != (i == 0) || sum > 100+1e-9 {
			t.Errorf("bar %d, %s: %g s, %g %%, best %v", i, b.Name, b.seconds(), sum, b.Best)
		}
	}
	if best := shortestRuns(runs); len(best) != mostListed || best[0].Name != listed[0].Name {
		t.Errorf("the shortest of the runs is %s", best[0].Name)
	}
}

// A click on a cause goes to the longest wait in its terms, the button copies the command, a link of the contents goes to its section,
// and the timeline opens at one iteration of median length and goes to others.
func TestSkeletonInBrowser(t *testing.T) {
	must.Long(t)
	p := answeredPage()
	b := browse(t, written(t, p), 1300, 900)
	checkIteration(t, b)
	var longest sim.Time
	for _, l := range p.Runs[0].Result.Timeline.Lanes {
		for _, s := range l.Spans {
			if l.Kind == results.CPULane && slices.Contains(WaitsOf("bandwidth"), s.Term) {
				longest = max(longest, s.End-s.Start)
			}
		}
	}
	b.Run(chromedp.Click(`[data-waits]`, chromedp.ByQuery))
	held := eval[float64](b, `(() => { const p = overlapsim.pinned, t = overlapsim.gantts[0].timeline;
		return t.end[p.span] - t.start[p.span]; })()`)
	if held != float64(longest) || longest == 0 {
		t.Errorf("the click goes to a wait of %g ps, the longest is %d", held, longest)
	}
	if n := eval[int](b, "document.querySelectorAll('.effect').length"); n != 4 {
		t.Errorf("%d changes are shown, want 2 causes that save something and 2 changes", n)
	}
	b.Run(chromedp.Click(`[data-copy$="machine.network.bandwidth=x2"]`, chromedp.ByQuery))
	if copied := eval[string](b, "overlapsim.copied"); copied != p.Command+" --set machine.network.bandwidth=x2" {
		t.Errorf("%q is copied", copied)
	}
	for _, id := range eval[[]string](b, "[...document.querySelectorAll('.contents a')].map((a) => a.hash.slice(1))") {
		b.Run(chromedp.Click(`.contents a[href="#`+id+`"]`, chromedp.ByQuery))
		const place = `(() => { const s = document.getElementById('%s').getBoundingClientRect();
			return s.top > 30 && s.top < 60 || scrollY + innerHeight >= document.documentElement.scrollHeight - 2 })()`
		if !eval[bool](b, fmt.Sprintf(place, id)) {
			t.Errorf("the link to %s does not go there", id)
		}
	}
	b.Clean()
}

func checkIteration(t *testing.T, b *tab) {
	type view struct{ T0, T1, Whole float64 }
	look := func() view {
		return eval[view](b, "({ T0: overlapsim.view.t0, T1: overlapsim.view.t1, Whole: overlapsim.view.length })")
	}
	starts := eval[[]float64](b, "overlapsim.gantts[0].iterations.starts")
	n := eval[int](b, `+document.querySelector('[data-do="iteration"]').value`)
	v := look()
	if len(starts) < 6 || n < 2 || n > len(starts)-2 || v.T0 > starts[n-1] || v.T1 < starts[n] || v.T1-v.T0 > 1.2*(starts[n]-starts[n-1]) {
		t.Errorf("it opens at iteration %d of %v, at %+v", n, starts, v)
	}
	eval[bool](b, `(() => { const f = document.querySelector('[data-do="iteration"]'); f.value = 3;
		return f.dispatchEvent(new Event('change')); })()`)
	if v := look(); v.T0 > starts[2] || v.T1 < starts[3] {
		t.Errorf("iteration 3 is from %g to %g, shown is %+v", starts[2], starts[3], v)
	}
}

// Tables sort by value, keep the rows with a text, and are saved as CSV.
func TestTablesInBrowser(t *testing.T) {
	must.Long(t)
	table := &Table{Head: []string{"Run", "Time"}, Words: []bool{true, false}}
	for i, text := range []string{"15.06 ms", "–", "900 µs", "2 s", "1.1 ms", "+3 ns", "0 s", "−4 µs", "1,200 s", "5 s", "6 s", "7 s"} {
		table.Rows = append(table.Rows, []Cell{{Text: fmt.Sprintf("run, %d", i)}, {text, "a note"}})
	}
	b := browse(t, written(t, &Page{Title: "tables", Sections: []Section{{Title: "All: of them", Table: table}}}), 1300, 900)
	column := func() string {
		return eval[string](b, "[...document.querySelectorAll('tbody tr')].filter((r) => !r.hidden).map((r) => cellText(r.cells[1])).join(' ')")
	}
	b.Run(chromedp.Click("th:nth-child(2) .sort", chromedp.ByQuery))
	if got, want := column(), "−4 µs 0 s +3 ns 900 µs 1.1 ms 15.06 ms 2 s 5 s 6 s 7 s 1,200 s –"; got != want {
		t.Errorf("sorted it is %s", got)
	}
	b.Run(chromedp.Click("th:nth-child(2) .sort", chromedp.ByQuery))
	if got := column(); !strings.HasPrefix(got, "1,200 s 7 s") || !strings.HasSuffix(got, "−4 µs –") {
		t.Errorf("sorted the other way round it is %s", got)
	}
	b.Run(chromedp.SendKeys(".of-table input", "ms", chromedp.ByQuery), chromedp.Click(".of-table button", chromedp.ByQuery))
	if got := column(); got != "15.06 ms 1.1 ms" {
		t.Errorf("with ms there is %s", got)
	}
	want := "Run,Time\r\n\"run, 0\",15.06 ms\r\n\"run, 4\",1.1 ms\r\n"
	if got := eval[string](b, "overlapsim.saved.name + '\\n' + overlapsim.saved.text"); got != "all-of-them.csv\n"+want {
		t.Errorf("saved is %q", got)
	}
	b.Clean()
}

// Of a step of training come first its time, how well GPUs are used, what is exposed by kind, and what launches and idle streams take.
func TestStepFacts(t *testing.T) {
	r := streamsResult([]string{"0 compute"})
	half, tokens := 0.5, 3000.0
	run := Run{Result: r, Step: &outcomes.Step{Time: 1e-3, MFU: &half, Tokens: &tokens, LaunchBound: new(0.05),
		Exposed: outcomes.Ordered{{Name: "tensor_parallel", Value: 2e-4}}}}
	var names []string
	for _, f := range facts(&run) {
		names = append(names, f.Name+" "+f.Value)
	}
	want := "Step 1.000 ms, MFU 50.0 %, Tokens/s 3000, Exposed: tensor parallel 20.0 %, Launch-bound 5.0 %, Idle 0.0 %, Sent 0 B"
	if got := strings.ReplaceAll(strings.Join(names, ", "), "\u00a0", " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
