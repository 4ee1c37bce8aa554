package traces

import (
	"errors"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// Options are how a trace is run.
type Options struct {
	Compute float64            // factor on all computation; 0: 1
	Phases  map[string]float64 // further factors on the computation of phases, by their names
	Library string             // table of choices for collectives; "": that of the machine
}

// NewProgram returns a trace as a program for a machine. It reads the trace once, and
// returns all that stands in the way.
func NewProgram(t Trace, m *machines.Machine, o Options) (programs.Program, error) {
	return nil, errors.New("not there yet")
}
