package cli

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"overlapsim/scenarios/limited"
	"overlapsim/scenarios/report/headless"
	"overlapsim/sim/must"
)

// A page of each command that writes one is in order in a browser: nothing is reported or requested, its policy forbids requests, its
// structure is whole, all texts have contrast in light and in dark, every control has a name and is reached by keys, and nothing is
// wider than a wide window, a narrow one, or a sheet of paper. The pages have turns (limited.HasTurn).
func TestEveryPageInBrowser(t *testing.T) {
	must.Long(t)
	inFolder(t)
	t.Cleanup(headless.End)
	pages := map[string]string{
		"run":       "run fig22-initiation",
		"network":   "run bgp-diagonal --set topology.dims=[4,2,2] --set workload.bytes=2400B --links",
		"compare":   "compare fig20-computation fig22-initiation",
		"gradient":  "gradient fig22-initiation",
		"optimize":  "optimize fig22-initiation --over machine.network.latency=1us,2us,3us,4us",
		"potential": "potential overlap-fig7",
		"explore":   "explore --no-open",
		"overlap":   "overlap --machine william --runtime mvapich2-2.2 --only receiver",
		"sweep":     "sweep fig22-initiation --vary machine.network.latency=1us,4us --vary machine.network.bandwidth=1GB/s,2GB/s --out swept",
		"show":      "show bassi",
		"validate":  "validate bgp-put-local",
		"calibrate": "calibrate --machine jacquard",
		"several":   "run halo-libraries --set workload.iterations=5",
		"gpus":      "run gpu-fused --run fused",
		"reproduce": "reproduce mpi",
		"runs":      "sweep gpu-all-reduce --vary workload.bytes=1MiB,4MiB --vary workload.algorithm=ring,tree --out of-runs",
	}
	for i, file := range slices.Sorted(maps.Keys(pages)) {
		args := pages[file]
		if !limited.HasTurn(i) {
			continue
		}
		html := must.Get(filepath.Abs(file + ".html"))(t)
		if _, errs, status := callMain(append(strings.Fields(args), "--html", html)...); status != done {
			t.Errorf("%s: status %d, %s", args, status, errs)
			continue
		}
		everyView(t, html, args)
	}
}

// everyView looks at a page in all ways.
func everyView(t *testing.T, html, args string) {
	b := headless.Browse(t, html, 1440, 900)
	wrong := func(view string, expressions ...string) {
		for _, expression := range expressions {
			for _, found := range headless.Eval[[]string](b, expression) {
				t.Errorf("%s, %s: %s", args, view, found)
			}
		}
	}
	wrong("wide and light", headless.Wide, headless.Contrasts, headless.Unnamed, headless.Broken)
	b.Run(headless.Dark("dark"), chromedp.Poll("theme.paper === '#14181d'", nil))
	wrong("dark", headless.Contrasts)
	b.Run(chromedp.EmulateViewport(390, 844), headless.Drawn())
	wrong("narrow", headless.Wide)
	b.Run(chromedp.EmulateViewport(718, 1000), emulation.SetEmulatedMedia().WithMedia("print"))
	headless.Eval[bool](b, "dispatchEvent(new Event('beforeprint'))")
	wrong("on paper", headless.Wide, headless.Contrasts)
	b.Clean()
}
