package laws

import (
	"fmt"
	"math/big"

	"overlapsim/sim"
)

func boundHolds(t *trial) error {
	o, err := t.runs()
	if err != nil {
		return err
	}
	if bound, makespan := o.Result.Bound.Time(), o.Result.Makespan(); bound > makespan {
		return fmt.Errorf("the bound is %v, the run took %v", bound, makespan)
	}
	return nil
}

func boundAlone(t *trial) error {
	here, there, err := t.elsewhere()
	if err != nil {
		return err
	}
	if !sameProgram(here, there) || (here.Fabric == "calibrated") != (there.Fabric == "calibrated") {
		return errNotFor // a calibrated fabric has NICs of its own
	}
	room := sim.Time(here.Result.Messages) // where one library cuts messages in pieces, each is rounded
	if a, b := here.Result.Bound.Time(), there.Result.Bound.Time(); apart(a, b) > room+a/1_000_000 {
		return fmt.Errorf("the bound is %v, with another library or fabric (%q) %v", a, there.Fabric, b)
	}
	return nil
}

// boundMonotone makes one thing of the machine or the workload twice as fast.
func boundMonotone(t *trial) error {
	o, err := t.runs()
	if err != nil || !t.fixed() {
		return errNotFor
	}
	c, err := t.spelled()
	if err != nil {
		return err
	}
	at, path, ok := t.anyTimed(c, "machine", "workload")
	if !ok {
		return errNotFor
	}
	old := at.text
	text, ok := slower(old, big.NewRat(1, 2))
	if !ok {
		return errNotFor
	}
	at.text = text
	other, err := t.variant(c)
	if err != nil || !sameProgram(o, other) {
		return errNotFor
	}
	if a, b := o.Result.Bound.Time(), other.Result.Bound.Time(); b > a {
		return fmt.Errorf("the bound is %v with %q, and %v with %q", a, path+": "+old, b, text)
	}
	return nil
}
