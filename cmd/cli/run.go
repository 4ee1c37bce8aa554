package cli

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

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
		study, _, err = loadOne("run", "", name, only, settings)
		return study, err
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
	name:    "run",
	args:    "[SCENARIO]",
	title:   "run a scenario, a trace, a schedule, a workload: whatever runs",
	text:    `Runs a scenario (default ` + files.First + `), figure, workload, trace or schedule (docs/trace-formats.md).`,
	example: "overlapsim run ft-pencils-jacquard --set ranks=16 --set machine.network.latency=3us",
	setup: func(flags *pflag.FlagSet) action {
		r := newRunner("run", flags)
		r.factors = flags.String("calibration", "", "write the factors that runs of shift measure to `FILE`")
		only := runFlag(flags)
		settings := flags.StringArray("set", nil, "change a `path=value`, such as ranks=16 (repeatable)")
		seed := flags.Uint64("seed", 1, "seed, short for --set seed=`N`")
		flags.MarkHidden("seed")
		machine := flags.String("machine", "", "short for --set machine=`NAME`")
		absent := flags.StringSlice("without", nil, "take `CAUSES` away: short for --set without=[CAUSES]")
		return func(c *call, args []string) error {
			if err := want("run", args, 0, 1, "at most one scenario (compare takes several)"); err != nil {
				return err
			}
			if p, f, err := figureOf(flags, args); err != nil {
				return err
			} else if f != nil {
				return r.figure(c, p, f)
			}
			for _, short := range []struct {
				path  string
				value any
			}{{"seed", *seed}, {"machine", *machine}, {"without", "[" + strings.Join(*absent, ",") + "]"}} {
				if err := addSetting("run", flags, settings, short.path, short.value); err != nil {
					return err
				}
			}
			name := files.First
			if len(args) == 1 {
				name = args[0]
			}
			saved, err := readSaved(name)
			if err != nil || saved != nil {
				return cmp.Or(err, r.again(c, name, saved, len(*settings) > 0 || *only != ""))
			}
			study, err := loadRuns(name, *only, *settings)
			if err != nil {
				return err
			}
			return r.run(c, study)
		}
	},
}

// addSetting adds the value of a flag that is short for a setting.
func addSetting(command string, flags *pflag.FlagSet, settings *[]string, path string, value any) error {
	if !flags.Changed(path) {
		return nil
	}
	if slices.ContainsFunc(*settings, func(s string) bool { return strings.HasPrefix(s, path+"=") }) {
		return &usageError{command, fmt.Sprintf("--%s and --set %[1]s are the same; give one of them", path)}
	}
	*settings = append(*settings, fmt.Sprintf("%s=%v", path, value))
	return nil
}
