package sweep

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"overlapsim/scenarios/disk"
)

// WriteCSV writes the rows below a header line. Times are in seconds and sizes in bytes;
// missing values are empty.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	columns := t.columns()
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = disk.Cell(c.Name)
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for row := range t.Rows {
		for i, c := range columns {
			line[i] = c.cell(row)
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// cell writes an entry so that it is read back as the same number.
func (c *Column) cell(row int) string {
	if c.Texts != nil {
		return disk.Cell(c.Texts[row])
	}
	x := c.Numbers[row]
	switch {
	case math.IsNaN(x):
		return ""
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
