package cli

import (
	"strings"
	"testing"

	"overlapsim/nodes/results"
)

// Ranks that began all collectives at once did not wait for each other; what they waited for ranks without a trace is not known.
func TestSkewLine(t *testing.T) {
	long, none := 3e-6, 0.0
	late := results.Traced{Skew: &results.Skew{Collectives: 20}, Ranks: []results.TracedRank{{Rank: 0, Waited: &long}, {Rank: 3, Waited: &none, Last: 20}}}
	even := results.Traced{Skew: late.Skew, Missing: 2, Ranks: []results.TracedRank{{Rank: 0, Waited: &none}, {Rank: 3, Waited: &none}}}
	for want, traced := range map[string]results.Traced{"rank 3 was the last to begin in 20; the others waited for it": late,
		"none waited for another one. How long they waited for ranks without a trace is not known.": even} {
		if got := skewLine(&traced); !strings.Contains(got, want) || strings.Contains(got, "not known") != (traced.Missing > 0) {
			t.Errorf("%s; want %s", got, want)
		}
	}
}
