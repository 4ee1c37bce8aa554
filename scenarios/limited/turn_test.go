package limited

import "testing"

// Each long part has its turn in one of four runs, and in every run without TURN.
func TestHasTurn(t *testing.T) {
	had := map[int]int{}
	for _, turn := range []string{"40", "41", "42", "43"} {
		t.Setenv("TURN", turn)
		for i := range 10 {
			if HasTurn(i) {
				had[i]++
			}
		}
	}
	t.Setenv("TURN", "")
	for i := range 10 {
		if had[i] != 1 || !HasTurn(i) || Turn() != 0 {
			t.Errorf("part %d ran %d times in four turns", i, had[i])
		}
	}
}
