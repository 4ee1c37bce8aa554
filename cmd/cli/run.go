package cli

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/papers"
)

// loadStudy loads a scenario, or an experiment of a paper; a file of that name has
// priority.
func loadStudy(name string, settings []string) (*scenarios.Study, error) {
	if _, err := os.Stat(name); err != nil {
		if study, err := papers.LoadStudy(name, settings); study != nil || err != nil {
			return study, err
		}
	}
	return scenarios.Load(name, settings)
}

// loadRuns loads all runs, or the one with a name and its number among them.
func loadRuns(name, only string, settings []string) (study *scenarios.Study, err error) {
	if only != "" {
		return loadOne("run", "", name, only, settings)
	}
	return loadStudy(name, settings)
}

// loadRun loads one run of a study, by its name and number.
func loadRun(name, run string, number int, settings []string) (*scenarios.Scenario, error) {
	if _, err := os.Stat(name); err == nil {
		return scenarios.LoadRun(name, number, settings)
	}
	study, err := papers.LoadStudy(name, settings)
	switch {
	case err != nil:
		return nil, err
	case study == nil:
		return scenarios.LoadRun(name, number, settings)
	}
	if study, err = study.Only(run); err != nil {
		return nil, err
	}
	return study.Runs[0], nil
}

// own refuses an experiment of a paper, in a command that changes the text of a scenario.
func own(command, name string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	if study, _ := papers.LoadStudy(name, nil); study != nil {
		return &usageError{command,
			fmt.Sprintf("%s is an experiment of a paper; 'overlapsim show %[1]s' prints the scenario and the settings of its runs, to start from",
				name)}
	}
	return nil
}

var runCommand = command{
	name:  "run",
	args:  "[SCENARIO]",
	title: "run a scenario, a trace, a schedule or a workload",
	text: "Runs a scenario (default " + files.First + "), a figure, a workload, a trace or\n" +
		"a schedule of other tools (docs/howto/other-traces.md), or prints JSON again.",
	example: "overlapsim run ft-pencils-jacquard --set ranks=16 --set machine.network.latency=3us",
	setup: func(flags *pflag.FlagSet) action {
		r := newRunner("run", flags)
		r.factors = outputFlag(flags, "calibration", "write the factors that runs of shift measure to `FILE`")
		r.live = flags.Bool("live", false, "with --html: readers can change the run in it")
		given := newGiven("run", flags)
		return func(c *call, args []string) error {
			if job, not := files.Ranks(args); not != "" {
				return &usageError{"run", not}
			} else if job != "" {
				args = []string{job}
			}
			if err := want("run", args, 0, 1, "at most one scenario, or a folder of traces (compare takes several)"); err != nil {
				return err
			}
			if p, f, err := figureOf(flags, args); err != nil {
				return err
			} else if f != nil {
				return r.figure(c, p, f)
			}
			settings, err := given.settings()
			if err != nil {
				return err
			}
			name := files.First
			if len(args) == 1 {
				name = args[0]
			}
			saved, err := readSaved(name)
			if err != nil {
				return err
			}
			if saved != nil {
				return r.again(c, name, saved, len(settings) > 0 || given.run != "")
			}
			r.typed = given.typed(name)
			study, err := loadRuns(name, given.run, settings)
			if err == nil {
				err = r.run(c, study)
			}
			return given.written(err)
		}
	},
}
