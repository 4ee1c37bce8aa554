// Package calibrate makes a machine from measurements: it turns message times of a real
// cluster into the parameters of a machine file, and compares the machine's times with
// the measured ones.
//
// Measurements are CSV files (or .csv.gz) of four columns: MPI call, bytes, start and
// duration, in seconds. The calls identify three experiments:
//
//	Isend     MPI_Isend alone: the CPU time of starting a send
//	Recv      MPI_Recv long after the message was sent, so that an eager one is there
//	PingPong  an MPI_Send, then the MPI_Recv of the answer, which has the same
//	          start; half their sum is the one-way time
package calibrate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Quantity is a time that is measured by message size.
type Quantity uint8

// The quantities.
const (
	SendCPU Quantity = iota // CPU time of MPI_Isend
	LateReceive
	OneWay
	numQuantities
)

func (q Quantity) String() string {
	return [...]string{"Isend CPU time", "late receive", "one-way time"}[q]
}

// Samples are the times in seconds of each size, in the order of the file.
type Samples map[int64][]float64

// Data are the measurements of a cluster.
type Data struct {
	Files   []string
	Passed  []string // files that hold none of the experiments, and why
	Samples [numQuantities]Samples
}

// leastSizes is the number of sizes that a fit needs, so that half of them are enough for a fit too.
const leastSizes = 4 * leastPoints

// Read reads measurements. All mistakes are returned, joined.
func Read(files []string) (*Data, error) {
	d := &Data{}
	for q := range d.Samples {
		d.Samples[q] = Samples{}
	}
	var wrong []error
	for _, name := range files {
		err := d.read(name)
		if other := (*otherExperiment)(nil); errors.As(err, &other) {
			d.Passed = append(d.Passed, err.Error())
		} else if err != nil {
			wrong = append(wrong, err)
		} else {
			d.Files = append(d.Files, name)
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	for q, s := range d.Samples {
		if n := len(s.Medians()); n < leastSizes {
			wrong = append(wrong, fmt.Errorf("%s: at least %d message sizes are needed, got %d; give files with %s",
				Quantity(q), leastSizes, n, [...]string{"MPI_Isend alone", "MPI_Recv alone", "an MPI_Send and an MPI_Recv in turn"}[q]))
		}
	}
	if len(wrong) > 0 {
		for _, passed := range d.Passed {
			wrong = append(wrong, errors.New(passed))
		}
	}
	return d, errors.Join(wrong...)
}

// row is a line of a file.
type row struct {
	call    string
	bytes   int64
	seconds float64
}

func (d *Data) read(name string) error {
	text, err := os.ReadFile(name)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return fmt.Errorf("%s: cannot be read: %w", name, path.Err)
	} else if err != nil {
		return err
	}
	if bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		if text, err = unzip(text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	rows, err := parse(name, text)
	if err != nil {
		return err
	}
	return d.sort(name, rows)
}

func unzip(text []byte) ([]byte, error) {
	in, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

// columns of a file of measurements.
const columns = 4

// otherExperiment is a file with nothing to calibrate from.
type otherExperiment struct{ name, what string }

func (e *otherExperiment) Error() string {
	return fmt.Sprintf("%s: passed over, as it %s; an experiment has 4 columns, and MPI_Isend alone, MPI_Recv alone, or an MPI_Send and an "+
		"MPI_Recv in turn", e.name, e.what)
}

// mostMistakes is the largest number of bad lines of a file that are listed.
const mostMistakes = 10

// parse reads the lines of a file; a first line without numbers is a heading.
func parse(name string, text []byte) (rows []row, err error) {
	in := csv.NewReader(bufio.NewReader(bytes.NewReader(text)))
	in.FieldsPerRecord, in.ReuseRecord, in.Comment = -1, true, '#'
	in.TrimLeadingSpace = true
	var wrong []error
	for {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		r, err := parseRow(record)
		if err != nil && line == 1 && !strings.ContainsAny(strings.Join(record[1:], ""), "0123456789") {
			continue
		}
		if err != nil && line == 1 && len(record) != columns {
			return nil, &otherExperiment{name, fmt.Sprintf("has %d columns", len(record))}
		}
		if err != nil && len(wrong) == mostMistakes {
			wrong = append(wrong, fmt.Errorf("%s: and more", name))
			break
		} else if err != nil {
			wrong = append(wrong, fmt.Errorf("%s:%d: %w", name, line, err))
		}
		rows = append(rows, r)
	}
	if wrong != nil {
		return nil, errors.Join(wrong...)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: has no lines; they are call, bytes, start and duration in s", name)
	}
	return rows, nil
}

func parseRow(record []string) (r row, err error) {
	if len(record) != columns {
		return r, fmt.Errorf("has %d columns; they are call, bytes, start and duration in s", len(record))
	}
	for i := range record {
		record[i] = strings.TrimSpace(record[i])
	}
	r.call = strings.Clone(record[0])
	if r.bytes, err = strconv.ParseInt(record[1], 10, 64); err != nil || r.bytes < 0 {
		return r, fmt.Errorf("column 2 must be a number of bytes, got %s", record[1])
	}
	for i := 2; i < 4; i++ {
		if r.seconds, err = strconv.ParseFloat(record[i], 64); err != nil || math.IsInf(r.seconds, 0) || math.IsNaN(r.seconds) {
			return r, fmt.Errorf("column %d must be a time in s, got %s", i+1, record[i])
		}
	}
	if r.seconds < 0 {
		return r, fmt.Errorf("column 4 must not be a negative duration, got %s", record[3])
	}
	return r, nil
}

// sort adds the rows of a file to the quantity that they measure.
func (d *Data) sort(name string, rows []row) error {
	calls := map[string]bool{}
	for _, r := range rows {
		calls[r.call] = true
	}
	switch {
	case len(calls) == 1 && calls["MPI_Isend"]:
		d.add(SendCPU, rows)
	case len(calls) == 1 && calls["MPI_Recv"]:
		d.add(LateReceive, rows)
	case len(calls) == 2 && calls["MPI_Send"] && calls["MPI_Recv"]:
		return d.pairs(name, rows)
	default:
		return &otherExperiment{name, "has " + strings.Join(keys(calls), ", ")}
	}
	return nil
}

func (d *Data) add(q Quantity, rows []row) {
	for _, r := range rows {
		d.Samples[q][r.bytes] = append(d.Samples[q][r.bytes], r.seconds)
	}
}

// pairs adds a ping-pong: half of the time of a send and the receive after it.
func (d *Data) pairs(name string, rows []row) error {
	if len(rows)%2 != 0 {
		return fmt.Errorf("%s: has an odd number of lines; an MPI_Send and its MPI_Recv come in turn", name)
	}
	for i := 0; i < len(rows); i += 2 {
		send, receive := rows[i], rows[i+1]
		if send.call != "MPI_Send" || receive.call != "MPI_Recv" || send.bytes != receive.bytes {
			return fmt.Errorf("%s: lines %d and %d of data must be an MPI_Send and its MPI_Recv, got %s of %d B and %s of %d B",
				name, i+1, i+2, send.call, send.bytes, receive.call, receive.bytes)
		}
		d.Samples[OneWay][send.bytes] = append(d.Samples[OneWay][send.bytes], (send.seconds+receive.seconds)/2)
	}
	return nil
}

func keys(set map[string]bool) []string {
	var all []string
	for k := range set {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// Medians returns the median time of each size, in ascending order of size, except sizes
// whose median is too short for the clock (0).
func (s Samples) Medians() []Point {
	var points []Point
	for b, times := range s {
		if t := median(times); t > 0 {
			points = append(points, Point{Bytes: b, Seconds: t})
		}
	}
	slices.SortFunc(points, func(a, b Point) int { return int(a.Bytes - b.Bytes) })
	return points
}

// median returns the middle of the times, 0 of none.
func median(times []float64) float64 {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
