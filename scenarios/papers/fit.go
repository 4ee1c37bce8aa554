package papers

import (
	"math"
	"slices"

	"overlapsim/scenarios/fit"
)

// Fit is a named procedure that finds those parameters of machines that are not
// published: it minimises the sum of squares of the residuals of claims and of priors,
// each in units of its tolerance.
type Fit struct {
	Name  string
	Paper *Paper
	Seed  uint64

	LeastSquares bool // Levenberg and Marquardt's method, from the priors; else Nelder and Mead's simplex
	Starts       int  // independent searches
	Evaluations  int  // of the sum of squares, at most, in each search

	Parameters []Parameter
	Terms      []Term
	machines   map[*Run]string
}

// Parameter is a number of a machine to be found.
type Parameter struct {
	fit.Parameter
	Machine, Path string
	Also          []string // paths of the same machine that get the same value
	Prior         *Prior   // nil: all values inside the bounds are equally likely
}

// Prior is the prior knowledge of a parameter: it is Value, with ln Factor as the
// standard deviation of its logarithm.
type Prior struct {
	Value, Factor float64
	Source        string
}

// Term is a claim as the fit uses it.
type Term struct {
	Claim  *Claim
	Metric Expression // number compared with the published one; by default the claim's own
	Margin bool       // Metric must be >= 0 instead
	Scale  float64    // a residual of 1; by default the tolerance
}

// Residuals are the results of a choice of parameters.
type Residuals struct {
	Simulated []float64 // by term, NaN: could not be computed
	Terms     []float64
	Priors    []float64 // by parameter, 0 where there is no prior
}

// hopeless is the residual of a term that cannot be computed.
const hopeless = 100

// Sum returns the sum of squares.
func (r *Residuals) Sum() (s float64) {
	for _, x := range slices.Concat(r.Terms, r.Priors) {
		s += x * x
	}
	return s
}

// setting writes a parameter as a quantity.
func (p *Parameter) setting(path string, x float64) Setting {
	return Setting{Path: "machine." + path, Value: p.Format(x)}
}

// Format writes a value of the parameter with its unit, in six digits: times
// are whole picoseconds.
func (p *Parameter) Format(x float64) string { return p.Text(x, 6) }

// Runs returns the runs that the terms need.
func (f *Fit) Runs() ([]*Run, error) {
	var runs []*Run
	for i := range f.Terms {
		needed, err := f.Paper.needs(&f.Terms[i].Metric, f.Terms[i].Claim.cell)
		if err != nil {
			return nil, err
		}
		for _, run := range needed {
			if !slices.Contains(runs, run) {
				runs = append(runs, run)
			}
		}
	}
	return runs, nil
}

// Residuals simulates with the values, one for each parameter. The runner may
// be Simulate.
func (f *Fit) Residuals(values []float64, runner Runner) (*Residuals, error) {
	runs, err := f.Runs()
	if err != nil {
		return nil, err
	}
	if err := f.place(runs); err != nil {
		return nil, err
	}
	results := Results{}
	changed := func(r *Run) (map[string]float64, error) { return runner(f.change(r, values)) }
	if err := results.Get(runs, changed, nil); err != nil {
		return nil, err
	}
	r := &Residuals{}
	for i := range f.Terms {
		x, residual := f.residual(&f.Terms[i], results)
		r.Simulated = append(r.Simulated, x)
		r.Terms = append(r.Terms, residual)
	}
	for i := range f.Parameters {
		r.Priors = append(r.Priors, f.Parameters[i].residual(values[i]))
	}
	return r, nil
}

// place finds the machine of each run.
func (f *Fit) place(runs []*Run) error {
	if f.machines != nil {
		return nil
	}
	f.machines = map[*Run]string{}
	for _, run := range runs {
		if run.Scenario == "" { // numbers
			continue
		}
		s, err := run.load()
		if err != nil {
			return err
		}
		f.machines[run] = s.Machine.Name
	}
	return nil
}

// change puts the parameters into a run on their machine.
func (f *Fit) change(r *Run, values []float64) *Run {
	var settings []Setting
	for i := range f.Parameters {
		if p := &f.Parameters[i]; p.Machine == f.machines[r] {
			for _, path := range append([]string{p.Path}, p.Also...) {
				settings = append(settings, p.setting(path, values[i]))
			}
		}
	}
	return newRun(r.Scenario, r.Settings, settings)
}

func (f *Fit) residual(t *Term, results Results) (x, residual float64) {
	x, err := f.Paper.eval(&t.Metric, t.Claim.cell, results)
	if err != nil {
		return math.NaN(), hopeless
	}
	return x, t.residual(x)
}

// residual is how far a value is from the claim: signed for a number; for a bound or a
// margin only the wrong side counts.
func (t *Term) residual(x float64) float64 {
	switch {
	case t.Margin:
		return max(0, -x/t.Scale)
	case t.Claim.Judged == Least:
		return max(0, (t.Claim.Published-x)/t.Scale)
	case t.Claim.Judged == Most:
		return max(0, (x-t.Claim.Published)/t.Scale)
	case t.Claim.Judged == Band:
		return max(0, (t.Claim.Published-x)/t.Scale, (x-t.Claim.Upper)/t.Scale)
	}
	return (x - t.Claim.Published) / t.Scale
}

func (p *Parameter) residual(x float64) float64 {
	if p.Prior == nil {
		return 0
	}
	return math.Log(x/p.Prior.Value) / math.Log(p.Prior.Factor)
}

// Significant rounds to three significant digits, the accuracy of a fit.
func Significant(x float64) float64 { return fit.Significant(x, 3) }
