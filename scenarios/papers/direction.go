package papers

import (
	"math"

	"overlapsim/scenarios/fit"

	"gonum.org/v1/gonum/mat"
)

// Directions says how well data determine parameters, by the singular values of the
// derivatives of the residuals, the most certain direction first. Parameters are in units
// of their priors. A singular value of 1 means that the data say as much as the priors
// along this direction, and 0 that they say nothing.
func Directions(parameters []Parameter, jacobian *mat.Dense) (all []Direction) {
	for _, found := range fit.Directions(jacobian) {
		d := Direction{Singular: Significant(found.Singular), Along: map[string]float64{}}
		sign := math.Copysign(1, largest(found.Along))
		for i, p := range parameters {
			if w := sign * found.Along[i]; math.Abs(w) >= 0.25 {
				d.Along[p.Machine+" "+p.Path] = math.Round(100*w) / 100
			}
		}
		all = append(all, d)
	}
	return all
}

// largest returns the component that is largest without its sign, the first of equals.
func largest(v []float64) (most float64) {
	for _, x := range v {
		if math.Abs(x) > math.Abs(most) {
			most = x
		}
	}
	return most
}
