package cli

import (
	"cmp"

	"github.com/spf13/pflag"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/potential"
	"overlapsim/scenarios/report"
)

var potentialCommand = command{
	name:  "potential",
	args:  "SCENARIO",
	title: "what overlap could give a program",
	text: `Runs a scenario again with its communication moved: receives posted earlier,
sends begun earlier, waits later, collectives during computation, messages in
pieces; with a library that does more; and with all of this. A program does not
say which data a computation uses, so most steps have two limits: worst case
(the computation uses every message) and best case (none). The reason for a step
is the change of each term of the time breakdown. SCENARIO may be a recorded
program.`,
	example: "overlapsim potential overlap-fig7",
	setup: func(flags *pflag.FlagSet) action {
		asJSON := flags.Bool("json", false, "print JSON: times in seconds, sizes in bytes")
		html := outputFlag(flags, "html", "write the steps as a page to `FILE`")
		figure := newPictures(flags)
		pieces := flags.Int("pieces", 8, "cut messages into that many pieces, at most, of 8 KiB or more")
		given := newGiven("potential", flags)
		return func(c *call, args []string) error {
			settings, err := given.settings()
			if err := cmp.Or(want("potential", args, 1, 1, "a scenario"), err); err != nil {
				return err
			}
			if *pieces < 2 {
				return &usageError{"potential", "--pieces must be at least 2"}
			}
			study, err := loadOne("potential", "the potential", args[0], given.run, settings)
			if err != nil {
				return given.written(err)
			}
			files, err := figure.pageFiles("potential", *html)
			if err != nil {
				return err
			}
			run := study.Runs[0]
			if run.Program == nil {
				return &usageError{"potential", run.Kind + " runs no program whose communication could move; overlapsim run says what overlap hides " +
					"there, and which changes would help"}
			}
			o, err := runOnly(c, study, nodes.Options{})
			if err != nil {
				return err
			}
			sayEffort(c.errors, "re-runs", potential.Effort(o, run.With, *pieces), 1)
			i := interruptible(c.errors)
			l := ladder(c, o, run.With, *pieces, i)
			if i.end(); i.stopped() {
				p := &printer{out: c.out}
				if !*asJSON {
					p.ladder(l)
				}
				return cmp.Or(p.err, partial("potential", "steps without a time were not run"))
			}
			written := files.write(func() *report.Page { return potentialPage(run, l) })
			shown := c.show(*asJSON, l, func(p *printer) { // explains why there is no chart if no step changes anything
				p.ladder(l)
				p.charts(*html)
			})
			return cmp.Or(written, shown)
		}
	},
}

// ladder runs the changes of a run.
func ladder(c *call, o *outcomes.Outcome, load points.Load, pieces int, i *interruption) *potential.Ladder {
	line := newProgress(c.errors, potential.Steps())
	defer line.clear()
	return potential.Of(o, load, pieces, line.step, i.stopped)
}

// ladder prints the run with each step.
func (p *printer) ladder(l *potential.Ladder) {
	for _, line := range append(append([]string{l.Scenario}, l.Assumed...), l.NoiseText()) {
		p.print("%s\n", line)
	}
	p.print("\nWhat overlap could give (re-runs, makespan)\n")
	rows := l.Rows()
	for _, row := range rows {
		row[0], row[3] = "  "+row[0], " "+row[3]
	}
	flushLeft(rows, 3)
	p.grid(rows, 1)
	for _, text := range append([]string{l.Bounds()}, l.Rest()...) {
		p.print("  %s\n", text)
	}
	p.print("\n%s\n", potential.Note)
}

func potentialPage(run *scenarios.Scenario, l *potential.Ladder) *report.Page {
	return &report.Page{Title: l.Scenario, Subtitle: run.Machine.Title, Lead: l.Lead(), Notes: l.Assumed, Sections: []report.Section{l.Section()}}
}
