package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/pflag"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/sweep"
	"overlapsim/scenarios/validation"
)

var validateCommand = command{
	name:  "validate",
	args:  "DATASET",
	title: "compare measurements with predictions",
	text: `Runs every row of a data set and compares the measured figure with the predicted
one, with the errors, a trivial baseline, and the spread of the measurement.
DATASET is one of 'overlapsim list datasets', or a file (.yaml);
docs/reference/calibrate.md explains how to write one. --fit-rows fits the
parameters that the data set names, and nothing else, to the rows of a file; the
rows that it used are not scored.`,
	example: "overlapsim validate contention-plafrim",
	setup:   setupValidate,
}

// validateFlags are the flags of the command.
type validateFlags struct {
	rows, machine, fitRows, out, html, keep string
	asJSON                                  bool
}

func setupValidate(flags *pflag.FlagSet) action {
	f := &validateFlags{}
	flags.StringVar(&f.rows, "rows", "", "rows of `FILE` (.csv, .csv.gz) instead of the set's own")
	flags.StringVar(&f.machine, "machine", "", "`MACHINE` in place of the scenario's, a name or a file")
	flags.StringVar(&f.fitRows, "fit-rows", "", "fit what the data set allows to the rows of `FILE`")
	flags.Var((*output)(&f.out), "out", "write the fitted machine to `FILE`")
	flags.Var((*output)(&f.html), "html", "write predicted and measured, and the errors, to `FILE`")
	flags.StringVar(&f.keep, "keep", "", "keep results in `DIR`, and continue from there if stopped")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON: figures in the unit of the file")
	return func(c *call, args []string) error {
		if err := want("validate", args, 1, 1, "one data set"); err != nil {
			return err
		}
		if err := f.check(); err != nil {
			return err
		}
		set, err := validation.Load(args[0])
		if err != nil {
			return err
		}
		r, err := f.run(c, set)
		if err != nil {
			return err
		}
		if err := f.write(r); err != nil {
			return err
		}
		if err := f.print(c, r); err != nil {
			return err
		}
		if r.Failed == len(r.Rows) {
			return fmt.Errorf("no row could be run: %s", r.Rows[0].Failed)
		}
		return nil
	}
}

// check finds mistakes in flags.
func (f *validateFlags) check() error {
	if f.out != "" && f.fitRows == "" {
		return &usageError{"validate", "--out writes a fitted machine; give the rows of the fit with --fit-rows"}
	}
	if f.machine != "" {
		if _, err := files.LoadMachine(f.machine); err != nil {
			return err
		}
	}
	return cmp.Or(output(f.out).check("validate", "--out"), output(f.html).check("validate", "--html"))
}

func (f *validateFlags) run(c *call, set *validation.Set) (*validation.Report, error) {
	line := newProgress(c.errors, 2)
	defer line.clear()
	q := validation.Request{
		Set: set, Rows: f.rows, FitRows: f.fitRows, Machine: f.machine, Runner: validation.Here,
		Done: func(n, of int) { line.reached(set.Name, n, of) },
		Begins: func(what string, p *validation.Points) {
			sayLongPoints(c.errors, what, len(p.Settings), runtime.NumCPU(), p.Load)
		},
		Tried: func(n int) { line.say(set.Name+": fit", fmt.Sprintf(", %d choices tried", n)) },
	}
	if f.keep != "" {
		q.Runner = f.kept
	}
	return validation.Run(q)
}

func (f *validateFlags) write(r *validation.Report) error {
	if err := output(f.html).writePage(r.Page()); err != nil || f.out == "" {
		return err
	}
	text, err := r.MachineFile(f.out, f.fitRows)
	if err != nil {
		return err
	}
	return output(f.out).write(func(w io.Writer) error { _, err := w.Write(text); return err })
}

// kept runs points as a sweep does, in a directory that keeps their results.
func (f *validateFlags) kept(p *validation.Points, done func(int)) (all []validation.Answer, err error) {
	name, text := p.Scenario()
	if text == nil {
		return f.keptOf(name, p, done)
	}
	err = disk.Scratch(func(root *os.Root) error {
		file, err := validation.Inline(root.Name(), text)
		if err == nil {
			all, err = f.keptOf(file, p, done)
		}
		return err
	})
	return all, err
}

// keptOf does so for points of a scenario in a file.
func (f *validateFlags) keptOf(name string, p *validation.Points, done func(int)) ([]validation.Answer, error) {
	plan, err := sweep.Listed(name, p.Settings)
	if err != nil {
		return nil, err
	}
	d, err := sweep.Create(f.keep, plan)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	missing, err := d.Missing()
	if err == nil && len(missing) > 0 {
		err = f.simulate(d, missing, done)
	}
	if err != nil {
		return nil, err
	}
	return answers(d)
}

// simulate runs the points of a directory that have no result.
func (f *validateFlags) simulate(d *sweep.Dir, missing []int, done func(int)) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	i := interruptible(io.Discard)
	defer i.end()
	reached := len(d.Plan.Points) - len(missing)
	err = localSweep(program, runtime.NumCPU()).Run(i, d, func(s sweep.Status) {
		reached = s.Done
		done(reached)
	})
	if err != nil && i.stopped() {
		return partial("validate", fmt.Sprintf("%d of %d points are done; the same command continues with the results in %s", reached,
			len(d.Plan.Points), f.keep))
	}
	return err
}

// answers reads the results of all points.
func answers(d *sweep.Dir) ([]validation.Answer, error) {
	all := make([]validation.Answer, len(d.Plan.Points))
	for i := range all {
		r, err := d.Result(i)
		if err != nil {
			return nil, err
		}
		if r.Error != "" {
			all[i].Err = fmt.Errorf("%s", r.Error)
		} else if all[i].Value, err = points.ReadNumbers(json.RawMessage(r.Record)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (f *validateFlags) print(c *call, r *validation.Report) error {
	return c.show(f.asJSON, r.Record(), func(p *printer) {
		p.print("%s\n%s\n\n", r.Set.Title, r.Summary())
		p.grid(r.Scores(), 1)
		if ties := r.Ties(); ties != "" {
			p.print("%s\n", ties)
		}
		if r.Fit != nil {
			p.print("\nFit\n")
			p.grid(r.Fit.FitTable(), 4)
			for _, line := range r.Fit.Summary() {
				p.print("%s\n", line)
			}
		}
		if f.keep != "" {
			p.print("\nResults: %s\n", f.keep)
		}
	})
}
