package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overlapsim/scenarios/fit"
	"overlapsim/scenarios/papers"
	"overlapsim/workloads/dense"
)

// result describes the end of the search.
func (f *crayFit) result(x []float64, j *mat.Dense, log io.Writer) (*papers.DenseFit, error) {
	r := &papers.DenseFit{Fit: "cray", Cells: len(f.cells), Machine: f.machine(x)}
	round(&r.Machine)
	m, err := r.Machine.Calibrated()
	if err != nil {
		return nil, err
	}
	for i, e := range standardErrors(j) {
		q := f.quantities[i]
		v := math.Exp(x[i])
		r.Parameters = append(r.Parameters, papers.DenseValue{Name: q.name, Value: papers.Significant(v), Error: papers.Significant(v * e)})
	}
	for _, c := range f.cells {
		got := percent(&r.Machine, m, c)
		r.Residuals = append(r.Residuals, papers.DenseCell{ID: c.ID, Published: c.Published, Computed: points(got),
			Residual: points(got - c.Published)})
	}
	r.RMS, r.Largest = misses(r.Residuals)
	fmt.Fprintf(log, "%d cells: residuals %.2f points of peak (root mean square), %.2f (largest)\n", len(f.cells), r.RMS, r.Largest)
	return r, f.crossValidate(r, x, log)
}

func points(x float64) float64 { return math.Round(x*100) / 100 }

func misses(cells []papers.DenseCell) (rms, largest float64) {
	for _, c := range cells {
		rms += c.Residual * c.Residual / float64(len(cells))
		largest = max(largest, math.Abs(c.Residual))
	}
	return points(math.Sqrt(rms)), points(largest)
}

// round rounds the tables to four digits, the accuracy of the fit.
func round(m *papers.DenseMachine) {
	m.Latency = fit.Significant(m.Latency, 4)
	for _, e := range []dense.Efficiency{m.Gemm, m.Trsm, m.Potrf} {
		for i := range e {
			e[i].Efficiency = fit.Significant(e[i].Efficiency, 4)
		}
	}
	for _, f := range append([]papers.DenseFactors{m.Average}, m.Maximum...) {
		for i := range f.Factors {
			f.Factors[i] = fit.Significant(f.Factors[i], 4)
		}
	}
}

// crossValidate fits again without each row of each table, each variant of a table, and
// each matrix of a table, and says how well the left-out cells are predicted.
func (f *crayFit) crossValidate(r *papers.DenseFit, x []float64, log io.Writer) error {
	groups := map[string][]*papers.Claim{}
	var names []string
	for _, c := range f.cells {
		for _, name := range []string{
			fmt.Sprintf("Table %v, %v cores, n = %v", c.Cell["table"], c.Cell["cores"], c.Cell["n"]),
			fmt.Sprintf("Table %v, %v", c.Cell["table"], c.Cell["variant"]),
			fmt.Sprintf("Table %v, n = %v", c.Cell["table"], c.Cell["n"]),
		} {
			if groups[name] == nil {
				names = append(names, name)
			}
			groups[name] = append(groups[name], c)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		left := groups[name]
		rest := newCrayFit()
		for _, c := range f.cells {
			if !slices.Contains(left, c) {
				rest.cells = append(rest.cells, c)
			}
		}
		tables := rest.machine(rest.search().From(x).X)
		m, err := tables.Calibrated()
		if err != nil {
			return err
		}
		var cells []papers.DenseCell
		for _, c := range left {
			cells = append(cells, papers.DenseCell{Residual: percent(&tables, m, c) - c.Published})
		}
		l := papers.DenseLeftOut{Left: name, Cells: len(left)}
		l.RMS, l.Largest = misses(cells)
		fmt.Fprintf(log, "%+v\n", l)
		r.CrossValidation = append(r.CrossValidation, l)
	}
	return nil
}

// standardErrors returns the standard errors of parameters, where residuals are in units of their standard
// deviation: +Inf for those that a direction moves along which no residual changes.
func standardErrors(jacobian *mat.Dense) []float64 {
	_, n := jacobian.Dims()
	all := make([]float64, n)
	for _, d := range fit.Directions(jacobian) {
		for i, w := range d.Along {
			if w != 0 {
				all[i] = math.Hypot(all[i], w/d.Singular)
			}
		}
	}
	return all
}
