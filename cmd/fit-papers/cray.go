package main

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"

	"overlapsim/scenarios/least"
	"overlapsim/scenarios/papers"
	"overlapsim/workloads/dense"
)

// The fit "cray" finds the values that Gonzalez-Dominguez et al. measured on Hopper and
// did not print: efficiencies of dgemm, dtrsm and dpotrf, L, C_avg and C_max. It uses all
// published cells of Tables II to V at once, except likely misprints: those that
// cray.yaml marks used_in_fit. docs/cray.md has the reasons for the form of the
// functions.

// quantity is a parameter of the fit: its value at the start of the search, and the
// standard deviation of its logarithm before the fit (0: not known).
type quantity struct {
	name  string
	start float64
	known float64
}

// sizes of dgemm whose efficiency is a parameter of its own; Table II fixes them.
var gemmSizes = []int{128, 256, 512, 1024, 2048, 4096}

// distances at which C_avg is a parameter; between, its logarithm is linear in
// log2 d.
var knots = []int{1, 4, 16, 64, 256, 1024, 4096, 16384}

// processes for which C_max is tabulated: those of Tables II to V and of their
// layers.
var processes = []int{64, 256, 1024, 4096, 16384, 65536}

// crayQuantities are the parameters. The values of dgemm that Table II fixes are known to
// the printed digits. The efficiencies of dtrsm and dpotrf for large blocks are guesses
// below dgemm's 0.81, and L is that of a put on Gemini.
func crayQuantities() []quantity {
	var q []quantity
	for i, e := range []float64{0.35, 0.62, 0.79, 0.84, 0.85, 0.81} {
		q = append(q, quantity{fmt.Sprint("dgemm at ", gemmSizes[i]), e, 0.005})
	}
	q = append(q,
		quantity{"dtrsm of large blocks", 0.8, 0.05},
		quantity{"dtrsm half size", 1000, 1},
		quantity{"dtrsm steepness", 1, 0.5},
		quantity{"dpotrf of large blocks", 0.7, 0.05},
		quantity{"dpotrf half size", 1000, 1},
		quantity{"dpotrf steepness", 1, 0.5},
		quantity{"latency, us", 1.5, 0.3},
		quantity{"C_avg(1) - 1", 1, 3},
	)
	for i := 1; i < len(knots); i++ {
		q = append(q, quantity{fmt.Sprintf("ln C_avg(%d) / C_avg(%d)", knots[i], knots[i-1]), 0.5, 3})
	}
	for _, p := range processes {
		for i := range places {
			at := float64(i) / (places - 1)
			d := math.Pow(float64(p)/2, at)
			q = append(q, quantity{fmt.Sprintf("C_max(%d, (p/2)^%.2g)", p, at), 2 * math.Pow(d, 0.3) * math.Pow(float64(p)/64, 0.3), 0})
		}
	}
	return q
}

// crayFit is the search.
type crayFit struct {
	quantities []quantity
	cells      []*papers.Claim
}

// places is the number of distances from 1 to p/2, at equal ratios, that have a C_max of
// their own. Between them its logarithm is linear in log2 d.
const places = 6

// machine makes the tables of a choice of parameters.
func (f *crayFit) machine(x []float64) papers.DenseMachine {
	v := make([]float64, len(x))
	for i := range x {
		v[i] = math.Exp(x[i])
	}
	m := papers.DenseMachine{Peak: 8.4e9, Threads: 6, Layers: 4, Bandwidth: 5.8e9}
	m.Gemm, v = gemm(v)
	m.Trsm, v = saturating(v)
	m.Potrf, v = saturating(v)
	m.Latency, v = v[0]*1e-6, v[1:]
	logs := []float64{math.Log1p(v[0])}
	for i := 1; i < len(knots); i++ {
		logs = append(logs, logs[i-1]+v[i])
	}
	average := func(d int) float64 { return math.Exp(between(math.Log2(float64(d))/2, logs)) }
	m.Average = tabulate(0, processes[len(processes)-1], average)
	maximum := v[len(knots):]
	for i, p := range processes {
		logs := make([]float64, places)
		for j := range logs {
			logs[j] = math.Log(maximum[places*i+j])
		}
		m.Maximum = append(m.Maximum, tabulate(p, p, func(d int) float64 {
			at := math.Log2(float64(d)) / math.Log2(float64(p)/2)
			return max(average(d), math.Exp(between((places-1)*at, logs)))
		}))
	}
	return m
}

// between interpolates linearly between values at 0, 1, 2, ...; the last piece is
// continued.
func between(x float64, y []float64) float64 {
	i := min(int(x), len(y)-2)
	return y[i] + (x-float64(i))*(y[i+1]-y[i])
}

// tabulate lists a factor at the powers of two up to p/2.
func tabulate(name, p int, f func(d int) float64) papers.DenseFactors {
	t := papers.DenseFactors{Processes: name}
	for d := 1; d <= p/2; d *= 2 {
		t.Distances = append(t.Distances, d)
		t.Factors = append(t.Factors, f(d))
	}
	return t
}

// gemm takes the efficiencies of dgemm. Below the smallest size its slope on logarithmic
// scales is continued.
func gemm(v []float64) (dense.Efficiency, []float64) {
	slope := v[0] / v[1]
	e := dense.Efficiency{{Size: 32, Efficiency: v[0] * slope * slope}, {Size: 64, Efficiency: v[0] * slope}}
	for i, b := range gemmSizes {
		e = append(e, dense.Point{Size: b, Efficiency: v[i]})
	}
	return e, v[len(gemmSizes):]
}

// saturating takes three parameters: the efficiency E / (1 + (h / b)^s) of blocks of
// size b.
func saturating(v []float64) (e dense.Efficiency, rest []float64) {
	for b := 16; b <= 8192; b *= 2 {
		e = append(e, dense.Point{Size: b, Efficiency: v[0] / (1 + math.Pow(v[1]/float64(b), v[2]))})
	}
	return e, v[3:]
}

// scale is the size of a residual of 1, in points of peak: less than a hundredth of the
// cell, so that small cells are ranked too.
func scale(published float64) float64 { return 0.03 + 0.007*published }

// residuals are those of the cells and of the prior knowledge.
func (f *crayFit) residuals(r, x []float64) {
	tables := f.machine(x)
	m := tables.Model(newLookup(&tables))
	for i, c := range f.cells {
		r[i] = (percent(m, c, tables.Layers) - c.Published) / scale(c.Published)
	}
	for i, q := range f.quantities {
		k := len(f.cells) + i
		r[k] = 0
		if q.known > 0 {
			r[k] = (x[i] - math.Log(q.start)) / q.known
		}
	}
	f.bends(r[len(f.cells)+len(f.quantities):], x)
}

// bend is the standard deviation of the second differences of ln C_max, along the
// number of processes and along the distance: the factors are smooth.
const bend = 0.7

// bends are residuals of smoothness.
func (f *crayFit) bends(r, x []float64) {
	at := x[len(x)-places*len(processes):]
	k := 0
	second := func(i, by int) {
		r[k] = (at[i-by] - 2*at[i] + at[i+by]) / bend
		k++
	}
	for i := range at {
		if j := i % places; j > 0 && j < places-1 {
			second(i, 1)
		}
		if i >= places && i+places < len(at) {
			second(i, places)
		}
	}
}

// count is the number of residuals.
func (f *crayFit) count() int {
	return len(f.cells) + len(f.quantities) + len(processes)*(places-2) + places*(len(processes)-2)
}

var columns = map[string]*dense.Algorithm{"II": &dense.Algorithms[0], "III": &dense.Algorithms[1], "IV": &dense.Algorithms[2],
	"V": &dense.Algorithms[3]}

// percent computes a cell.
func percent(m *dense.Machine, c *papers.Claim, layers int) float64 {
	for _, v := range dense.Variants {
		if v.String() == c.Cell["variant"] {
			return papers.DensePercent(m, columns[c.Cell["table"].(string)], v, int(c.Cell["n"].(int64)), int(c.Cell["cores"].(int64)), layers)
		}
	}
	panic(fmt.Sprintf("fit: %s has no variant %v", c.ID, c.Cell["variant"]))
}

// start returns the start of the search.
func (f *crayFit) start() []float64 {
	x := make([]float64, len(f.quantities))
	for i, q := range f.quantities {
		x[i] = math.Log(q.start)
	}
	return x
}

// fitCray runs the fit and its cross-validation.
func fitCray(log io.Writer) (*papers.DenseFit, error) {
	paper, err := papers.Load("cray")
	if err != nil {
		return nil, err
	}
	f := &crayFit{quantities: crayQuantities()}
	for _, c := range paper.Claims {
		if c.Cell != nil && c.Fit == "cray" && strings.HasPrefix(c.ID, "table") {
			f.cells = append(f.cells, c)
		}
	}
	end := f.search().From(f.start())
	return f.result(end.X, end.Jacobian, log)
}

// search is the search for the quantities; factors are rounded to 1e-6.
func (f *crayFit) search() *least.Squares {
	return &least.Squares{Residuals: f.residuals, Count: f.count(), Difference: 1e-3, Enough: 1e-6, Most: 100_000}
}

// lookup holds factors by log2 d, and C_max by log2 p. At powers of two it gives the same
// as a calibration, but faster.
type lookup struct {
	average []float64
	maximum [20][]float64
}

func newLookup(m *papers.DenseMachine) *lookup {
	l := &lookup{average: m.Average.Factors}
	for _, f := range m.Maximum {
		l.maximum[bits.Len(uint(f.Processes))] = f.Factors
	}
	return l
}

// Average implements dense.Contention.
func (l *lookup) Average(d int) float64 { return l.average[bits.Len(uint(d))-1] }

// Maximum implements dense.Contention.
func (l *lookup) Maximum(p, d int) float64 { return l.maximum[bits.Len(uint(p))][bits.Len(uint(d))-1] }
