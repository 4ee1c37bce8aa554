package sensitivity

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
)

// Sensitivity is the derivative of the makespan by a parameter, and the range in which it
// holds. If the derivative is not stable, it is finite differences and an elasticity from
// them.
type Sensitivity struct {
	results.Slope
	Down, Up    Bound
	Samples     []Sample     // of today's run and all others, the least cost first; none: nothing was run
	Differences []Difference // nil: the derivative is stable
	LeftOut     bool         // it has no re-runs, as they would take too long
	Sides       []OneSided   // of a tie, whose derivative does not hold on both sides
}

// OneSided is the change of the makespan, as a part of it, with a parameter 1 % better and 1 % worse.
type OneSided struct {
	Parameter string  `json:"parameter"`
	Better    float64 `json:"better"`
	Worse     float64 `json:"worse"`
}

// Of returns the slopes of an outcome with their ranges, which takes several runs for each. If derivatives are
// unstable, it returns differences, the largest elasticity first. It calls step with each parameter before its runs,
// from several goroutines. Parameters that are 0 have no ranges, as a factor does not change them. Noise is the noise of the
// run; nil: it is not known. All re-runs may have about as many events as most; parameters for which too few are left have none. When step
// returns an error, no more runs begin; those that have their runs are returned with it.
func Of(o *outcomes.Outcome, noise *float64, most float64, step func(string) error) ([]Sensitivity, error) {
	if !o.Unstable() {
		return each(o, o.Slopes(), affordable(o, most), step, func(o *outcomes.Outcome, one *Sensitivity) error {
			err := ranges(o, one, zero(noise))
			if err == nil && tied(o, one) {
				*one = Sensitivity{Slope: *o.BothSlope()}
				err = ranges(o, one, zero(noise))
			}
			if err == nil {
				err = one.sides(o)
			}
			return err
		})
	}
	all, err := each(o, changeable(o), affordable(o, most), step, differences)
	for k := range all {
		if all[k].LeftOut {
			all[k].Differences, all[k].Elasticity = []Difference{}, math.NaN()
		}
	}
	slices.SortStableFunc(all, func(a, b Sensitivity) int { return cmp.Compare(math.Abs(b.Elasticity), math.Abs(a.Elasticity)) })
	return all, err
}

// each does the runs of each of the first parameters, several parameters at a time, and returns those that were not stopped.
func each(o *outcomes.Outcome, slopes []results.Slope, first int, step func(string) error,
	runs func(*outcomes.Outcome, *Sensitivity) error) (done []Sensitivity, err error) {
	all, errs := make([]Sensitivity, len(slopes)), make([]error, len(slopes))
	for k, slope := range slopes {
		if all[k].Slope = slope; needed(o, slope) {
			all[k].LeftOut = first <= 0
			first--
		}
	}
	scenarios.Parallel(len(slopes), func(k int) {
		if !needed(o, slopes[k]) || all[k].LeftOut {
			return
		}
		if errs[k] = step(slopes[k].Parameter); errs[k] == nil {
			errs[k] = runs(o, &all[k])
		}
	})
	for k, one := range all {
		if !errors.Is(errs[k], scenarios.ErrStopped) {
			done = append(done, one)
		}
	}
	return done, errors.Join(errs...)
}

// needed tells whether a parameter has runs: those of a run that is stable do on which the makespan depends.
func needed(o *outcomes.Outcome, slope results.Slope) bool { return slope.Time != 0 || o.Unstable() }

// Runs is about how many runs a step takes.
func Runs(o *outcomes.Outcome) int {
	if o.Unstable() {
		return 2 * len(steps)
	}
	return mostRuns
}

// affordable is for how many parameters re-runs have a number of events.
func affordable(o *outcomes.Outcome, most float64) int {
	return int(min(most/(float64(Runs(o))*float64(o.Result.Work())), math.MaxInt32))
}

// Steps is how often Of calls step.
func Steps(o *outcomes.Outcome, most float64) (n int) {
	for _, slope := range o.Slopes() {
		if needed(o, slope) {
			n++
		}
	}
	return min(n+len(changeable(o)), affordable(o, most))
}

func zero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// ranges looks for both ends of the range of a slope, and for the gain or cost of going
// further.
func ranges(o *outcomes.Outcome, one *Sensitivity, noise float64) (err error) {
	one.Samples = []Sample{{1, o.Result.Makespan().Seconds(), one.Time}}
	if one.Down, err = newSearch(o, one, noise).bound(leastFactor); err != nil {
		return err
	}
	if one.Up, err = newSearch(o, one, noise).bound(mostFactor); err != nil {
		return err
	}
	return further(o, one)
}

// sides runs 1 % better and 1 % worse where the derivative ends at once on a side, and of NICs and links that are equally fast each alone.
func (s *Sensitivity) sides(o *outcomes.Outcome) error {
	ends := func(b *Bound) bool {
		return b.Runs > 0 && !b.Open && !b.Noise && math.Abs(b.Factor-1) < report.LeastShare
	}
	var of []string
	switch {
	case s.Parameter == files.Both:
		of = []string{files.OfLinks, files.OfNICs, files.Both}
	case ends(&s.Down) || ends(&s.Up):
		of = []string{s.Parameter}
	}
	today := o.Result.Makespan().Seconds()
	for _, name := range of {
		d, err := difference(o, name, steps[0])
		if err != nil {
			return err
		}
		side := OneSided{name, d.Smaller/today - 1, d.Larger/today - 1}
		if name == files.OfLinks || s.Elasticity < 0 {
			side.Better, side.Worse = side.Worse, side.Better
		}
		s.Sides = append(s.Sides, side)
	}
	return nil
}

// tied tells whether a parameter is the bandwidth of NICs or of links, the other one of which is as fast, is not on the path, and takes over
// at once where this one is better.
func tied(o *outcomes.Outcome, one *Sensitivity) bool {
	both := o.BothSlope()
	return files.InBoth(one.Parameter) && both != nil && both.Time == one.Time && math.Abs(1-one.Better().Factor) < report.LeastShare
}

// Effect is how far the parameter moves the makespan at most, as a part of it, up to where re-runs are off the derivative by more
// than the noise of the run: by the derivative and by the re-runs, the smaller of the two. Of differences it is the largest one.
func (s *Sensitivity) Effect(noise *float64) (most float64) {
	if last := len(s.Differences) - 1; last >= 0 {
		return math.Abs(s.Elasticity) * 2 * s.Differences[last].Step
	}
	today := slices.IndexFunc(s.Samples, func(p Sample) bool { return p.Cost == 1 })
	if today < 0 {
		return 0
	}
	one := &s.Samples[today]
	for _, step := range []int{-1, +1} {
		for i := today + step; i >= 0 && i < len(s.Samples); i += step {
			p := &s.Samples[i]
			says, does := one.at(p.Cost)/one.Makespan-1, p.Makespan/one.Makespan-1
			if math.Abs(does-says) > max(slack, zero(noise)) {
				break
			}
			most = max(most, min(math.Abs(says), math.Abs(does)))
		}
	}
	return most
}

// Below tells whether what the parameter does was found to be below the noise of the run.
func (s *Sensitivity) Below(noise *float64) bool {
	return !s.LeftOut && report.BelowNoise(s.Effect(noise), noise)
}

// cost is what the parameter makes a thing take when it is multiplied by a factor, of today's; and the other way round.
func (s *Sensitivity) cost(factor float64) float64 {
	if s.Unit.Rate() {
		return 1 / factor
	}
	return factor
}

// sensitivityRecord is a slope and its range as JSON.
type sensitivityRecord struct {
	outcomes.SlopeRecord
	Below   bool           `json:"below_noise,omitempty"` // what the parameter does in its range is below the noise of the run
	LeftOut bool           `json:"left_out,omitempty"`    // its re-runs would take too long
	Down    *boundRecord   `json:"down"`                  // nil: was not looked for
	Up      *boundRecord   `json:"up"`
	Samples []sampleRecord `json:"samples,omitempty"`
	Sides   []OneSided     `json:"one_percent,omitempty"` // of a tie: the change of the makespan, as a part of it, 1 % better and 1 % worse
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
func (s *Sensitivity) record(noise *float64) any {
	below := s.Below(noise)
	if s.Differences != nil {
		return s.differenceRecord(below)
	}
	return sensitivityRecord{outcomes.NewSlopeRecord(s.Slope), below, s.LeftOut, s.Down.record(), s.Up.record(), s.samples(), s.Sides}
}

// boundRecord is the end of a range as JSON.
type boundRecord struct {
	Factor float64  `json:"factor"`             // of the parameter
	Noise  bool     `json:"by_noise,omitempty"` // the noise of the run may end the range there
	Open   bool     `json:"open,omitempty"`     // no end was found up to factor
	Then   *float64 `json:"elasticity_then"`    // beyond the end; nil: open, or not stable there
	Takes  string   `json:"takes_over,omitempty"`
	Runs   int      `json:"runs"`
}

func (b *Bound) record() *boundRecord {
	if b.Runs == 0 {
		return nil
	}
	r := &boundRecord{Factor: b.Factor, Noise: b.Noise, Open: b.Open, Takes: b.Takes, Runs: b.Runs}
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
	points.Noise
}

func newRun(o *outcomes.Outcome, noise points.Noise) Run {
	return Run{o.Name, o.Machine.Name, o.Kind, o.Ranks, o.Result.Makespan().Seconds(), noise}
}

// GradientRecord is a gradient with ranges as JSON.
type GradientRecord struct {
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
func NewRecord(o *outcomes.Outcome, noise points.Noise, all []Sensitivity) *GradientRecord {
	r := &GradientRecord{Run: newRun(o, noise), Critical: o.PathRecord()}
	if o.Unstable() {
		r.Unstable = o.WhyUnstable()
	}
	for _, s := range all {
		r.Gradient.Ordered = append(r.Gradient.Ordered, outcomes.Member{Name: s.Parameter, Value: s.record(noise.Part)})
	}
	return r
}
