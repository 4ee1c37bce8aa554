package papers

import (
	"fmt"
	"strings"
)

// Tally counts verdicts.
type Tally struct {
	Claims, Hold [4]int // that were judged, and that hold, by kind
	Unexplained  int    // of those that do not hold
	Known        int    // ... and are explained
	Computed     int    // nothing published to compare with
	NotPredicted int    // ... and not computed
	AtEdge       int    // of those that were judged, whose verdict changes with a tenth more or less of the tolerance
	Chance       AgainstChance
}

// Count counts verdicts.
func Count(verdicts []*Verdict) (t Tally) {
	for _, v := range verdicts {
		t.Chance.add(v)
		switch v.Status() {
		case Computed:
			t.Computed++
			continue
		case NotPredicted:
			t.NotPredicted++
			continue
		case NotReproduced:
			t.Unexplained++
		case KnownFailure:
			t.Known++
		}
		t.Claims[v.Kind]++
		t.AtEdge += int(bit(v.AtEdge(v.Simulated)))
		t.Hold[v.Kind] += int(bit(v.Pass))
	}
	return t
}

// String is the headline: predictions alone, and after them the rest.
func (t Tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d predictions are reproduced", t.Hold[Predicted], t.Claims[Predicted])
	between := "; also "
	for _, k := range kinds()[1:] {
		if t.Claims[k] > 0 {
			fmt.Fprintf(&b, "%s%d of %d %s", between, t.Hold[k], t.Claims[k], k.counted())
			between = ", "
		}
	}
	if failed := t.Unexplained + t.Known; failed > 0 {
		fmt.Fprintf(&b, "; %d are not (%d explained)", failed, t.Known)
	}
	if t.AtEdge > 0 {
		fmt.Fprintf(&b, "; %d verdicts are at the edge of their tolerance", t.AtEdge)
	}
	if t.Computed > 0 {
		fmt.Fprintf(&b, "; %d withheld and computed", t.Computed)
	}
	if t.NotPredicted > 0 {
		fmt.Fprintf(&b, "; %d not predicted", t.NotPredicted)
	}
	return b.String()
}
