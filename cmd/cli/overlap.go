package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/forecast"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/overlap"
	"overlapsim/scenarios/report"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// paperStudy is the scenario with one run for each row of the paper's figures.
const paperStudy = "mpi-libraries"

// overlapFlags are the flags of the overlap command.
type overlapFlags struct {
	*given
	runtime, csv, html     string
	only                   []string
	all, json, collectives bool
	ranks                  int
	figure                 pictures
}

var overlapCommand = command{
	name:  "overlap",
	args:  "[SCENARIO]",
	title: "run the MPI overlap benchmark, with heat maps",
	text: `Runs the benchmarks of Denis and Trahay, "MPI Overlap: Benchmark and Analysis":
how much of a message hides behind computation, for all message sizes and
computations. The ratio is 0 for full overlap and 1 for none. The table shows
means by size and computation. With a SCENARIO, its machine is measured.
--collectives measures non-blocking collectives, until the slowest rank ends.`,
	example: "overlapsim overlap --machine william --runtime mvapich2-2.2",
	setup: func(flags *pflag.FlagSet) action {
		f := &overlapFlags{given: newGiven("overlap", flags)}
		flags.StringVar(&f.runtime, "runtime", "", "short for --set machine.runtime=`NAME`")
		flags.BoolVar(&f.all, "all", false, "every library of the paper, a row each")
		flags.BoolVar(&f.collectives, "collectives", false, "non-blocking collectives instead of single messages")
		flags.StringSliceVar(&f.only, "only", nil, "a `LIST` of benchmarks or operations, not all")
		flags.IntVar(&f.ranks, "ranks", 8, "`N` ranks of a collective")
		flags.Var((*output)(&f.html), "html", "write heat maps to `FILE`")
		f.figure = newPictures(flags)
		flags.Var((*output)(&f.csv), "csv", "write every point to `FILE`")
		flags.BoolVar(&f.json, "json", false, "print JSON: times in seconds, sizes in bytes")
		return f.run
	},
}

func (f *overlapFlags) run(c *call, args []string) error {
	if err := want("overlap", args, 0, 1, "at most one scenario"); err != nil {
		return err
	}
	if f.all {
		args = append(args, paperStudy)
	}
	if len(args) > 1 || len(args) == 0 && f.machine == "" || f.all && f.machine+f.runtime != "" {
		return &usageError{"overlap", "wants --machine NAME, with or without --runtime, or --all, or a scenario"}
	}
	if f.ranks < 2 || f.ranks != 8 && !f.collectives {
		return &usageError{"overlap", "wants --ranks of at least 2, with --collectives"}
	}
	if err := f.known(); err != nil {
		return err
	}
	files, err := f.figure.pageFiles("overlap", f.html)
	if err := cmp.Or(err, output(f.csv).check("overlap", "--csv")); err != nil {
		return err
	}
	study, err := f.study(args)
	if err != nil {
		return err
	}
	if err := f.forecast(c, study); err != nil {
		return err
	}
	i := interruptible(c.errors)
	libraries, err := f.suites(c, study, i)
	i.end()
	if isStopped(err) {
		return f.partial(c, libraries, len(study.Runs))
	}
	if err != nil {
		return err
	}
	if err := output(f.csv).write(func(w io.Writer) error { return overlap.WriteCSV(w, libraries) }); err != nil {
		return err
	}
	if err := files.write(func() *report.Page { return overlap.Page(libraries) }); err != nil {
		return err
	}
	return f.print(c, libraries)
}

// partial prints the maps that were done when the command was told to stop.
func (f *overlapFlags) partial(c *call, libraries []*overlap.Library, runs int) error {
	done, all := 0, runs*len(overlap.Benchmarks(f.collectives))
	for _, l := range libraries {
		done += len(l.Maps)
	}
	if done > 0 && !f.json {
		if err := f.print(c.unfiled(), libraries); err != nil {
			return err
		}
	}
	return partial("overlap", fmt.Sprintf("%d of %d benchmarks are done", done, all))
}

// study returns the machines to run the suite on, as the runs of a scenario.
func (f *overlapFlags) study(args []string) (*scenarios.Study, error) {
	settings, err := f.settings()
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = []string{"overlap"}
	}
	if f.runtime != "" {
		settings = append(settings, "machine.runtime="+f.runtime)
	}
	study, err := loadRuns(args[0], f.given.run, settings)
	if err != nil {
		return nil, f.written(err)
	}
	for _, run := range study.Runs {
		_, gpus := run.Workload.(experiments.OnGPUs)
		if _, filed := run.Workload.(workloads.Filed); filed || gpus {
			return nil, &usageError{"overlap", fmt.Sprintf("runs MPI benchmarks on a machine, and not %s: 'overlapsim run %s' says what hides in it, "+
				"'overlapsim overlap --machine NAME' measures a machine", args[0], keys.ForShell(args[0]))}
		}
	}
	return study, nil
}

// forecast refuses collectives for which there is no memory, and says that they will take hours.
// Single messages are of two ranks.
func (f *overlapFlags) forecast(c *call, study *scenarios.Study) error {
	all := 0.0
	for _, run := range study.Runs {
		if !f.collectives {
			break
		}
		operations, err := overlap.CollectiveOperations(run.Machine, f.ranks)
		if err != nil {
			return &inputError{fmt.Sprintf("--ranks %d: %s", f.ranks, err)}
		}
		all += operations
	}
	sayEffort(c.errors, "overlap", forecast.Processed(all), 1)
	return nil
}

// suites runs the suite on the machine of every run of a study.
func (f *overlapFlags) suites(c *call, study *scenarios.Study, i *interruption) ([]*overlap.Library, error) {
	var libraries []*overlap.Library
	line := newProgress(c.errors, len(overlap.Benchmarks(f.collectives))*len(study.Runs))
	defer line.clear()
	for _, run := range study.Runs {
		name := run.Name
		if len(study.Runs) == 1 {
			name = machineName(run.Machine)
		}
		l, err := f.suite(name, run.Machine, func(work func() (*overlap.Map, error)) (*overlap.Map, error) {
			if err := i.before(func() { line.step(name) }); err != nil {
				return nil, err
			}
			return untilStopped(i, work)
		})
		if isStopped(err) {
			return append(libraries, l.Only(f.only)), err
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		libraries = append(libraries, l.Only(f.only))
	}
	return libraries, nil
}

// known checks the names of --only.
func (f *overlapFlags) known() error {
	names := overlap.Benchmarks(f.collectives)
	for i, name := range f.only {
		name = strings.TrimPrefix(name, "overlap-") // the name of the workload
		if f.only[i] = name; !slices.Contains(names, name) {
			return &usageError{"overlap", fmt.Sprintf("--only: nothing is called %s; use some of %s", name, strings.Join(names, ", "))}
		}
	}
	return nil
}

func (f *overlapFlags) suite(name string, m *files.Machine, do overlap.Doing) (*overlap.Library, error) {
	if f.collectives {
		return overlap.RunCollectives(name, m, f.ranks, do)
	}
	return overlap.Run(name, m, do)
}

// machineName names the library and the machine.
func machineName(m *files.Machine) string {
	if m.Runtime == nil || m.Runtime.Name == "" {
		return m.Title
	}
	return m.Runtime.Name + " on " + m.Title
}

func (f *overlapFlags) print(c *call, libraries []*overlap.Library) error {
	return c.show(f.json, overlap.NewPrinted(libraries), func(p *printer) {
		for i, l := range libraries {
			if i > 0 {
				p.print("\n")
			}
			p.library(l)
		}
	})
}

// factor writes a ratio of times, with four digits or as a whole number.
func factor(times float64) string {
	if times >= 1000 {
		return report.Count(int64(times))
	}
	return report.Significant(times)
}

// library prints the mean ratios of each benchmark.
func (p *printer) library(l *overlap.Library) {
	p.print("%s\n", l.Name)
	most, at := 0.0, ""
	for _, m := range l.Maps {
		if m.Threads != nil {
			x, y := 0, 0
			most, y, x = m.Most()
			at = fmt.Sprintf("%s on %s, %s", keys.Plural(m.Threads[y], "thread"), keys.Plural(l.Machine.Cores, "core"), keys.FormatBytes(l.Sizes[x]))
		}
	}
	if rows := l.ZoneTable(); len(rows) > 1 {
		p.grid(rows, 1)
	}
	if l.Slowest {
		if l.Nodes == 1 && l.Machine.Nodes != 1 {
			p.print("  nothing crosses the network: --set processes_per_node=1\n")
		}
		return
	}
	if l.NeedsSlice() {
		p.print("  blocking calls alongside computing threads: not run, the machine has no time_slice (such as 4ms)\n")
	}
	if most > 0 && most < 1.0005 {
		p.print("  blocking calls alongside computing threads: as long as alone\n")
	} else if most > 0 {
		p.print("  blocking calls alongside computing threads: up to %s times as long (%s)\n", factor(most), at)
	}
}
