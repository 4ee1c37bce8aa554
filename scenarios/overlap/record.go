package overlap

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

// Printed is what overlap --json prints.
type Printed struct {
	Libraries []*SuiteRecord `json:"libraries"`
}

// NewPrinted returns the suites of some libraries as plain data.
func NewPrinted(libraries []*Library) *Printed {
	p := &Printed{Libraries: []*SuiteRecord{}}
	for _, l := range libraries {
		p.Libraries = append(p.Libraries, l.Record())
	}
	return p
}

// SuiteRecord is the suite of a library in the stable form for other programs: times in
// seconds, sizes in bytes.
type SuiteRecord struct {
	Name    string      `json:"name"`
	Machine string      `json:"machine"`
	Runtime string      `json:"runtime"`
	Sizes   []int64     `json:"bytes"`
	Maps    []MapRecord `json:"benchmarks"`
}

// MapRecord is a benchmark; rows are of compute_s or threads, columns of bytes.
type MapRecord struct {
	Name          string       `json:"name"`
	Compute       []float64    `json:"compute_s,omitempty"`
	Threads       []int        `json:"threads,omitempty"`
	Communication []float64    `json:"comm_s"`
	Measured      [][]float64  `json:"measured_s"`
	Ratio         [][]*float64 `json:"ratio"` // null: nothing to overlap
	Zones         *Zones       `json:"zones,omitempty"`
}

// Record returns the suite as plain data.
func (l *Library) Record() *SuiteRecord {
	r := &SuiteRecord{Name: l.Name, Machine: l.Machine.Name, Runtime: l.runtime(), Sizes: l.Sizes}
	for _, m := range l.Maps {
		one := MapRecord{Name: m.Name, Threads: m.Threads, Compute: inSeconds(m.Compute), Communication: inSeconds(m.Communication)}
		for _, row := range m.Cells {
			var measured []float64
			var ratios []*float64
			for _, c := range row {
				measured, ratios = append(measured, c.Measured.Seconds()), append(ratios, outcomes.Finite(c.Ratio))
			}
			one.Measured, one.Ratio = append(one.Measured, measured), append(one.Ratio, ratios)
		}
		if m.Threads == nil {
			zones := l.Zones(m)
			one.Zones = &zones
		}
		r.Maps = append(r.Maps, one)
	}
	return r
}

func (l *Library) runtime() string {
	if l.Machine.Runtime == nil {
		return ""
	}
	return l.Machine.Runtime.Name
}

func inSeconds(times []sim.Time) (all []float64) {
	for _, t := range times {
		all = append(all, t.Seconds())
	}
	return all
}

// WriteCSV writes a line for every point of every benchmark of every library.
func WriteCSV(w io.Writer, libraries []*Library) error {
	out := csv.NewWriter(w)
	head := []string{"library", "benchmark", "bytes", "compute_s", "threads", "comm_s", "measured_s", "ratio"}
	for term := range results.NumTerms {
		head = append(head, "ledger."+term.String()+"_s")
	}
	out.Write(head) // Error has its error
	for _, l := range libraries {
		for _, m := range l.Maps {
			for y, row := range m.Cells {
				for x, c := range row {
					out.Write(l.line(m, x, y, c))
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// line returns the cells of a point.
func (l *Library) line(m *Map, x, y int, c Cell) []string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	compute, threads, ratio := "", "", ""
	if !math.IsNaN(c.Ratio) {
		ratio = number(c.Ratio)
	}
	if m.Threads != nil {
		threads = strconv.Itoa(m.Threads[y])
	} else {
		compute = number(m.Compute[y].Seconds())
	}
	cells := []string{disk.Cell(l.Name), m.Name, strconv.FormatInt(l.Sizes[x], 10), compute, threads,
		number(m.Communication[x].Seconds()), number(c.Measured.Seconds()), ratio}
	for _, t := range c.Ledger {
		cells = append(cells, number(t.Seconds()))
	}
	return cells
}
