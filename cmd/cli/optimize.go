package cli

import (
	"github.com/spf13/pflag"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/optimize"
	"overlapsim/scenarios/report"
)

var optimizeCommand = command{
	name:  "optimize",
	args:  "SCENARIO --over PATH[=VALUES]",
	title: "find the best value of a setting, and explain it",
	text: `Finds the value of a --set path that makes a scenario fastest. VALUES are as in
sweep --vary: a list, 64..8192*2, or a whole range such as 1..256 or
1KiB..1MiB. Some paths have a default range. Words and up to 12 values are all
run; more need few runs: a grid, golden sections around every low point, and
checks in between. If a scenario has several runs, each gets its own best value.
Derivatives on both sides of the best value say which resource binds.`,
	example: "overlapsim optimize ft-granularity --over workload.granularity --set workload.rows=512",
	setup:   setupOptimize,
}

func setupOptimize(flags *pflag.FlagSet) action {
	r := optimize.Request{}
	flags.StringVar(&r.Over, "over", "", "the `PATH` to choose a value for, or path=values")
	flags.StringVar(&r.Minimize, "minimize", "makespan_s", "the `NUMBER` of run --json to minimize")
	flags.BoolVar(&r.Why, "why", true, "say what binds on either side, with extra runs")
	given := newGiven("optimize", flags)
	html := outputFlag(flags, "html", "write a report to `FILE`")
	figure := newPictures(flags)
	asJSON := flags.Bool("json", false, "print JSON: times in seconds")
	return func(c *call, args []string) error {
		if err := want("optimize", args, 1, 1, "one scenario"); err != nil {
			return err
		}
		if err := own("optimize", args[0]); err != nil {
			return err
		}
		if r.Over == "" {
			return &usageError{"optimize", "--over is missing: the path to choose a value for, such as workload.layout of a model, or workload.granularity of ft"}
		}
		files, err := figure.pageFiles("optimize", *html)
		if err != nil {
			return err
		}
		if r.Set, err = given.settings(); err != nil {
			return err
		}
		r.Scenario, r.Run = args[0], given.run
		line := newProgress(c.errors, 2)
		i := interruptible(c.errors)
		r.Stopped = i.stopped
		r.Started = func(p optimize.Progress) { line.reached(p.Text, p.Done, p.Planned) }
		r.Begins = func(runs ...*scenarios.Scenario) { sayLong(c.errors, "one run of each", nodes.Options{}, runs...) }
		study, err := optimize.Find(r)
		i.end()
		line.clear()
		if isStopped(err) {
			return partialOptimum(c, study, *asJSON)
		}
		if err != nil {
			return given.written(err)
		}
		if err := files.write(func() *report.Page { return study.Page(r.Text()) }); err != nil {
			return err
		}
		return c.show(*asJSON, study, func(p *printer) {
			p.optima(study)
			p.charts(*html)
		})
	}
}

// partialOptimum prints the best values that were found until the command was told to stop.
func partialOptimum(c *call, s *optimize.Study, asJSON bool) error {
	done := 0
	for _, o := range s.Optima {
		done += o.Runs.Sum()
	}
	if done > 0 && !asJSON {
		p := &printer{out: c.out}
		if p.optima(s); p.err != nil {
			return p.err
		}
	}
	return partial("optimize", keys.Plural(done, "value")+" tried, and the best one may be another")
}

// optima prints the best value of each run, and why it is the best.
func (p *printer) optima(s *optimize.Study) {
	p.print("%s\n%s\n", s.Title, s.Summary())
	for _, line := range s.Assumed() {
		p.print("%s\n", line)
	}
	p.print("\n")
	p.grid(s.BestTable(), 1)
	if text := s.Legend(); text != "" {
		p.print("%s\n", text)
	}
	switch n := len(s.Words()); {
	case n > optimize.MostWords:
		for _, o := range s.Optima {
			p.print("\n")
			p.grid(s.RunnersUp(o), 1)
		}
	case n > 0 && len(s.Optima) <= mostColumns:
		p.words(s)
	}
	for _, o := range s.Optima {
		p.optimum(s, o)
	}
}

// mostColumns is the largest number of runs of a scenario for which a table of all values
// is printed.
const mostColumns = 6

// optimum says what is on either side of an optimum.
func (p *printer) optimum(s *optimize.Study, o *optimize.Optimum) {
	for _, text := range []string{s.FailedText(o), s.FlatText(o), s.EdgeText(o), o.PlateauText(), s.MemoryText(o), o.NoiseText()} {
		if text != "" {
			p.print("\n%s\n", text)
		}
	}
	if len(o.Why) == 0 {
		if s.Words() == nil && !o.Flat() {
			p.print("\n")
			p.grid(s.RunnersUp(o), 1)
		}
		return
	}
	p.print("\n%s\n", o.Run)
	for i := range o.Why {
		p.print("  %s\n", s.SideText(o, &o.Why[i]))
	}
}

// words prints the result of each value, if values are words.
func (p *printer) words(s *optimize.Study) {
	rows := [][]string{{""}}
	for _, o := range s.Optima {
		rows[0] = append(rows[0], o.Run)
	}
	rates := len(s.Optima) == 1 && s.Optima[0].Best.Tokens != nil
	if rates {
		rows[0] = append(rows[0], optimize.TokensColumn, optimize.MFUColumn)
	}
	for i, value := range s.Words() {
		row := []string{value}
		for _, o := range s.Optima {
			if at := o.Points[i].Result; at == nil {
				row = append(row, "failed")
			} else {
				row = append(row, s.Amount(*at))
			}
		}
		if rates {
			row = append(row, s.Optima[0].Points[i].Rates()...)
		}
		rows = append(rows, row)
	}
	p.print("\n")
	p.grid(rows, 1)
}
