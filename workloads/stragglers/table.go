package stragglers

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/workloads/inputs"
)

// row is an operation of a worker. Times are in seconds.
type row struct {
	dp, stage, seq  int
	step            int64
	kind            string
	start, duration float64
	chunk, global   int // of the model, in the stage and in all; -1: not given
}

// columns are the columns that are read.
var columns = []string{"dp_rank", "stage", "step", "optype", "start_ts", "duration", "seq_id", "mc", "gmc"}

// optionalFrom is the first of the columns that may be empty in a row.
const optionalFrom = 7

// longest is the longest time in seconds of an operation, and of a step.
var longest = machines.Longest.Seconds() / 4

// mostRows is the largest number of operations.
const mostRows = 20_000_000

// Begins tells whether a file with this beginning is a table of operations: CSV by its header, or
// another format of tables, such as Parquet, whose columns are at its end.
func Begins(path string, begin []byte) bool {
	if format := inputs.TableOf(begin); format != nil {
		t, err := format.Open(path)
		if err != nil {
			return false
		}
		defer t.Close()
		return lacks(t) == nil
	}
	line, _, _ := bytes.Cut(begin, []byte("\n"))
	return len(missing(strings.Split(strings.TrimSpace(string(line)), ","))) == 0
}

// missing are the needed columns that are not among names.
func missing(names []string) (all []string) {
	for _, c := range columns[:optionalFrom] {
		if index(names, c) < 0 {
			all = append(all, c)
		}
	}
	return all
}

func index(names []string, name string) int {
	for i, n := range names {
		if strings.Trim(n, `" `) == name {
			return i
		}
	}
	return -1
}

// read reads a table.
func read(path string) ([]row, error) {
	if format := inputs.TableOf(inputs.Begin(path)); format != nil {
		return readTable(path, format)
	}
	return readCSV(path)
}

// cells are the values of a row, in the order of columns; "" or NaN: empty.
type cells struct {
	texts   [9]string
	numbers [9]float64
}

// row makes an operation of cells.
func (c *cells) row() (row, error) {
	for i, name := range columns {
		x, least := c.numbers[i], 0.0
		if i >= optionalFrom {
			least = -1
		}
		switch {
		case name == "optype":
			if c.texts[i] == "" {
				return row{}, errors.New("optype: is empty")
			}
		case math.IsNaN(x) && i >= optionalFrom:
			c.numbers[i] = -1
		case name == "start_ts" || name == "duration":
			if math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) > 1e12 || name == "duration" && x < 0 {
				return row{}, fmt.Errorf("%s: must be a number of seconds, not negative for a duration, got %g", name, x)
			}
			if name == "duration" && x > longest {
				return row{}, fmt.Errorf("duration: is longer than a run can be, 53 days, got %g s", x)
			}
		case !(x >= least && x < 1<<31 && x == math.Trunc(x)):
			return row{}, fmt.Errorf("%s: must be a whole number from %g on, got %g", name, least, x)
		}
	}
	n := func(i int) int { return int(c.numbers[i]) }
	return row{dp: n(0), stage: n(1), step: int64(c.numbers[2]), kind: c.texts[3], start: c.numbers[4], duration: c.numbers[5], seq: n(6),
		chunk: n(7), global: n(8)}, nil
}

// readCSV reads a table in CSV.
func readCSV(path string) (all []row, err error) {
	f, err := inputs.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if lacking := missing(head); lacking != nil {
		return nil, fmt.Errorf("%s: has no column %s", path, strings.Join(lacking, ", "))
	}
	var at [9]int
	for i, c := range columns {
		at[i] = index(head, c)
	}
	for len(all) < mostRows {
		record, err := in.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		var c cells
		for i := range columns {
			c.numbers[i] = math.NaN()
			if at[i] < 0 || record[at[i]] == "" {
				continue
			}
			if c.texts[i] = record[at[i]]; columns[i] == "optype" {
				continue
			}
			if c.numbers[i], err = strconv.ParseFloat(c.texts[i], 64); err != nil {
				line, _ := in.FieldPos(at[i])
				return nil, fmt.Errorf("%s:%d: %s: must be a number, got %.40q", path, line, columns[i], c.texts[i])
			}
		}
		one, err := c.row()
		if err != nil {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		all = append(all, one)
	}
	return nil, fmt.Errorf("%s: has more than %d rows", path, mostRows)
}

// readTable reads a table of another format than text.
func readTable(path string, format *inputs.TableFormat) (all []row, err error) {
	t, err := format.Open(path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if err := lacks(t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if t.Count() > mostRows {
		return nil, fmt.Errorf("%s: has more than %d rows", path, mostRows)
	}
	err = t.Rows(columns, func(texts []string, numbers []float64) error {
		var c cells
		copy(c.texts[:], texts)
		copy(c.numbers[:], numbers)
		one, err := c.row()
		all = append(all, one)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// lacks returns an error if columns are missing.
func lacks(t inputs.Table) error {
	for _, c := range columns[:optionalFrom] {
		if !t.Has(c) {
			return fmt.Errorf("has no column %s", c)
		}
	}
	return nil
}
