package papers

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// WriteText writes the verdicts on a paper as a table, the claims that do not hold and
// why, and a summary.
func WriteText(w io.Writer, p *Paper, verdicts []*Verdict) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", p.Name, p.Title)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "status\tkind\tclaim\tpublished\tsimulated\ttolerance\tunit\trandom\n")
	for _, v := range verdicts {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", v.Status(), v.Kind, v.ID, v.published(), v.simulated(), v.tolerance(), v.shownUnit(), v.Chance())
	}
	table.Flush()
	for _, v := range verdicts {
		v.explain(&b)
	}
	tally := Count(verdicts)
	fmt.Fprintf(&b, "\n%s: %s\n", p.Name, tally)
	if chance := tally.Chance.String(); chance != "" {
		fmt.Fprintf(&b, "%s: %s\n", p.Name, chance)
	}
	_, err := io.WriteString(w, b.String())
	return err
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
	}
	return digits(v.Simulated)
}

func (v *Verdict) tolerance() string {
	if v.Judged == Withheld || v.Judged == Truth {
		return "-"
	}
	return digits(v.Tolerance)
}

func (v *Verdict) shownUnit() string {
	if v.Unit == "" {
		return "-"
	}
	return v.Unit
}

// digits writes a number with three digits.
func digits(x float64) string { return fmt.Sprintf("%.3g", x) }
