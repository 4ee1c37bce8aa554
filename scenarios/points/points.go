// Package points runs a scenario at many points: settings on top of it, run on one pool, and what is taken
// of each run. Everything that runs a scenario again uses it.
package points

import (
	"reflect"
	"runtime"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
)

// Load loads a run with more settings ("path=value", as of --set).
type Load func(set []string) (*scenarios.Scenario, error)

// Of returns what loads a run of a scenario (a name of the library, or a file), by its number, with settings.
func Of(scenario string, run int, set []string) Load {
	return func(more []string) (*scenarios.Scenario, error) {
		return scenarios.LoadRun(scenario, run, slices.Concat(set, more))
	}
}

// Point is a run of the scenario with some settings.
type Point struct {
	Says    string              // what it is, in words, for those who wait
	Set     []string            // settings in addition to the settings of the pool
	Loaded  *scenarios.Scenario // the scenario with them, if it is loaded already; nil: the pool loads it
	Load    Load                // in place of the pool's, for runs that settings do not describe; nil: the pool's
	Number  int                 // for the caller
	Options nodes.Options
}

// Taken is what was taken of a point's run.
type Taken[T any] struct {
	Value T
	Err   error // of loading or of the run
}

// Pool runs points of one scenario.
type Pool struct {
	Load     Load
	Started  func(*Point) // called before each run, from several goroutines; nil: no call
	Ended    func(*Point) // called after each run, from several goroutines; nil: no call
	Stopped  func() bool  // asked before each run whether it may not begin; nil: all may
	OneByOne bool         // because a run takes much memory
}

// much is the heap beyond which runs take so much memory that only one may run at a time, in bytes.
const much = 1 << 30

// Heavy tells whether the runs so far took so much memory that there should be one at a time.
func Heavy() bool {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys-m.HeapReleased > much
}

// Run runs points, as many at a time as there are processors, and takes something of each run. The order is
// that of the points. A point with the settings of an earlier one is not run again. Points that could not begin have
// the error [scenarios.ErrStopped].
func Run[T any](p *Pool, all []Point, take func(*outcomes.Outcome) (T, error)) []Taken[T] {
	taken := make([]Taken[T], len(all))
	first := firsts(all)
	one := func(k int) {
		if first[k] == k {
			taken[k] = run(p, &all[k], take)
		}
	}
	if p.OneByOne {
		for k := range all {
			one(k)
		}
	} else {
		scenarios.Parallel(len(all), one)
	}
	for k, of := range first {
		taken[k] = taken[of]
	}
	return taken
}

// One runs a point by itself.
func One[T any](p *Pool, point Point, take func(*outcomes.Outcome) (T, error)) (T, error) {
	t := run(p, &point, take)
	return t.Value, t.Err
}

// firsts returns for each point the first one that is the same run.
func firsts(all []Point) []int {
	seen := map[string]int{}
	first := make([]int, len(all))
	for k := range all {
		first[k] = k
		if !all[k].plain() {
			continue
		}
		key := strings.Join(all[k].Set, "\x00")
		if at, ok := seen[key]; ok {
			first[k] = at
		} else {
			seen[key] = k
		}
	}
	return first
}

// plain tells whether the settings alone say what is run.
func (p *Point) plain() bool {
	return p.Loaded == nil && p.Load == nil && reflect.ValueOf(p.Options).IsZero()
}

// run runs a point.
func run[T any](p *Pool, point *Point, take func(*outcomes.Outcome) (T, error)) (t Taken[T]) {
	if p.Stopped != nil && p.Stopped() {
		t.Err = scenarios.ErrStopped
		return t
	}
	if p.Started != nil {
		p.Started(point)
	}
	if p.Ended != nil {
		defer p.Ended(point)
	}
	s, err := p.load(point)
	if err != nil {
		t.Err = err
		return t
	}
	o, err := s.Run(point.Options)
	if err != nil {
		t.Err = err
		return t
	}
	t.Value, t.Err = take(o)
	return t
}

// load returns the scenario of a point.
func (p *Pool) load(point *Point) (*scenarios.Scenario, error) {
	switch {
	case point.Loaded != nil:
		return point.Loaded, nil
	case point.Load != nil:
		return point.Load(point.Set)
	}
	return p.Load(point.Set)
}

// Makespan takes the time of a run, in seconds.
func Makespan(o *outcomes.Outcome) (float64, error) { return o.Result.Makespan().Seconds(), nil }

// Metrics takes the metrics of the workload, by name.
func Metrics(o *outcomes.Outcome) (map[string]float64, error) {
	metrics := map[string]float64{}
	for _, m := range o.Metrics {
		metrics[m.Name] = m.Value
	}
	return metrics, nil
}
