package cli

import (
	"cmp"
	"fmt"
	"runtime"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/gradient"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
)

// gpuGradient finds the critical path of a run on GPUs, and how its makespan depends on keys, by re-runs.
type gpuGradient struct {
	study  *scenarios.Study
	load   points.Load
	asJSON bool
	files  *pageFiles
}

// show runs and prints.
func (g *gpuGradient) show(c *call) error {
	o, err := runOnly(c, g.study, nodes.Options{Critical: true, Timeline: g.files.page != ""})
	if err != nil {
		return err
	}
	i := interruptible(c.errors)
	steps := sensitivity.StepsOnGPUs(o)
	sayEffort(c.errors, "re-runs", o.Effort(nodes.Options{}).Times(float64(steps)), runtime.GOMAXPROCS(0))
	line := newProgress(c.errors, steps)
	found := sensitivity.OnGPUs(o, g.load, line.step, i.stopped)
	line.clear()
	if i.end(); i.stopped() {
		p := &printer{out: c.out}
		if !g.asJSON {
			p.onGPUs(o, found)
		}
		return cmp.Or(p.err, partial("gradient", "keys that are not listed were not tried"))
	}
	err = g.files.write(func() *report.Page {
		page := page(g.study, []outcome{{Outcome: o, record: o.Record()}})
		page.Runs[0].Sections, page.Sections = nil, []report.Section{gradient.OnGPUs(o, found)}
		return page
	})
	if err != nil {
		return err
	}
	return c.show(g.asJSON, found, func(p *printer) {
		p.onGPUs(o, found)
		p.charts(string(g.files.page))
	})
}

// onGPUs prints a critical path, and how the makespan changes with keys.
func (p *printer) onGPUs(o *outcomes.Outcome, found sensitivity.Keys) {
	p.header(outcome{Outcome: o, record: o.Record()})
	p.noise(found.Makespan, found.Noise)
	p.path(o)
	p.print("\nMakespan by key, in re-runs\n")
	rows := [][]string{{"  key", "smaller", "makespan", "larger", "makespan", "elasticity"}}
	var below []string
	for _, change := range found.Changes {
		if change.Below {
			below = append(below, change.Path)
			continue
		}
		row := []string{"  " + change.Path}
		for _, r := range []*sensitivity.Rerun{change.Smaller, change.Larger} {
			row = append(row, again(r, found)...)
		}
		rows = append(rows, append(row, gradient.OfKey(&change, found)))
	}
	p.grid(rows, 1)
	p.print("%s\n", gradient.KeysNote)
	p.below(found.Noise.Part, below)
}

// again writes the value of a re-run, and by how much its makespan is longer.
func again(r *sensitivity.Rerun, found sensitivity.Keys) []string {
	if r == nil {
		return []string{report.Dash, "not possible"}
	}
	longer := r.Makespan/found.Makespan - 1
	if report.BelowNoise(longer, found.Noise.Part) {
		return []string{r.Value, report.InCell}
	}
	return []string{r.Value, fmt.Sprintf("%+.2f %%", 100*longer)}
}
