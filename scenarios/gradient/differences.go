package gradient

import (
	"fmt"
	"slices"

	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
)

// Differences returns the head and the rows of a table of finite differences: the value
// of each parameter, the change of the makespan where it is smaller and larger, and the
// elasticity over the largest step.
func Differences(o *outcomes.Outcome, noise *float64, all []sensitivity.Sensitivity) (head []string, rows [][]string) {
	if len(all) == 0 {
		return nil, nil
	}
	steps := across(all[0].Differences, func(d sensitivity.Difference) (string, string) {
		return percent(-d.Step), percent(d.Step)
	})
	head = slices.Concat([]string{"parameter", "value"}, steps, []string{"elasticity"})
	today := o.Result.Makespan().Seconds()
	for i := range all {
		s := &all[i]
		moved := across(s.Differences, func(d sensitivity.Difference) (string, string) {
			return told(d.Smaller/today-1, noise), told(d.Larger/today-1, noise)
		})
		rows = append(rows, slices.Concat([]string{s.Parameter, Value(s.Slope)}, moved, []string{elasticity(s, noise)}))
	}
	return head, rows
}

// across writes changes to both sides: the change of the smallest value of a parameter first,
// the change of the largest last.
func across(all []sensitivity.Difference, sides func(sensitivity.Difference) (smaller, larger string)) (cells []string) {
	for _, d := range slices.Backward(all) {
		smaller, _ := sides(d)
		cells = append(cells, smaller)
	}
	for _, d := range all {
		_, larger := sides(d)
		cells = append(cells, larger)
	}
	return cells
}

// DifferencesNote says what the table of differences shows.
const DifferencesNote = "Each column is a re-run with the parameter changed by that much; the numbers are changes of the makespan."

// span writes a step to both sides.
func span(d sensitivity.Difference) string { return fmt.Sprintf("±%g\u00a0%%", 100*d.Step) }

// strongest says which parameter moves the makespan most over a step.
func strongest(all []sensitivity.Sensitivity, noise *float64) string {
	s := most(all)
	switch {
	case s == nil && report.Noisy(noise):
		return " In re-runs what each parameter does is " + report.Below(*noise) + "."
	case s == nil:
		return " Re-runs with each parameter changed have the same makespan."
	}
	over := span(s.Differences[len(s.Differences)-1])
	return fmt.Sprintf(" In re-runs %s matters most: over %s its elasticity is %s.", s.Parameter, over, Elasticity(s.Elasticity))
}

// differenceTable is the table on the page.
func differenceTable(o *outcomes.Outcome, noise *float64, all []sensitivity.Sensitivity) *report.Table {
	head, rows := Differences(o, noise, all)
	if rows == nil {
		return nil
	}
	t := report.Texts(append([][]string{head}, rows...), 0)
	t.Note = DifferencesNote + cellNote(noise)
	return t
}
