package calibrated

import (
	"errors"
	"fmt"
	"math"
)

// KeyError is a mistake in one of the measurements.
type KeyError struct{ Key, Message string }

func (e *KeyError) Error() string { return e.Key + ": " + e.Message }

// largest is the largest factor that is accepted.
const largest = 1e6

// checker collects mistakes.
type checker []error

func (c *checker) add(key, format string, args ...any) {
	*c = append(*c, &KeyError{key, fmt.Sprintf(format, args...)})
}

func check(average Curve, maximum []Row, degree int) error {
	var c checker
	c.curve("c_avg", average, math.MaxInt)
	for i, row := range maximum {
		key := fmt.Sprintf("c_max[%d]", i)
		if row.Processes < 2 {
			c.add(key+".processes", "must be at least 2, got %d", row.Processes)
		}
		if i > 0 && row.Processes <= maximum[i-1].Processes {
			c.add(key+".processes", "must be more than the %d before, got %d", maximum[i-1].Processes, row.Processes)
		}
		c.curve(key, row.Curve, row.Processes)
	}
	if degree < 1 {
		c.add("degree", "must be at least 1, got %d", degree)
	}
	return errors.Join(c...)
}

// curve checks a curve whose distances must be below a limit.
func (c *checker) curve(key string, curve Curve, limit int) {
	if len(curve.Distances) == 0 {
		c.add(key+".distances", "must have at least one distance")
	}
	if len(curve.Factors) != len(curve.Distances) {
		c.add(key+".factors", "must be one for each of the %d distances, got %d", len(curve.Distances), len(curve.Factors))
	}
	for i, d := range curve.Distances {
		least := 1
		if i > 0 {
			least = curve.Distances[i-1] + 1
		}
		if d < least {
			c.add(fmt.Sprintf("%s.distances[%d]", key, i), "must be at least %d, as distances ascend; got %d", least, d)
		} else if d >= limit {
			c.add(fmt.Sprintf("%s.distances[%d]", key, i), "must be less than the %d processes, got %d", limit, d)
		}
	}
	for i, f := range curve.Factors {
		if !(f > 0 && f <= largest) {
			c.add(fmt.Sprintf("%s.factors[%d]", key, i), "must be more than 0 and at most %g, got %v", largest, f)
		}
	}
}
