package validation

import (
	"fmt"
	"math"

	"overlapsim/scenarios/keys"
)

// Figures are the rows of a file of the library, for those who judge the same figures in another way.
type Figures struct{ table *table }

// OpenFigures reads a file of the library. The error is of type keys.Problems.
func OpenFigures(file string) (Figures, error) {
	var problems keys.Problems
	text, err := library.ReadFile(file)
	if err != nil {
		problems.Add(keys.Place{File: "validation/" + file, Line: 1, Column: 1}, "", "is no file of rows of the library")
		return Figures{}, problems
	}
	return Figures{parse("validation/"+file, text, nil, &problems)}, problems.Err()
}

// At returns the number in a column of the one row whose cells are these, by column. It is NaN if there is
// no such row, or its cell is empty.
func (f Figures) At(column string, cells map[string]any) (float64, error) {
	var problems keys.Problems
	if f.table.column(column) < 0 {
		return 0, fmt.Errorf("%s has no column %s", f.table.file, column)
	}
	var found *line
	for i := range f.table.rows {
		l := &f.table.rows[i]
		switch agrees, err := f.agrees(l, cells); {
		case err != nil:
			return 0, err
		case agrees && found != nil:
			return 0, fmt.Errorf("%s has two rows of %v", f.table.file, cells)
		case agrees:
			found = l
		}
	}
	if found == nil || f.table.text(found, column) == "" {
		return math.NaN(), nil
	}
	x, _ := f.table.number(found, column, &problems)
	return x, problems.Err()
}

// agrees tells whether a row has these cells.
func (f Figures) agrees(l *line, cells map[string]any) (bool, error) {
	for column, want := range cells {
		if f.table.column(column) < 0 {
			return false, fmt.Errorf("%s has no column %s", f.table.file, column)
		}
		if f.table.text(l, column) != fmt.Sprint(want) {
			return false, nil
		}
	}
	return true, nil
}
