package main

import (
	"io"

	"github.com/spf13/pflag"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/report"
)

var gradientCommand = command{
	name:  "gradient",
	args:  "SCENARIO",
	title: "by what the makespan depends on each parameter, how far that holds, and why",
	text: `Finds the critical path of a run, the derivative of the makespan by every
parameter of the machine along it, and the range of the parameter in which the
derivative holds; beyond, the path is another one. The derivatives come from the
one run, the ranges from some more. An elasticity of 0.05 says that the makespan
grows by 0.05 per cent when the parameter grows by one per cent. Of an unstable
run there are re-runs with each parameter 1 and 10 per cent smaller and larger.`,
	example: "overlapsim gradient fig22-initiation",
	setup: func(flags *pflag.FlagSet) action {
		asJSON := flags.Bool("json", false, "print JSON: times in seconds, sizes in bytes")
		html := flags.String("html", "", "write a report to `FILE`: what moves the makespan, the path in the timeline")
		name := runFlag(flags)
		settings := flags.StringArray("set", nil, "change a `path=value` of the scenario (repeat for more)")
		return func(c *call, args []string) error {
			if err := want("gradient", args, 1, 1, "a scenario"); err != nil {
				return err
			}
			study, _, err := loadOne("gradient", "a gradient", args[0], *name, *settings)
			if err != nil {
				return err
			}
			page := output(*html)
			if page != "" {
				if err := page.check("gradient", "--html"); err != nil {
					return err
				}
			}
			p := &printer{out: c.out}
			o, err := study.Runs[0].Run(nodes.Options{Critical: true, Timeline: page != ""})
			if err != nil {
				return ofRun(study, study.Runs[0], err)
			}
			if !*asJSON {
				p.before(o)
			}
			if p.err != nil {
				return p.err
			}
			found, err := sensitivities(c, o)
			if err != nil {
				return ofRun(study, study.Runs[0], err)
			}
			if page != "" {
				if err := page.write(func(w io.Writer) error { return report.Write(w, gradientPage(study, o, found)) }); err != nil {
					return err
				}
			}
			if *asJSON {
				return writeJSON(c.out, o.GradientRecord(found))
			}
			p.after(o, found)
			p.report(*html)
			return p.err
		}
	},
}

// sensitivities runs what tells how far slopes hold, or differences.
func sensitivities(c *call, o *scenarios.Outcome) ([]scenarios.Sensitivity, error) {
	line := newProgress(c.errors, o.Steps())
	defer line.clear()
	return o.Sensitivities(line.step)
}
