package laws

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

// causes draws one to three causes that processes have.
func (t *trial) causes() (names []string) {
	for range 1 + t.Rand.IntN(3) {
		c := one(t.draw, without.Causes)
		if c.Processes != nil {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return []string{"communication"}
	}
	return names
}

// lacking runs the case without causes.
func (t *trial) lacking(names []string) (*outcomes.Outcome, error) {
	c := t.Case.clone()
	c.Settings = append(c.Settings, "without=["+strings.Join(names, ", ")+"]")
	result, err := t.lab.run(c, nodes.Options{})
	if err != nil {
		return nil, fmt.Errorf("without %v it does not run: %w", names, err)
	}
	return result, nil
}

// lacks is the law of causes that are taken away: the messages stay, and so does the computation,
// where it is not the cause. Twice, and in another order, is the same.
func lacks(t *trial) error {
	o, err := t.runs()
	if err != nil || t.scenario().Program == nil || t.scenario().Whole() != t.scenario().Scenario {
		return errNotFor
	}
	names := t.causes()
	absent, err := t.lacking(names)
	if err != nil {
		return err
	}
	back := slices.Clone(names)
	slices.Reverse(back)
	again, err := t.lacking(append(back, names[0]))
	if err != nil {
		return err
	}
	if err := sameFinish(fmt.Sprintf("without %v and in another order", names), absent.Result, again.Result, 0); err != nil {
		return err
	}
	if slices.Contains(selfTimed, t.scenario().Kind) {
		return nil
	}
	return kept(names, o, absent)
}

// kept compares what a run does without causes with what it does with them.
func kept(names []string, o, absent *outcomes.Outcome) error {
	a, b := o.Ledger(), absent.Ledger()
	if o.Result.Messages != absent.Result.Messages || o.Result.Bytes != absent.Result.Bytes {
		return fmt.Errorf("without %v it sends %d messages of %d bytes, not %d of %d", names, absent.Result.Messages, absent.Result.Bytes,
			o.Result.Messages, o.Result.Bytes)
	}
	want := a[results.Compute]
	if slices.Contains(names, "computation") {
		want = sim.Total{}
	}
	if b[results.Compute] != want {
		return fmt.Errorf("without %v it computes %v, not %v", names, b[results.Compute], want)
	}
	if slices.Contains(names, "communication") {
		for _, term := range []results.Term{results.Transfer, results.Latency, results.Overhead, results.Progress, results.Contention,
			results.NICStall} {
			if b[term] != (sim.Total{}) {
				return fmt.Errorf("without %v a rank spends %v on %v", names, b[term], term)
			}
		}
	}
	return nil
}
