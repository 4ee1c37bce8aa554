package validation

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overlapsim/scenarios/fit"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
)

// Fit is what a fit of a data set found.
type Fit struct {
	Parameters []Fitted `json:"parameters"`
	Rows       int      `json:"rows"`          // that it used
	LeftOut    int      `json:"rows_left_out"` // rows of the file that the set does not let it use
	Runs       int      `json:"runs"`          // different ones among the rows
	Median     float64  `json:"median"`        // of the errors of the rows that it used
	Tried      int      `json:"tried"`         // choices of the parameters
	Converged  bool     `json:"converged"`
	Unknown    []string `json:"not_determined"` // directions that the rows do not determine, in words

	machine  string // that it began from
	setting  string // how the rows that it used choose it; "": as the set does
	settings []string
	others   int // rows to predict that are of other machines
}

// change gives the rows of the machine that was fitted what was found.
func (f *Fit) change(rows []*row) {
	for _, r := range rows {
		if r.machine() == f.setting {
			r.settings = append(r.settings, f.settings...)
		} else {
			f.others++
		}
	}
}

// Fitted is a parameter that was found.
type Fitted struct {
	Name  string   `json:"name"`
	Path  string   `json:"path"`
	Value string   `json:"value"`
	Error *float64 `json:"standard_error"` // relative; nil: not determined
	Note  string   `json:"note,omitempty"` // when it is on a bound
	at    *parameter
}

// fitRows reads the rows that a fit may use.
func (s *Set) fitRows(file, machine string) ([]*row, error) {
	if s.fit == nil {
		return nil, keys.Problems{{Place: keys.Place{Flag: "--fit-rows " + file},
			Message: "the data set " + s.Name + " names no parameters that a fit may change (fit)"}}
	}
	return s.Rows(file, machine)
}

// choose returns the rows that the rules of the set allow.
func (f *fitRules) choose(rows []*row) (used []*row) {
	for _, r := range rows {
		if f.where.has(r.table, r.line) {
			used = append(used, r)
		}
	}
	return used
}

// solver searches for the parameters.
type solver struct {
	*Set
	points *Points
	base   [][]string // settings of the points
	rows   []*row     // one for each point and number: its figure is the median
	tried  func(int)
	n      int
	err    error
}

// Limits of the search. Positions are in logarithms between bounds.
const (
	mostTries  = 200
	glance     = 60 // tries of a start but the first, after which it must be better than what is known
	starts     = 3
	step       = 0.05 // of differences
	undecided  = 0.7  // a direction with a larger standard error, in ln, is not known: a factor of 2
	leastNoise = 0.01 // the least error of a row, for standard errors
	usual      = 0.1  // errors above it count less
	leastPull  = 1e-3 // towards the start, so that what the rows do not determine stays there
)

// solve fits the parameters of the set to rows, by least squares of ln(predicted /
// measured). Rows with the same settings count once, with their median, so that neither
// repetitions nor outliers have more weight.
func (s *Set) solve(all []*row, tried func(int)) (*Fit, error) {
	used := s.fit.choose(all)
	if err := s.checkFit(all, used); err != nil {
		return nil, err
	}
	for _, r := range used {
		r.Fitted = true
	}
	one := medians(used)
	v := &solver{Set: s, points: s.pointsOf(one), rows: one, tried: tried}
	v.base = slices.Clone(v.points.Settings)
	machine, err := v.machine()
	if err != nil {
		return nil, err
	}
	end := v.search()
	if v.err != nil {
		return nil, v.err
	}
	f := v.fitted(end)
	f.Rows, f.LeftOut, f.Tried, f.machine, f.setting = len(used), len(all)-len(used), v.n, machine, used[0].machine()
	return f, nil
}

// search returns the best end of searches from several starts: a limit that nothing
// reaches has no derivative, so that a search may not find that a lower one matters.
func (v *solver) search() (best fit.Found) {
	sum := math.Inf(1)
	for k := range starts {
		tries := mostTries
		if k > 0 {
			tries = glance
		}
		end := v.searcher(tries).From(v.startOf(k))
		if better := floats.Dot(end.R, end.R) < sum; better && k > 0 && !end.Converged {
			end = v.searcher(mostTries).From(end.X)
		}
		if v.err != nil {
			return end
		}
		if s := floats.Dot(end.R, end.R); s < sum {
			best, sum = end, s
		}
	}
	best.Jacobian = v.searcher(0).Jacobian(best.X)
	return best
}

// searcher searches with some tries.
func (v *solver) searcher(tries int) *fit.Squares {
	return &fit.Squares{Residuals: v.held, Count: len(v.rows) + len(v.fit.parameters), Difference: step, Rough: true, Enough: 1e-4,
		Slight: 1e-9, Least: 1e-4, Most: tries}
}

// startOf returns the k-th start: the first is the set's, in the others each
// parameter is in another part of its bounds.
func (v *solver) startOf(k int) []float64 {
	if k == 0 {
		return v.start()
	}
	n := len(v.fit.parameters)
	x := make([]float64, n)
	for i := range x {
		x[i] = fit.Position((float64((i+k)%n) + 0.5) / float64(n))
	}
	return x
}

// checkFit reports too many or too few rows.
func (s *Set) checkFit(all, used []*row) error {
	at := all[0].line.at()
	at.Line, at.Column = 1, 1
	var problems keys.Problems
	switch n := len(used); {
	case n == 0:
		problems.Add(at, "", "has no row that a fit of %s may use: rows of %s", s.Name, s.fit.where)
	case s.fit.most > 0 && n > s.fit.most:
		problems.Add(at, "", "has %d rows that a fit may use; a fit of %s may use %d", n, s.Name, s.fit.most)
	}
	return problems.Err()
}

// medians returns a row for each run and number, with the median of the figures.
func medians(rows []*row) (all []*row) {
	values := map[string][]float64{}
	key := func(r *row) string { return r.run() + "\x00" + r.path + "\x00" + fmt.Sprint(r.amount) }
	for _, r := range rows {
		if values[key(r)] == nil {
			one := *r
			all = append(all, &one)
		}
		values[key(r)] = append(values[key(r)], r.Measured)
	}
	for _, r := range all {
		r.Measured = quantile(sortedCopy(values[key(r)]), 0.5)
	}
	return all
}

// machine returns the one machine of all rows.
func (v *solver) machine() (string, error) {
	name := ""
	for i := range v.points.Settings {
		s, err := v.points.Load(i)
		if err != nil {
			return "", err
		}
		if name != "" && s.Machine.Name != name {
			return "", keys.Problems{{Place: v.rows[0].line.at(), Message: fmt.Sprintf("the rows are of several machines, %s and %s; "+
				"a fit is of one", name, s.Machine.Name)}}
		}
		name = s.Machine.Name
	}
	return name, nil
}

// start returns the position where the search starts.
func (v *solver) start() []float64 {
	x := make([]float64, len(v.fit.parameters))
	for i, p := range v.fit.parameters {
		x[i] = p.PositionOf(p.start)
	}
	return x
}

// settings writes the parameters at a position.
func (v *solver) settings(x []float64, digits int) (all []string) {
	for i := range x {
		p := &v.fit.parameters[i]
		for _, path := range p.paths {
			all = append(all, path+"="+p.Text(p.At(x[i]), digits))
		}
	}
	return all
}

// residuals runs the rows with the parameters at a position.
func (v *solver) residuals(to, x []float64) {
	if v.err != nil {
		return
	}
	changes := v.settings(x, 6)
	for i := range v.base {
		v.points.Settings[i] = slices.Concat(v.base[i], changes)
	}
	v.err = v.predict(v.rows, func(*Points, func(int)) ([]Answer, error) { return Here(v.points, func(int) {}) }, func(int, int) {})
	for i := range to {
		r := v.rows[i]
		if v.err == nil && r.Failed != "" {
			v.err = errors.New(r.line.at().String() + ": " + r.Failed)
		}
		to[i] = huber(v.kind.residual(r.Predicted, r.Measured))
	}
	v.n++
	v.tried(v.n)
}

// huber makes the square of a large residual grow like the residual itself (Huber, Annals
// of Mathematical Statistics 35(1), 1964), so that a few rows that nothing explains do not
// move the rest.
func huber(r float64) float64 {
	if size := math.Abs(r); size > usual {
		return math.Copysign(math.Sqrt(usual*(2*size-usual)), r)
	}
	return r
}

// held adds the pull of each parameter to the residuals.
func (v *solver) held(to, x []float64) {
	n := len(v.rows)
	v.residuals(to[:n], x)
	for i, start := range v.start() {
		to[n+i] = v.fit.pull * (x[i] - start)
	}
}

// fitted describes the end of a search.
func (v *solver) fitted(end fit.Found) *Fit {
	n := len(v.rows)
	end.R, end.Jacobian = end.R[:n], mat.DenseCopyOf(end.Jacobian.Slice(0, n, 0, len(end.X)))
	f := &Fit{Runs: len(v.rows), Converged: end.Converged, Unknown: []string{}, settings: v.settings(end.X, 4)}
	v.residuals(make([]float64, len(v.rows)), end.X)
	var errs []float64
	for _, r := range v.rows {
		errs = append(errs, math.Abs(v.kind.of(r.Predicted, r.Measured)))
	}
	f.Median = quantile(sortedCopy(errs), 0.5)
	noise := math.Max(leastNoise, math.Sqrt(floats.Dot(end.R, end.R)/math.Max(1, float64(len(end.R)-len(end.X)))))
	j := v.logarithmic(end)
	variance := v.directions(j, noise, f)
	for i := range v.fit.parameters {
		p := &v.fit.parameters[i]
		x := p.At(end.X[i])
		one := Fitted{Name: p.Name, Path: strings.Join(p.paths, ", "), Value: p.Text(x, 4), Error: outcomes.Finite(math.Sqrt(variance[i])), at: p}
		if x < 1.02*p.Low || x > p.High/1.02 {
			one.Note = fmt.Sprintf("at a bound: %s to %s", p.Text(p.Low, 4), p.Text(p.High, 4))
		}
		f.Parameters = append(f.Parameters, one)
	}
	return f
}

// logarithmic returns the derivatives by the logarithms of the parameters.
func (v *solver) logarithmic(end fit.Found) *mat.Dense {
	j := mat.DenseCopyOf(end.Jacobian)
	for i := range v.fit.parameters {
		slope := math.Max(1e-9, v.fit.parameters[i].Slope(end.X[i]))
		for k := range end.R {
			j.Set(k, i, j.At(k, i)/slope)
		}
	}
	return j
}

// directions notes the combinations of parameters that the rows do not determine, and
// returns the variance of each logarithm.
func (v *solver) directions(j *mat.Dense, noise float64, f *Fit) []float64 {
	variance := make([]float64, len(v.fit.parameters))
	for _, d := range fit.Directions(j) {
		sigma := noise / d.Singular
		if sigma > undecided {
			f.Unknown = append(f.Unknown, v.direction(d.Along))
		}
		for i, w := range d.Along {
			variance[i] += math.Pow(w, 2) * math.Min(sigma*sigma, 1e12)
		}
	}
	return variance
}

// direction writes a combination of parameters.
func (v *solver) direction(along []float64) string {
	var parts []string
	for i, p := range v.fit.parameters {
		if w := along[i]; math.Abs(w) >= 0.25 {
			parts = append(parts, fmt.Sprintf("%+.2f ln %s", w, p.Name))
		}
	}
	return strings.Join(parts, " ")
}
