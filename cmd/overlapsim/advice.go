package main

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"overlapsim/scenarios"
	"overlapsim/scenarios/advice"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// adviser repeats a single run with changes, to find out which help.
type adviser struct {
	always, never *bool
	load          advice.Load // nil: there are several runs
}

func newAdviser(flags *pflag.FlagSet) *adviser {
	return &adviser{
		always: flags.Bool("advice", false, "say what would help even if the run is very long"),
		never:  flags.Bool("no-advice", false, "do not run it again to say what would help"),
	}
}

// of tells the adviser how to load the only run again, from the user's arguments. The
// number is the place of the run in the scenario.
func (a *adviser) of(study *scenarios.Study, name string, number int, settings []string) error {
	switch {
	case *a.always && *a.never:
		return &usageError{"run", "--advice and --no-advice contradict each other; give one of them"}
	case *a.always && len(study.Runs) > 1:
		_, err := oneRun("run", "--advice", study, "")
		return err
	case *a.never || len(study.Runs) > 1:
		return nil
	}
	run := study.Runs[0].Name
	a.load = func(more []string) (*scenarios.Scenario, error) {
		return loadRun(name, run, number, slices.Concat(settings, more))
	}
	return nil
}

// advise returns what would help an outcome; nil if there is no advice.
func (a *adviser) advise(c *call, o *outcomes.Outcome) *outcomes.Advice {
	switch {
	case a == nil || a.load == nil:
		return nil
	case o.Result.Events > advice.MostEvents && !*a.always:
		return advice.TooLong(o)
	}
	line := newProgress(c.errors, 1) // for re-runs that take long
	defer line.clear()
	return advice.For(o, a.load, line.step)
}

// advice prints what would help.
func (p *printer) advice(a *outcomes.Advice) {
	if a == nil {
		return
	}
	p.print("\nWhat would help (re-runs, makespan)\n")
	if a.None != "" {
		p.print("  %s\n", a.None)
		return
	}
	var rows [][]string
	for i := range a.Changes {
		c := &a.Changes[i]
		rows = append(rows, []string{"  " + c.Change, report.Percent(-c.Gain, 1), " " + c.Flags()})
	}
	flushLeft(rows, 2)
	p.grid(rows, 1)
}

// flushLeft pads a column, so that a grid shows it flush left.
func flushLeft(rows [][]string, column int) {
	widest := 0
	for _, row := range rows {
		widest = max(widest, utf8.RuneCountInString(row[column]))
	}
	for _, row := range rows {
		row[column] += strings.Repeat(" ", widest-utf8.RuneCountInString(row[column]))
	}
}

// adviceSection shows the advice on a page.
func adviceSection(a *outcomes.Advice) report.Section {
	s := report.Section{Title: "What would help",
		Note: "Each row is a re-run with that change alone. Append its flags to the command to get that makespan."}
	if a.None != "" {
		s.Note = strings.ToUpper(a.None[:1]) + a.None[1:] + "."
		return s
	}
	s.Table = &report.Table{Head: []string{"Change", "Makespan", "Gain", "As flags"}, Words: []bool{true, false, false, true}}
	for i := range a.Changes {
		c := &a.Changes[i]
		row := []report.Cell{{Text: c.Change}, {Text: report.Seconds(c.Makespan)}, {Text: report.Percent(-c.Gain, 1)}, {Text: c.Flags()}}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	return s
}
