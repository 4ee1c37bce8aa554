package ospri

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"overlapsim/network/packet"
)

// Row is one measurement: of a Displacement, or of a Diagonal if it gives no displacement.
type Row struct {
	Op           Op
	Displacement []int
	Percent      int // of the nodes that take part
	Routing      packet.Routing
	Bytes        int64
	Measured     float64 // MiB/s of a Displacement, mean us per operation of a Diagonal
}

// Name names the experiment: "3 3 1", or "25% static".
func (r *Row) Name() string {
	if r.Displacement != nil {
		return fmt.Sprintf("%d %d %d", r.Displacement[0], r.Displacement[1], r.Displacement[2])
	}
	return fmt.Sprintf("%d%% %v", r.Percent, r.Routing)
}

// Simulate returns what the simulated benchmark measures for the row.
func (r *Row) Simulate(b Benchmark) (float64, error) {
	if r.Displacement != nil {
		return b.Displacement(r.Op, r.Displacement, r.Bytes)
	}
	l, err := b.Diagonal(r.Op, r.Percent, r.Bytes, r.Routing)
	return l.Mean, err
}

// Rows reads all measurements from a folder.
func Rows(folder string) ([]Row, error) {
	displacements, err := read(filepath.Join(folder, "contention-8x8x8-displacement.csv"), func(l *line) Row {
		return Row{Displacement: []int{l.integer("dx"), l.integer("dy"), l.integer("dz")}, Percent: 100, Measured: l.number("MiBps")}
	})
	if err != nil {
		return nil, err
	}
	diagonals, err := read(filepath.Join(folder, "contention-8x8x8-diagonal.csv"), func(l *line) Row {
		routing := packet.Routing(l.choice("routing", "static", "dynamic"))
		return Row{Percent: l.integer("percent_of_nodes"), Routing: routing, Measured: l.number("avg_us")}
	})
	return append(displacements, diagonals...), err
}

// read turns the lines of a CSV file with a header and comments into rows.
func read(name string, parse func(*line) Row) (rows []Row, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i := range records {
		if i == 0 {
			continue
		}
		l := &line{columns: records[0], fields: records[i]}
		row := parse(l)
		row.Op, row.Bytes = Op(l.choice("op", "put", "get")), int64(l.integer("bytes"))
		if l.err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", name, i, l.err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// line is a line of a table. It keeps the first error found.
type line struct {
	columns, fields []string
	err             error
}

func (l *line) field(column string) string {
	for i, c := range l.columns {
		if c == column {
			return l.fields[i]
		}
	}
	l.fault(fmt.Errorf("no column %q", column))
	return ""
}

func (l *line) fault(err error) {
	if l.err == nil && err != nil {
		l.err = err
	}
}

func (l *line) number(column string) float64 {
	x, err := strconv.ParseFloat(l.field(column), 64)
	l.fault(err)
	return x
}

func (l *line) integer(column string) int {
	x, err := strconv.Atoi(l.field(column))
	l.fault(err)
	return x
}

// choice returns the index of the word that the field holds.
func (l *line) choice(column string, words ...string) int {
	got := l.field(column)
	for i, w := range words {
		if got == w {
			return i
		}
	}
	l.fault(fmt.Errorf("%s: must be one of %v, got %q", column, words, got))
	return 0
}
