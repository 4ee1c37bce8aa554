package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
)

var compareCommand = command{
	name:  "compare",
	args:  "SCENARIO|RESULTS.json...",
	title: "explain the difference between runs, or run one scenario on many machines",
	text: `Runs scenarios, or takes what run --json printed (with --per-rank also by rank),
and explains how the time of each differs from the first: by term, phase and
rank. --machines takes names from 'overlapsim list machines', files, or all.`,
	example: "overlapsim compare ft-slabs-jacquard --machines jacquard,jacquard-no-rdma,bassi",
	setup: func(flags *pflag.FlagSet) action {
		r := newRunner("compare", flags)
		given := newGiven("compare", flags)
		machines := flags.StringSlice("machines", nil, "run on each machine of the `LIST`, or all")
		return func(c *call, args []string) error {
			compared, err := r.compared(args)
			if err != nil {
				return err
			}
			settings, err := given.settings()
			if err != nil {
				return err
			}
			names := compared.names()
			same := len(names) > 1 && len(slices.Compact(slices.Sorted(slices.Values(names)))) == 1
			switch {
			case same && len(settings) > 0 && len(*machines) == 0:
				return &usageError{"compare", "a scenario is given twice, and --set changes both; 'overlapsim sweep NAME --vary PATH=A,B' runs values of a " +
					"setting, such as PATH=x1,x0.5"}
			case len(args) == 0:
				return want("compare", args, 2, 2, "two or more scenarios or saved results, one with several runs, or one and --machines")
			case len(names) == 0 && (len(*machines) > 0 || len(settings) > 0 || given.run != ""):
				return &usageError{"compare", "--machines, --run and --set are of scenarios, and there are only saved results"}
			case given.machine != "" && len(*machines) > 0:
				return &usageError{"compare", "--machine and --machines both name machines; give one of them"}
			case slices.Equal(*machines, []string{allMachines}):
				able, unable := ableMachines(names, given.run, settings)
				if len(able) > 0 {
					*machines, r.notes = able, unable
				} else {
					*machines = files.Machines()
				}
			case slices.Contains(*machines, allMachines):
				return &usageError{"compare", "--machines: all stands for the whole library; do not name other machines with it"}
			}
			study, counts, err := scenarios.Across(names, given.run, *machines, settings)
			if err != nil {
				return given.written(err)
			}
			if len(*machines) > 1 {
				r.notes = append(r.notes, ownTimes(study)...)
			}
			if compared.place(r, study, counts); len(study.Runs)+r.savedRuns() == 1 && len(*machines) == 0 {
				name, vary := "NAME", "PATH=A,B"
				if len(given.set) > 0 {
					path, value, _ := strings.Cut(given.set[len(given.set)-1], "=")
					name, vary = keys.ForShell(args[0]), path+"=A,"+value
				}
				return &usageError{"compare", fmt.Sprintf("%s is a single run; give another scenario, or --machines; 'overlapsim sweep %s --vary %s' "+
					"runs values of a setting", args[0], name, vary)}
			}
			return given.written(r.run(c, study))
		}
	},
}

// ownTimes says of runs with times of a recording that machines make no difference.
func ownTimes(study *scenarios.Study) (notes []string) {
	for _, run := range study.Runs {
		if w, ok := run.Workload.(workloads.OwnTimes); ok && w.OwnTimes() != "" {
			notes = append(notes, "Machines make no difference: "+w.OwnTimes()+".")
		}
	}
	return slices.Compact(notes)
}

// allMachines is the word for all machines of the library.
const allMachines = "all"

// ableMachines returns the machines of the library that can run all scenarios, the first
// scenario's own machine first. For each other machine it says why it cannot.
func ableMachines(names []string, run string, settings []string) (able, unable []string) {
	machines := files.Machines()
	if study, err := scenarios.Load(names[0], settings); err == nil {
		if at := slices.Index(machines, study.Runs[0].Machine.Name); at > 0 {
			machines = slices.Concat(machines[at:at+1], machines[:at], machines[at+1:])
		}
	}
	for _, machine := range machines {
		_, _, err := scenarios.Across(names, run, []string{machine}, settings)
		var problems keys.Problems
		if errors.As(err, &problems) {
			unable = append(unable, fmt.Sprintf("not on %s: %s", machine, problems[0].Message))
		} else {
			able = append(able, machine)
		}
	}
	return able, unable
}
