package programs

import (
	"math"
	"strings"

	"overlapsim/nodes/machines"
)

// Rescaled returns a program for a machine in which a parameter of a kernel (its rates or its
// demand) is multiplied by factor. Computation then has the new cost. Everything else stays the
// same, even where a workload would have made another choice. Other parameters change no program.
func Rescaled(m *machines.Machine, p Program, parameter string, factor float64) Program {
	name, what, _ := strings.Cut(strings.TrimPrefix(parameter, "kernels."), ".")
	number := m.KernelNumber(name)
	if number == 0 || !strings.HasPrefix(parameter, "kernels.") {
		return p
	}
	return &rescaled{p, number, what == "demand", factor}
}

// rescaled is a program in which a parameter of one kernel is multiplied by factor.
type rescaled struct {
	Program
	kernel int32
	demand bool // the parameter is the demand; otherwise it is the rates
	factor float64
}

// Threads implements Threaded.
func (p *rescaled) Threads() int { return Threads(p.Program) }

// Symmetry implements Symmetric.
func (p *rescaled) Symmetry() Grid { return Symmetry(p.Program) }

// Begin implements Reactive.
func (p *rescaled) Begin() Program {
	begun := *p
	begun.Program = InRun(p.Program)
	return &begun
}

// Step implements Program.
func (p *rescaled) Step(rank, step int, do *Ops) bool {
	more := p.Program.Step(rank, step, do)
	for i := range do.list {
		switch op := &do.list[i]; {
		case op.Kind != OpCompute || op.Kernel != p.kernel:
		case p.demand:
			op.demands(p.factor)
		default:
			op.Amount = int64(math.Round(float64(op.Amount) / p.factor))
		}
	}
	return more
}
