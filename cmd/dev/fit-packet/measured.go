package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"

	"overlapsim/network/packet"
	"overlapsim/network/packet/ospri"
)

// row is one measurement: of a displacement, or of a diagonal if it gives no displacement.
type row struct {
	op           ospri.Op
	displacement []int
	percent      int // of the nodes that take part
	routing      packet.Routing
	bytes        int64
	measured     float64 // MiB/s of a displacement, mean us per operation of a diagonal
}

// name names the experiment: "3 3 1", or "25% static".
func (r *row) name() string {
	if r.displacement != nil {
		return fmt.Sprintf("%d %d %d", r.displacement[0], r.displacement[1], r.displacement[2])
	}
	return fmt.Sprintf("%d%% %v", r.percent, r.routing)
}

// simulate returns what the simulated benchmark measures for the row.
func (r *row) simulate(b ospri.Benchmark) (float64, error) {
	if r.displacement != nil {
		return b.Displacement(r.op, r.displacement, r.bytes)
	}
	l, err := b.Diagonal(r.op, r.percent, r.bytes, r.routing)
	return l.Mean, err
}

// The measurements.
const (
	displacements = "cmd/dev/fit-packet/testdata/contention-8x8x8-displacement.csv"
	diagonals     = "cmd/dev/fit-packet/testdata/contention-8x8x8-diagonal.csv"
	twoNodes      = "scenarios/validation/bgp-point-to-point.csv"
)

// measured returns all measurements of contention.
func (s study) measured() (rows []row, err error) {
	far, err := s.table(displacements)
	if err != nil {
		return nil, err
	}
	for _, l := range far {
		rows = append(rows, row{op: l.op(), displacement: []int{int(l.number("dx")), int(l.number("dy")), int(l.number("dz"))},
			bytes: int64(l.number("bytes")), measured: l.number("MiBps")})
	}
	half, err := s.table(diagonals)
	for _, l := range half {
		routing := map[string]packet.Routing{"static": packet.Static, "dynamic": packet.Adaptive}[l["routing"]]
		rows = append(rows, row{op: l.op(), percent: int(l.number("percent_of_nodes")), routing: routing,
			bytes: int64(l.number("bytes")), measured: l.number("avg_us")})
	}
	return rows, err
}

// line is a line of a table, by column.
type line map[string]string

// number is a cell; 0: it was not measured.
func (l line) number(column string) float64 {
	x, _ := strconv.ParseFloat(l[column], 64)
	return x
}

func (l line) op() ospri.Op {
	if l["op"] == "get" {
		return ospri.Get
	}
	return ospri.Put
}

// table reads a CSV file with a header and comments.
func (s study) table(name string) (lines []line, err error) {
	file, err := os.Open(s.at(name))
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
	for _, record := range records[1:] {
		l := line{}
		for i, cell := range record {
			l[records[0][i]] = cell
		}
		lines = append(lines, l)
	}
	return lines, nil
}
