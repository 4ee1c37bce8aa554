package scenarios

import (
	"errors"
	"fmt"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// Scenario is a checked run that is ready to start.
type Scenario struct{ *files.Scenario }

// Run runs the scenario. The error is of type [sim.Panic] if the program, the workload or
// the fabric panics, and of type Problems if it lies in the scenario's text. Otherwise it
// is the error of the run, such as a deadlock.
func (s *Scenario) Run(o nodes.Options) (outcome *outcomes.Outcome, err error) {
	defer sim.Catch(s.Name, &err)
	result, links, err := s.run(o)
	if err != nil {
		return nil, s.Placed(err)
	}
	if n := s.StandIn(); n > 1 {
		result.Messages, result.Bytes = result.Messages*uint64(n), result.Bytes*int64(n)
		if links != nil {
			links.For = n
		}
	}
	outcome = &outcomes.Outcome{Scenario: s.Scenario, Result: result, Links: links}
	if s.Workload != nil { // the program of a scaled scenario is no workload's any more
		metrics, err := s.metrics(result, o)
		if err != nil {
			return nil, s.Placed(err)
		}
		outcome.Metrics, outcome.LeftOut = metrics.List(), metrics.LeftOut()
	}
	return outcome, nil
}

// metrics returns the results of the workload.
func (s *Scenario) metrics(r *results.Result, o nodes.Options) (workloads.Metrics, error) {
	if w, ok := s.Workload.(workloads.Paired); ok {
		other, err := s.other(w, o)
		if err != nil {
			return workloads.Metrics{}, err
		}
		return w.MetricsWith(r, other), nil
	}
	if w, ok := s.Workload.(workloads.Compared); ok && s.Machine.Limited() {
		fabric := s.Contention
		if two, err := s.Machine.Behind(2); err == nil && s.NodesTaken() == 1 { // what is compared is measured between two nodes
			fabric = two
		}
		return w.MetricsOn(s.Machine.Machine, fabric, r), nil
	}
	return s.Workload.Metrics(s.Machine.Machine, r), nil
}

// other runs the other program of a pair.
func (s *Scenario) other(w workloads.Paired, o nodes.Options) (*results.Result, error) {
	p, err := w.Other(s.Machine.Machine, s.Ranks)
	if err != nil {
		return nil, err
	}
	if p, err = s.Moved(p); err != nil {
		return nil, err
	}
	return nodes.Run(s.Machine.Machine, p, s.Processes, s.Options(nodes.Options{Fabric: s.Contention, MostEvents: o.MostEvents}))
}

// tune finds the best program if the workload leaves several open. It returns the result of that program's run, if
// the caller wants that run.
func (s *Scenario) tune(o nodes.Options) (*results.Result, error) {
	w, ok := s.Workload.(workloads.Tuned)
	if !ok {
		return nil, nil
	}
	if s.Best != nil {
		var err error
		s.Program, err = s.Moved(s.Best)
		return nil, err
	}
	whole := s.Whole() // what is taken away does not change which program is best
	asked := whole == s.Scenario && !o.Timeline && !o.Critical && !o.Traffic && s.Contention == nil
	var least *results.Result
	var of programs.Program
	o = whole.Options(o)
	o.Timeline, o.Critical, o.Traffic, o.Within, o.Fabric = false, false, false, 0, whole.Contention // one that is longer is not best
	best, err := w.Tune(whole.Machine.Machine, s.Ranks, func(tried programs.Program) (*results.Result, error) {
		p, err := whole.Moved(tried)
		if err != nil {
			return nil, err
		}
		result, err := nodes.Run(whole.Machine.Machine, p, s.Processes, o)
		if err == nil && asked && (least == nil || result.Makespan() < least.Makespan()) {
			least, of = result, tried
		}
		return result, err
	})
	if err != nil {
		return nil, err
	}
	s.Best = best
	if s.Program, err = s.Moved(best); of != best {
		return nil, err
	}
	return least, err
}

// run runs the program, or the experiment.
func (s *Scenario) run(o nodes.Options) (*results.Result, *network.Links, error) {
	if s.Program == nil {
		if _, gpus := s.Workload.(experiments.OnGPUs); o.Critical && !gpus {
			return nil, nil, &nodes.Mistake{Key: "workload.name", Message: s.Kind + " runs no program, so it has no critical path"}
		}
		return s.conduct(o)
	}
	if o.Cores > 1 && s.Fits(o) != nil { // in regions
		o.Cores = 1
	}
	if err := s.Fits(o); err != nil {
		return nil, nil, err
	}
	if s.Symmetric(o) {
		o.All = s.fitsAll(o)
	}
	o = s.Options(o)
	if tuned, err := s.tune(o); err != nil || tuned != nil {
		return tuned, nil, err
	}
	if s.Contention == nil {
		result, err := nodes.Run(s.Machine.Machine, s.Program, s.Processes, o)
		return result, nil, err
	}
	fabric, after := watch(s.Contention)
	o.Fabric = fabric
	result, err := nodes.Run(s.Machine.Machine, s.Program, s.Processes, o)
	if err != nil {
		return nil, nil, err
	}
	links, err := after(result.Makespan())
	if result.Traffic != nil {
		result.Traffic.Finish(links, result.Makespan())
	}
	return result, links, err
}

// fitsAll returns what finds out whether the run fits with all ranks.
func (s *Scenario) fitsAll(o nodes.Options) func() error {
	asked := o.All
	o.NoSymmetry = true
	return func() error {
		if asked != nil {
			if err := asked(); err != nil {
				return err
			}
		}
		return s.Fits(o)
	}
}

// conduct runs a workload that is no program: an experiment, or one on GPUs.
func (s *Scenario) conduct(o nodes.Options) (*results.Result, *network.Links, error) {
	if w, ok := s.Workload.(experiments.OnGPUs); ok {
		if err := s.Fits(o); err != nil {
			return nil, nil, err
		}
		place := s.Place
		place.Timeline, place.Critical, place.Within = o.Timeline, o.Critical, o.Within
		return s.onGPUs(w, place, o.Traffic)
	}
	w := s.Workload.(experiments.Experiment)
	on := s.Experiment
	on.Traffic = o.Traffic
	result, fabric, err := w.Run(s.Machine.Machine, on)
	if err != nil {
		return nil, nil, err
	}
	links := fabric.Links()
	if links == nil {
		return result, nil, nil
	}
	links.Elapsed = result.Makespan()
	if result.Traffic != nil {
		result.Traffic.Finish(links, result.Makespan())
	}
	return result, links, links.Check()
}

// onGPUs runs a workload on GPUs, and watches the links between them if they have some.
func (s *Scenario) onGPUs(w experiments.OnGPUs, place experiments.Place, recorded bool) (*results.Result, *network.Links, error) {
	after := func(sim.Time) (*network.Links, error) { return nil, nil }
	var traffic *network.Traffic
	if maker := place.Fabric; maker != nil {
		place.Fabric, after = watch(func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
			fabric, err := maker(k, sink)
			if err == nil && recorded {
				traffic = network.Watch(fabric, place.Ranks)
			}
			return fabric, err
		})
	}
	result, err := w.RunGPUs(s.Machine.Machine, place)
	var wrong *streams.Wrong
	if errors.As(err, &wrong) { // by numbers of the machine or of the workload
		err = &nodes.Mistake{Key: "workload", Message: fmt.Sprintf("cannot run on %s: %v", s.Machine.Name, wrong.Mistakes[0])}
	}
	var late streams.Late
	if errors.As(err, &late) {
		err = nodes.Late(late)
	}
	var refused *without.Refused
	if errors.As(err, &refused) {
		err = &nodes.Mistake{Key: "without", Message: refused.Error()}
	}
	if err != nil {
		return nil, nil, err
	}
	links, err := after(result.Makespan())
	if result.Traffic = traffic; traffic != nil {
		traffic.Finish(links, result.Makespan())
	}
	return result, links, err
}
