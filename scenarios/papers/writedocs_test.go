package papers

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
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
	fmt.Fprintf(&b, "\n%s.\n\nAgainst chance: %s.\n\n%s.\n\n| paper | %s | withheld | predictions drawn: here, random machine | as good | "+
		"weighted: here, random machine |\n",
		tally, &tally.Chance, again, strings.Join(kindNames, " | "))
	fmt.Fprintf(&b, "|---|%s---|---|---|---|\n", strings.Repeat("---|", len(kindNames)))
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
		b.WriteString(" - | - | - |\n")
		return
	}
	share, random := t.Chance.Weighted()
	some, of := t.Chance.AsGood()
	fmt.Fprintf(b, " %d of %d, %.1f | %d of %d | %.0f %%, %.0f %% |\n", t.Chance.Hold, t.Chance.Of, t.Chance.Random, some, of, 100*share, 100*random)
}

// writeDocs writes the claims of a paper: a picture, what is not reproduced, trials, tables by cells, the other claims by kind.
func (p *Paper) writeDocs(b *strings.Builder, verdicts []*Verdict, r *Recorded) {
	fmt.Fprintf(b, "\n%s.\n\n![simulated against published](../%s.svg)\n", p.Title, p.Name)
	writeFailed(b, verdicts)
	p.writeMissing(b, r)
	writeTables(b, verdicts)
	for _, k := range kinds() {
		writeKind(b, k, verdicts)
	}
}

// writeFailed lists the claims that do not hold. Cells of a table with the same explanation have one row, with the
// cell that misses by most tolerances.
func writeFailed(b *strings.Builder, verdicts []*Verdict) {
	type row struct {
		worst *Verdict
		n     int
	}
	var rows []*row
	for _, v := range verdicts {
		if v.Pass || v.Judged == Withheld {
			continue
		}
		same := func(r *row) bool {
			return v.Cell != nil && r.worst.Cell != nil && r.worst.Text == v.Text && r.worst.Explanation() == v.Explanation()
		}
		if i := slices.IndexFunc(rows, same); i < 0 {
			rows = append(rows, &row{v, 1})
		} else if rows[i].n++; v.misses() > rows[i].worst.misses() {
			rows[i].worst = v
		}
	}
	if len(rows) == 0 {
		return
	}
	b.WriteString("\n**Not reproduced**\n\n| claim | place | kind | published | here | random machines | why |\n|---|---|---|---|---|---|---|\n")
	first := map[string]string{} // explanation -> the claim that has it in full
	for _, r := range rows {
		v, more, why := r.worst, "", r.worst.Explanation()
		if r.n > 1 {
			more = fmt.Sprintf(" (the worst of %d cells)", r.n)
		}
		if id, again := first[why]; again {
			why = "as " + id
		} else {
			first[why] = v.ID
		}
		fmt.Fprintf(b, "| %s: %s%s | %s | %s | %s | %s | %s | %s |\n", v.ID, cell(v.Text), more, cell(v.Place), v.Kind, v.within(),
			v.simulated(), v.Chance(), cell(why))
	}
}

// misses is the distance from the published value in tolerances.
func (v *Verdict) misses() float64 { return math.Abs(v.Simulated-v.Published) / v.Tolerance }

// writeTables counts the cells of each table that claims are read from.
func writeTables(b *strings.Builder, verdicts []*Verdict) {
	head := "\n**Tables, cell by cell**\n\n| cells | place | reproduced | withheld |\n|---|---|---|---|\n"
	for i, v := range verdicts {
		name := v.table()
		if name == "" || i > 0 && verdicts[i-1].table() == name {
			continue
		}
		t := Count(slices.DeleteFunc(slices.Clone(verdicts), func(w *Verdict) bool { return w.table() != name }))
		var held []string
		for _, k := range kinds() {
			if t.Claims[k] > 0 {
				held = append(held, fmt.Sprintf("%d of %d %s", t.Hold[k], t.Claims[k], k.counted()))
			}
		}
		withheld := strconv.Itoa(t.Computed) + " computed"
		if t.NotPredicted > 0 {
			withheld = strconv.Itoa(t.NotPredicted) + " not predicted"
		}
		fmt.Fprintf(b, "%s| %s: %s | %s | %s | %s |\n", head, name, cell(v.Text), cell(v.Place), strings.Join(held, ", "), withheld)
		head = ""
	}
}

// table names the table of a cell; "": the claim is no cell.
func (v *Verdict) table() string {
	if v.Cell == nil {
		return ""
	}
	name, _, _ := strings.Cut(v.ID, "/")
	return name
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

// writeKind lists the claims of a kind that hold, and those that are withheld, but not cells of tables. Of what holds
// by construction it lists names, by reason.
func writeKind(b *strings.Builder, k ClaimKind, verdicts []*Verdict) {
	of := slices.DeleteFunc(slices.Clone(verdicts), func(v *Verdict) bool {
		return v.Kind != k || v.Cell != nil || !v.Pass && v.Judged != Withheld
	})
	if len(of) == 0 {
		return
	}
	fmt.Fprintf(b, "\n<details><summary>%s and reproduced, or withheld: %d</summary>\n\n", k, len(of))
	if k == Construction {
		writeConstruction(b, of)
	} else {
		drawn := slices.ContainsFunc(of, func(v *Verdict) bool { return v.Chance().String() != "-" })
		b.WriteString("| claim | place | published | here |")
		if drawn {
			b.WriteString(" random machines |\n|---|---|---|---|---|\n")
		} else {
			b.WriteString("\n|---|---|---|---|\n")
		}
		first := map[string]string{} // basis -> the claim that has it in full
		for _, v := range of {
			text, basis := cell(v.Text), cell(v.Basis)
			if id, again := first[basis]; again {
				basis = "basis as " + id
			} else {
				first[basis] = v.ID
			}
			if v.Basis != "" {
				text += " — *" + basis + "*"
			}
			fmt.Fprintf(b, "| %s: %s | %s | %s | %s |", v.ID, text, cell(v.Place), v.within(), v.simulated())
			if drawn {
				fmt.Fprintf(b, " %s |", v.Chance())
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("\n</details>\n")
}

// writeConstruction lists claims by the reason for which they hold with any numbers.
func writeConstruction(b *strings.Builder, of []*Verdict) {
	names := map[string][]string{}
	var reasons []string
	for _, v := range of {
		if names[v.Basis] == nil {
			reasons = append(reasons, v.Basis)
		}
		names[v.Basis] = append(names[v.Basis], v.ID)
	}
	for _, reason := range reasons {
		fmt.Fprintf(b, "- *%s*: %s\n", reason, strings.Join(names[reason], ", "))
	}
}

// writeScatter draws the scatter of a paper.
func writeScatter(w io.Writer, p *Paper, verdicts []*Verdict) error {
	return picture.Write(w, picture.SVG(), picture.Style{Width: 170, Points: 9}, 1,
		picture.Of(cmp.Or(scatter(p, verdicts), &report.Curves{})))
}
