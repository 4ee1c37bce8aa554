package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/scenarios/optimize"
	"overlapsim/scenarios/report"
)

var optimizeCommand = command{
	name:  "optimize",
	args:  "SCENARIO --over PATH[=VALUES]",
	title: "find the best value of a path, and explain it",
	text: `Finds the value of a --set path that makes a scenario fastest. It needs few
runs: a grid, golden sections around every low point, and checks in between.
VALUES are as in sweep --vary: a list, 64..8192*2, or a whole range such as
1..256 or 1KiB..1MiB. Some paths have a default range. If a scenario has several
runs, each has a best value of its own. Derivatives on both sides of the best
value say which resource binds.`,
	example: "overlapsim optimize ft-granularity --over workload.granularity --set workload.rows=512",
	setup:   setupOptimize,
}

func setupOptimize(flags *pflag.FlagSet) action {
	r := optimize.Request{}
	flags.StringVar(&r.Over, "over", "", "the `PATH` to choose a value for, or path=values")
	flags.StringArrayVar(&r.Set, "set", nil, "set `path=value` for all runs (repeatable)")
	flags.StringVar(&r.Minimize, "minimize", "makespan_s", "the `NUMBER` of run --json to minimize")
	flags.BoolVar(&r.Why, "why", true, "say what binds on either side, with extra runs")
	html := flags.String("html", "", "write a report to `FILE`")
	svg := flags.String("svg", "", "draw the charts to `FILE`")
	asJSON := flags.Bool("json", false, "print JSON: times in seconds")
	return func(c *call, args []string) error {
		if err := want("optimize", args, 1, 1, "one scenario"); err != nil {
			return err
		}
		if err := own("optimize", args[0]); err != nil {
			return err
		}
		if r.Over == "" {
			return &usageError{"optimize", "--over is missing: the path to choose a value for, such as --over workload.granularity"}
		}
		if err := cmp.Or(output(*html).check("optimize", "--html"), output(*svg).check("optimize", "--svg")); err != nil {
			return err
		}
		r.Scenario = args[0]
		line := newProgress(c.errors, 2)
		r.Started = line.say
		study, err := optimize.Find(r)
		line.clear()
		if err != nil {
			return err
		}
		if err := output(*html).write(func(w io.Writer) error { return report.Write(w, study.Page(r.Text())) }); err != nil {
			return err
		}
		if err := output(*svg).write(func(w io.Writer) error { return report.WriteCharts(w, study.Figures()...) }); err != nil {
			return err
		}
		return printOptimum(c, study, *asJSON)
	}
}

// printOptimum prints the answer as JSON or as text.
func printOptimum(c *call, s *optimize.Study, asJSON bool) error {
	if asJSON {
		return writeJSON(c.out, s)
	}
	p := &printer{out: c.out}
	p.print("%s\n%s\n\n", s.Title, s.Summary())
	rows := [][]string{{"", "best at", result(s), "bound", "runs", "of which to explain"}}
	for _, o := range s.Optima {
		rows = append(rows, []string{o.Run, o.Best.Value, amount(s, *o.Best.Result), report.Seconds(o.Best.Bound), fmt.Sprint(o.Runs.Sum()),
			fmt.Sprint(o.Runs.Why)})
	}
	p.grid(rows, 1)
	if n := len(s.Words()); n > 0 && n <= mostWords && len(s.Optima) <= mostColumns {
		p.words(s)
	}
	if len(s.Words()) > mostWords {
		for _, o := range s.Optima {
			p.runnersUp(s, o)
		}
	}
	for _, o := range s.Optima {
		p.optimum(s, o)
	}
	return p.err
}

// mostColumns is the largest number of runs of a scenario for which a table of all values
// is printed.
const mostColumns = 6

// result names what is minimized.
func result(s *optimize.Study) string {
	return strings.ReplaceAll(strings.TrimSuffix(s.Minimize, "_s"), "_", " ")
}

// amount writes a value of what is minimized.
func amount(s *optimize.Study, x float64) string {
	if strings.HasSuffix(s.Minimize, "_s") {
		return report.Seconds(x)
	}
	return report.Ratio(x)
}

// optimum says what is on either side of an optimum.
func (p *printer) optimum(s *optimize.Study, o *optimize.Optimum) {
	if n, first := o.Failed(); n > 0 {
		p.print("\n%s: %d of the %d values that were tried cannot be run, such as %s:\n  %s\n", o.Run, n, len(o.Points), first.Value,
			strings.ReplaceAll(first.Error, "\n", "\n  "))
	}
	if n, _ := o.Failed(); o.Flat() && len(o.Points)-n > 1 {
		p.print("\n%s: all values of %s give the same %s%s\n", o.Run, s.Path, result(s), because(o.Hint))
	}
	if len(o.Why) == 0 {
		return
	}
	p.print("\n%s\n", o.Run)
	for i := range o.Why {
		p.print("  %s\n", sideText(s, o, &o.Why[i]))
	}
}

// because appends a reason to a sentence, if there is one.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return "; " + reason
}

// words prints the result of each value, if values are words.
func (p *printer) words(s *optimize.Study) {
	rows := [][]string{{""}}
	for _, o := range s.Optima {
		rows[0] = append(rows[0], o.Run)
	}
	for i, value := range s.Words() {
		row := []string{value}
		for _, o := range s.Optima {
			if at := o.Points[i].Result; at == nil {
				row = append(row, "failed")
			} else {
				row = append(row, amount(s, *at))
			}
		}
		rows = append(rows, row)
	}
	p.print("\n")
	p.grid(rows, 1)
}

// sideText says in a sentence what binds at a value.
func sideText(s *optimize.Study, o *optimize.Optimum, r *optimize.Reason) string {
	best := o.Reason("best")
	switch {
	case r.Side == "best":
		text := fmt.Sprintf("%s: %s", r.Value, amount(s, r.Result))
		if of := share(r); of != "" {
			text += " is " + of
		}
		switch {
		case o.Reason("below") == nil && o.Reason("above") == nil:
		case o.Reason("below") == nil:
			text += "; this is the smallest value"
		case o.Reason("above") == nil:
			text += "; this is the largest value"
		}
		return text
	case r.More == 0:
		return fmt.Sprintf("%s: the same", r.Value)
	case r.Binds == "":
		return fmt.Sprintf("%s: %s more; the derivatives do not explain it, they are off by %s", r.Value, amount(s, r.More),
			amount(s, max(r.Off, -r.Off)))
	}
	var parts []string
	for _, name := range r.Differences(best) {
		if d := r.Resources[name] - best.Resources[name]; len(parts) < 4 && 20*max(d, -d) > r.More {
			parts = append(parts, name+" "+signedAmount(s, d))
		}
	}
	text := fmt.Sprintf("%s: %s more (%s): %s binds, %s", r.Value, amount(s, r.More), strings.Join(parts, ", "), r.Binds,
		optimize.Meanings[r.Binds])
	if r.Binds == "progress" && r.Moved != nil {
		text += fmt.Sprintf(" (%s if the NIC did)", amount(s, *r.Moved))
	}
	if r.Term != "" {
		text += fmt.Sprintf("; in the ledger %s grows most, +%s", strings.ReplaceAll(r.Term, "_", " "), report.Seconds(r.Longer))
	}
	return text
}

// signedAmount writes an amount with its sign.
func signedAmount(s *optimize.Study, x float64) string {
	if x > 0 {
		return "+" + amount(s, x)
	}
	return amount(s, x)
}

// share lists the parts of a result, the largest first.
func share(r *optimize.Reason) string {
	var parts []string
	for _, name := range r.Differences(&optimize.Reason{}) {
		if x := r.Resources[name]; x > 0.005*r.Result {
			parts = append(parts, report.Percent(x, r.Result)+" "+name)
		}
	}
	if r.Rest > 0.005*r.Result {
		parts = append(parts, report.Percent(r.Rest, r.Result)+" none of these")
	}
	return strings.Join(parts, ", ")
}

// mostWords is the largest number of words that are all listed; of more the best ones are.
const mostWords = 24

// runnersUp prints the best values, and in what the others take longer than the best one.
func (p *printer) runnersUp(s *optimize.Study, o *optimize.Optimum) {
	if o.Best == nil {
		return
	}
	rows := [][]string{{o.Run, result(s), "to best", "most of the difference"}}
	for _, one := range o.Ranking(mostRunners) {
		more := ""
		if term, time := one.Beyond(o.Best); time > 0 {
			more = term + " +" + report.Seconds(time)
		}
		rows = append(rows, []string{one.Value, amount(s, *one.Result), report.Ratio(*one.Result / *o.Best.Result), more})
	}
	p.grid(rows, 1)
}

// mostRunners is how many values are listed.
const mostRunners = 10
