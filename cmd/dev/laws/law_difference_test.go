package laws

import (
	"encoding/json"
	"fmt"

	"overlapsim/scenarios/difference"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

// differencesAddUp compares a case with itself after one of its times was doubled, as runs and as saved
// results.
func differencesAddUp(t *trial) error {
	a, err := t.runs()
	if err != nil {
		return errNotFor
	}
	c, err := t.spelled()
	if err != nil {
		return err
	}
	_, path, ok := t.anyTimed(c, "machine")
	if !ok {
		return errNotFor
	}
	factor := c.clone()
	factor.Settings = []string{path + "=x2"}
	b, err := t.variant(factor)
	if err != nil {
		return err
	}
	again, err := savedSide(b)
	if err != nil {
		return err
	}
	for _, side := range []*difference.Side{difference.Of(b), again} {
		d := difference.Between(difference.Of(a), side)
		if d.Change != b.Result.Makespan()-a.Result.Makespan() {
			return fmt.Errorf("with %s=x2 the makespan changes by %v, from %v to %v", path, d.Change, a.Result.Makespan(), b.Result.Makespan())
		}
		if err := addsUp(d); err != nil {
			return fmt.Errorf("with %s=x2 %w", path, err)
		}
	}
	return nil
}

// savedSide is a run that was written as JSON and read.
func savedSide(o *outcomes.Outcome) (*difference.Side, error) {
	record := o.Record()
	record.ByRank = o.LedgersByRank()
	text, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	records, _, err := outcomes.Saved(text)
	if err != nil {
		return nil, fmt.Errorf("what was saved cannot be read: %w", err)
	}
	return difference.OfRecord(records[0]), nil
}

func addsUp(d *difference.Difference) error {
	if sum := difference.Sum(d.Terms); sum != d.Change {
		return fmt.Errorf("the terms add up to %v of %v", sum, d.Change)
	}
	phases := sim.Time(0)
	for _, p := range d.Phases {
		phases += p.Change
		if sum := difference.Sum(p.Terms); sum != p.Change {
			return fmt.Errorf("the terms of phase %s add up to %v of %v", p.Name, sum, p.Change)
		}
	}
	if d.Phases != nil && phases != d.Change {
		return fmt.Errorf("the phases add up to %v of %v", phases, d.Change)
	}
	for i := range d.Ranks {
		if sum := difference.Sum(d.Ranks[i].Terms); sum != d.Change {
			return fmt.Errorf("the terms of rank %d add up to %v of %v", d.Ranks[i].Rank, sum, d.Change)
		}
	}
	return nil
}
