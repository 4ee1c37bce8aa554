package papers

import (
	"fmt"
	"math"
)

// value is the value of an expression: a number or a truth, or a vector of them over the
// points of an experiment.
type value struct {
	x      []float64 // truths are 0 and 1
	truth  bool
	vector bool // otherwise x has one element
}

func number(x float64) value { return value{x: []float64{x}} }
func truth(b bool) value     { return value{x: []float64{bit(b)}, truth: true} }

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// is names the type of a value, for messages.
func (v value) is() string {
	what := "number"
	if v.truth {
		what = "truth"
	}
	if v.vector {
		return fmt.Sprintf("%d %ss", len(v.x), what)
	}
	return "one " + what
}

// at returns element i; it is the same for all i if v is not a vector.
func (v value) at(i int) float64 {
	if v.vector {
		return v.x[i]
	}
	return v.x[0]
}

// each applies f element by element. Single values are combined with vectors of any
// length, vectors with vectors of the same length.
func each(f func(x ...float64) float64, args ...value) (value, error) {
	n, vector := 1, false
	for _, a := range args {
		if !a.vector {
			continue
		}
		if vector && len(a.x) != n {
			return value{}, fmt.Errorf("vectors of unequal length: %d and %d", n, len(a.x))
		}
		n, vector = len(a.x), true
	}
	result := value{x: make([]float64, n), vector: vector}
	row := make([]float64, len(args))
	for i := range result.x {
		for j, a := range args {
			row[j] = a.at(i)
		}
		result.x[i] = f(row...)
	}
	return result, nil
}

// finite reports a value that cannot be judged.
func (v value) finite() error {
	for i, x := range v.x {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			if v.vector {
				return fmt.Errorf("is %g at point %d", x, i)
			}
			return fmt.Errorf("is %g", x)
		}
	}
	return nil
}
