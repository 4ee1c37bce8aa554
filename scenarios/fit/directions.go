package fit

import (
	"gonum.org/v1/gonum/mat"
)

// Direction is a combination of parameters, and how well residuals determine it.
type Direction struct {
	Singular float64   // how much the residuals change along it
	Along    []float64 // its unit vector, by parameter
}

// Directions returns the directions of derivatives of residuals by parameters, the most certain first; nil: there
// are none.
func Directions(jacobian *mat.Dense) (all []Direction) {
	var svd mat.SVD
	if jacobian == nil || !svd.Factorize(jacobian, mat.SVDFullV) {
		return nil
	}
	var v mat.Dense
	svd.VTo(&v)
	values := svd.Values(nil)
	_, n := jacobian.Dims()
	for k := range n {
		d := Direction{Along: mat.Col(nil, k, &v)}
		if k < len(values) {
			d.Singular = values[k]
		}
		all = append(all, d)
	}
	return all
}
