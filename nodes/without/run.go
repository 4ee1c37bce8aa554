package without

import (
	"overlapsim/network/calibrated"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// Run is what a run of processes is made of.
type Run struct {
	Machine    *machines.Machine
	Background int // threads that compute alongside each process
	Fabric     Fabric
	edits      []func(programs.Program) programs.Program
}

// Fabric says what is taken away from the network between the NICs.
type Fabric struct {
	Ideal     bool     // no message meets another one
	Unlimited bool     // links take all that comes, and contention factors are 1
	Free      bool     // NICs move bytes at no time, at both ends of the network
	Keys      []string // the keys of machine files that are omitted
}

// Calibration returns the contention factors that are left; nil: messages have no separate NICs.
func (f *Fabric) Calibration(c *calibrated.Calibration) *calibrated.Calibration {
	switch {
	case f.Ideal:
		return nil
	case f.Unlimited:
		return calibrated.One()
	}
	return c
}

// Processes takes causes away from a run of processes on a machine, which stays as it is. The
// error says which cause has no meaning there.
func (s Set) Processes(m *machines.Machine, background int) (*Run, error) {
	r := &Run{Machine: m.Clone(), Background: background}
	for _, c := range s.all() {
		if c.Processes == nil {
			return nil, &Refused{c.Name, c.NotProcesses}
		}
		c.Processes(r)
	}
	return r, nil
}

// Program takes the causes away from a program.
func (r *Run) Program(p programs.Program) programs.Program {
	for _, edit := range r.edits {
		p = edit(p)
	}
	return p
}
