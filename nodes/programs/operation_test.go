package programs

import (
	"math"
	"testing"
	"unsafe"

	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
)

// Runs hold many operations, so one is small.
func TestOperationSize(t *testing.T) {
	if size := unsafe.Sizeof(Op{}); size != 32 {
		t.Errorf("an operation has %d bytes, should have 32", size)
	}
}

// A computation keeps the demand of its task, and a pattern its arguments.
func TestOperationHolds(t *testing.T) {
	for _, a := range []cores.Activity{{Profile: cores.FP}, {Profile: cores.Memory, Demand: 3e9, Tag: 4},
		{Profile: cores.Copy, Demand: demandUnit, Tag: 1}} {
		op := taskOp(machines.Task{Activity: a, Kernel: a.Tag}, 5)
		if op.Activity() != a || op.Kernel != a.Tag || op.Amount != 5 {
			t.Errorf("a task %+v became %+v", a, op)
		}
		if op.demands(3); op.Activity().Demand != 3*a.Demand {
			t.Errorf("three times the demand %d became %d", a.Demand, op.Activity().Demand)
		}
	}
	most := taskOp(machines.Task{Activity: cores.Activity{Demand: math.MaxInt64}}, 1)
	if most.Activity().Demand != math.MaxInt32*demandUnit {
		t.Errorf("the largest demand became %d", most.Activity().Demand)
	}
	for _, p := range []Pattern{{}, {3, 0, false}, {3, 0, true}, {1, 7, true}} {
		if op := p.op(); op.Pattern() != p {
			t.Errorf("the pattern %+v became %+v", p, op.Pattern())
		}
	}
}
