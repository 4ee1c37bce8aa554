package main

import (
	"fmt"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/gradient"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
)

// gpuGradient prints how the makespan of a run on GPUs depends on keys, by re-runs.
func gpuGradient(c *call, study *scenarios.Study, load sensitivity.Load, asJSON bool) error {
	o, err := study.Runs[0].Run(nodes.Options{})
	if err != nil {
		return ofRun(study, study.Runs[0], err)
	}
	line := newProgress(c.errors, sensitivity.StepsOnGPUs(o))
	found := sensitivity.OnGPUs(o, load, line.step)
	line.clear()
	if asJSON {
		return writeJSON(c.out, found)
	}
	p := &printer{out: c.out}
	p.header(outcome{Outcome: o})
	p.print("makespan %s\n\nMakespan by key, in re-runs\n", report.Seconds(found.Makespan))
	rows := [][]string{{"  key", "smaller", "makespan", "larger", "makespan", "elasticity"}}
	for _, change := range found.Changes {
		row := []string{"  " + change.Path}
		for _, r := range []*sensitivity.Rerun{change.Smaller, change.Larger} {
			row = append(row, again(r, found.Makespan)...)
		}
		rows = append(rows, append(row, gradient.Elasticity(change.Elasticity)))
	}
	p.grid(rows, 1)
	p.print("Elasticity: per cent of the makespan for each per cent of the key, between both. Keys that change nothing are left out.\n")
	return p.err
}

// again are the value of a re-run, and by how much its makespan is longer.
func again(r *sensitivity.Rerun, today float64) []string {
	if r == nil {
		return []string{report.Dash, "not possible"}
	}
	return []string{r.Value, fmt.Sprintf("%+.2f %%", 100*(r.Makespan/today-1))}
}
