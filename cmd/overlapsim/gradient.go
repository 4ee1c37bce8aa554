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
grows by 0.05 per cent when the parameter grows by one per cent.`,
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
			study, err := loadStudy(args[0], *settings)
			if err != nil {
				return err
			}
			if study, err = oneRun("gradient", "a gradient", study, *name); err != nil {
				return err
			}
			page := output(*html)
			if page != "" {
				if err := page.check("gradient", "--html"); err != nil {
					return err
				}
			}
			o, found, err := sensitivities(c, study, nodes.Options{Critical: true, Timeline: page != ""})
			if err != nil {
				return err
			}
			if page != "" {
				if err := page.write(func(w io.Writer) error { return report.Write(w, gradientPage(study, o, found)) }); err != nil {
					return err
				}
			}
			if *asJSON {
				return writeJSON(c.out, o.GradientRecord(found))
			}
			p := &printer{out: c.out}
			p.sensitivities(o, found)
			p.report(*html)
			return p.err
		}
	},
}

// sensitivities runs the one run of a study and finds all slopes and ranges.
func sensitivities(c *call, study *scenarios.Study, options nodes.Options) (*scenarios.Outcome, []scenarios.Sensitivity, error) {
	o, err := study.Runs[0].Run(options)
	if err != nil {
		return nil, nil, ofRun(study, study.Runs[0], err)
	}
	line := newProgress(c.errors, len(o.Slopes()))
	defer line.clear()
	found, err := o.Sensitivities(line.step)
	if err != nil {
		return nil, nil, ofRun(study, study.Runs[0], err)
	}
	return o, found, nil
}
