package difference

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// TermName is the name of a term, or of Ended, in words.
func TermName(t results.Term) string {
	if t == Ended {
		return "ended"
	}
	return strings.ReplaceAll(t.String(), "_", " ")
}

// Title says from which run to which, and by how much.
func (d *Difference) Title() string {
	return fmt.Sprintf("From %s to %s: %s", d.A.Name, d.B.Name, d.amount(d.Change))
}

// amount writes a time, and its share of A's makespan if it shows.
func (d *Difference) amount(t sim.Time) string {
	text := report.Change(t.Seconds())
	if share := d.share(t); share != "" {
		text += ", " + share
	}
	return text
}

// LeastShare is the smallest share of a makespan that is written.
const LeastShare = 0.0005

// leastOfMakespan is the smallest part of a makespan that a change of a term is written from: means of ranks are rounded to
// a picosecond, and what is smaller is of no digit of the sum.
const leastOfMakespan = 1e-6

// share writes a change as a share of A's makespan; "" if that has no meaning or is too
// small to show.
func (d *Difference) share(t sim.Time) string {
	if d.A.Makespan == 0 || math.Abs(float64(t)/float64(d.A.Makespan)) < LeastShare {
		return ""
	}
	return signed(report.Percent(float64(t), float64(d.A.Makespan)))
}

func signed(text string) string {
	if strings.HasPrefix(text, "-") {
		return text
	}
	return "+" + text
}

// TermRows are the rows of the table that leads from the makespan of A to the makespan of B.
func (d *Difference) TermRows() [][]string {
	rows := [][]string{{d.A.Name, report.Seconds(d.A.Makespan.Seconds()), ""}}
	for _, c := range d.Terms {
		if float64(size(c.Change)) < leastOfMakespan*float64(max(d.A.Makespan, d.B.Makespan)) {
			continue
		}
		rows = append(rows, []string{"  " + TermName(c.Term), report.Change(c.Change.Seconds()), d.share(c.Change)})
	}
	return append(rows, []string{d.B.Name, report.Seconds(d.B.Makespan.Seconds()), ""})
}

// note says what the numbers are.
const note = "Means over the ranks; \"ended\" is the time from a rank's end to that of the last. " +
	"The changes add up to the difference exactly. Shares are of the first makespan."

// PhaseHead is the head of the table of the phases: its column "of it" names terms.
var PhaseHead = []string{"phase", "from", "to", "change", "of it"}

// PhaseRows are the rows of the phases.
func (d *Difference) PhaseRows() (rows [][]string) {
	for _, p := range d.Phases {
		rows = append(rows, []string{p.Name, report.Seconds(p.A), report.Seconds(p.B), report.Change(p.Change.Seconds()), d.mostly(p.Terms)})
	}
	return rows
}

// RankHead is the head of the table of the ranks.
var RankHead = []string{"rank", "from", "to", "change", "of it"}

// RankRows are the rows of the ranks.
func (d *Difference) RankRows() (rows [][]string) {
	for i := range d.Ranks {
		r := &d.Ranks[i]
		rows = append(rows, []string{fmt.Sprint(r.Rank), report.Seconds(r.OffA.Seconds()), report.Seconds(r.OffB.Seconds()),
			report.Change(r.Change().Seconds()), d.mostly(slices.DeleteFunc(slices.Clone(r.Terms), notOff))})
	}
	return rows
}

// RankNote says what the table of ranks shows.
func (d *Difference) RankNote() string {
	if d.NoRank != "" {
		return "Not by rank: " + d.NoRank + "."
	}
	s := d.Spread
	if s.Least == s.Most {
		return fmt.Sprintf("Time of a rank in communication and waiting: %s on every rank.", report.Change(s.Most.Seconds()))
	}
	listed := "grew most"
	if s.Most <= 0 {
		listed = "shrank least"
	}
	return fmt.Sprintf("Time of a rank in communication and waiting: from %s (rank %d) to %s (rank %d). The ranks where it %s are listed.",
		report.Change(s.Least.Seconds()), s.LeastRank, report.Change(s.Most.Seconds()), s.MostRank, listed)
}

// mostNamed is how many terms are named for a phase or a rank.
const mostNamed = 2

// mostly names the terms that change most, but none that shows nothing compared with the first.
func (d *Difference) mostly(terms []Change) string {
	var names []string
	for _, c := range terms[:min(len(terms), mostNamed)] {
		if float64(size(c.Change)) < LeastShare*float64(size(terms[0].Change)) {
			break
		}
		names = append(names, TermName(c.Term)+" "+report.Change(c.Change.Seconds()))
	}
	return strings.Join(names, ", ")
}

// Lead says the difference in a sentence or two.
func (d *Difference) Lead() string {
	if d.Change == 0 && len(d.Terms) == 0 {
		return fmt.Sprintf("%s and %s take the same time, term by term.", d.A.Name, d.B.Name)
	}
	text := fmt.Sprintf("%s takes as long as %s", d.B.Name, d.A.Name)
	if d.Change != 0 {
		word := "longer"
		if d.Change < 0 {
			word = "shorter"
		}
		text = fmt.Sprintf("%s takes %s %s than %s", d.B.Name, report.Seconds(size(d.Change).Seconds()), word, d.A.Name)
		if share := d.share(d.Change); share != "" {
			text += " (" + share + ")"
		}
	}
	if most := d.mostly(d.Terms); most != "" {
		text += ": " + most
	}
	return text + "."
}
