package cli

import (
	"cmp"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// asker runs scenarios again, to say what communication costs, why, and what would help.
type asker struct{ always, never *bool }

func newAsker(flags *pflag.FlagSet) *asker {
	return &asker{
		always: flags.Bool("advice", false, "try all changes, however long that takes"),
		never:  flags.Bool("no-advice", false, "no re-runs: neither Why nor What would help"),
	}
}

// check refuses flags that contradict each other, or the number of runs.
func (a *asker) check(command string, study *scenarios.Study) error {
	if *a.always && *a.never {
		return &usageError{command, "--advice and --no-advice contradict each other; give one of them"}
	}
	if *a.always && len(study.Runs) > 1 {
		_, err := oneRun(command, "--advice", study, "")
		return err
	}
	return nil
}

// mostAsked is the largest number of runs for each of which the causes are taken away.
const mostAsked = 12

// of answers for each outcome of a study: all that there is to say of one run, for few why they take as long, and on
// a network with contention, for many what communication costs.
func (a *asker) of(c *call, study *scenarios.Study, made []outcome, stop *interruption) error {
	if *a.never {
		return nil
	}
	wanted := answer.Exposed
	switch {
	case len(made) == 1:
		wanted = answer.Whole
		if *a.always {
			wanted = answer.Patient
		}
	case len(made) <= mostAsked:
		wanted = answer.Shared
	}
	line := newProgress(c.errors, 1) // for re-runs that take long
	defer line.clear()
	var events uint64
	for i := range made {
		o := &made[i]
		if o.Outcome == nil || o.Result.Stragglers != nil { // these are the answer
			continue
		}
		if events += o.Result.Work(); events > answer.MostEvents && !*a.always {
			o.Answered(o.record, answer.TooLong(o.Outcome, len(made) > 1))
			continue
		}
		sayLongAnswer(c.errors, study.Runs[i], o)
		if o.host != nil {
			line.most = time.Duration(answer.AllTimes * o.host.Seconds * float64(time.Second))
		}
		of, err := untilStopped(stop, func() (*outcomes.Answer, error) {
			return answer.For(cmp.Or(o.pathed, o.Outcome), study.Runs[i].With, wanted, func(change string, share float64) {
				line.again(change, (float64(i)+share)/float64(len(made)))
			}), nil
		})
		if err != nil {
			return err
		}
		o.Answered(o.record, of)
	}
	return nil
}

// pathed tells whether a run records the critical path that its answer needs: if it is not too long for one, and no faster without a
// path than by its record, as a run on two cores, or of two nodes for all, is.
func (a *asker) pathed(s *scenarios.Scenario, o nodes.Options) bool {
	o.Critical, o.PathOnly = true, true
	return !*a.never && (s.Contention != nil || s.Program == nil) && s.Pathed() && (*a.always || s.Effort(o).Operations <= answer.MostEvents) && s.Fits(o) == nil
}

// withoutPath is an outcome as it is of a run that does not record its critical path.
func withoutPath(o *outcomes.Outcome) *outcomes.Outcome {
	plain, result := *o, *o.Result
	result.Critical = nil
	plain.Result = &result
	return &plain
}

// answerLines are the sentence, and what must be known before the numbers are believed.
func answerLines(o outcome) (lines []string) {
	if o.Outcome != nil {
		lines = append(tracedLines(o.Result.Traced), stragglerLines(o.Result.Stragglers)...)
		lines = append(lines, scaledLines(o.Result.Scaled, o.Machine.Name, o.Ranks)...)
		if s := o.record.Step; s != nil {
			lines = append(lines, report.StepText(s, o.record))
		}
	}
	if a := o.record.Answer; a != nil {
		lines = append(append(lines, a.Sentence), a.Notes...)
	}
	return lines
}

// answer prints why communication costs what it does, and what would help.
func (p *printer) answer(a *outcomes.Answer) {
	if a == nil || a.LeftOut != "" {
		return
	}
	for _, s := range report.AnswerSections(a) {
		p.print("\n")
		p.heading(s.Title)
		if s.Table == nil {
			p.print("  %s\n", s.Note)
			continue
		}
		p.changes(s.Table)
	}
	for _, s := range report.MadeOf(a) {
		p.print("\n")
		p.heading(s.Title)
		p.changes(s.Table)
		if s.Note != "" {
			p.print("  %s\n", s.Note)
		}
	}
}

// changes prints rows of changes, each with its price below it.
func (p *printer) changes(t *report.Table) {
	var rows [][]string
	for _, r := range t.Rows {
		row := []string{"  " + r[0].Text}
		for i, c := range r[1:] {
			if t.Words[i+1] {
				c.Text = " " + c.Text
			}
			row = append(row, c.Text)
		}
		rows = append(rows, row)
	}
	for i, words := range t.Words {
		if words {
			flushLeft(rows, i)
		}
	}
	for i, text := range newTable(rows, 1).narrowed(widthOf(p.out)) {
		if p.err == nil {
			_, p.err = io.WriteString(p.out, text)
		}
		if price := t.Rows[i][0].Note; price != "" {
			p.print("      price: %s\n", price)
		}
	}
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
