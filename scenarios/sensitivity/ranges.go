package sensitivity

import (
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
)

// Sensitivity is the derivative of the makespan by a parameter, and the range in which it
// holds. If the derivative is not stable, it is finite differences and an elasticity from
// them.
type Sensitivity struct {
	results.Slope
	Down, Up    Bound
	Samples     []Sample     // of today's run and all others, the least cost first; none: nothing was run
	Differences []Difference // nil: the derivative is stable
}

// Bound is the end of the range in which the derivative by a parameter holds: in which it
// predicts the makespan to within a thousandth.
type Bound struct {
	Factor float64 // of the parameter, at which the range ends
	Open   bool    // no end was found up to Factor
	Then   float64 // elasticity beyond the end, per cent of today's makespan for each per cent of today's parameter; NaN: not known
	Takes  string  // the parameter whose share of the path grows most beyond the end
	Runs   int
}

// leastFactor and mostFactor are the limits of the factors by which parameters are
// changed.
const leastFactor, mostFactor = 0.01, 10

// mostRuns is the largest number of runs that look for one end of a range.
const mostRuns = 10

// Sensitivities returns the slopes of an outcome with their ranges, which takes several
// runs for each. It calls step with each parameter before its runs, from several
// goroutines. Parameters that are 0 have no ranges, as a factor does not change them. If
// derivatives are unstable, it returns Differences. When step returns an error, no more runs
// begin; those that have their runs are returned with it.
func Of(o *outcomes.Outcome, step func(string) error) ([]Sensitivity, error) {
	if o.Unstable() {
		return differences(o, step)
	}
	slopes := o.Slopes()
	all, errs := make([]Sensitivity, len(slopes)), make([]error, len(slopes))
	scenarios.Parallel(len(slopes), func(k int) {
		all[k].Slope = slopes[k]
		if slopes[k].Time != 0 {
			if errs[k] = step(slopes[k].Parameter); errs[k] == nil {
				errs[k] = ranges(o, &all[k])
			}
		}
	})
	return complete(all, errs), errors.Join(errs...)
}

// complete returns the slopes whose runs were not stopped; errs has equally many errors for each.
func complete(all []Sensitivity, errs []error) (done []Sensitivity) {
	of := len(errs) / max(1, len(all))
	for i, one := range all {
		if !slices.ContainsFunc(errs[i*of:(i+1)*of], func(err error) bool { return errors.Is(err, scenarios.ErrStopped) }) {
			done = append(done, one)
		}
	}
	return done
}

// Steps is the number of calls of step that Sensitivities makes.
func Steps(o *outcomes.Outcome) (n int) {
	for _, slope := range o.Slopes() {
		if slope.Time != 0 {
			n++
		}
	}
	return n + len(steps)*len(changeable(o))
}

// ranges looks for both ends of the range of a slope, and for the gain or cost of going
// further.
func ranges(o *outcomes.Outcome, one *Sensitivity) (err error) {
	one.Samples = []Sample{{1, o.Result.Makespan().Seconds(), one.Time}}
	if one.Down, err = bound(o, one, leastFactor); err != nil {
		return err
	}
	if one.Up, err = bound(o, one, mostFactor); err != nil {
		return err
	}
	return further(o, one)
}

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
	}
	return t
}

// slack is how far the makespan may be off a derivative that holds, as a fraction of the
// makespan.
const slack = 1e-3

func (t *tangent) over(x float64) float64 { return t.value + t.slope*(x-t.at) }

// meets is the cost at which two tangents have the same value.
func (t *tangent) meets(u *tangent) float64 {
	return (u.over(0) - t.over(0)) / (t.slope - u.slope)
}

// bound looks for the end of the range of a slope towards a factor. While messages keep
// their order, the makespan is convex and piecewise linear in the parameter. Then today's
// tangent and that of a run beyond the end meet no nearer than the end (Newton). If the
// tangents do not behave so, or a run has no tangent, a quarter of the way is tried. A
// range is confirmed at its end and in its middle.
func bound(o *outcomes.Outcome, one *Sensitivity, limit float64) (Bound, error) {
	slope := one.Slope
	today := newTangent(1, o.Result)
	today.slope = today.times[slope.Parameter]
	inverse := slope.Unit.Rate()
	good, x := 1.0, limit
	if inverse {
		x = 1 / limit
	}
	var beyond *tangent
	b := Bound{Factor: limit}
	run := func(x float64) (*tangent, error) {
		t, err := tangentOf(o, slope.Parameter, x, inverse)
		if err == nil {
			b.Runs++
			one.add(t)
		}
		return t, err
	}
	for b.Runs < mostRuns {
		t, err := run(x)
		if err == nil && today.holds(t) { // or the run is on the line by chance
			if t, err = run((1 + x) / 2); err == nil && today.holds(t) {
				good = x
				break
			}
		}
		if err != nil {
			return b, err
		}
		beyond = t
		x = today.meets(t)
		if between := (x-good)*(t.at-x) > 0; !between {
			x = good + (t.at-good)/4
		}
		if math.Abs(t.at-good) < 1e-6 {
			break
		}
	}
	if b.Open = beyond == nil; b.Open {
		return b, nil
	}
	b.Factor, b.Then = good, beyond.slope/today.value
	if inverse {
		b.Factor, b.Then = 1/good, -b.Then
	}
	b.Takes = takesOver(today, beyond)
	return b, nil
}

// holds tells whether a run lies on the tangent.
func (t *tangent) holds(u *tangent) bool { return math.Abs(u.value-t.over(u.at)) <= slack*t.value }

// tangentOf runs with a parameter changed.
func tangentOf(o *outcomes.Outcome, parameter string, x float64, inverse bool) (*tangent, error) {
	factor := x
	if inverse {
		factor = 1 / x
	}
	s, err := o.Scaled(parameter, factor)
	if err != nil {
		return nil, err
	}
	result, err := scenarios.Simulate(s, nodes.Options{Critical: true})
	if err != nil {
		return nil, err
	}
	t := newTangent(x, result)
	t.times[parameter] /= x
	if t.slope = t.times[parameter]; !result.Stability.Stable() {
		t.slope = math.NaN()
	}
	return t, nil
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

// sensitivityRecord is a slope and its range as JSON.
type sensitivityRecord struct {
	outcomes.SlopeRecord
	Down    *boundRecord   `json:"down"` // nil: was not looked for
	Up      *boundRecord   `json:"up"`
	Samples []sampleRecord `json:"samples,omitempty"`
}

// sampleRecord is a run with another value of a parameter as JSON.
type sampleRecord struct {
	Cost     float64  `json:"cost"`
	Makespan float64  `json:"makespan_s"`
	Slope    *float64 `json:"slope_s"` // nil: not stable at this cost
}

func (s *Sensitivity) samples() (all []sampleRecord) {
	for _, p := range s.Samples {
		all = append(all, sampleRecord{p.Cost, p.Makespan, outcomes.Finite(p.Slope)})
	}
	return all
}

// record returns a sensitivity as plain data.
func (s *Sensitivity) record() any {
	if s.Differences != nil {
		return s.differenceRecord()
	}
	return sensitivityRecord{outcomes.NewSlopeRecord(s.Slope), s.Down.record(), s.Up.record(), s.samples()}
}

// boundRecord is the end of a range as JSON.
type boundRecord struct {
	Factor float64  `json:"factor"`          // of the parameter
	Open   bool     `json:"open,omitempty"`  // no end was found up to factor
	Then   *float64 `json:"elasticity_then"` // beyond the end; nil: open, or not stable there
	Takes  string   `json:"takes_over,omitempty"`
	Runs   int      `json:"runs"`
}

func (b *Bound) record() *boundRecord {
	if b.Runs == 0 {
		return nil
	}
	r := &boundRecord{Factor: b.Factor, Open: b.Open, Takes: b.Takes, Runs: b.Runs}
	if !b.Open {
		r.Then = outcomes.Finite(b.Then)
	}
	return r
}

// Run is the run that is changed, as JSON.
type Run struct {
	Scenario string  `json:"scenario"`
	Machine  string  `json:"machine"`
	Workload string  `json:"workload"`
	Ranks    int     `json:"ranks"`
	Makespan float64 `json:"makespan_s"`
}

func newRun(o *outcomes.Outcome) Run {
	return Run{o.Name, o.Machine.Name, o.Kind, o.Ranks, o.Result.Makespan().Seconds()}
}

// Record is a gradient with ranges as JSON.
type Record struct {
	Run
	Unstable string               `json:"unstable,omitempty"` // why there are differences in place of derivatives
	Gradient byParameter          `json:"gradient"`
	Critical *outcomes.PathRecord `json:"critical_path"`
}

// byParameter has a sensitivityRecord or a differenceRecord for each parameter.
type byParameter struct{ outcomes.Ordered }

// Values implements outcomes.Members.
func (byParameter) Values() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[sensitivityRecord](), reflect.TypeFor[differenceRecord]()}
}

// NewRecord returns sensitivities of an outcome as plain data.
func NewRecord(o *outcomes.Outcome, all []Sensitivity) *Record {
	r := &Record{Run: newRun(o), Critical: o.PathRecord()}
	if o.Unstable() {
		r.Unstable = o.WhyUnstable()
	}
	for _, s := range all {
		r.Gradient.Ordered = append(r.Gradient.Ordered, outcomes.Member{Name: s.Parameter, Value: s.record()})
	}
	return r
}
