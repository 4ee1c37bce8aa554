package gradient

import (
	"fmt"
	"slices"

	"overlapsim/scenarios"
	"overlapsim/scenarios/report"
)

// Differences are the columns of a table of finite differences, and its rows: the
// value of each parameter, by how much the makespan changes where it is smaller and
// larger, and the elasticity over the largest step.
func Differences(o *scenarios.Outcome, all []scenarios.Sensitivity) (head []string, rows [][]string) {
	today := o.Result.Makespan().Seconds()
	for i := range all {
		s := &all[i]
		if head == nil {
			steps := across(s.Differences, func(d scenarios.Difference) float64 { return -d.Step }, func(d scenarios.Difference) float64 { return d.Step })
			head = slices.Concat([]string{"parameter", "value"}, steps, []string{"elasticity"})
		}
		changes := across(s.Differences, func(d scenarios.Difference) float64 { return d.Smaller/today - 1 }, func(d scenarios.Difference) float64 { return d.Larger/today - 1 })
		rows = append(rows, slices.Concat([]string{s.Parameter, Value(s.Slope)}, changes, []string{Elasticity(s.Elasticity)}))
	}
	return head, rows
}

// across writes changes of the smallest value of a parameter first, of the largest last.
func across(all []scenarios.Difference, smaller, larger func(scenarios.Difference) float64) (cells []string) {
	for _, d := range slices.Backward(all) {
		cells = append(cells, percent(smaller(d)))
	}
	for _, d := range all {
		cells = append(cells, percent(larger(d)))
	}
	return cells
}

// DifferencesNote says what such a table shows.
const DifferencesNote = "Each column is a re-run with the parameter changed by that much; the numbers are changes of the makespan."

// span writes a step to both sides.
func span(d scenarios.Difference) string { return fmt.Sprintf("±%g\u00a0%%", 100*d.Step) }

// strongest says which parameter moves the makespan most over a step.
func strongest(all []scenarios.Sensitivity) string {
	s := most(all)
	if s == nil {
		return " Re-runs with each parameter changed have the same makespan."
	}
	return fmt.Sprintf(" In re-runs %s matters most: over %s its elasticity is %s.", s.Parameter, span(s.Differences[len(s.Differences)-1]), Elasticity(s.Elasticity))
}

// differenceTable is the table on the page.
func differenceTable(o *scenarios.Outcome, all []scenarios.Sensitivity) *report.Table {
	head, rows := Differences(o, all)
	if rows == nil {
		return nil
	}
	t := &report.Table{Head: head, Words: make([]bool, len(head)), Note: DifferencesNote}
	t.Words[0] = true
	for _, row := range rows {
		cells := make([]report.Cell, len(row))
		for i, text := range row {
			cells[i].Text = text
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
