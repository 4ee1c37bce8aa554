// Package report writes results as files that people open: a self-contained HTML page, an
// SVG picture, a trace for Perfetto. It only reads results and has no access to the run.
package report

import (
	"bytes"
	"embed"
	"encoding/ascii85"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
	"sync"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/workloads"
)

// Page is one report. Everything but Title may be omitted.
type Page struct {
	Title    string
	Subtitle string    // machine, workload and ranks in one line
	Notes    []string  // below it, a line each
	Lead     string    // the answer, in a sentence or a few
	Wrong    []string  // warnings about numbers that cannot be trusted, a line each, in red
	Command  string    // that makes the run of the page, to which changes are appended; "": not known
	Facts    []Fact    // key numbers; none: the key numbers of any run
	First    []Section // before all else
	Runs     []Run     // one, or several side by side; the first is the one compared with
	Claims   []Claim
	Figures  []Figure
	Rows     []Row     // figures in rows, such as a heat map for each of several libraries
	Sections []Section // before the timelines
	Live     *Live     // nil: the page computes nothing
}

// Live is a simulator in the page, by which the only run of the page can be changed.
type Live struct {
	Program []byte // WebAssembly, packed with gzip
	Support string // script by which a browser runs programs in Go
	Start   any    // what the program is given, as JSON
}

// Run is a simulated run and what is known about it.
type Run struct {
	Name     string // label, unique on the page
	Machine  string
	Workload string
	Scenario string // YAML text, shown folded
	Result   *results.Result
	Saved    *outcomes.RunRecord // what is known about a run without a result; nil: nothing
	Answer   *outcomes.Answer    // nil: none was asked for
	Step     *outcomes.Step      // nil: it is no step of training
	Bars     []Bar               // the paper's own stacked bar
	Metrics  []workloads.Metric
	Links    *Links    // nil: not known
	Sections []Section // after the ledger
}

// Bar is one piece of a stacked bar in a paper: "Comm Init".
type Bar struct {
	Name    string
	Seconds float64
}

// Claim is a statement of a paper, and the result here.
type Claim struct {
	Paper, ID string
	Text      string  // the claim in words
	Published float64 // NaN: not published
	Simulated float64 // NaN: not computed
	Unit      string  // "s" and "B" are scaled, "yes" makes 1 yes and 0 no; any other follows the number
	Tolerance string  // "10 %", "order only"
	Model     string  // "simulated", "analytic"
	Kind      string  // "predicted", "fitted": what it proves if the claim holds
	Pass      bool
	Note      string // the best explanation, if the claim does not hold
}

// Judged tells whether there is a published value to compare with.
func (c Claim) Judged() bool { return !math.IsNaN(c.Published) }

//go:embed assets
var assets embed.FS

//go:embed echarts/echarts.min.js.gz
var echarts []byte

// pages hold the template of pages, which is made when one is first written; most commands write none.
var pages struct {
	once sync.Once
	of   *template.Template
}

// page returns the template. It is a function, and no value of the package, so that programs that write no page are
// linked without templates, and with that without the methods that templates might call.
func page() *template.Template {
	pages.once.Do(func() { pages.of = newTemplate() })
	return pages.of
}

func newTemplate() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"seconds": Seconds, "percent": Percent, "quantity": Quantity, "letter": letter, "label": label, "metric": Metric, "kept": kept,
		"style":  func(name string) template.CSS { return template.CSS(asset(name)) },
		"script": func(name string) template.JS { return template.JS(asset(name)) },
	}).ParseFS(assets, "assets/*.html"))
}

// label writes the name of a metric in words.
func label(m workloads.Metric) string {
	words, _ := m.Label()
	return words
}

// Metric writes the value of a metric in the unit that its name says, or as a
// whole number if it is one.
func Metric(m workloads.Metric) string {
	_, unit := m.Label()
	return resulting(m.Value, unit)
}

// asset returns an embedded file.
func asset(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Write writes the page as one HTML file that needs nothing else: it fetches
// nothing and opens from a disk. It fails when a timeline is not in order
// (spans of a lane must be sorted and must not overlap) and when w fails.
func Write(w io.Writer, p *Page) error {
	for _, r := range p.Runs {
		if err := checkTimeline(r.Result); err != nil {
			return fmt.Errorf("report: run %s: %w", r.Name, err)
		}
	}
	v := p.view()
	var main strings.Builder // its sections are the contents, which stand before it
	if err := page().ExecuteTemplate(&main, "main", v); err != nil {
		return err
	}
	out := &writer{w: w}
	out.template("head", v)
	out.print(main.String())
	out.embed("echarts", func(w io.Writer) error {
		_, err := w.Write(echarts)
		return err
	})
	for i := range p.Runs {
		if r := p.Runs[i].Result; r != nil && r.Timeline != nil {
			out.embed(fmt.Sprintf("timeline-%d", i), func(w io.Writer) error { return encode(w, r) })
		}
	}
	out.live(p.Live)
	out.template("tail", v)
	return out.err
}

// writer writes the parts of the page in order and remembers the first error.
type writer struct {
	w   io.Writer
	err error
}

func (o *writer) template(name string, data any) {
	if o.err == nil {
		o.err = page().ExecuteTemplate(o.w, name, data)
	}
}

// embed writes binary data as a script element of a type that browsers do
// not run, in base64.
func (o *writer) embed(id string, data func(io.Writer) error) {
	o.print(`<script type="application/octet-stream" id="` + id + `">`)
	if o.err != nil {
		return
	}
	text := base64.NewEncoder(base64.StdEncoding, o.w)
	if o.err = data(text); o.err == nil {
		o.err = text.Close()
	}
	o.print("</script>\n")
}

// live writes the parts of a simulator.
func (o *writer) live(l *Live) {
	if l == nil {
		return
	}
	start, err := json.Marshal(l.Start)
	if err != nil && o.err == nil {
		o.err = err
	}
	for _, part := range []struct{ id, text string }{{"live-start", string(start)}, {"live-support", l.Support}, {"live-worker", asset("worker.js")},
		{"live-simulator", coded(l.Program)}} {
		o.print(`<script type="text/plain" id="` + part.id + `">` + part.text + "</script>\n")
	}
}

// coded writes bytes as Ascii85, which is shorter than base64, with v in place of <, which would begin an element.
func coded(data []byte) string {
	text := make([]byte, ascii85.MaxEncodedLen(len(data)))
	text = text[:ascii85.Encode(text, data)]
	return string(bytes.ReplaceAll(text, []byte("<"), []byte("v")))
}

func (o *writer) print(s string) {
	if o.err == nil {
		_, o.err = io.WriteString(o.w, s)
	}
}
