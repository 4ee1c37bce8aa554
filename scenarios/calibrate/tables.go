package calibrate

import (
	"fmt"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// ParameterRows are the parameters below a head: value, what it may be, and how it was found.
func (r *Report) ParameterRows() [][]string {
	rows := [][]string{{"parameter", "value", "low", "high", "low to high", "how"}}
	for _, p := range r.Parameters {
		low, high, interval := amount(p.Low, p.Unit), amount(p.High, p.Unit), "95 %"
		switch {
		case p.Low == 0 && p.High == 0:
			low, high, interval = "-", "-", "-"
		case p.Bounds:
			interval = "bounds"
		}
		rows = append(rows, []string{p.Name, amount(p.Value, p.Unit), low, high, interval, p.Kind})
	}
	return rows
}

// amount writes a parameter with its unit.
func amount(x float64, unit string) string {
	switch unit {
	case "B":
		return fmt.Sprintf("%.0f B", x)
	case "s/B":
		return PerByte(x)
	}
	return report.Seconds(x)
}

// PerByte writes a time per byte. Less than a picosecond for each MiB is rounding, and
// written as 0.
func PerByte(seconds float64) string {
	const least = 1e-12 / (1 << 20)
	if seconds < least {
		return "0 ns"
	}
	return fmt.Sprintf("%.4g ns", seconds*1e9)
}

// ResidualRows are the relative errors of each quantity below a head, by protocol where there are two.
func (r *Report) ResidualRows() [][]string {
	rows := [][]string{{"quantity", "sizes", "median", "9 in 10 within", "most", "unseen: median", "9 in 10 within", "a line", "in logarithms",
		"nearest size", "repeated"}}
	for _, of := range r.residualsOf() {
		rows = append(rows, residualRow(of.name, of.Errors))
	}
	return rows
}

// ResidualNotes explain them.
var ResidualNotes = []string{
	"unseen: sizes that the fit has not seen, and next to it what a straight line, a line in logarithms from one size to the " +
		"next, and the nearest size say of them (medians)",
	"repeated: one half of the calls of a size against the other",
}

type namedErrors struct {
	name string
	Errors
}

// residualsOf are the errors of each quantity, by protocol where there are two.
func (r *Report) residualsOf() (all []namedErrors) {
	for _, q := range r.Data.Quantities() {
		protocols := r.ByProtocol(q)
		for _, of := range protocols {
			all = append(all, namedErrors{q.String() + ", " + of.Protocol, of.Errors})
		}
		if protocols == nil {
			all = append(all, namedErrors{q.String(), r.Errors(q)})
		}
	}
	return all
}

func residualRow(name string, e Errors) []string {
	row := []string{name, fmt.Sprint(e.Fit.Sizes)}
	for _, x := range []float64{e.Fit.Median, e.Fit.Tenth, e.Fit.Most} {
		row = append(row, report.Percent(x, 1))
	}
	for _, beside := range []struct {
		of Residuals
		x  float64
	}{{e.HeldOut, e.HeldOut.Median}, {e.HeldOut, e.HeldOut.Tenth}, {e.Line, e.Line.Median}, {e.Logs, e.Logs.Median},
		{e.Nearest, e.Nearest.Median}, {e.Repeat, e.Repeat.Median}} {
		if beside.of.Sizes == 0 {
			row = append(row, "-")
		} else {
			row = append(row, report.Percent(beside.x, 1))
		}
	}
	return row
}

// nearer is the share by which the median error of something simpler must be smaller to be
// reported.
const nearer = report.LeastShare / 2

// Worse says for which quantities something simpler is nearer to sizes that the fit has not seen.
func (r *Report) Worse() (all []string) {
	for _, of := range r.residualsOf() {
		by, least := "", of.HeldOut
		for _, one := range []struct {
			name string
			of   Residuals
		}{{"a straight line", of.Line}, {"a line in logarithms from one size to the next", of.Logs}, {"the time of the nearest size", of.Nearest}} {
			if one.of.Sizes > 0 && one.of.Median < least.Median {
				by, least = one.name, one.of
			}
		}
		if of.HeldOut.Sizes > 0 && least.Median < of.HeldOut.Median-nearer {
			all = append(all, fmt.Sprintf("%s: %s is nearer to sizes that the fit has not seen, %s instead of %s in the median.",
				keys.Capital(of.name), by, report.Percent(least.Median, 1), report.Percent(of.HeldOut.Median, 1)))
		}
	}
	return all
}

// verdict says in a sentence how far the machine is off.
func (r *Report) verdict() string {
	worst, where := -1.0, ""
	for _, of := range r.residualsOf() {
		e := of.Fit
		if of.HeldOut.Sizes > 0 {
			e = of.HeldOut
		}
		if e.Sizes > 0 && e.Median > worst {
			worst, where = e.Median, of.name
		}
	}
	if worst < 0 {
		return ""
	}
	return fmt.Sprintf("The machine gives the measured times within %s in the median; the farthest is %s.", report.Percent(worst, 1), where)
}

// details are the parts of the page below its charts.
func (r *Report) details() (all []report.Section) {
	rows := r.ParameterRows()
	rows[0] = append(rows[0], "source")
	for i, p := range r.Parameters {
		rows[i+1] = append(rows[i+1], p.Source)
	}
	all = append(all, report.Section{Title: "Parameters", Table: report.Texts(rows, 0, -3, -2, -1),
		Note: "Low and high are a 95 % interval, or the bounds that measured times give."},
		report.Section{Title: "Residuals", Note: strings.Join(ResidualNotes, "; ") + ".",
			Table: report.Texts(r.ResidualRows(), 0)})
	for _, part := range []struct {
		title     string
		sentences []string
	}{{"Who makes progress", r.Progress()}, {"Not determined, and what would determine it", r.Missing()}, {"Where the machine does not fit", r.Doubts()}} {
		if part.sentences != nil {
			rows := [][]string{{""}}
			for _, sentence := range part.sentences {
				rows = append(rows, []string{sentence})
			}
			all = append(all, report.Section{Title: part.title, Table: report.Texts(rows, 0)})
		}
	}
	return all
}
