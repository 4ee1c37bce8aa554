package report

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads"
)

// samplePage is a page with every kind of content.
func samplePage() *Page {
	a, b := textbook, textbook
	a.rows, b.rows, b.compute = 8, 8, 9*sim.Microsecond
	nan := math.NaN()
	return &Page{
		Title: "FT on Jacquard: Exchange against Pencils", Subtitle: "4 ranks, rows of 512 elements", Lead: "Pencils wins.",
		Sections: []Section{{Title: "What counts", Note: "By hand.", SmallTitle: "One by one", SmallNote: "Same axes.",
			Small: []Figure{&Curves{Title: "g", Small: true, X: Axis{High: 2}, Y: Axis{Low: 3, High: 17},
				Curves: []Curve{{Name: "today", X: []float64{1}, Y: []float64{5}, Marks: Ring},
					{Name: "line", X: []float64{0, 2}, Y: []float64{3, 17}, Marks: LineOnly}}}},
			Figures: []Figure{sampleTornado()},
			Table: &Table{Head: []string{"Name", "Gain"}, Words: []bool{true, false}, Rows: [][]Cell{{{Text: "o"}, {"5 %", "until 7 %"}}},
				Note: "All of it."}}},
		Runs: []Run{
			{Name: "exchange", Machine: "jacquard", Workload: "ft-exchange", Scenario: "machine: jacquard\n", Result: a.result(),
				Bars: []Bar{{"Local Computation", 0.10}, {"Comm Init", 0.05},
					{"Barrier", 0.01}}, Metrics: []workloads.Metric{{Name: "gflops", Value: 12.5}},
				Links: &Links{Note: "3 of 4 links carried something.", Peaks: "Most packets in a FIFO",
					Busiest: []LinkRow{{"(3, 0, 1) +x", 1 << 20, 0.875, 0.9375, 4}},
					Map: []*HeatMap{{Title: "Links along x", X: make([]string, 100), XTicks: Every(25, 100), Y: []string{"+x"},
						Values: [][]float64{{0.5, nan}}}}}},
			{Name: "pencils", Machine: "jacquard", Workload: "ft-pencils", Scenario: "machine: jacquard\n", Result: b.result(),
				Bars: []Bar{{"Local Computation", 0.10}, {"Comm Init", 0.08},
					{"Comm Sync", 0.01}}, Metrics: []workloads.Metric{{Name: "gflops", Value: 17.5}}},
		},
		Claims: []Claim{
			{Paper: "probes", ID: "fig8-a", Text: "Pencils beats Exchange.", Published: 1.61, Simulated: 1.58, Tolerance: "10 %",
				Model: "simulated", Pass: true},
			{Paper: "probes", ID: "fig8-b", Text: "Exchange takes so long.", Published: 0.0123, Simulated: 0.02, Unit: "s",
				Note: "The memory is slower."},
			{Paper: "bgp", ID: "t1", Text: "Withheld.", Published: nan, Simulated: 0.02, Unit: "s", Kind: "fitted"},
		},
		Figures: []Figure{
			&Bars{Title: "Figure 8", XName: "rows × elements", Unit: "s", Groups: []string{"64 × 64k", "128 × 32k"},
				Members: []string{"E", "S", "P"}, Parts: []Part{
					{Name: "Local Computation", Values: [][]float64{{0.1, 0.11, 0.1}, {0.1, 0.1, 0.12}}},
					{Name: "Comm Sync", Values: [][]float64{{0.05, 0.04, 0.01}, {0.06, nan, 0.02}}}}},
			&Curves{Title: "Overlap by size", XName: "size", XUnit: "B", YUnit: "%", XLog: true, Curves: []Curve{
				{Name: "simulated", X: []float64{1, 1024, 1 << 20}, Y: []float64{10, 20, 90}},
				{Name: "published", X: []float64{1, 1024, 1 << 20}, Y: []float64{12, nan, 88}, Dashed: true}}},
			&HeatMap{Title: "Overlap ratio", XName: "computation", YName: "size", X: []string{"1 ms", "2 ms"},
				Y:      []string{"1 KiB", "2 KiB", "4 KiB"},
				Values: [][]float64{{0.1, 0.2}, {0.3, nan}, {0.5, 0.6}}},
		},
	}
}

// sampleTornado has one bar to both sides, in pieces, and one to the left.
func sampleTornado() *Bars {
	pieces := func() []Part { return []Part{{Name: "inside", Color: "#4d61df"}, {Name: "outside", Color: "#b7c1f4"}} }
	return Tornado(Bars{Title: "What moves it", Unit: "%"}, pieces(), pieces(), []Swing{
		{"gap", []float64{-10, -2}, []float64{5, 0}, &Ends{Low: "-12 %, then o", High: "+5 %", Says: []string{"today 3 µs"}}},
		{"o", []float64{-1, 0}, []float64{0, 0}, &Ends{Low: "-1 %", Says: []string{"today 1 µs"}}},
	})
}

func render(t *testing.T, p *Page) string {
	t.Helper()
	var out strings.Builder
	must.Do(t, Write(&out, p))
	return out.String()
}

func TestSamePageSameBytes(t *testing.T) {
	if once, again := render(t, samplePage()), render(t, samplePage()); once != again {
		t.Error("two writings of a page differ")
	}
}

// Nothing on the page refers to anything outside of it.
func TestPageIsSelfContained(t *testing.T) {
	text := render(t, samplePage())
	outside := regexp.MustCompile(`(?i)(src|href|action|poster)\s*=\s*["']?([^"'\s>]*)|\burl\(|@import|import\(|fetch\(|XMLHttpRequest|https?:`)
	for _, found := range outside.FindAllString(text, -1) {
		if found != `href="data:,` && !strings.HasPrefix(found, `href="#`) {
			t.Errorf("the page has %s", found)
		}
	}
}

func TestPageSaysWhatItShould(t *testing.T) {
	text := render(t, samplePage())
	for _, want := range []string{
		"<h1>FT on Jacquard: Exchange against Pencils</h1>", "4 ranks, rows of 512 elements",
		"✓ reproduced", "✗ not reproduced", "<small>fitted</small>", "The memory is slower.", "12.3 ms", // claims
		"3 of 4 links", "Most packets in a FIFO", "(3, 0, 1) &#43;x</th>", ">1 MiB<",
		"87.5 %", "93.8 %", `class="charts rows"`, `"xTicks":[0,25,50,75]`, // links
		`<p class="lead">Pencils wins.</p>`, "<h2>What counts</h2>", `<td class="number">5 %<br><small>until 7 %</small></td>`, // a section
		"gflops", "17.5", "&#43;5, &#43;40.0 %", // metric side by side
		"The terms add up to the wall time of a rank exactly.", `Timeline of pencils: 12 lanes, `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Any part may be missing.
func TestSmallPages(t *testing.T) {
	bare := textbook.result()
	bare.Timeline = nil
	for name, p := range map[string]*Page{
		"empty": {}, "title": {Title: "t"}, "no result": {Runs: []Run{{Name: "x"}}}, "two without results": {Runs: []Run{{}, {}}},
		"no timeline": {Runs: []Run{{Result: bare}}}, "nothing happened": {Runs: []Run{{Result: &results.Result{}}}},
		"no lanes": {Runs: []Run{{Result: &results.Result{Timeline: &results.Timeline{}}}}}, "claims only": {Claims: samplePage().Claims},
	} {
		if text := render(t, p); !strings.HasSuffix(text, "</html>\n") {
			t.Errorf("%s: the page has no end", name)
		}
	}
}

const hostile = `</script><img src=x onerror="hacked=1"><!--<script>&amp;{{.}}{b}'"`

// hostilePage has the hostile text in every place for a user's text.
func hostilePage() *Page {
	p := samplePage()
	p.Title, p.Subtitle, p.Lead = hostile, hostile, hostile
	section := Section{Title: hostile, Note: hostile, SmallTitle: hostile, SmallNote: hostile, Figures: p.Sections[0].Figures,
		Small: p.Sections[0].Small,
		Table: &Table{Head: []string{hostile}, Words: []bool{true}, Rows: [][]Cell{{{hostile, hostile}}}, Note: hostile}}
	p.Sections = []Section{section}
	for i := range p.Runs {
		r := &p.Runs[i]
		r.Name, r.Machine, r.Workload, r.Scenario = hostile, hostile, hostile, hostile
		r.Metrics[0].Name, r.Bars[0].Name = hostile, hostile
		r.Sections = []Section{section}
		r.Links = &Links{Note: hostile, Peaks: hostile, Busiest: []LinkRow{{Name: hostile}},
			Map: []*HeatMap{{Title: hostile, X: []string{hostile}, Y: []string{hostile}}}}
		r.Result.Phases[0] = hostile
		for l := range r.Result.Timeline.Lanes {
			r.Result.Timeline.Lanes[l].Name = hostile
		}
	}
	p.Claims[0] = Claim{Paper: hostile, ID: hostile, Text: hostile, Unit: hostile, Tolerance: hostile, Model: hostile, Note: hostile}
	p.Figures = []Figure{
		&Bars{Title: hostile, Note: hostile, XName: hostile, Unit: hostile, Groups: []string{hostile}, Members: []string{hostile, hostile},
			Parts: []Part{{Name: hostile, Values: [][]float64{{1, 2}}}}},
		&Curves{Title: hostile, XName: hostile, YName: hostile, XUnit: hostile, YUnit: hostile,
			Curves: []Curve{{Name: hostile, X: []float64{1, 2}, Y: []float64{1, 2}}}},
		&HeatMap{Title: hostile, XName: hostile, YName: hostile, Unit: hostile, X: []string{hostile}, Y: []string{hostile},
			Values: [][]float64{{1}}},
	}
	return p
}

func TestHostileTextStaysText(t *testing.T) {
	text := render(t, hostilePage())
	for _, tag := range []string{"<img", "<!--", "onerror=\""} {
		if at := strings.Index(text, tag); at >= 0 {
			t.Errorf("%s came through: ...%s...", tag, text[max(0, at-60):at+60])
		}
	}
}

func TestWriteErrors(t *testing.T) {
	whole := len(render(t, samplePage()))
	for room := 0; room < whole; room += whole/40 + 1 {
		if err := Write(&full{room}, samplePage()); !errors.Is(err, errFull) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}

var errFull = errors.New("the disk is full")

// full is a writer with room for a limited number of bytes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	f.room -= len(p)
	if f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestChartScriptCarriesItsLicences(t *testing.T) {
	z := must.Get(gzip.NewReader(bytes.NewReader(echarts)))(t)
	script := must.Get(io.ReadAll(z))(t)
	notice, _, _ := strings.Cut(string(script), "*/")
	for _, want := range []string{"/*!", "Apache ECharts", "Apache License", "Mike Bostock", "Baidu Inc", "Microsoft Corporation"} {
		if !strings.Contains(notice, want) {
			t.Errorf("the comment in front of the script lacks %q", want)
		}
	}
}
