package papers

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"overlapsim/scenarios"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/points"
)

// Runner computes the metrics of a run. It is called from several goroutines.
type Runner func(r *Run) (map[string]float64, error)

// Simulate is the Runner that simulates the scenario of a run. For a run without a scenario
// it returns the numbers.
func Simulate(r *Run) (map[string]float64, error) {
	if r.Scenario == "" {
		return Numbers(r)
	}
	s, err := r.load()
	if err != nil {
		return nil, err
	}
	metrics, err := points.One(new(points.Pool), points.Point{Loaded: s}, points.Metrics)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.place(), err)
	}
	return metrics, nil
}

// Numbers is the Runner of experiments without a scenario: the metrics are the
// settings themselves, for closed-form models.
func Numbers(r *Run) (map[string]float64, error) {
	metrics := map[string]float64{}
	for _, s := range r.Settings {
		x, err := strconv.ParseFloat(s.Value, 64)
		if err != nil || x-x != 0 {
			return nil, keys.Problems{{Place: s.Place, Key: s.Path,
				Message: "must be a number, as the experiment has no scenario; got " + strconv.Quote(s.Value)}}
		}
		metrics[s.Path] = x
	}
	return metrics, nil
}

// Check reports what is wrong with the settings of runs, without running them.
func Check(runs []*Run) error {
	var errs []error
	for _, r := range runs {
		if r.Scenario != "" {
			_, err := r.load()
			errs = append(errs, err)
		}
	}
	return keys.Together(errs...)
}

// load returns the scenario of a run, with more settings on top. Mistakes have the places
// of the settings.
func (r *Run) load(more ...string) (*scenarios.Scenario, error) {
	settings := make([]string, len(r.Settings))
	for i, s := range r.Settings {
		settings[i] = s.String()
	}
	study, err := scenarios.Load(r.Scenario, append(settings, more...))
	switch {
	case err != nil:
		return nil, keys.Moved(err, func(p *keys.Problem, setting string) {
			for _, s := range r.Settings {
				if s.String() == setting {
					p.Place, p.Key = s.Place, s.Path
				}
			}
		})
	case len(study.Runs) != 1:
		return nil, keys.Problems{{Place: r.place(), Key: "scenario",
			Message: fmt.Sprintf("%s has %d runs; an experiment starts from one", r.Scenario, len(study.Runs))}}
	}
	return study.Runs[0], nil
}

// place is approximately where the run was written.
func (r *Run) place() keys.Place {
	if len(r.Settings) == 0 {
		return keys.Place{Flag: r.Scenario}
	}
	return r.Settings[0].Place
}

// Results are the metrics of runs.
type Results map[string]map[string]float64 // by key of the run

// Get runs what is not yet in the results, each run once, over all cores. The
// results do not depend on the order in which runs end. Progress may be nil; it
// is called when a run ends. The error joins the errors of all runs, each once.
func (r Results) Get(runs []*Run, runner Runner, progress func(done, total int)) error {
	missing := map[string]*Run{}
	for _, run := range runs {
		if key := run.key(); r[key] == nil {
			missing[key] = run
		}
	}
	names := slices.Sorted(maps.Keys(missing))
	found := make([]map[string]float64, len(names))
	errs := make([]error, len(names))
	var mutex sync.Mutex
	done := 0
	scenarios.Parallel(len(names), func(i int) {
		found[i], errs[i] = runner(missing[names[i]])
		mutex.Lock()
		defer mutex.Unlock()
		if done++; progress != nil {
			progress(done, len(names))
		}
	})
	for i, key := range names {
		if errs[i] == nil {
			r[key] = found[i]
		}
	}
	return keys.Together(errs...)
}

// metric looks up a metric of a run.
func (r Results) metric(e *Experiment, variant, point int, name string) (float64, error) {
	metrics, ok := r[e.run(variant, point).key()]
	if !ok {
		panic(fmt.Sprintf("papers: %s.%s at %s was not run", e.Name, e.Variants[variant].Name, e.Points[point].Label))
	}
	x, ok := metrics[name]
	if !ok {
		return 0, fmt.Errorf("unknown metric%s", meant(name, slices.Sorted(maps.Keys(metrics))))
	}
	return x, nil
}

// needs returns the runs that an expression of the paper uses, each once.
func (p *Paper) needs(e *Expression, cell *series) ([]*Run, error) {
	var runs []*Run
	v := &evaluator{paper: p, row: cell, dry: true, metric: func(e *Experiment, variant, point int, _ string) (float64, error) {
		if run := e.run(variant, point); !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
		return 1, nil
	}}
	_, err := v.eval(e)
	return runs, err
}

// eval computes an expression from results that hold all values that it needs.
func (p *Paper) eval(e *Expression, cell *series, results Results) (float64, error) {
	v, err := (&evaluator{paper: p, row: cell, metric: results.metric}).eval(e)
	if err == nil {
		err = v.finite()
	}
	if err == nil && v.vector {
		err = fmt.Errorf("%s: is %s, not one number", e.Text, v.is())
	}
	if err != nil {
		return 0, err
	}
	return v.x[0], nil
}
