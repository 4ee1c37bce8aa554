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
	return Edited(p, true, func(_, _ int, ops []Op, more bool) ([]Op, bool) {
		for i := range ops {
			switch op := &ops[i]; {
			case op.Kind != OpCompute || op.Kernel != number:
			case what == "demand":
				op.demands(factor)
			default:
				op.Amount = int64(math.Round(float64(op.Amount) / factor))
			}
		}
		return ops, more
	})
}
