package scenarios

import (
	"overlapsim/nodes"
	"overlapsim/workloads"
	"overlapsim/workloads/goal"
)

// Schedule returns the program of the scenario as a GOAL schedule. If the workload leaves
// open which of its programs runs best, Schedule tries them as a run does. The error is
// of type Problems if it lies in the scenario's text.
func (s *Scenario) Schedule() (*goal.Schedule, error) {
	if w, ok := s.Workload.(workloads.Scheduled); ok {
		return w.Schedule(), nil
	}
	if s.Program == nil {
		return nil, s.Placed(&nodes.Mistake{Key: "workload.name", Message: s.Kind + " is not a program of ranks, so there is no schedule"})
	}
	own := *s.Scenario
	tuned := Scenario{&own}
	if _, err := tuned.tune(s.Options(nodes.Options{})); err != nil {
		return nil, s.Placed(err)
	}
	schedule, err := goal.FromProgram(tuned.Program)
	if err != nil {
		return nil, s.Placed(&nodes.Mistake{Key: "workload.name", Message: err.Error()})
	}
	return schedule, nil
}
