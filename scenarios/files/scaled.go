package files

import (
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
)

// Scaled returns the scenario with a parameter multiplied by the factor. The program
// stays the same, except for the time that its computation takes.
func (s *Scenario) Scaled(parameter string, factor float64) (*Scenario, error) {
	scaled, machine := *s, *s.Machine
	scaled.Machine, scaled.Workload = &machine, nil
	wiring, ok := machine.wiring.scaled(parameter, factor)
	if machine.wiring = wiring; !ok {
		m, err := parts.Scaled(s.Machine.Machine, parameter, factor)
		if err != nil {
			return nil, err
		}
		machine.Machine = m
	}
	scaled.Program = programs.Rescaled(s.Machine.Machine, s.Program, parameter, factor)
	var err error
	if s.Contention != nil {
		scaled.Contention, err = s.contended(&machine.wiring, machine.Machine)
	}
	return &scaled, err
}
