package cli

import (
	"cmp"
	"fmt"
	"math"
	"runtime"

	"github.com/spf13/pflag"

	"overlapsim/nodes"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
	"overlapsim/workloads/experiments"
)

var gradientCommand = command{
	name:  "gradient",
	args:  "SCENARIO",
	title: "how the makespan depends on each parameter, and why",
	text: `Finds the critical path of a run, the derivative of the makespan by every
parameter of the machine along it, and the range of the parameter in which the
derivative holds. Beyond that range another path is critical. The derivatives
come from the run itself, the ranges from re-runs, of the parameters with the
largest elasticity if there is not time for all. An elasticity of 0.05 means
that the makespan grows by 0.05 % when the parameter grows by 1 %. If the run is
unstable, it is also run with each parameter 1 % and 10 % smaller and larger. On
GPUs it prints the critical path, and re-runs with each key 10 % smaller and
larger.`,
	example: "overlapsim gradient fig22-initiation",
	setup: func(flags *pflag.FlagSet) action {
		asJSON := flags.Bool("json", false, "print JSON: times in seconds, sizes in bytes")
		everything := flags.Bool("all", false, "re-runs for every parameter, however long that takes")
		html := outputFlag(flags, "html", "write a report to `FILE`: sensitivities, path in the timeline")
		figure := newPictures(flags)
		given := newGiven("gradient", flags)
		return func(c *call, args []string) error {
			settings, err := given.settings()
			if err := cmp.Or(want("gradient", args, 1, 1, "a scenario"), err); err != nil {
				return err
			}
			study, err := loadOne("gradient", "a gradient", args[0], given.run, settings)
			if err != nil {
				return given.written(err)
			}
			files, err := figure.pageFiles("gradient", *html)
			if err != nil {
				return err
			}
			load := study.Runs[0].With
			if _, gpus := study.Runs[0].Workload.(experiments.OnGPUs); gpus {
				if *everything {
					return &usageError{"gradient", "--all is for runs of processes: on GPUs every key has its re-runs"}
				}
				return (&gpuGradient{study, load, *asJSON, files}).show(c)
			}
			p := &printer{out: c.out}
			var spills disk.Spills
			defer spills.Close()
			o, err := runOnly(c, study, nodes.Options{Critical: true, Timeline: *html != "", Spill: spilling(&spills)})
			if err != nil {
				return err
			}
			i := interruptible(c.errors)
			noise := points.NoiseOf(&points.Pool{Load: load, Stopped: i.stopped}, o, nodes.Options{Critical: true})
			if !*asJSON {
				p.before(o, noise)
			}
			if p.err != nil {
				return p.err
			}
			most := max(answer.ForAll, answer.AllTimes*float64(o.Result.Work()))
			if *everything {
				most = math.Inf(1)
			}
			found, err := sensitivities(c, o, noise, most, i)
			i.end()
			if isStopped(err) {
				if !*asJSON {
					p.after(o, noise, found)
				}
				return partial("gradient", fmt.Sprintf("%d of %d parameters are done", withRuns(found, o.Unstable()), sensitivity.Steps(o, most)))
			}
			if err != nil {
				return ofRun(study, study.Runs[0], err)
			}
			if err := files.write(func() *report.Page { return gradientPage(study, o, noise, found) }); err != nil {
				return err
			}
			return c.show(*asJSON, sensitivity.NewRecord(o, noise, found), func(p *printer) {
				p.after(o, noise, found)
				p.charts(*html)
			})
		}
	},
}

// withRuns counts the parameters that have their runs. Of a run that is stable those need none on which the makespan does not depend.
func withRuns(found []sensitivity.Sensitivity, unstable bool) (n int) {
	for i := range found {
		if !found[i].LeftOut && (unstable || found[i].Time != 0) {
			n++
		}
	}
	return n
}

// sensitivities does the re-runs that show how far slopes hold, or differences.
func sensitivities(c *call, o *outcomes.Outcome, noise points.Noise, most float64, i *interruption) ([]sensitivity.Sensitivity, error) {
	steps := sensitivity.Steps(o, most)
	sayEffort(c.errors, "re-runs", o.Effort(nodes.Options{Critical: true}).Times(float64(sensitivity.Runs(o)*steps)), runtime.GOMAXPROCS(0))
	line := newProgress(c.errors, steps)
	defer line.clear()
	return sensitivity.Of(o, noise.Part, most, func(name string) error { return i.before(func() { line.step(name) }) })
}
