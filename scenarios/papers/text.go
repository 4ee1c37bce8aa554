package papers

import (
	"fmt"
	"math"
	"strings"
)

// Rows are the verdicts on claims as the rows of a table, by kind, predictions first: the first row is its head, and one with a
// first cell alone is a title.
func Rows(verdicts []*Verdict) [][]string {
	rows := [][]string{{"claim", "reproduced", "published", "simulated", "random"}}
	for _, k := range kinds() {
		title := false
		for _, v := range verdicts {
			if v.Kind != k {
				continue
			}
			if !title {
				title, rows = true, append(rows, []string{k.counted(), "", "", "", ""})
			}
			rows = append(rows, []string{"  " + v.ID, v.Status().short(), v.published() + v.about(), v.simulated(), v.Chance().String()})
		}
	}
	return rows
}

// Notes say of the claims that do not hold why, and count all.
func Notes(p *Paper, verdicts []*Verdict) string {
	var b strings.Builder
	for _, v := range verdicts {
		v.explain(&b)
	}
	tally := Count(verdicts)
	fmt.Fprintf(&b, "\n%s: %s\n", p.Name, tally)
	if chance := tally.Chance.String(); chance != "" {
		fmt.Fprintf(&b, "%s: %s\n", p.Name, chance)
	}
	return b.String()
}

// explain writes about a claim that does not hold, or was not expected to.
func (v *Verdict) explain(b *strings.Builder) {
	status := v.Status()
	if status != NotReproduced && status != KnownFailure && status != NowReproduced {
		return
	}
	fmt.Fprintf(b, "\n%s: %s\n  %s (%s)\n", v.ID, status, v.Text, v.Place)
	if v.Judged != Truth {
		fmt.Fprintf(b, "  simulated %s, published %s, tolerance %s\n", v.simulated(), v.published(), v.tolerance())
	}
	for _, line := range []string{v.Why, v.Reason, v.Explanation()} {
		if line != "" {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
	for _, m := range v.Paper.missing(v.Claim) {
		fmt.Fprintf(b, "  lacks: %s\n", m.Lacks)
		for _, trial := range m.Trials {
			fmt.Fprintf(b, "    %s\n", m.command(v.Paper.Name, trial))
		}
	}
}

func (v *Verdict) published() string {
	switch v.Judged {
	case Withheld:
		return "-"
	case Truth:
		return "true"
	case Least:
		return ">= " + digits(v.Published)
	case Most:
		return "<= " + digits(v.Published)
	case Band:
		return digits(v.Published) + " to " + digits(v.Upper)
	}
	return digits(v.Published)
}

func (v *Verdict) simulated() string {
	switch {
	case math.IsNaN(v.Simulated):
		return "-"
	case v.Judged == Truth && v.Simulated == 1:
		return "true"
	case v.Judged == Truth:
		return "false"
	case v.AtEdge(v.Simulated):
		return digits(v.Simulated) + " (edge)"
	}
	return digits(v.Simulated)
}

func (v *Verdict) tolerance() string {
	if v.Judged == Withheld || v.Judged == Truth {
		return "-"
	}
	return digits(v.Tolerance)
}

// about is the tolerance and the unit behind a number.
func (v *Verdict) about() (text string) {
	if v.Judged == Withheld || v.Judged == Truth {
		return ""
	}
	if v.Tolerance > 0 {
		text = " ± " + digits(v.Tolerance)
	}
	if v.Unit != "" {
		text += " " + v.Unit
	}
	return text
}

// digits writes a number with three digits.
func digits(x float64) string { return fmt.Sprintf("%.3g", x) }
