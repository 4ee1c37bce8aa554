package main

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"overlapsim/scenarios/fit"
	"overlapsim/scenarios/papers"
	"overlapsim/workloads/dense"
)

// The fit "cray" finds the values that Gonzalez-Dominguez et al. measured on Hopper and
// did not print: efficiencies of dgemm, dtrsm and dpotrf, L, C_avg and C_max. It uses the
// published cells of Tables II to V that cray.yaml marks used_in_fit. Tables II and III
// come first, then IV joins them, then V. docs/validation/papers/cray.md has the reasons for the form of the
// functions and for the block sizes.

// quantity is a parameter of the fit: its name and its value at the start of the search.
// The search is for logarithms.
type quantity struct {
	name  string
	start float64
}

// processes for which C_max is tabulated: the numbers of Tables II to V and of their
// layers.
var processes = []int{64, 256, 1024, 4096, 16384, 65536}

// sizes is how many sizes there are at which the efficiency of a routine is a parameter: 16 to 8192.
const sizes = 10

// blockSizes are the sizes of Tables IV and V with the smaller matrix: of Cholesky, eight
// blocks of a process in each dimension. With the larger matrix a process has twice as many
// blocks.
var blockSizes = []papers.DenseBlocks{
	{Algorithm: "trsm", Processes: 256, Plain: 1024, Replicated: 2048},
	{Algorithm: "trsm", Processes: 1024, Plain: 512, Replicated: 2048},
	{Algorithm: "trsm", Processes: 4096, Plain: 256, Replicated: 256},
	{Algorithm: "trsm", Processes: 16384, Plain: 128, Replicated: 256},
	{Algorithm: "trsm", Processes: 65536, Plain: 128, Replicated: 128},
	{Algorithm: "cholesky", Processes: 256, Plain: 512, Replicated: 1024},
	{Algorithm: "cholesky", Processes: 1024, Plain: 256, Replicated: 512},
	{Algorithm: "cholesky", Processes: 4096, Plain: 128, Replicated: 256},
	{Algorithm: "cholesky", Processes: 16384, Plain: 64, Replicated: 128},
	{Algorithm: "cholesky", Processes: 65536, Plain: 32, Replicated: 64},
}

// crayQuantities are the parameters. The parameters of dgemm start where Table II puts them.
func crayQuantities() (q []quantity) {
	for d := 1; d <= processes[len(processes)-1]/2; d *= 2 {
		q = append(q, quantity{fmt.Sprintf("C_avg(%d)", d), 5.5 * math.Pow(float64(d), 0.07)})
	}
	for _, p := range processes {
		for d := 1; d <= p/2; d *= 2 {
			q = append(q, quantity{fmt.Sprintf("C_max(%d, %d)", p, d), 6 * math.Pow(float64(d), 0.3) * math.Pow(float64(p)/64, 0.2)})
		}
	}
	q = append(q, quantity{"latency, us", 2})
	for _, routine := range []struct {
		name  string
		start [sizes]float64
	}{
		{"dgemm", gemmKnown},
		{"dtrsm", [sizes]float64{0.004, 0.01, 0.027, 0.083, 0.18, 0.28, 0.4, 0.5, 0.6, 0.65}},
		{"dpotrf", [sizes]float64{0.002, 0.005, 0.01, 0.03, 0.06, 0.12, 0.2, 0.3, 0.4, 0.5}},
	} {
		for i, e := range routine.start {
			q = append(q, quantity{fmt.Sprintf("%s at %d", routine.name, 16<<i), e})
		}
	}
	return q
}

// gemmKnown are the efficiencies of dgemm that Table II fixes, from 128 on.
var gemmKnown = [sizes]float64{0.06, 0.11, 0.2, 0.35, 0.621, 0.79, 0.8395, 0.8501, 0.8101, 0.8099}

// crayFit is the search.
type crayFit struct {
	quantities []quantity
	cells      []*papers.Claim
	priors     []prior
}

// machine makes the tables of a choice of parameters.
func (f *crayFit) machine(x []float64) papers.DenseMachine {
	m := papers.DenseMachine{Peak: 8.4e9, Threads: 6, Layers: 4, Bandwidth: 5.8e9, Blocks: blockSizes}
	take := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Exp(x[i])
		}
		x = x[n:]
		return v
	}
	m.Average = factors(0, take(distances(processes[len(processes)-1])))
	for _, p := range processes {
		m.Maximum = append(m.Maximum, factors(p, take(distances(p))))
	}
	m.Latency = take(1)[0] * 1e-6
	for _, to := range []*dense.Efficiency{&m.Gemm, &m.Trsm, &m.Potrf} {
		for i, e := range take(sizes) {
			*to = append(*to, dense.Point{Size: 16 << i, Efficiency: e})
		}
	}
	return m
}

// distances is the number of powers of two up to p/2.
func distances(p int) int { return bits.Len(uint(p)) - 1 }

// factors are the factors at the powers of two.
func factors(p int, at []float64) papers.DenseFactors {
	t := papers.DenseFactors{Processes: p, Factors: at}
	for i := range at {
		t.Distances = append(t.Distances, 1<<i)
	}
	return t
}

// scale is the size of a residual of 1, in points of peak: near the rounding of the cell.
func scale(published float64) float64 { return 0.006 + 0.003*published }

// loose is how much less a cell of Table V counts: its model is derived, and must not
// move what the printed models fix.
const loose = 5

// residuals are the residuals of the cells and of the prior knowledge.
func (f *crayFit) residuals(r, x []float64) {
	tables := f.machine(x)
	m := tables.Model(newLookup(&tables))
	for i, c := range f.cells {
		r[i] = (percent(&tables, m, c) - c.Published) / scale(c.Published)
		if c.Cell["table"] == "V" {
			r[i] /= loose
		}
	}
	for i := range f.priors {
		r[len(f.cells)+i] = f.priors[i].residual(x)
	}
}

// count is the number of residuals.
func (f *crayFit) count() int { return len(f.cells) + len(f.priors) }

var columns = map[string]*dense.Algorithm{"II": &dense.Algorithms[0], "III": &dense.Algorithms[1], "IV": &dense.Algorithms[2],
	"V": &dense.Algorithms[3]}

// percent computes a cell.
func percent(tables *papers.DenseMachine, m *dense.Machine, c *papers.Claim) float64 {
	for _, v := range dense.Variants {
		if v.String() == c.Cell["variant"] {
			return tables.Percent(m, columns[c.Cell["table"].(string)], v, int(c.Cell["n"].(int64)), int(c.Cell["cores"].(int64)))
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
	f := newCrayFit()
	end := fit.Found{X: f.start()}
	for _, tables := range []string{"II III", "IV", "V"} {
		for _, c := range paper.Claims {
			if c.Cell != nil && c.Fit == "cray" && strings.HasPrefix(c.ID, "table") &&
				slices.Contains(strings.Fields(tables), c.Cell["table"].(string)) {
				f.cells = append(f.cells, c)
			}
		}
		end = f.search().From(end.X)
		fmt.Fprintf(log, "with %s: sum of squares %.4g\n", tables, floats.Dot(end.R, end.R))
	}
	return f.result(end.X, end.Jacobian, log)
}

func newCrayFit() *crayFit {
	f := &crayFit{quantities: crayQuantities()}
	f.priors = crayPriors(f.quantities)
	return f
}

// search is the search for the quantities; factors are rounded to 1e-6.
func (f *crayFit) search() *fit.Squares {
	return &fit.Squares{Residuals: f.residuals, Count: f.count(), Difference: 1e-3, Enough: 1e-4, Most: 100_000}
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
