// Package calibrate makes a machine from measurements: it turns message times of a real
// cluster into the parameters of a machine file, and compares the machine's times with
// the measured ones. Package outputs reads the files.
package calibrate

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/scenarios/calibrate/outputs"
)

// Data are the measurements of a cluster.
type Data struct {
	Files    []string
	Passed   []string // files without a test that is used, and why
	Samples  [numQuantities]Samples
	Sources  [numQuantities][]string // files and lines
	Beside   []outputs.Table         // non-blocking collectives during computation
	GPUs     []outputs.Table         // collectives of GPUs
	Together []outputs.Table         // windows of several pairs of processes at once
	tables   [numQuantities][]outputs.Table
	pairs    int // of Crowd, the most of Together

	limit limiter // the token bucket behind which they were measured; without keys: there was none
}

// newData returns data without samples.
func newData(files []string) *Data {
	d := &Data{Files: files}
	for q := range d.Samples {
		d.Samples[q] = Samples{}
	}
	return d
}

// Read reads measurements. All mistakes are returned, joined.
func Read(files []string) (*Data, error) {
	d := newData(nil)
	var wrong []error
	for _, name := range files {
		tables, passed, err := outputs.Read(name)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		d.Passed = append(d.Passed, passed...)
		if len(tables) > 0 {
			d.Files = append(d.Files, name)
		}
		for _, t := range tables {
			d.add(t)
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return d, d.enough()
}

// add assigns a table to the quantity that it measures.
func (d *Data) add(t outputs.Table) {
	t.File = short(t.File)
	q, known := quantity(t.Test)
	switch {
	case t.Test == outputs.Nonblocking:
		d.Beside = append(d.Beside, t)
	case t.Test == outputs.Collective && len(d.GPUs) > 0 && (t.Name != d.GPUs[0].Name || t.Processes != d.GPUs[0].Processes):
		d.Passed = append(d.Passed, fmt.Sprintf("%s: skipped: %s of %d GPUs; the first file has %s of %d", t.Where(), t.Name, t.Processes,
			d.GPUs[0].Name, d.GPUs[0].Processes))
	case t.Test == outputs.Collective:
		d.GPUs = append(d.GPUs, t)
		d.take(q, t)
	case t.Test == outputs.Stream && t.Pairs > 1:
		d.Together = append(d.Together, t)
		d.crowd(t)
	case !known || t.Processes > 2:
		d.Passed = append(d.Passed, fmt.Sprintf("%s: skipped: %s of %d processes; only the output of 2 is alone on the wire", t.Where(), t.Name,
			t.Processes))
	default:
		d.take(q, t)
	}
}

// crowd takes windows of the most pairs at once, with the time from message to message of all pairs.
func (d *Data) crowd(t outputs.Table) {
	if t.Pairs > d.pairs {
		d.pairs, d.Samples[Crowd], d.Sources[Crowd], d.tables[Crowd] = t.Pairs, Samples{}, nil, nil
	}
	if t.Pairs < d.pairs {
		return
	}
	t.Rows = slices.Clone(t.Rows)
	for i := range t.Rows {
		t.Rows[i].Seconds /= float64(t.Pairs)
	}
	d.take(Crowd, t)
}

// take adds the rows of a table to a quantity.
func (d *Data) take(q Quantity, t outputs.Table) {
	d.Sources[q] = append(d.Sources[q], t.Where())
	d.tables[q] = append(d.tables[q], t)
	for _, r := range t.Rows {
		d.Samples[q][r.Bytes] = append(d.Samples[q][r.Bytes], r.Seconds)
	}
}

// short is the name of a file with the name of its folder, which often names the machine.
func short(file string) string {
	folder := filepath.Base(filepath.Dir(file))
	if folder == "." || folder == string(filepath.Separator) || folder == ".." {
		return filepath.Base(file)
	}
	return folder + "/" + filepath.Base(file)
}

// enough returns an error if the data determine no parameter.
func (d *Data) enough() error {
	if len(d.Samples[OneWay].Medians()) > 0 || len(d.Samples[Stream].Medians()) > 0 || len(d.Samples[Collective].Medians()) > 0 {
		return nil
	}
	wrong := []error{errors.New("no file has message times between two processes: give the output of osu_latency, IMB PingPong, NetPIPE or " +
		"netgauge, or a log with an MPI_Send and an MPI_Recv in turn")}
	for _, passed := range d.Passed {
		wrong = append(wrong, errors.New(passed))
	}
	if len(d.Beside) > 0 {
		wrong = append(wrong, errors.New("non-blocking collectives tell who makes progress; give them together with message times"))
	}
	return errors.Join(wrong...)
}

// gpusOnly tells whether there are collectives of GPUs, and no messages of two processes.
func (d *Data) gpusOnly() bool { return len(d.Samples[OneWay]) == 0 && len(d.Samples[Stream]) == 0 }

// Half returns the measurements of every second size, and those that were too short for the clock.
func (d *Data) Half(second bool) *Data {
	half := *d
	for q, s := range d.Samples {
		half.Samples[q] = maps.Clone(s)
		for i, p := range s.Medians() {
			if i%2 == 1 != second {
				delete(half.Samples[q], p.Bytes)
			}
		}
	}
	return &half
}

// medians returns the medians of every quantity.
func (d *Data) medians() (points [numQuantities][]Point) {
	for q, s := range d.Samples {
		points[q] = s.Medians()
	}
	return points
}

// where names the lines that a quantity was read from.
func (d *Data) where(q Quantity) string { return strings.Join(d.Sources[q], ", ") }

// source names the measurements: by their folder if they have one in common.
func (d *Data) source() string {
	common := ""
	var names []string
	for i, file := range d.Files {
		file = short(file)
		folder, name, ok := strings.Cut(file, "/")
		if !ok {
			folder, name = "", file
		}
		if i == 0 {
			common = folder
		} else if folder != common {
			common = ""
		}
		names = append(names, name)
	}
	if common != "" {
		return common
	}
	return strings.Join(names, ", ")
}
