package scenarios

import (
	"overlapsim/nodes"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
)

// Scaled returns the scenario with a parameter multiplied by the factor. The program
// stays the same, except for the time that its computation takes.
func (s *Scenario) Scaled(parameter string, factor float64) (*Scenario, error) {
	scaled, machine := *s, *s.Machine
	scaled.Machine, scaled.Workload = &machine, nil
	wiring, ok := machine.wiring.scaled(parameter, factor)
	if machine.wiring = wiring; !ok {
		m, err := nodes.Scaled(s.Machine.Machine, parameter, factor)
		if err != nil {
			return nil, err
		}
		machine.Machine = m
	}
	scaled.Program = programs.Rescaled(s.Machine.Machine, s.Program, parameter, factor)
	var err error
	if s.contend != nil {
		scaled.contend, err = machine.wiring.fabric(s.kind, &machine.Network, s.shape)
	}
	return &scaled, err
}

// Simulate runs the scenario. Unlike Run it needs no workload, and computes no metrics.
func (s *Scenario) Simulate(o nodes.Options) (*results.Result, error) {
	result, _, err := s.run(o)
	return result, err
}
