package papers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/scenarios/report"
)

// Tables writes rows as a table, the first columns flush left; the first row is its head.
type Tables func(rows [][]string, left int) string

// Text is the figure as tables: a column for each series, and what the paper prints behind it.
func (a *Plate) Text(table Tables) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\nState: %s\n", a.Heading(), a.Paper.Title, a.Paper.Summary(a.Figure))
	for _, panel := range a.Panels {
		b.WriteString("\n")
		panel.write(&b, table, panel.Title != a.Figure.Title)
	}
	for _, o := range a.Timelines {
		fmt.Fprintf(&b, "\n%s\n%s", o.Name, table(spanRows(o.Result), 4))
	}
	for _, l := range a.Libraries {
		fmt.Fprintf(&b, "\n%s\n%s", l.Name, table(l.ZoneTable(), 1))
	}
	if len(a.Verdicts) > 0 {
		fmt.Fprintf(&b, "\nWhat the text says of it\n%s", table(a.claims(), 2))
	}
	return b.String()
}

// write writes a panel as a table.
func (a *Panel) write(b *strings.Builder, table Tables, titled bool) {
	if titled {
		fmt.Fprintf(b, "%s\n", a.Title)
	}
	if what := cmp.Or(a.Y.Name, a.Unit); what != "" {
		fmt.Fprintf(b, "values: %s\n", what)
	}
	if len(a.Parts) == 1 {
		b.WriteString(table(a.seriesRows(), 1))
	} else {
		b.WriteString(table(a.stackRows(), 2))
	}
}

// seriesRows are a row for each point.
func (a *Panel) seriesRows() [][]string {
	head := []string{cmp.Or(a.X.Name, "-")}
	for _, bar := range a.Bars {
		head = append(head, bar.Name)
		if bar.Printed != nil {
			head = append(head, "printed")
		}
	}
	rows := [][]string{head}
	for point, name := range a.Points {
		row := []string{name}
		for _, bar := range a.Bars {
			row = append(row, shown(bar.Values[0][point]))
			if bar.Printed != nil {
				row = append(row, shown(bar.Printed[point]))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// stackRows are a row for each bar.
func (a *Panel) stackRows() [][]string {
	head := slices.Concat([]string{cmp.Or(a.X.Name, "-"), "of"}, a.Parts, []string{"total"})
	printed := a.prints()
	if printed {
		head = append(head, "printed")
	}
	rows := [][]string{head}
	for point, name := range a.Points {
		for i := range a.Bars {
			bar := &a.Bars[i]
			row := []string{name, bar.Name}
			for _, piece := range bar.Values {
				row = append(row, shown(piece[point]))
			}
			row = append(row, shown(bar.Total(point)))
			if printed {
				row = append(row, shown(bar.printedAt(point)))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// prints tells whether the paper prints a value of the panel.
func (a *Panel) prints() bool {
	return slices.ContainsFunc(a.Bars, func(b PanelBar) bool { return b.Printed != nil })
}

func (b *PanelBar) printedAt(point int) float64 {
	if b.Printed == nil {
		return none
	}
	return b.Printed[point]
}

// shown writes a value of a figure.
func shown(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return report.Significant(x)
}

// claims are what the paper claims about the figure, with a row for each.
func (a *Plate) claims() [][]string {
	rows := [][]string{{"claim", "place", "published", "simulated", "reproduced"}}
	for _, v := range a.Verdicts {
		rows = append(rows, []string{v.ID, v.Place, v.published() + v.about(), v.simulated(), v.Status().short()})
	}
	return rows
}
