package sweep

import (
	"fmt"
	"math/big"
	"slices"

	"overlapsim/scenarios/keys"
	"overlapsim/sim"
)

// Design is a way to choose points.
type Design struct {
	name, words string
	crossed     bool // every level meets every other one
	sampled     bool // a number of samples, which whole ranges can have
	fromBase    bool // the scenario as it is, and what changes from there
	count       func(factors []Factor, samples int) int
	points      func(p *Plan) (points, twins []levels)
}

// The designs. Listed points are not chosen by a request.
var (
	crossed = &Design{name: "grid", words: "a grid", crossed: true, count: combinations,
		points: func(p *Plan) (points, twins []levels) { return grid(p.Factors), nil }}
	sampled = &Design{name: "lhs", words: "a Latin hypercube", sampled: true,
		count: func(_ []Factor, samples int) int { return samples }, points: sampledPoints}
	fromBase = &Design{name: "one-at-a-time", words: "one path at a time", fromBase: true, count: alone,
		points: func(p *Plan) (points, twins []levels) { return oneAtATime(p.Factors), nil }}
	listing = &Design{name: "listed", words: "a list"}
)

var designs = []*Design{crossed, sampled, fromBase}

// Designs are the names of the designs that a request may choose.
func Designs() (names []string) {
	for _, d := range designs {
		names = append(names, d.name)
	}
	return names
}

// designNamed returns the design of that name; nil: there is none.
func designNamed(among []*Design, name string) *Design {
	if i := slices.IndexFunc(among, func(d *Design) bool { return d.name == name }); i >= 0 {
		return among[i]
	}
	return nil
}

// MarshalText writes the name.
func (d *Design) MarshalText() ([]byte, error) { return []byte(d.name), nil }

// UnmarshalText reads the name.
func (d *Design) UnmarshalText(name []byte) error {
	known := designNamed(append(slices.Clone(designs), listing), string(name))
	if known == nil {
		return fmt.Errorf("the design %q is not known", name)
	}
	*d = *known
	return nil
}

// levels are the levels of a point by factor; "" leaves a path as the scenario
// has it.
type levels []string

// grid returns every combination; the last factor varies fastest.
func grid(factors []Factor) []levels {
	points := []levels{nil}
	for _, f := range factors {
		var wider []levels
		for _, point := range points {
			for _, level := range f.Levels {
				wider = append(wider, append(slices.Clip(point), level))
			}
		}
		points = wider
	}
	return points
}

// oneAtATime returns the scenario as it is, and then each level of each factor
// alone.
func oneAtATime(factors []Factor) []levels {
	points := []levels{make(levels, len(factors))}
	for i, f := range factors {
		for _, level := range f.Levels {
			point := make(levels, len(factors))
			point[i] = level
			points = append(points, point)
		}
	}
	return points
}

// latinHypercube returns samples in which every factor has each of its levels equally
// often, or one value in each of as many equal parts of its range.
//
// Source: McKay, Beckman, Conover, "A comparison of three methods for
// selecting values of input variables", Technometrics 21, 1979.
func latinHypercube(factors []Factor, samples int, seed uint64) []levels {
	points := make([]levels, samples)
	for i := range points {
		points[i] = make(levels, len(factors))
	}
	for i, f := range factors {
		random := sim.NewStream(seed, uint64(i))
		order := permutation(samples, random)
		for at, stratum := range order {
			points[at][i] = f.sample(stratum, samples, random.Float64())
		}
	}
	return points
}

// sample returns a value in one of n equal parts, at a place in it from 0 to 1.
func (f *Factor) sample(part, n int, place float64) string {
	if f.Range == nil {
		return f.Levels[part*len(f.Levels)/n]
	}
	return f.Range.at((float64(part) + place) / float64(n))
}

// at returns the value at a part (0 to 1) of the range.
func (r *Range) at(part float64) string { return r.near(part, shorten) }

// near returns the value at a part of the range, except at its ends as a function writes it.
func (r *Range) near(part float64, short func(float64) *big.Rat) string {
	d, _ := common([]string{r.From, r.To})
	from, _ := keys.Parse(d, r.From)
	to, _ := keys.Parse(d, r.To)
	value := short(between(from, to, part, r.Log))
	switch {
	case part == 0:
		value = from
	case part == 1 || value.Cmp(from)*value.Cmp(to) > 0: // a round value may lie outside
		value = to
	case r.Whole:
		value.SetInt(round(value))
	}
	if r.Factor {
		return "x" + write(d, value)
	}
	return write(d, value)
}

// twins returns for each factor the first sample with only that factor's level changed. A
// Latin hypercube has no two points that differ in only one path; the twins show which
// paths change nothing.
func twins(factors []Factor, first levels) (points []levels) {
	for i, f := range factors {
		if other := f.opposite(first[i]); other != first[i] {
			point := slices.Clone(first)
			point[i] = other
			points = append(points, point)
		}
	}
	return points
}

// opposite returns the other end of the levels or of the range, seen from a level.
func (f *Factor) opposite(level string) string {
	ends := []string{}
	if f.Range != nil {
		ends = append(ends, f.Range.at(0), f.Range.at(1))
	} else {
		ends = append(ends, f.Levels[0], f.Levels[len(f.Levels)-1])
	}
	if ends[1] != level {
		return ends[1]
	}
	return ends[0]
}

// permutation returns 0 to n-1 in random order.
func permutation(n int, random *sim.Stream) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := random.Intn(i + 1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// sampledPoints are the points of a Latin hypercube, and their twins.
func sampledPoints(p *Plan) (points, others []levels) {
	points = latinHypercube(p.Factors, p.Samples, p.Seed)
	return points, twins(p.Factors, points[0])
}

// combinations is the number of points of a grid, or more than mostPoints.
func combinations(factors []Factor, _ int) int {
	n := 1
	for _, f := range factors {
		if n *= len(f.Levels); n > mostPoints {
			break
		}
	}
	return n
}

// alone is the number of points if one path is varied at a time.
func alone(factors []Factor, _ int) int {
	n := 1
	for _, f := range factors {
		n += len(f.Levels)
	}
	return n
}

// size returns the number of points of a design for each run.
func (d *Design) size(factors []Factor, samples int) (int, error) {
	n := d.count(factors, samples)
	if n > mostPoints {
		return 0, fmt.Errorf("the sweep has more than %d points; vary less, or take a Latin hypercube: --design lhs", mostPoints)
	}
	return n, nil
}
