package difference

import (
	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// Section shows the difference of two runs on a page.
func (d *Difference) Section() report.Section {
	s := report.Section{Title: d.Title(), Note: d.Lead() + " " + note}
	if len(d.Terms) > 0 {
		s.Figures = append(s.Figures, d.waterfall())
	}
	if len(d.Phases) > 0 {
		s.Figures = append(s.Figures, d.phaseFigure())
	}
	if s.Table = d.rankTable(); s.Table == nil {
		s.Note += " " + d.RankNote()
	}
	return s
}

// look is the title and the colour of a term.
func look(t results.Term) (title, color string) {
	if t == Ended {
		return "Ended", report.EndedColor
	}
	return report.TermTitle(t), report.TermColor(t)
}

const total = "#1d232c" // the colour of the difference

// step is a bar of the waterfall.
type step struct {
	name, color   string
	start, change sim.Time
	says          []string
}

// waterfall draws the terms one after the other: each begins where the one before ended.
func (d *Difference) waterfall() *report.Bars {
	var steps []step
	at := sim.Time(0)
	for _, c := range d.Terms {
		title, color := look(c.Term)
		steps = append(steps, step{title, color, at, c.Change, []string{title + ": " + d.amount(c.Change), fromTo(c.A, c.B)}})
		at += c.Change
	}
	steps = append(steps, step{"Makespan", total, 0, d.Change,
		[]string{"Makespan: " + d.amount(d.Change), fromTo(d.A.Makespan.Seconds(), d.B.Makespan.Seconds())}})
	b := &report.Bars{Title: "Which terms grow and shrink", Note: "each bar begins where the one before ends",
		Unit: "s", Horizontal: true, Members: []string{""}}
	for i, s := range steps {
		part := report.Part{Name: s.name, Color: s.color}
		for j := range steps {
			value := 0.0
			if i == j {
				value = s.change.Seconds()
			}
			part.Values = append(part.Values, []float64{value})
		}
		text := d.amount(s.change)
		b.Groups, b.Starts, b.Parts = append(b.Groups, s.name), append(b.Starts, s.start.Seconds()), append(b.Parts, part)
		b.Ends = append(b.Ends, report.Ends{Low: text, High: text, Says: s.says})
	}
	return b
}

func fromTo(a, b float64) string { return "from " + report.Seconds(a) + " to " + report.Seconds(b) }

// phaseFigure draws by how much each phase grows, in terms.
func (d *Difference) phaseFigure() *report.Bars {
	b := &report.Bars{Title: "Which phases grow and shrink", Unit: "s", Horizontal: true, Members: []string{""}}
	var rows [][]Change
	for _, p := range d.Phases {
		b.Groups = append(b.Groups, p.Name)
		b.Ends = append(b.Ends, d.ends(p.Change, p.Name+": "+d.amount(p.Change), fromTo(p.A, p.B), d.mostly(p.Terms)))
		rows = append(rows, p.Terms)
	}
	b.Parts = stacked(rows)
	return b
}

// ends writes a change at the end of its bar, to the side where it is.
func (d *Difference) ends(change sim.Time, says ...string) report.Ends {
	if change < 0 {
		return report.Ends{Low: d.amount(change), Says: says}
	}
	return report.Ends{High: d.amount(change), Says: says}
}

// stacked makes a part of each term that occurs in a row of changes.
func stacked(rows [][]Change) (parts []report.Part) {
	for t := range results.Term(numTerms) {
		title, color := look(t)
		p := report.Part{Name: title, Color: color}
		any := false
		for _, changes := range rows {
			change := changeOf(t, changes)
			any = any || change != 0
			p.Values = append(p.Values, []float64{change.Seconds()})
		}
		if any {
			parts = append(parts, p)
		}
	}
	return parts
}

func (d *Difference) rankTable() *report.Table {
	if d.Ranks == nil {
		return nil
	}
	t := report.Texts(append([][]string{{"Rank", d.A.Name, d.B.Name, "Change", "Of it"}}, d.RankRows()...), -1)
	t.Note = d.RankNote()
	return t
}
