package nodes

import (
	"cmp"
	"slices"
	"testing"

	"overlapsim/sim"

	"pgregory.net/rapid"
)

// The heap gives the same as a sorted list.
func TestLandings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h arrivals
		var sorted []arrival
		now := sim.Time(0)
		for n := range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "push") {
				l := arrival{now + sim.Time(rapid.IntRange(0, 9).Draw(t, "at")), uint64(rapid.IntRange(0, 5).Draw(t, "asked"))*100 + uint64(n),
					int32(n)}
				h.push(l)
				sorted = append(sorted, l)
				slices.SortFunc(sorted, func(a, b arrival) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.asked, b.asked)) })
				continue
			}
			now += sim.Time(rapid.IntRange(0, 4).Draw(t, "pause"))
			for {
				id, ok := h.pop(now)
				if want := len(sorted) > 0 && sorted[0].at <= now; ok != want || ok && id != sorted[0].id {
					t.Fatalf("at %d: %d, %v; want %+v", now, id, ok, sorted)
				}
				if !ok {
					break
				}
				sorted = sorted[1:]
			}
		}
	})
}
