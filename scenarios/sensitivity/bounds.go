package sensitivity

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
)

// Bound is the end of the range in which the derivative by a parameter holds: in which it
// predicts the makespan of every run that was made to within a thousandth.
type Bound struct {
	Factor float64 // of the parameter, at which the range ends
	Open   bool    // no end was found up to Factor
	Noise  bool    // chance may end it there, before the parameter moves the makespan by a thousandth
	Then   float64 // elasticity beyond the end, per cent of today's makespan for each per cent of today's parameter; NaN: not known
	Takes  string  // the parameter whose share of the path grows most beyond the end
	Runs   int
}

// leastFactor and mostFactor are the limits of the factors by which parameters are
// changed.
const leastFactor, mostFactor = 0.01, 10

// mostRuns is the largest number of runs that look for one end of a range.
const mostRuns = 10

// slack is how far the makespan may be off a derivative that holds, as a fraction of the
// makespan. It is no more in noisy runs: a few runs within the noise do not tell that those between them are.
const slack = 1e-3

// within are the places inside a range, as parts of the way to its end, at which it is checked: the nearest ones too, as a
// makespan that jumps up and down may be on the line farther away.
var within = []float64{1. / 16, 1. / 4, 1. / 2, 3. / 4}

// tangent is the makespan in ps as a linear function of a cost: the time that the
// parameter causes, as a multiple of today's. For rates the cost is 1 / factor.
type tangent struct {
	at, value float64
	slope     float64            // NaN: not stable at this cost
	times     map[string]float64 // by parameter: its part of the makespan in ps, at today's value of it
}

// newTangent returns the tangent of a run, without its slope.
func newTangent(at float64, result *results.Result) *tangent {
	t := &tangent{at: at, value: float64(result.Makespan()), times: map[string]float64{}}
	for _, s := range result.Slopes {
		t.times[s.Parameter] = s.Time * 1e12
		if files.InBoth(s.Parameter) {
			t.times[files.Both] += s.Time * 1e12
		}
	}
	return t
}

func (t *tangent) over(x float64) float64 { return t.value + t.slope*(x-t.at) }

// meets is the cost at which two tangents have the same value.
func (t *tangent) meets(u *tangent) float64 {
	return (u.over(0) - t.over(0)) / (t.slope - u.slope)
}

// search looks for the end of the range of a slope towards one side.
type search struct {
	o     *outcomes.Outcome
	one   *Sensitivity
	today *tangent
	noise float64    // of the run
	tried []*tangent // the nearest to today first
}

func newSearch(o *outcomes.Outcome, one *Sensitivity, noise float64) *search {
	s := &search{o: o, one: one, today: newTangent(1, o.Result), noise: noise}
	s.today.slope = s.today.times[one.Parameter]
	return s
}

// bound looks for the end of the range towards a factor. While messages keep
// their order, the makespan is convex and piecewise linear in the parameter. Then today's
// tangent and the tangent of a run beyond the end meet no nearer than the end (Newton). If the
// tangents do not behave so, or a run has no tangent, a quarter of the way is tried. A
// range is confirmed at its end and at several places inside.
func (s *search) bound(limit float64) (b Bound, err error) {
	b.Factor = limit
	x := s.one.cost(limit)
	good, beyond := s.today, (*tangent)(nil)
	for len(s.tried) < mostRuns {
		if err := s.try(x); err != nil {
			return b, err
		}
		if good, beyond = s.ends(); beyond == nil || good.at == x || math.Abs(beyond.at-good.at) < 1e-6 {
			break
		}
		x = s.today.meets(beyond)
		if between := (x-good.at)*(beyond.at-x) > 0; !between {
			x = good.at + (beyond.at-good.at)/4
		}
	}
	if b.Runs, b.Open = len(s.tried), beyond == nil; !b.Open {
		b.Factor = s.one.cost(good.at)
		if s.noise > slack && s.off(beyond) <= s.noise {
			b.Then, b.Noise = math.NaN(), math.Abs(s.one.Elasticity*(good.at-1)) < slack
		} else {
			b.Then, b.Takes = s.then(good, beyond), takesOver(s.today, beyond)
		}
	}
	return b, nil
}

// try runs at a cost, and where it is on the line also in between, until a run is not.
func (s *search) try(x float64) error {
	t, err := s.run(x)
	for _, part := range within {
		if err != nil || !s.holds(t) {
			return err
		}
		t, err = s.run(1 + part*(x-1))
	}
	return err
}

// run runs at a cost, unless it has.
func (s *search) run(x float64) (*tangent, error) {
	distance := func(t *tangent, x float64) int { return cmp.Compare(math.Abs(t.at-1), math.Abs(x-1)) }
	i, found := slices.BinarySearchFunc(s.tried, x, distance)
	if found {
		return s.tried[i], nil
	}
	t, err := tangentOf(s.o, s.one.Parameter, x, s.one.Unit.Rate())
	if err == nil {
		s.tried = slices.Insert(s.tried, i, t)
		s.one.add(t)
	}
	return t, err
}

// ends are the farthest run up to which all are on the line, and the one after it; nil: there is none.
func (s *search) ends() (good, beyond *tangent) {
	good = s.today
	for _, t := range s.tried {
		if !s.holds(t) {
			return good, t
		}
		good = t
	}
	return good, nil
}

// holds tells whether a run lies on today's tangent.
func (s *search) holds(t *tangent) bool { return s.off(t) <= slack }

// off is how far a run is off today's tangent, as a part of today's makespan.
func (s *search) off(t *tangent) float64 { return math.Abs(t.value-s.today.over(t.at)) / s.today.value }

// then is the elasticity beyond the end of a range; NaN: it is not known, or its effect is below the noise of the run.
func (s *search) then(good, beyond *tangent) float64 {
	then := beyond.slope / s.today.value
	if s.noise > slack && math.Abs(then*(beyond.at-good.at)) < s.noise {
		return math.NaN()
	}
	if s.one.Unit.Rate() {
		return -then
	}
	return then
}

// tangentOf runs with a parameter changed.
func tangentOf(o *outcomes.Outcome, parameter string, x float64, inverse bool) (*tangent, error) {
	factor := x
	if inverse {
		factor = 1 / x
	}
	point := scaled(o, parameter, factor)
	point.Options.Critical = true
	return points.One(new(points.Pool), point, func(o *outcomes.Outcome) (*tangent, error) {
		t := newTangent(x, o.Result)
		t.times[parameter] /= x
		if t.slope = t.times[parameter]; !o.Result.Stability.Stable() {
			t.slope = math.NaN()
		}
		return t, nil
	})
}

// takesOver names the parameter whose part of the path grows most from today's run to
// another one, at today's value of each parameter.
func takesOver(today, beyond *tangent) string {
	most, name := 0.0, ""
	for _, p := range slices.Sorted(maps.Keys(beyond.times)) {
		if grown := beyond.times[p] - today.times[p]; grown > most {
			most, name = grown, p
		}
	}
	return name
}
