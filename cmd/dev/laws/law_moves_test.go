package laws

import (
	"fmt"

	"overlapsim/nodes/results"
)

// moved is the law of programs whose communication is moved: they end, and send and compute
// the same: as the program does whose collectives have the same algorithms. A program that cannot be changed so is refused when it is loaded.
func moved(t *trial) error {
	o, err := t.runs()
	if err != nil || !t.fixed() {
		return errNotFor
	}
	ways := []string{"as-written", "worst", "spread", "best"}
	c := t.Case.clone()
	c.Settings = append(c.Settings, "moves.receives="+ways[[]int{0, 1, 3}[t.Rand.IntN(3)]], "moves.sends="+ways[t.Rand.IntN(4)],
		"moves.waits="+ways[t.Rand.IntN(4)], "moves.collectives="+ways[t.Rand.IntN(4)], fmt.Sprint("moves.pieces=", 1+t.Rand.IntN(4)))
	other, err := t.variant(c)
	if err != nil {
		return err
	}
	if worst := c.Settings[len(c.Settings)-2]; worst == "moves.collectives=worst" {
		same := t.Case.clone()
		same.Settings = append(same.Settings, worst)
		if o, err = t.variant(same); err != nil {
			return err
		}
	}
	a, b := o.Ledger(), other.Ledger()
	if o.Result.Bytes != other.Result.Bytes || a[results.Compute] != b[results.Compute] {
		return fmt.Errorf("with %v it sends %d bytes and computes %v, not %d and %v", c.Settings[len(c.Settings)-5:], other.Result.Bytes,
			b[results.Compute], o.Result.Bytes, a[results.Compute])
	}
	return nil
}
