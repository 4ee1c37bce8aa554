package papers

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"overlapsim/scenarios/report"
)

// WriteText writes the figure as tables: a column for each series, and what the paper prints
// behind it.
func (a *Plate) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\nState: %s\n", a.Heading(), a.Paper.Title, a.Paper.Summary(a.Figure))
	for _, panel := range a.Panels {
		b.WriteString("\n")
		panel.write(&b, panel.Title != a.Figure.Title)
	}
	for _, o := range a.Timelines {
		fmt.Fprintf(&b, "\n%s\n", o.Name)
		writeSpans(&b, o.Result)
	}
	for _, l := range a.Libraries {
		fmt.Fprintf(&b, "\n%s\n", l.Name)
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, row := range l.ZoneTable() {
			fmt.Fprintln(table, strings.Join(row, "\t"))
		}
		table.Flush()
	}
	a.writeClaims(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes a panel as a table.
func (a *Panel) write(b *strings.Builder, titled bool) {
	if titled {
		fmt.Fprintf(b, "%s\n", a.Title)
	}
	if what := cmp.Or(a.Y.Name, a.Unit); what != "" {
		fmt.Fprintf(b, "values: %s\n", what)
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	if len(a.Parts) == 1 {
		a.writeSeries(table)
	} else {
		a.writeStacks(table)
	}
	table.Flush()
}

// writeSeries writes a line for each point.
func (a *Panel) writeSeries(w io.Writer) {
	fmt.Fprint(w, cmp.Or(a.X.Name, "-"))
	for _, bar := range a.Bars {
		fmt.Fprintf(w, "\t%s", bar.Name)
		if bar.Printed != nil {
			fmt.Fprint(w, "\tprinted")
		}
	}
	fmt.Fprintln(w)
	for point, name := range a.Points {
		fmt.Fprint(w, name)
		for _, bar := range a.Bars {
			fmt.Fprintf(w, "\t%s", shown(bar.Values[0][point]))
			if bar.Printed != nil {
				fmt.Fprintf(w, "\t%s", shown(bar.Printed[point]))
			}
		}
		fmt.Fprintln(w)
	}
}

// writeStacks writes a line for each bar.
func (a *Panel) writeStacks(w io.Writer) {
	fmt.Fprintf(w, "%s\t\t%s\ttotal", cmp.Or(a.X.Name, "-"), strings.Join(a.Parts, "\t"))
	printed := a.prints()
	if printed {
		fmt.Fprint(w, "\tprinted")
	}
	fmt.Fprintln(w)
	for point, name := range a.Points {
		for i := range a.Bars {
			bar := &a.Bars[i]
			fmt.Fprintf(w, "%s\t%s", name, bar.Name)
			for _, piece := range bar.Values {
				fmt.Fprintf(w, "\t%s", shown(piece[point]))
			}
			fmt.Fprintf(w, "\t%s", shown(bar.Total(point)))
			if printed {
				fmt.Fprintf(w, "\t%s", shown(bar.printedAt(point)))
			}
			fmt.Fprintln(w)
		}
	}
}

// prints tells whether the paper prints a value of the panel.
func (a *Panel) prints() bool {
	for _, bar := range a.Bars {
		if bar.Printed != nil {
			return true
		}
	}
	return false
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

// writeClaims writes what the paper claims about the figure.
func (a *Plate) writeClaims(b *strings.Builder) {
	if len(a.Verdicts) == 0 {
		return
	}
	fmt.Fprintf(b, "\nWhat the text says of it\n")
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "claim\tplace\tpublished\tsimulated\tunit\tstatus\n")
	for _, v := range a.Verdicts {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", v.ID, v.Place, v.published(), v.simulated(), v.shownUnit(), v.Status())
	}
	table.Flush()
}
