package laws

import (
	"errors"
	"fmt"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
)

// lacksOnGPUs is the law of causes that are taken away from runs on GPUs.
func lacksOnGPUs(t *trial) error {
	o, err := t.runs()
	if err != nil || o.Result.On != results.GPUs || t.scenario().Whole() != t.scenario().Scenario {
		return errNotFor
	}
	nothing, err := t.lacking([]string{"communication", "computation"})
	if err != nil {
		return err
	}
	if took := nothing.Result.Makespan(); took != 0 {
		return fmt.Errorf("without communication and computation it takes %v", took)
	}
	whole := o.Result.Makespan()
	for _, cause := range []string{"communication", "computation"} {
		absent, err := t.lacking([]string{cause})
		if err != nil {
			return err
		}
		if took := absent.Result.Makespan(); took > whole+whole/anomaly {
			return fmt.Errorf("without %s it takes %v, with it %v", cause, took, whole)
		}
	}
	return t.lackingTwice(whole)
}

// anomaly is the part of a run by which it may become longer when something becomes faster: kernels then meet others than before.
const anomaly = 20

// hasNot tells whether a run did not begin because it lacks the cause that was to be taken away.
func hasNot(err error) bool {
	var problems keys.Problems
	return errors.As(err, &problems) && len(problems) == 1 && problems[0].Key == "without"
}

// lackingTwice takes up to three causes away that the run has, in two orders.
func (t *trial) lackingTwice(whole sim.Time) error {
	var names []string
	for range 1 + t.Rand.IntN(3) {
		cause := one(t.draw, without.Causes)
		if cause.GPUs.Not != "" {
			continue
		}
		name := cause.Name
		absent, err := t.lacking([]string{name})
		switch {
		case hasNot(err):
			continue
		case err != nil:
			return err
		}
		if took := absent.Result.Makespan(); name != "imbalance" && took > whole+whole/anomaly {
			return fmt.Errorf("without %s it takes %v, with it %v", name, took, whole)
		}
		names = append(names, name)
	}
	if names == nil {
		return nil
	}
	back := slices.Clone(names)
	slices.Reverse(back)
	first, err := t.lacking(names)
	if err != nil {
		return err
	}
	again, err := t.lacking(append(back, names[0]))
	if err != nil {
		return err
	}
	return sameFinish(fmt.Sprintf("without %v and in another order", names), first.Result, again.Result, 0)
}
