package limited

import (
	"slices"
	"strconv"
	"testing"
)

// Each long part has its turn in one of twelve runs, and in every run without TURN. The heavy ones are spread: no turn takes longer than the
// heaviest of them, or a fifth longer than the mean.
func TestHasTurn(t *testing.T) {
	had, takes := map[int]int{}, make([]float64, turns)
	sum := 0.0
	part := func(i int) string {
		if i < len(heavy) {
			return heavy[i].part
		}
		return "light"
	}
	for turn := range turns {
		t.Setenv("TURN", strconv.Itoa(40+turn))
		for i := range 2 * turns {
			if HeavyTurn(i, part(i)) {
				had[i]++
			}
			if HasTurn(i) != ((40+turn)%turns == i%turns) {
				t.Errorf("part %d in turn %d: %v", i, turn, HasTurn(i))
			}
		}
		for i, h := range heavy {
			if HeavyTurn(i, h.part) {
				takes[turn] += h.seconds
				sum += h.seconds
			}
		}
	}
	t.Setenv("TURN", "")
	for i := range 2 * turns {
		if had[i] != 1 || !HeavyTurn(i, part(i)) || !HasTurn(i) || Turn() != 0 {
			t.Errorf("part %d ran %d times in %d turns", i, had[i], turns)
		}
	}
	if most := slices.Max(takes); most > max(heavy[0].seconds, 1.2*sum/turns) {
		t.Errorf("the turns take %v s", takes)
	}
}
