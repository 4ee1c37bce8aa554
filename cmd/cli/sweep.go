package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"overlapsim/scenarios"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/sweep"
)

var sweepCommand = command{
	name:  "sweep",
	args:  "SCENARIO|DIR",
	title: "run a scenario at many points",
	text: `Runs a scenario with varied values of --set paths. Its DIR continues a stopped
sweep.
  a,b,c   1us..5us:5 (5 values)   1us..1ms:4log (evenly in the logarithm)
  1us..5us+0.5us (in steps)       64..8192*2 (each twice the one before)`,
	example: "overlapsim sweep ft-slabs-jacquard --vary machine.network.latency=1us..16us*2",
	setup:   setupSweep,
}

// sweepFlags are the flags of the command.
type sweepFlags struct {
	request sweep.Request
	given   *given
	out     string
	jobs    int
	engine  string
	html    string
	json    bool
	figure  pictures
	worker  bool
	part    sweep.Part
}

func setupSweep(flags *pflag.FlagSet) action {
	f := &sweepFlags{}
	flags.StringArrayVar(&f.request.Vary, "vary", nil, "vary `path=values` (repeatable)")
	f.given = newGiven("sweep", flags)
	flags.StringVar(&f.request.Design, "design", sweep.Designs()[0], "`WAYS`: "+strings.Join(sweep.Designs(), ", "))
	flags.IntVar(&f.request.Samples, "samples", 0, "`N` points of lhs (default 10 per path)")
	flags.Uint64Var(&f.request.Seed, "seed", 1, "`N` for lhs, a Latin hypercube")
	flags.BoolVar(&f.request.Answer, "answer", false, "add what communication costs, by more runs")
	flags.StringVar(&f.out, "out", "", "`DIR` for its files (default SCENARIO-sweep, ...)")
	flags.IntVar(&f.jobs, "jobs", 0, "`N` points, or tasks of Slurm, at a time (default all)")
	flags.StringVar(&f.engine, "engine", "local", "the `PLACE` to run: "+strings.Join(engineNames(), ", "))
	flags.Var((*output)(&f.html), "html", "write the page to `FILE` too")
	f.figure = newPictures(flags)
	flags.BoolVar(&f.json, "json", false, "print JSON: the record of each point")
	flags.BoolVar(&f.worker, "worker", false, "run points for the process that started this one")
	flags.TextVar(&f.part, "part", sweep.Part{}, "run the points of a task, `TASK/TASKS`")
	for _, name := range []string{"worker", "part"} {
		if err := flags.MarkHidden(name); err != nil {
			panic(err)
		}
	}
	return func(c *call, args []string) error {
		if err := want("sweep", args, 1, 1, "a scenario, or the directory of a sweep"); err != nil {
			return err
		}
		switch {
		case f.worker:
			ignoreInterrupts()
			return sweep.Serve(args[0], version(), f.part, os.Stdin, os.Stdout)
		case flags.Changed("part"):
			return f.runPart(args[0])
		}
		return f.run(c, flags, args[0])
	}
}

// run makes or opens the sweep, runs the missing points and shows the results.
func (f *sweepFlags) run(c *call, flags *pflag.FlagSet, name string) error {
	if err := f.check(); err != nil {
		return err
	}
	d, err := f.open(flags, name)
	if err != nil {
		return err
	}
	defer d.Close()
	files, err := f.figure.pageFiles("sweep", f.html) // again: the sweep may have read one of them
	if err := cmp.Or(err, f.apart(d)); err != nil {
		return err
	}
	missing, err := d.Missing()
	if err != nil {
		return err
	}
	sayDamaged(c.errors, d.Damaged)
	sayLongPoints(c.errors, f.out, len(missing), f.atATime(), func(i int) (*scenarios.Scenario, error) { return d.Load(missing[i]) })
	if err := f.simulate(c, d, missing); err != nil {
		return err
	}
	table, err := d.Merge()
	if err != nil {
		return err
	}
	if err := files.write(table.Page); err != nil {
		return err
	}
	if f.json {
		return cmp.Or(f.printJSON(c, d), c.files(), failure(table))
	}
	p := &printer{out: c.out}
	return cmp.Or(f.print(p, d, table), c.files(), failure(table))
}

// check finds mistakes in flags that are not part of the plan.
func (f *sweepFlags) check() error {
	if _, known := enginePlaces[f.engine]; !known {
		return &usageError{"sweep", fmt.Sprintf("--engine must be %s, got %s", strings.Join(engineNames(), " or "), f.engine)}
	}
	if f.jobs < 0 {
		return &usageError{"sweep", fmt.Sprintf("--jobs must not be negative, got %d", f.jobs)}
	}
	_, err := f.figure.pageFiles("sweep", f.html)
	return err
}

// apart refuses outputs in place of what the sweep itself writes.
func (f *sweepFlags) apart(d *sweep.Dir) error {
	for _, o := range []struct{ flag, file string }{{"html", f.html}, {"figure", *f.figure.file}} {
		if o.file != "" && d.Writes(output(o.file).target()) {
			return &usageError{"sweep", fmt.Sprintf("--%s %s: the sweep writes its own files there; give another place", o.flag, o.file)}
		}
	}
	return nil
}

// open makes the directory of a new sweep, or opens the directory of an old one.
func (f *sweepFlags) open(flags *pflag.FlagSet, name string) (*sweep.Dir, error) {
	var err error
	if f.request.Set, err = f.given.settings(); err != nil {
		return nil, err
	}
	f.request.Scenario, f.request.Run = name, f.given.run
	if !sweep.Is(name) {
		if err := own("sweep", name); err != nil {
			return nil, err
		}
		plan, err := sweep.New(f.request)
		if err != nil {
			return nil, f.given.written(err)
		}
		if f.out == "" {
			f.out, err = sweep.Free(stem(name)+"-sweep", plan)
			if err != nil {
				return nil, err
			}
		}
		return sweep.Create(f.out, plan)
	}
	for _, flag := range []string{"vary", "set", "machine", "without", "run", "design", "samples", "seed", "answer", "out"} {
		if flags.Changed(flag) {
			return nil, &usageError{"sweep", fmt.Sprintf("%s is a sweep already, and --%s cannot change it", name, flag)}
		}
	}
	f.out = name
	return sweep.Open(name)
}

// simulate runs the points on the engine. If it is stopped, it says how to continue.
func (f *sweepFlags) simulate(c *call, d *sweep.Dir, missing []int) error {
	if len(missing) == 0 {
		return nil
	}
	engine, err := f.newEngine()
	if err != nil {
		return err
	}
	i := interruptible(io.Discard) // the workers end at once
	defer i.end()
	line := newProgress(c.errors, len(d.Plan.Points))
	last := sweep.Status{Done: len(d.Plan.Points) - len(missing), Total: len(d.Plan.Points)}
	line.say(statusText(last), "")
	err = engine.Run(i, d, func(s sweep.Status) {
		last = s
		line.say(statusText(s), line.pace.left(time.Now(), s.Done, s.Total))
	})
	line.clear()
	if err != nil && i.stopped() {
		if err := f.printDone(c, d); err != nil {
			return err
		}
		return partial("sweep", fmt.Sprintf("%d of %d points are done; to continue: overlapsim sweep %s%s", last.Done, last.Total,
			keys.ForShell(f.out), enginePlaces[f.engine].again))
	}
	return err
}

// enginePlace is where points run.
type enginePlace struct {
	// engine returns the engine, given this program and the engine of this machine.
	engine func(f *sweepFlags, program string, local *sweep.Local) sweep.Engine
	// again is the rest of the command to continue.
	again string
}

var enginePlaces = map[string]enginePlace{
	"local": {engine: func(_ *sweepFlags, _ string, local *sweep.Local) sweep.Engine { return local }},
	"slurm": {again: " --engine slurm (the job keeps running; scancel ends it)",
		engine: func(f *sweepFlags, program string, _ *sweep.Local) sweep.Engine {
			return &sweep.Slurm{Program: program, Version: version(), Jobs: f.jobs, Task: 30 * time.Second, Poll: 2 * time.Second}
		}},
}

func engineNames() []string { return slices.Sorted(maps.Keys(enginePlaces)) }

// atATime is how many points run at a time, here or in a task of a cluster.
func (f *sweepFlags) atATime() int {
	if f.jobs == 0 {
		return runtime.NumCPU()
	}
	return f.jobs
}

func (f *sweepFlags) newEngine() (sweep.Engine, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	local := localSweep(program, f.atATime())
	local.Part = f.part
	return enginePlaces[f.engine].engine(f, program, local), nil
}

// localSweep runs points on this machine, in processes of this program.
func localSweep(program string, jobs int) *sweep.Local {
	return &sweep.Local{Jobs: jobs, Worker: func(folder string, part sweep.Part) *exec.Cmd {
		only := fmt.Sprintf("--part=%d/%d", part.Index, part.Of)
		return &exec.Cmd{Path: program, Args: []string{"overlapsim", "sweep", folder, "--worker", only}}
	}}
}

// runPart runs the points of a task of a cluster.
func (f *sweepFlags) runPart(folder string) error {
	d, err := sweep.Open(folder)
	if err != nil {
		return err
	}
	defer d.Close()
	engine, err := f.newEngine()
	if err != nil {
		return err
	}
	return engine.Run(context.Background(), d, func(sweep.Status) {})
}
