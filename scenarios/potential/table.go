package potential

import (
	"fmt"
	"math"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/difference"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// mostTerms is how many terms of the ledger are named as the reason of a step.
const mostTerms = 3

// Reason says which terms of the ledger a step changes by more than the noise of the run.
func (s *Step) Reason(noise *float64) string {
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

// changes tells whether a step ran and changes the makespan by a part that is printed.
func (s *Step) changes() bool { return s.None == "" && whole(*s.Gain) != 0 }

// Rows are the steps that change the run, for a table: what changes, the makespan, what it saves, and why. The first is the run as
// it is.
func (l *Ladder) Rows() (rows [][]string) {
	for _, i := range l.shown() {
		s := &l.Steps[i]
		row := []string{s.Name(), report.Seconds(s.Makespan), "", ""}
		if i > 0 {
			row[2], row[3] = report.Percent(whole(-*s.Gain), 1), s.Reason(l.Noise.Part)
			if report.BelowNoise(*s.Gain, l.Noise.Part) {
				row[2] = report.InCell
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// shown are the numbers of the steps that Rows shows.
func (l *Ladder) shown() (numbers []int) {
	for i := range l.Steps {
		if i == 0 || l.Steps[i].changes() {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// Rest says of the steps that change the makespan too little that they do, and of those that were not run why.
func (l *Ladder) Rest() (lines []string) {
	var same, longer []*Step
	var reasons []string
	not := map[string][]*Step{}
	for i := range l.Steps[1:] {
		s := &l.Steps[1+i]
		switch {
		case s.changes():
		case s.None != "":
			if not[s.None] == nil {
				reasons = append(reasons, s.None)
			}
			not[s.None] = append(not[s.None], s)
		case whole(s.Moved/l.Steps[0].Makespan-1) > 0:
			longer = append(longer, s)
		default:
			same = append(same, &Step{Change: s.Change, Case: s.Case})
		}
	}
	if same != nil {
		lines = append(lines, "These change nothing in the digits of the table: "+listed(same)+".")
	}
	if longer != nil {
		lines = append(lines, "These moves make it longer, so the best case omits them: "+listed(longer)+".")
	}
	if text := l.onContended(); text != "" {
		lines = append(lines, text)
	}
	for _, reason := range reasons {
		lines = append(lines, "Not run: "+listed(not[reason])+": "+reason+".")
	}
	return lines
}

// onContended says of a ladder on the ideal network what contention is there, if it is a reason, and which steps do otherwise where messages share
// NICs and links; "": neither.
func (l *Ladder) onContended() string {
	reason := false
	var others []string
	for _, i := range l.shown()[1:] {
		s := &l.Steps[i]
		reason = reason || strings.Contains(s.Reason(l.Noise.Part), difference.TermName(results.Contention))
		if s.otherwise() && !report.BelowNoise(*s.Gain, l.Noise.Part) {
			others = append(others, fmt.Sprintf("%s %s in place of %s", s.Name(), percent(*s.Contended), percent(*s.Gain)))
		}
	}
	switch {
	case !l.ideal || !reason && others == nil:
		return ""
	case others == nil:
		return sequential + "."
	}
	return fmt.Sprintf("%s. Where messages share the rate of both, these change the makespan otherwise: %s (--set %s).", sequential,
		strings.Join(others, "; "), contended)
}

// sequential says what contention is on the ideal network.
const sequential = "Links of the ideal network are free, and its NICs send one message after another: contention is waiting for these"

// percent is the change of a makespan by a part that is saved.
func percent(saved float64) string { return fmt.Sprintf("%+.1f %%", 100*whole(-saved)) }

// otherwise tells whether a step does something else where messages share NICs and links: it changes the makespan in the other direction, or by
// less than half or more than twice as much, where that counts.
func (s *Step) otherwise() bool {
	if s.Contended == nil || math.Abs(*s.Contended-*s.Gain) < report.LeastCause {
		return false
	}
	part := *s.Contended / *s.Gain
	return part < 0.5 || part > 2
}

// listed names steps, with the cases of a change and the time with all moves behind it.
func listed(steps []*Step) string {
	var all []string
	for i := 0; i < len(steps); {
		change := steps[i].Change
		var more []string
		for ; i < len(steps) && steps[i].Change == change; i++ {
			if steps[i].Case != "" {
				more = append(more, steps[i].Case)
			}
			if steps[i].Moved > 0 {
				more = append(more, report.Seconds(steps[i].Moved))
			}
		}
		if more != nil {
			change += " (" + strings.Join(more, ", ") + ")"
		}
		all = append(all, change)
	}
	return strings.Join(all, "; ")
}

// whole rounds a part to the digits that are printed, so that no "-0.0" appears.
func whole(part float64) float64 { return math.Round(1000*part)/1000 + 0 }

// Bounds says in a line which times no run beats: of the program as it is, and as the last step, all at best, has it.
func (l *Ladder) Bounds() string {
	first, last := &l.Steps[0], &l.Steps[len(l.Steps)-1]
	text := fmt.Sprintf("no run of the program as it is takes less than %s (%s)", report.Seconds(first.Bound), first.BoundOf)
	if last.None == "" {
		text += fmt.Sprintf(", and as in %q %s (%s)", last.Name(), report.Seconds(last.Bound), last.BoundOf)
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
	return fmt.Sprintf("%s: %s instead of %s, %s shorter.", keys.Capital(best.Name()), report.Seconds(best.Makespan), report.Seconds(first.Makespan),
		report.Share(*best.Gain))
}

// NoiseText says what the noise of the run is.
func (l *Ladder) NoiseText() string { return "noise: " + l.Noise.Note() }

// Note says what the columns are.
const Note = "At worst a computation uses all messages that are in flight meanwhile, at best none; between, piece by piece. Collectives made non-blocking " +
	"have, at worst, the algorithms of the library for non-blocking ones. The reason is by how much " +
	"of the makespan each part of the time breakdown grows or shrinks, mean over the ranks, the largest first; \"ended\" is the time from a rank's end to " +
	"that of the last. They add up to the change of the makespan."

// chart shows how much the steps change the makespan.
func (l *Ladder) chart() report.Figure {
	b := report.Bars{Title: "Change of the makespan", Unit: "%"}
	part := report.Part{Name: "change of the makespan"}
	var swings []report.Swing
	for _, i := range l.shown()[1:] {
		change := whole(-*l.Steps[i].Gain) * 100
		text := fmt.Sprintf("%+.1f %%", change)
		if report.BelowNoise(*l.Steps[i].Gain, l.Noise.Part) {
			text = report.InCell
		}
		swing := report.Swing{Name: l.Steps[i].Name(), Low: []float64{min(0, change)}, High: []float64{max(0, change)}, Ends: &report.Ends{High: text}}
		if change < 0 {
			swing.Ends = &report.Ends{Low: text}
		}
		swings = append(swings, swing)
	}
	return report.Tornado(b, []report.Part{part}, []report.Part{part}, swings)
}

// Section shows the ladder on a page.
func (l *Ladder) Section() report.Section {
	note := append([]string{keys.Capital(l.NoiseText()) + ".", Note, keys.Capital(l.Bounds()) + "."}, l.Rest()...)
	s := report.Section{Title: "What overlap could give", Note: strings.Join(note, " "),
		Table: &report.Table{Head: []string{"What moves", "Makespan", "Change", "Reason", "As flags"},
			Words: []bool{true, false, false, true, true}}}
	shown := l.shown()
	if len(shown) > 1 {
		s.Figures = []report.Figure{l.chart()}
	}
	for k, row := range l.Rows() {
		s.Table.Rows = append(s.Table.Rows, report.Cells(append(row, keys.Flags(l.Steps[shown[k]].Set))...))
	}
	return s
}
