package cli

import (
	"overlapsim/scenarios/difference"
	"overlapsim/scenarios/report"
)

// differencesOf returns the differences from the first run to each of the others.
func differencesOf(made []outcome) difference.Several {
	var sides []*difference.Side
	for _, o := range made {
		if o.Outcome == nil {
			sides = append(sides, difference.OfRecord(o.record))
		} else {
			sides = append(sides, difference.Of(o.Outcome))
		}
	}
	return difference.Against(sides[0], sides[1:])
}

// differenceSection shows two runs in detail, and more in one picture.
func differenceSection(all difference.Several) report.Section {
	if len(all) == 1 {
		return all[0].Section()
	}
	return all.Section()
}

// difference prints where the time of the runs goes differently.
func (p *printer) difference(all difference.Several) {
	if len(all) > 1 {
		p.print("\n%s\n", all.Title())
		p.grid(all.Rows(), 1)
		return
	}
	d := all[0]
	if len(d.Terms) == 0 {
		p.print("\n%s\n", d.Lead())
		return
	}
	p.print("\n%s\n", d.Title())
	p.grid(d.TermRows(), 1)
	if len(d.Phases) > 0 {
		p.print("\n")
		p.table(difference.PhaseHead, d.PhaseRows(), 1)
	}
	p.print("\n%s\n", d.RankNote())
	if len(d.Ranks) > 0 {
		p.table(difference.RankHead, d.RankRows(), 0)
	}
}

// table prints a head and rows whose last column holds words.
func (p *printer) table(head []string, rows [][]string, left int) {
	rows = append([][]string{head}, rows...)
	flushLeft(rows, len(head)-1)
	p.grid(rows, left)
}
