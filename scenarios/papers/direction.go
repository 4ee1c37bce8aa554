package papers

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Directions says how well data determine parameters, by the singular values of the
// derivatives of the residuals, the most certain direction first. Parameters are in units
// of their priors. A singular value of 1 means that the data say as much as the priors
// along this direction, and 0 that they say nothing.
func Directions(parameters []Parameter, jacobian *mat.Dense) []Direction {
	var svd mat.SVD
	if jacobian == nil || !svd.Factorize(jacobian, mat.SVDFullV) {
		return nil
	}
	var v mat.Dense
	svd.VTo(&v)
	values := svd.Values(nil)
	var all []Direction
	for k := range parameters {
		d := Direction{Along: map[string]float64{}}
		if k < len(values) {
			d.Singular = Significant(values[k])
		}
		sign := math.Copysign(1, v.At(largest(v.ColView(k)), k))
		for i, p := range parameters {
			if w := sign * v.At(i, k); math.Abs(w) >= 0.25 {
				d.Along[p.Machine+" "+p.Path] = math.Round(100*w) / 100
			}
		}
		all = append(all, d)
	}
	return all
}

// largest returns the index of the component that is largest without its sign.
func largest(v mat.Vector) int {
	best := 0
	for i := range v.Len() {
		if math.Abs(v.AtVec(i)) > math.Abs(v.AtVec(best)) {
			best = i
		}
	}
	return best
}

// unit is the logarithm of the factor by which a parameter may be off according to its
// prior; without a prior the factor is 2.
func (p *Parameter) unit() float64 {
	if p.Prior == nil {
		return math.Log(2)
	}
	return math.Log(p.Prior.Factor)
}

// step is the step of the differences in units of the priors. It is not small, because
// simulated times are not smooth: processes wait for each other in different orders.
const step = 0.5

// Jacobian returns the derivatives of the residuals of the claims by the parameters, in
// units of their priors.
func (f *Fit) Jacobian(values []float64, runner Runner) (*mat.Dense, error) {
	jacobian := mat.NewDense(len(f.Terms), len(f.Parameters), nil)
	here, err := f.Residuals(values, runner)
	if err != nil {
		return nil, err
	}
	for i := range f.Parameters {
		moved := slices.Clone(values)
		moved[i] *= math.Exp(step * f.Parameters[i].unit())
		r, err := f.Residuals(moved, runner)
		if err != nil {
			return nil, err
		}
		for t := range f.Terms {
			jacobian.Set(t, i, (r.Terms[t]-here.Terms[t])/step)
		}
	}
	return jacobian, nil
}

// Values returns the values that a fit found.
func (r *FitResult) Values(f *Fit) ([]float64, error) {
	values := make([]float64, len(f.Parameters))
	for i, p := range r.Parameters {
		x, err := strconv.ParseFloat(strings.TrimSuffix(p.Value, f.Parameters[i].Unit), 64)
		if err != nil {
			return nil, err
		}
		values[i] = x
	}
	return values, nil
}
