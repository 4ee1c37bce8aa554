package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sweep"
	"overlapsim/workloads"
)

// statusText describes the progress of a sweep.
func statusText(s sweep.Status) string {
	text := fmt.Sprintf("[%s] %d/%d", bar(s.Done, s.Total), s.Done, s.Total)
	if s.Failed > 0 {
		text += fmt.Sprintf(" %d failed", s.Failed)
	}
	if s.Tasks != "" {
		text += " " + s.Tasks
	}
	return text
}

// barWide is the number of characters of a progress bar.
const barWide = 20

// bar draws a fraction as a progress bar.
func bar(part, whole int) string {
	full := barWide
	if whole > 0 {
		full = part * barWide / whole
	}
	return strings.Repeat("#", full) + strings.Repeat("-", barWide-full)
}

// sayDamaged names the results that are run again because they have changed since they were
// written.
func sayDamaged(out io.Writer, damaged []string) {
	if n := len(damaged); n > 0 {
		fmt.Fprintf(out, "%s lost, damaged or edited, and run again: %s\n", keys.Plural(n, "result"), some(damaged))
	}
}

// mostRows is the largest number of points of a sweep that are printed.
const mostRows = 24

// printJSON prints the results of all points.
func (f *sweepFlags) printJSON(c *call, d *sweep.Dir) error {
	all, err := d.Printed()
	if err != nil {
		return err
	}
	return writeJSON(c.out, all)
}

// failure is the error of a sweep of which points failed.
func failure(t *sweep.Table) error {
	var lines []string
	for _, f := range t.Failures() {
		which := t.Point(f.Rows[0])
		if len(f.Rows) > 1 {
			which = "such as " + which
		}
		lines = append(lines, fmt.Sprintf("%d of %s failed, %s:\n  %s", len(f.Rows), keys.Plural(t.Rows, "point"), which,
			strings.ReplaceAll(f.Error, "\n", "\n  ")))
	}
	if lines == nil {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}

// print shows the results as text.
func (f *sweepFlags) print(p *printer, d *sweep.Dir, t *sweep.Table) error {
	p.heading(t.Plan.Title)
	p.print("%s\n\n", strings.Join(append([]string{t.Summary()}, t.Notes()...), "\n"))
	p.points(t)
	for i, end := range t.Best(report.Seconds) {
		if i == 0 {
			p.print("\n")
		}
		p.print("%s\n", end)
	}
	p.ranking(t)
	programs, err := d.Programs()
	if err != nil {
		return err
	}
	if len(programs) > 1 {
		p.print("\nThe points were run by different programs: %s\n", strings.Join(programs, "; "))
	}
	p.print("\nResults: %s\n", filepath.Join(f.out, sweep.CSVFile))
	p.print("         %s\n", filepath.Join(f.out, sweep.ParquetFile))
	p.print("Report:  %s\n", filepath.Join(f.out, sweep.PageFile))
	return p.err
}

// printDone prints the points that have a result, for a sweep that was told to stop.
func (f *sweepFlags) printDone(c *call, d *sweep.Dir) error {
	missing, err := d.Missing()
	if err != nil || f.json || len(missing) == len(d.Plan.Points) {
		return err
	}
	t, err := d.TableWithout(missing)
	if err != nil {
		return err
	}
	p := &printer{out: c.out}
	p.points(t)
	p.print("\n")
	return p.err
}

// points prints a table of the first points.
func (p *printer) points(t *sweep.Table) {
	rows := [][]string{{}}
	if t.Plan.Runs > 1 {
		rows[0] = append(rows[0], "run")
	}
	for _, f := range t.Plan.Factors {
		rows[0] = append(rows[0], f.Path)
	}
	left := len(rows[0])
	results := t.Shown()
	for _, result := range results {
		rows[0] = append(rows[0], result.Label())
	}
	for i := range min(t.Rows, mostRows) {
		var row []string
		if t.Plan.Runs > 1 {
			row = append(row, t.Plan.Points[i].Run)
		}
		for _, level := range t.Plan.Points[i].Levels {
			row = append(row, orDash(level))
		}
		for at, result := range results {
			row = append(row, cell(t, result, i, at == 0))
		}
		rows = append(rows, row)
	}
	p.grid(rows, left)
	if t.Rows > mostRows {
		p.print("and %d more\n", t.Rows-mostRows)
	}
}

// cell is a result of a point; the first cell of a point that failed says so.
func cell(t *sweep.Table, c *sweep.Column, row int, first bool) string {
	switch {
	case t.Errors[row] == "" && t.BelowNoise(c, row):
		return report.InCell
	case t.Errors[row] == "" && !math.IsNaN(c.Numbers[row]):
		return report.Metric(workloads.Metric{Name: c.Name, Value: c.Numbers[row]})
	case first && t.Errors[row] != "":
		return "failed"
	}
	return report.Dash
}

// ranking prints which paths move the makespan most.
func (p *printer) ranking(t *sweep.Table) {
	result := t.Main()
	if len(t.Plan.Factors) < 2 || len(result) == 0 {
		return
	}
	rows := [][]string{{"", "least at", "", "most at", ""}}
	for _, e := range t.Effects(result[0]) {
		row := []string{"  " + e.Path, e.Nothing()}
		if row[1] == "" {
			row = []string{row[0], e.LowAt, signed(e.Low), e.HighAt, signed(e.High)}
		}
		rows = append(rows, row)
	}
	if len(rows) > 1 {
		p.print("\nWhat moves the %s most (%s)\n", result[0].Label(), t.Against(result[0]))
		p.grid(rows, 2)
	}
}

// signed writes a difference of times.
func signed(s float64) string {
	if s > 0 {
		return "+" + report.Seconds(s)
	}
	return report.Seconds(s)
}
