package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"overlapsim/nodes"
	"overlapsim/scenarios"
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
		settings := flags.StringArray("set", nil, "change a `path=value` of the scenario (repeat for more)")
		return func(c *call, args []string) error {
			if err := want("gradient", args, 1, 1, "a scenario"); err != nil {
				return err
			}
			study, err := scenarios.Load(args[0], *settings)
			if err != nil {
				return err
			}
			if len(study.Runs) != 1 {
				return &usageError{"gradient", fmt.Sprintf("%s has %d runs, a gradient is of one", study.Name, len(study.Runs))}
			}
			o, err := study.Runs[0].Run(nodes.Options{Critical: true})
			if err != nil {
				return fmt.Errorf("%s: %w", study.Name, err)
			}
			line := newProgress(c.errors, len(o.Slopes()))
			found, err := o.Sensitivities(line.step)
			line.clear()
			if err != nil {
				return fmt.Errorf("%s: %w", study.Name, err)
			}
			if *asJSON {
				return writeJSON(c.out, o.GradientRecord(found))
			}
			p := &printer{out: c.out}
			p.sensitivities(o, found)
			return p.err
		}
	},
}
