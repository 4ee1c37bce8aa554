package network

import (
	"testing"

	"overlapsim/sim"

	"pgregory.net/rapid"
)

// No amount is lost, and every bin agrees with the definition: the part of each amount that has
// come until the bin's end, rounded down, minus that until its beginning.
func TestSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewSeries(rapid.SampledFrom([]int{1, 3, 1 << 16}).Draw(t, "rows"))
		type added struct {
			from, to sim.Time
			amount   int64
		}
		var all []added
		end, sum := sim.Time(0), int64(0)
		for range rapid.IntRange(1, 8).Draw(t, "amounts") {
			a := added{amount: rapid.Int64Range(0, 1<<50).Draw(t, "amount")}
			a.from = sim.Time(rapid.Int64Range(0, 1<<rapid.IntRange(1, 50).Draw(t, "digits")).Draw(t, "from"))
			a.to = a.from + sim.Time(rapid.Int64Range(0, 1<<rapid.IntRange(1, 50).Draw(t, "digits")).Draw(t, "length"))
			s.Add(0, a.from, a.to, a.amount)
			all, end, sum = append(all, a), max(end, a.to), sum+a.amount
		}
		if s.Sum(0) != sum {
			t.Fatalf("%d of %d", s.Sum(0), sum)
		}
		until := func(a added, at sim.Time) int64 {
			switch {
			case at > a.to || at == a.to && a.to > a.from:
				return a.amount
			case at <= a.from:
				return 0
			}
			return share(a.amount, at-a.from, a.to-a.from)
		}
		for bin, got := range s.Row(0) {
			want := int64(0)
			for _, a := range all {
				want += until(a, sim.Time(bin+1)*s.Bin) - until(a, sim.Time(bin)*s.Bin)
			}
			if got != want {
				t.Fatalf("bin %d of %v has %d, want %d", bin, s.Bin, got, want)
			}
			if got > 0 && sim.Time(bin)*s.Bin > end {
				t.Fatalf("bin %d is after the end", bin)
			}
		}
		if bins := int(end / s.Bin); bins >= mostBins || s.Bin > firstBin && bins < leastBins/2 {
			t.Fatalf("%d bins", bins)
		}
	})
}
