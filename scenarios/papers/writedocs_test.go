package papers

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"overlapsim/scenarios/picture"
	"overlapsim/scenarios/report"
)

// writeDocs writes the part of docs/validation/claims.md about all papers, from recorded results.
func writeDocs(w io.Writer, recorded []*Recorded) error {
	var b strings.Builder
	var all []*Verdict
	var again retried
	for _, r := range recorded {
		p, err := Load(r.Paper)
		if err != nil {
			return err
		}
		verdicts, err := p.Verdicts(r)
		if err != nil {
			return err
		}
		all = append(all, verdicts...)
		again.add(p.retrials(verdicts, r))
	}
	tally := Count(all)
	fmt.Fprintf(&b, "\n%s.\n\nAgainst chance: %s.\n\n%s.\n\n| paper | %s | withheld | predictions drawn: here, random machine | "+
		"weighted: here, random machine |\n",
		tally, &tally.Chance, again, strings.Join(kindNames, " | "))
	fmt.Fprintf(&b, "|---|%s---|---|---|\n", strings.Repeat("---|", len(kindNames)))
	for verdicts := range slices.Values(byPaper(all)) {
		writeTally(&b, verdicts)
	}
	if err := writeFits(&b, recorded); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// byPaper splits verdicts, which are in the order of their papers.
func byPaper(all []*Verdict) (parts [][]*Verdict) {
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(v *Verdict) bool { return v.Paper != all[0].Paper })
		if n < 0 {
			n = len(all)
		}
		parts, all = append(parts, all[:n]), all[n:]
	}
	return parts
}

// writeTally writes the row of a paper: for each kind, how many claims hold and how many
// there are.
func writeTally(b *strings.Builder, verdicts []*Verdict) {
	t := Count(verdicts)
	fmt.Fprintf(b, "| [%s](papers/%[1]s.md#claims) |", verdicts[0].Paper.Name)
	for _, k := range kinds() {
		if t.Claims[k] == 0 {
			b.WriteString(" - |")
			continue
		}
		fmt.Fprintf(b, " %d of %d |", t.Hold[k], t.Claims[k])
	}
	fmt.Fprintf(b, " %d |", t.Computed)
	if t.Chance.record() == nil {
		b.WriteString(" - | - |\n")
		return
	}
	share, random := t.Chance.Weighted()
	fmt.Fprintf(b, " %d of %d, %.1f | %.0f %%, %.0f %% |\n", t.Chance.Hold, t.Chance.Of, t.Chance.Random, 100*share, 100*random)
}

// writeDocs writes the claims of a paper: a picture, what failed, what is missing, all claims by kind.
func (p *Paper) writeDocs(b *strings.Builder, verdicts []*Verdict, r *Recorded) {
	fmt.Fprintf(b, "\n%s. %s.\n\n![simulated against published](../%s.svg)\n", p.Title, Count(verdicts), p.Name)
	failed := slices.DeleteFunc(slices.Clone(verdicts), func(v *Verdict) bool { return v.Pass || v.Judged == Withheld })
	if len(failed) > 0 {
		b.WriteString("\n**What does not come out**\n\n| claim | kind | published | here | the best explanation |\n|---|---|---|---|---|\n")
	}
	for _, v := range failed {
		fmt.Fprintf(b, "| %s: %s | %s | %s | %s | %s |\n", v.ID, cell(v.Text), v.Kind, v.within(), v.simulated(), cell(v.Explanation()))
	}
	p.writeMissing(b, r)
	for _, k := range kinds() {
		writeKind(b, k, verdicts)
	}
}

// cell writes a text into a table.
func cell(text string) string { return strings.ReplaceAll(cmp.Or(text, "none"), "|", "\\|") }

// within writes the published value and the tolerance.
func (v *Verdict) within() string {
	if v.Judged == Truth || v.Judged == Withheld || v.Tolerance == 0 {
		return v.published()
	}
	return v.published() + " ± " + digits(v.Tolerance)
}

// writeKind lists the claims of a kind. Those with the same basis stand together.
func writeKind(b *strings.Builder, k ClaimKind, verdicts []*Verdict) {
	of := slices.DeleteFunc(slices.Clone(verdicts), func(v *Verdict) bool { return v.Kind != k })
	if len(of) == 0 {
		return
	}
	fmt.Fprintf(b, "\n<details><summary>%s: %d</summary>\n\n| claim | place | published | here | | random machines |\n"+
		"|---|---|---|---|---|---|\n", k, len(of))
	for _, v := range of {
		mark := "yes"
		switch {
		case v.Judged == Withheld:
			mark = "-"
		case !v.Pass:
			mark = "**no**"
		}
		text := cell(v.Text)
		if v.Basis != "" {
			text += " — *" + cell(v.Basis) + "*"
		}
		fmt.Fprintf(b, "| %s: %s | %s | %s | %s | %s | %s |\n", v.ID, text, cell(v.Place), v.within(), v.simulated(), mark, v.Chance())
	}
	b.WriteString("\n</details>\n")
}

// writeScatter draws the scatter of a paper.
func writeScatter(w io.Writer, p *Paper, verdicts []*Verdict) error {
	return picture.Write(w, picture.SVG(), picture.Style{Width: 170, Points: 9}, 1,
		picture.Of(cmp.Or(scatter(p, verdicts), &report.Curves{})))
}
