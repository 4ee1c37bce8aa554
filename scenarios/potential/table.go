package potential

import (
	"fmt"
	"math"
	"strings"

	"overlapsim/scenarios/difference"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// mostTerms is how many terms of the ledger are named as the reason of a step.
const mostTerms = 3

// Reason says which terms of the ledger a step changes by more than the noise of the run.
func (s *Step) Reason(noise *float64) string {
	if s.None != "" {
		return "not run: " + s.None
	}
	if s.Moved > 0 {
		return "it stays as it is: with these moves it takes " + report.Seconds(s.Moved)
	}
	if len(s.Terms) == 0 {
		return "the same run"
	}
	least := leastTerm
	if report.Noisy(noise) {
		least = max(least, *noise)
	}
	var words []string
	for i, t := range s.Why(least) {
		if i == mostTerms {
			break
		}
		words = append(words, fmt.Sprintf("%s %+.1f %%", difference.TermName(t.Term), 100*t.Grows))
	}
	if len(words) == 0 {
		return fmt.Sprintf("no term by %.2g %%", 100*least)
	}
	return strings.Join(words, ", ")
}

// Name is the change and its case.
func (s *Step) Name() string {
	if s.Case == "" {
		return s.Change
	}
	return s.Change + ", " + s.Case
}

// Rows are the steps for a table: what changes, the makespan, what it saves, and why.
func (l *Ladder) Rows() (rows [][]string) {
	noise := l.Noise.Part
	for i := range l.Steps {
		s := &l.Steps[i]
		row := []string{s.Name(), report.Dash, "", s.Reason(noise)}
		if i == 0 {
			row[3] = ""
		}
		if s.None == "" {
			if row[1] = report.Seconds(s.Makespan); i > 0 {
				row[2] = report.Percent(whole(-*s.Gain), 1)
			}
			if i > 0 && len(s.Terms) > 0 && report.BelowNoise(*s.Gain, noise) {
				row[2] = report.InCell
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// whole rounds a part to the digits that are printed, so that no "-0.0" appears.
func whole(part float64) float64 { return math.Round(1000*part)/1000 + 0 }

// Bounds says in a line which times no run beats: of the program as it is, and with all moves
// at best.
func (l *Ladder) Bounds() string {
	first, last := &l.Steps[0], &l.Steps[len(l.Steps)-1]
	text := fmt.Sprintf("no run of the program as it is takes less than %s (%s)", report.Seconds(first.Bound), first.BoundOf)
	if last.None == "" {
		text += fmt.Sprintf(", with all at best %s (%s)", report.Seconds(last.Bound), last.BoundOf)
	}
	return text
}

// Lead says in a sentence which step gains most; of those that gain as much, the first one.
func (l *Ladder) Lead() string {
	first := &l.Steps[0]
	best := first
	for i := range l.Steps[1:] {
		if s := &l.Steps[1+i]; s.None == "" && s.Makespan < best.Makespan*(1-report.LeastShare/2) {
			best = s
		}
	}
	if best == first || report.BelowNoise(*best.Gain, l.Noise.Part) {
		return fmt.Sprintf("No move of communication makes the program noticeably shorter than %s.", report.Seconds(first.Makespan))
	}
	return fmt.Sprintf("%s: %s instead of %s, %s shorter.", upper(best.Name()), report.Seconds(best.Makespan), report.Seconds(first.Makespan),
		report.Share(*best.Gain))
}

// NoiseText says what the noise of the run is.
func (l *Ladder) NoiseText() string { return "noise: " + report.NoiseNote(l.Noise.Part, l.Why) }

// Note says what the columns are.
const Note = "At worst a computation uses all messages beside it, at best none; between, piece by piece. The reason is by how much " +
	"of the makespan each term of the ledger grows or shrinks, mean over the ranks, the largest first; \"ended\" is the time from a rank's end to " +
	"that of the last. They add up to the change of the makespan."

// Section shows the ladder on a page.
func (l *Ladder) Section() report.Section {
	s := report.Section{Title: "What overlap could give", Note: upper(l.NoiseText()) + ". " + Note + " " + upper(l.Bounds()) + ".",
		Table: &report.Table{Head: []string{"What moves", "Makespan", "Change", "Reason", "As flags"},
			Words: []bool{true, false, false, true, true}}}
	for i, row := range l.Rows() {
		var cells []report.Cell
		for _, text := range append(row, outcomes.Flags(l.Steps[i].Set)) {
			cells = append(cells, report.Cell{Text: text})
		}
		s.Table.Rows = append(s.Table.Rows, cells)
	}
	return s
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
