package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/pflag"

	"overlapsim/nodes"
	"overlapsim/scenarios/report"
)

var exportCommand = command{
	name:  "export",
	args:  "SCENARIO",
	title: "write a scenario as a GOAL schedule",
	text: `Writes what the ranks of a scenario do as a GOAL schedule, the format of
LogGOPSim and its successors; 'overlapsim replay' reads it back. Computation is
in whole ns. GOAL has no one-sided operations and no barriers: a put becomes a
send and a receive that nothing waits for, and a barrier becomes a dissemination
of 1-byte messages.`,
	example: "overlapsim export fig22-initiation --goal fig22.goal",
	setup: func(flags *pflag.FlagSet) action {
		file := outputFlag(flags, "goal", "write the schedule to `FILE`")
		asJSON := flags.Bool("json", false, "print JSON: its ranks, operations, messages")
		given := newGiven("export", flags)
		return func(c *call, args []string) error {
			settings, err := given.settings()
			if err := cmp.Or(want("export", args, 1, 1, "a scenario"), err); err != nil {
				return err
			}
			if *file == "" {
				return &usageError{"export", "wants --goal FILE"}
			}
			if err := output(*file).check("export", "--goal"); err != nil {
				return err
			}
			study, err := loadOne("export", "a schedule", args[0], given.run, settings)
			if err != nil {
				return given.written(err)
			}
			sayLong(c.errors, study.Name, nodes.Options{NoSymmetry: true}, study.Runs...)
			schedule, err := study.Runs[0].Schedule()
			if err != nil {
				return ofRun(study, study.Runs[0], err)
			}
			if err := output(*file).write(schedule.WriteText); err != nil {
				return err
			}
			e := written{*file, schedule.Ranks(), len(schedule.Ops()), schedule.Messages()}
			if *asJSON {
				return writeJSON(c.out, e)
			}
			_, err = fmt.Fprintf(c.out, "%s: %s ranks, %s operations, %s messages\n", e.File, report.Count(e.Ranks), report.Count(e.Operations),
				report.Count(e.Messages))
			return err
		}
	},
}

// written is what export wrote, as JSON.
type written struct {
	File       string `json:"file"`
	Ranks      int    `json:"ranks"`
	Operations int    `json:"operations"`
	Messages   int    `json:"messages"`
}
