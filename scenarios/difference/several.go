package difference

import (
	"cmp"
	"fmt"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
)

// Several are the differences from one run to each of several others.
type Several []*Difference

// Against returns the differences from the first side to each of the others.
func Against(first *Side, others []*Side) (all Several) {
	for _, s := range others {
		all = append(all, Between(first, s))
	}
	return all
}

// terms are the terms that change in any of the runs.
func (all Several) terms() (list []results.Term) {
	for t := range results.Term(numTerms) {
		if slices.ContainsFunc(all, func(d *Difference) bool { return changeOf(t, d.Terms) != 0 }) {
			list = append(list, t)
		}
	}
	return list
}

// Rows are a table with a row for each run: by how much its makespan is longer, and each
// term. The terms of a row add up to its change.
func (all Several) Rows() [][]string {
	terms := all.terms()
	head := []string{"", "change", ""}
	for _, t := range terms {
		head = append(head, TermName(t))
	}
	rows := [][]string{head}
	for _, d := range all {
		row := []string{d.B.Name, report.Change(d.Change.Seconds()), d.share(d.Change)}
		for _, t := range terms {
			row = append(row, report.Change(changeOf(t, d.Terms).Seconds()))
		}
		rows = append(rows, row)
	}
	return rows
}

// Title says what the table of Rows shows.
func (all Several) Title() string {
	return "Against " + all[0].A.Name + ": which terms grow and shrink"
}

// mostDrawn is how many of many runs are drawn.
const mostDrawn = 10

// shortest returns the differences to the shortest runs, the shortest first, if there are many.
func (all Several) shortest() Several {
	if len(all) <= mostDrawn {
		return all
	}
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(x, y *Difference) int { return cmp.Compare(x.B.Makespan, y.B.Makespan) })
	return order[:mostDrawn]
}

// figure has a bar for each run.
func (all Several) figure() *report.Bars {
	b := &report.Bars{Title: "Which terms grow and shrink", Note: "against " + all[0].A.Name,
		Unit: "s", Horizontal: true, Members: []string{""}}
	if shown := all.shortest(); len(shown) < len(all) {
		b.Note += fmt.Sprintf("; the %d shortest of %d runs, the shortest first", len(shown), len(all))
		all = shown
	}
	var rows [][]Change
	for _, d := range all {
		b.Groups = append(b.Groups, d.B.Name)
		b.Ends = append(b.Ends, d.ends(d.Change, d.Lead()))
		rows = append(rows, d.Terms)
	}
	b.Parts = stacked(rows)
	return b
}

// Section shows the differences on a page.
func (all Several) Section() report.Section {
	return report.Section{Title: all.Title(), Note: note, Figures: []report.Figure{all.figure()}, Table: report.Texts(all.Rows())}
}

// Charts are the charts of the section.
func (all Several) Charts() []report.Chart {
	if len(all) > 1 {
		return []report.Chart{{Name: report.OfTerms, Figure: all.figure()}}
	}
	return []report.Chart{{Name: report.OfTerms, Figure: all[0].waterfall()}, {Name: report.OfPhases, Figure: all[0].phaseFigure()}}
}
