package live

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/limited"
	"overlapsim/scenarios/live/compiled"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/report/headless"
	"overlapsim/sim/must"
)

func TestMain(m *testing.M) {
	status := m.Run()
	headless.End()
	os.Exit(status)
}

// program is compiled once for all tests.
var program = sync.OnceValues(func() (*compiled.Program, error) { return compiled.Load(func() {}) })

// page writes the page of a scenario with a simulator, and returns its path.
func page(t testing.TB, name string, settings ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the simulator for browsers; -short leaves it out")
	}
	p := must.Get(program())(t)
	s, o, a := ran(t, name, settings...)
	run := report.Of(o)
	run.Answer = a
	out := &report.Page{Title: name, Lead: a.Sentence, Command: "overlapsim run " + name, Runs: []report.Run{run},
		Live: &report.Live{Program: p.Packed, Support: p.Support, Start: NewStart(o, s, a, "overlapsim run "+name, name == "playground")}}
	path := filepath.Join(t.TempDir(), "live.html")
	f := must.Get(os.Create(path))(t)
	must.Do(t, report.Write(f, out))
	must.Do(t, f.Close())
	return path
}

// ran runs a scenario as the command does.
func ran(t testing.TB, name string, settings ...string) (*scenarios.Scenario, *outcomes.Outcome, *outcomes.Answer) {
	t.Helper()
	s := must.Get(scenarios.LoadRun(name, 0, settings))(t)
	o := must.Get(s.Run(nodes.Options{Timeline: s.Timed(), Critical: s.Pathed()}))(t)
	return s, o, answer.For(o, s.With, answer.Whole, func(string, float64) {})
}

// started opens the page of a scenario and waits for its simulator.
func started(t testing.TB, width, height int, name string, settings ...string) *headless.Tab {
	t.Helper()
	b := headless.Browse(t, page(t, name, settings...), width, height)
	b.Run(chromedp.Poll("!!(overlapsim.live || overlapsim.liveError)", nil, chromedp.WithPollingTimeout(2*time.Minute)))
	if wrong := headless.Eval[string](b, "overlapsim.liveError || ''"); wrong != "" {
		t.Fatal(wrong)
	}
	return b
}

// until waits until an expression is true.
func until(b *headless.Tab, expression string) {
	b.Helper()
	b.Run(chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(4*time.Minute)))
}

// asked are requests, each of a scenario.
var asked = []struct {
	name     string
	settings []string
	request  request
}{
	{"spmv-gather-jacquard", nil, request{Settings: []string{}, Answer: true}},
	{"spmv-gather-jacquard", []string{"ranks=16"}, request{Settings: []string{"machine.network.latency=x0.5", "without=[overhead, latency]"}}},
	{"playground", nil, request{Settings: []string{"machine.runtime.progress.by=nic", "workload.bytes=64KiB"}}},
	{"ft-exchange-bassi", []string{"ranks=8", "workload.rows=64"}, request{Settings: []string{"workload.rows=32"}}},
	{"nonblocking-collectives", nil, request{Settings: []string{"ranks=8"}}},
	{"alltoall-dragonfly", []string{"ranks=16"}, request{Settings: []string{"seed=3"}}},
	{"training-step", nil, request{Settings: []string{"without=launches"}}},
	{"playground", nil, request{Settings: []string{"workload.name=alltoall-linear", "workload.repeat=3"}, Controls: true}},
	{"playground", nil, request{Settings: []string{"workload.bytez=3", "ranks=-1"}}}, // mistakes, in the words of the command
}

// A setting of any bytes, and a request of any, has a reply that is JSON: a run, or what is wrong with it.
func TestRequestsOfEveryByte(t *testing.T) {
	s, o, a := ran(t, "playground")
	start := must.Get(json.Marshal(NewStart(o, s, a, "overlapsim run playground", true)))(t)
	simulator := must.Get(New(start))(t)
	runs := 0
	check := func(text []byte) {
		t.Helper()
		said, _ := simulator.Reply(text)
		var r reply
		if err := json.Unmarshal(said, &r); err != nil || !utf8.Valid(said) || (r.Error == "") != (r.Makespan > 0) {
			t.Errorf("asked %q: %v, %q", text, err, said)
		}
		if r.Error == "" {
			runs++
		}
	}
	for b := range 256 {
		c := string([]byte{byte(b)})
		for _, set := range []string{c, "title=a" + c + "b", "machine.title=" + c, "ra" + c + "nks=4", "ranks=4" + c, "workload.name=" + c, "machine=" + c + "loggp"} {
			text := must.Get(json.Marshal(request{Settings: []string{set}}))(t)
			check(text)
			check([]byte(`{"settings": ["` + set + `"]}`))
		}
		check([]byte(c))
	}
	if runs < 256 {
		t.Errorf("%d requests ran, want those of titles at least", runs)
	}
}

// The simulator of a page says the same as the program, to the last bit: makespans in picoseconds, the answer, errors, timelines. The
// requests have turns (limited.HasTurn).
func TestSameNumbersInBrowser(t *testing.T) {
	b := started(t, 1000, 800, "playground")
	folder := t.TempDir()
	files := map[string][]byte{
		filepath.Join(folder, "mine.yaml"): []byte("machine: own.yaml\nworkload: {name: halo, bytes: 1KiB, compute: 1us, iterations: 2}\nranks: 2\n"),
		filepath.Join(folder, "own.yaml"): []byte("title: Mine\ncores: 1\nprocesses_per_node: 1\n" +
			"network: {latency: 1us, send_overhead: 1us, receive_overhead: 1us, gap: 1us, bandwidth: 1GB/s}\n"),
	}
	for name, text := range files {
		must.Do(t, os.WriteFile(name, text, 0o666))
	}
	mine := asked[0]
	mine.name, mine.request = filepath.Join(folder, "mine.yaml"), request{Settings: []string{"machine.network.latency=2us"}}
	for i, a := range append(asked, mine) {
		if !limited.HasTurn(i) {
			continue
		}
		s := must.Get(scenarios.LoadRun(a.name, 0, a.settings))(t)
		start, err := json.Marshal(Start{Source: s.Source, Command: "overlapsim run " + a.name, Path: s.Pathed(), Files: files, Folder: folder})
		if err != nil {
			t.Fatal(err)
		}
		here := must.Get(New(start))(t)
		request := must.Get(json.Marshal(a.request))(t)
		want, timeline := here.Reply(request)
		var said reply
		must.Do(t, json.Unmarshal(want, &said))
		if s, err := s.With(a.request.Settings); err == nil {
			o, err := s.Run(nodes.Options{})
			if err != nil || int64(o.Result.Makespan()) != said.Makespan {
				t.Errorf("%s: the command runs for %v, %v, the simulator for %d", a.name, o, err, said.Makespan)
			}
		} else if said.Error != err.Error() {
			t.Errorf("%s: the command says %v, the simulator %s", a.name, err, said.Error)
		}
		b.Run(chromedp.Evaluate(fmt.Sprintf(`(() => {
			const { module, script } = overlapsim.live.simulator, other = new Simulator(module, script, %q);
			other.replied = (data) => { window.replied = data; other.worker.terminate(); };
			window.replied = null;
			other.ask(JSON.parse(%q)); })()`, start, request), nil))
		until(b, "window.replied")
		if got := headless.Eval[string](b, "replied.reply"); got != string(want) {
			t.Errorf("%s %v: the page says\n%s\nthe program\n%s", a.name, a.request.Settings, got, want)
		}
		if got := headless.Eval[string](b, "btoa([...replied.timeline].map((c) => String.fromCharCode(c)).join(''))"); got != base64.StdEncoding.EncodeToString(timeline) {
			t.Errorf("%s %v: another timeline", a.name, a.request.Settings)
		}
	}
	b.Clean()
}

// move puts a control to a stop, as a hand does.
const move = `((path, at) => { const k = overlapsim.live.knobs.find((k) => k.control.path === path);
	k.input.value = at; k.input.dispatchEvent(new Event('input')); })`

// A change moves the sentence, the bar, the causes and the timeline; the original comes back; what is wrong is said as the command says it.
func TestChangesInBrowser(t *testing.T) {
	b := started(t, 1300, 900, "playground")
	state := func() string {
		return headless.Eval[string](b, `[document.querySelector('.lead:not([hidden])').textContent, document.querySelector('.spans').textContent,
			[...document.querySelectorAll('.effects')].filter((e) => e.checkVisibility()).map((e) => e.textContent).join(), overlapsim.gantts[0].timeline.makespan,
			document.getElementById('live-command').textContent].join('|')`)
	}
	original := state()
	until(b, "overlapsim.live.checked")
	if wrong := headless.Eval[string](b, "live('error').textContent + live('said').textContent"); wrong != "" {
		t.Error(wrong)
	}
	b.Run(chromedp.Evaluate(move+"('workload.bytes', 8)", nil))
	until(b, "overlapsim.live.reply && overlapsim.live.reply.answer")
	changed := state()
	if changed == original || !strings.Contains(changed, "original") || !strings.Contains(changed, "--set workload.bytes=2MiB") {
		t.Errorf("not changed: %s", changed)
	}
	if !headless.Eval[bool](b, "overlapsim.gantts[0].ghost.makespan === overlapsim.live.start.makespan * 1") {
		t.Error("the original is not behind")
	}
	const both = `[...document.querySelectorAll('.lead, dl.facts, .effects, .effects *')].filter((e) => e.hidden && e.checkVisibility()).map((e) => e.textContent)`
	if seen := headless.Eval[[]string](b, both); len(seen) > 0 {
		t.Errorf("beside what changed one still sees %q", seen)
	}
	b.Run(chromedp.Evaluate("document.querySelector('#live-without input').click()", nil))
	until(b, "overlapsim.live.reply.command.includes('--set without=') || overlapsim.live.reply.command.includes(\"--set 'without\")")
	b.Run(chromedp.Evaluate("const set = document.getElementById('live-set'); set.value = 'machine.network.latency=fast ranks=9'; set.dispatchEvent(new Event('change'))", nil))
	until(b, "overlapsim.live.reply.error")
	said := headless.Eval[string](b, "document.getElementById('live-error').textContent")
	s, err := scenarios.LoadRun("playground", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.With([]string{"machine.network.latency=fast"}); err == nil || !strings.Contains(said, err.Error()) {
		t.Errorf("the page says %q, the command %q", said, err)
	}
	b.Run(chromedp.Evaluate("set.value = 'ranks=134217728'; set.dispatchEvent(new Event('change'))", nil))
	until(b, "overlapsim.live.reply.error && overlapsim.live.reply.error.includes('the most that a page can have')")
	b.Run(chromedp.Evaluate("document.getElementById('live-back').click()", nil))
	if back := state(); back != original {
		t.Errorf("not the original:\n%s\n%s", back, original)
	}
	for _, found := range []string{headless.Unnamed, headless.Broken, headless.Contrasts, headless.Wide} {
		if wrong := headless.Eval[[]string](b, found); len(wrong) > 0 {
			t.Error(wrong)
		}
	}
	b.Run(headless.Dark("dark"), headless.Drawn())
	b.Run(chromedp.Evaluate(move+"('workload.bytes', 2)", nil))
	until(b, "overlapsim.live.reply && overlapsim.live.reply.moving")
	if wrong := headless.Eval[[]string](b, headless.Contrasts); len(wrong) > 0 {
		t.Error(wrong)
	}
	b.Run(chromedp.EmulateViewport(390, 800), headless.Drawn())
	if wrong := headless.Eval[[]string](b, headless.Wide); len(wrong) > 0 {
		t.Errorf("too wide: %v", wrong)
	}
	b.Clean()
}

// Another pattern has its own controls; those of the first come back with it.
func TestPatternsInBrowser(t *testing.T) {
	b := started(t, 1300, 900, "playground")
	until(b, "overlapsim.live.checked")
	paths := func() string {
		return headless.Eval[string](b, `[...document.querySelectorAll('#live-knobs .knob label')].map((e) => e.textContent).join(' ')`)
	}
	choose := func(pattern string) {
		b.Run(chromedp.Evaluate(`{ const k = overlapsim.live.pattern; k.input.value = k.control.stops.findIndex((s) => s.value === '`+pattern+`');
			k.input.dispatchEvent(new Event('input')); }`, nil))
		until(b, "overlapsim.live.reply && overlapsim.live.reply.command.includes('workload.name="+pattern+"')")
	}
	original := paths()
	b.Run(chromedp.Evaluate(move+"('workload.iterations', 1)", nil)) // which an all-to-all has not
	until(b, "overlapsim.live.reply && overlapsim.live.reply.command.includes('iterations')")
	choose("alltoall-linear")
	if now := paths(); !strings.Contains(now, "workload.repeat") || strings.Contains(now, "workload.iterations") {
		t.Errorf("an all-to-all has %s", now)
	}
	b.Run(chromedp.Evaluate(move+"('workload.repeat', 1)", nil))
	until(b, "overlapsim.live.reply.command.includes('workload.repeat=')")
	choose("token-ring")
	if command := headless.Eval[string](b, "overlapsim.live.reply.command"); strings.Contains(command, "repeat") {
		t.Errorf("a control of the pattern before stays: %s", command)
	}
	b.Run(chromedp.Evaluate("document.getElementById('live-back').click()", nil))
	if now := paths(); now != original {
		t.Errorf("back to %s, from %s", now, original)
	}
	b.Clean()
}

// Many changes leave no memory behind, and a run under way gives way to the next setting.
func TestManyChangesInBrowser(t *testing.T) {
	b := started(t, 900, 700, "playground")
	change := func(times int) float64 {
		b.Run(chromedp.Evaluate(fmt.Sprintf(`overlapsim.live.replies = 0; window.turns = 0; (function turn() {
			if (turns++ >= %d) return;
			`+move+`('workload.bytes', turns %% 4);
			const seen = overlapsim.live.replies; (function wait() { if (overlapsim.live.replies > seen) turn(); else setTimeout(wait, 5); })(); })()`, times), nil))
		until(b, fmt.Sprintf("turns > %d", times))
		return headless.Eval[float64](b, "overlapsim.live.simulator.memory")
	}
	heap := func() float64 {
		var objects, elements, buffers float64
		b.Run(heapprofiler.CollectGarbage(), chromedp.ActionFunc(func(ctx context.Context) (err error) {
			objects, _, elements, buffers, err = runtime.GetHeapUsage().Do(ctx)
			return err
		}))
		return objects + elements + buffers
	}
	before, own := change(50), heap()
	if after := change(450); after > 1.2*before {
		t.Errorf("the simulator has %g bytes after 50 changes, and %g after 500", before, after)
	}
	if after := heap(); after > own+2e6 {
		t.Errorf("the page has %g bytes after 50 changes, and %g after 500", own, after)
	}
	if n := headless.Eval[float64](b, "document.querySelectorAll('.lead').length"); n != 2 {
		t.Errorf("%g sentences, shown and covered", n)
	}
	b.Run(chromedp.Evaluate(move+"('workload.iterations', 10)", nil), chromedp.Sleep(20*time.Millisecond),
		chromedp.Evaluate("overlapsim.live.simulator.running.request.answer = true; "+move+"('workload.iterations', 0)", nil))
	until(b, "overlapsim.live.reply.command.includes('iterations') && !overlapsim.live.simulator.running")
	if headless.Eval[float64](b, "overlapsim.live.simulator.dropped") < 1 {
		t.Error("nothing was dropped")
	}
	b.Clean()
}

// A page grows by at most 5 MB, and the program does not import what only commands need.
func TestSmallProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the simulator for browsers; -short leaves it out")
	}
	p := must.Get(program())(t)
	var with, without bytes.Buffer
	must.Do(t, report.Write(&without, &report.Page{}))
	must.Do(t, report.Write(&with, &report.Page{Live: &report.Live{Program: p.Packed, Support: p.Support}}))
	if more := with.Len() - without.Len(); more > 5_050_000 { // docs/reference/output.md says 5 MB
		t.Errorf("a page grows by %d bytes", more)
	}
	list := limited.Within(t, limited.Compiles, "go", "list", "-deps", "overlapsim/cmd/live")
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out := must.Get(list.Output())(t)
	for _, not := range []string{"parquet", "gonum", "scenarios/record", "scenarios/picture", "scenarios/papers", "scenarios/sweep",
		"cmd/cli", "net/http"} {
		if strings.Contains(string(out), not) {
			t.Errorf("it imports %s", not)
		}
	}
}
