package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/scenarios"
	"overlapsim/scenarios/papers"
)

// loadStudy loads a scenario, or an experiment of a paper; a file of that name
// goes first.
func loadStudy(name string, settings []string) (*scenarios.Study, error) {
	if _, err := os.Stat(name); err != nil {
		if study, err := papers.LoadStudy(name, settings); study != nil || err != nil {
			return study, err
		}
	}
	return scenarios.Load(name, settings)
}

// own refuses an experiment of a paper, for a command that changes the text of
// a scenario.
func own(command, name string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	if study, _ := papers.LoadStudy(name, nil); study != nil {
		return &usageError{command, fmt.Sprintf("%s is an experiment of a paper; 'overlapsim show %[1]s' prints the scenario and the settings of its runs, to begin with", name)}
	}
	return nil
}

var runCommand = command{
	name:  "run",
	args:  "[SCENARIO]",
	title: "run a scenario, or all variants of one",
	text: `Runs a scenario: a file, or a name from 'overlapsim list scenarios', such as a
figure of a paper, probes/fig4, a column of it, probes/fig4/P, or one run,
probes/fig4/P/8192x512. Without one it runs '` + scenarios.First + `', FT on two clusters.

--set changes a value of every run. Its paths are the scenario's: workload.rows,
ranks, seed, machine.network.latency. Values have units: 3us, 64KiB, 937MB/s.`,
	example: "overlapsim run ft-pencils-jacquard --set ranks=16 --set machine.network.latency=3us",
	setup: func(flags *pflag.FlagSet) action {
		r := newRunner("run", flags)
		r.factors = flags.String("calibration", "", "write the factors that runs of shift measure to `FILE`")
		only := runFlag(flags)
		settings := flags.StringArray("set", nil, "change a `path=value` (repeat for more)")
		seed := flags.Uint64("seed", 1, "random streams, short for --set seed=`N`")
		return func(c *call, args []string) error {
			if err := want("run", args, 0, 1, "at most one scenario (compare takes several)"); err != nil {
				return err
			}
			if flags.Changed("seed") {
				if slices.ContainsFunc(*settings, func(s string) bool { return strings.HasPrefix(s, "seed=") }) {
					return &usageError{"run", "--seed and --set seed are the same; give one of them"}
				}
				*settings = append(*settings, fmt.Sprintf("seed=%d", *seed))
			}
			name := scenarios.First
			if len(args) == 1 {
				name = args[0]
			}
			study, err := loadStudy(name, *settings)
			if err != nil {
				return err
			}
			if *only != "" {
				if study, err = oneRun("run", "", study, *only); err != nil {
					return err
				}
			}
			return r.run(c, study)
		}
	},
}
