package report

import (
	"fmt"
	"math"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// close tells whether two sums of the same seconds agree up to rounding.
func close(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// ranksOf returns a result with n ranks, whose ledgers all differ.
func ranksOf(n int) *results.Result { return longRanks(n, sim.Microsecond) }

// longRanks does the same with ledgers in multiples of a unit.
func longRanks(n int, unit sim.Time) *results.Result {
	r := &results.Result{Ranks: n, Phases: []string{"compute", "sync", "never"}}
	for rank := range n {
		phases := make([]results.Ledger, 3)
		for t := range results.NumTerms - 1 {
			phases[int(t)%2][t] = sim.Time(1+rank*int(t)) * unit
		}
		r.Ledgers = append(r.Ledgers, phases)
		l := r.OfRank(rank)
		r.Finish, r.Hidden = append(r.Finish, l.Sum()), append(r.Hidden, l[results.Compute])
		r.Bound.Chain = max(r.Bound.Chain, l.Sum()/2)
	}
	return r
}

// The values in the charts add up to the wall time of all ranks.
func TestChartsKeepTheSum(t *testing.T) {
	for _, n := range []int{1, 3, 64, 65, 130, 1000} {
		r := longRanks(n, 20*sim.Second) // of 1000 ranks, more than a Time holds
		all := r.Total()
		b := ledgersByRank(r)
		if len(b.Groups) > mostBars {
			t.Errorf("%d ranks: %d bars", n, len(b.Groups))
		}
		if got := weighted(t, b); !close(got, all.Sum().Seconds()) {
			t.Errorf("%d ranks: the bars hold %g s of %g s", n, got, all.Sum().Seconds())
		}
		if got := sumOf(ledgersByPhase(r)); !close(got*float64(n), all.Sum().Seconds()) {
			t.Errorf("%d ranks: the phases hold %g s of %g s", n, got*float64(n), all.Sum().Seconds())
		}
	}
}

// weighted adds up bars over ranks, each times its number of ranks.
func weighted(t *testing.T, b *Bars) (sum float64) {
	for g, name := range b.Groups {
		first, last := 0, 0
		if n, _ := fmt.Sscanf(name, "%d–%d", &first, &last); n < 2 {
			last = first
		}
		for _, p := range b.Parts {
			sum += p.Values[g][0] * float64(last-first+1)
		}
	}
	return sum
}

func sumOf(b *Bars) (sum float64) {
	for _, p := range b.Parts {
		for _, v := range p.Values {
			sum += v[0]
		}
	}
	return sum
}

func TestLedgerTable(t *testing.T) {
	r := ranksOf(5)
	rows := ledgerTable(r)
	if len(rows) != int(results.NumTerms)-1 {
		t.Fatalf("%d rows; idle never occurs", len(rows))
	}
	mean := 0.0
	for term, row := range rows {
		low, high := 1e-6, 1e-6*float64(1+4*term)
		if row.Min != low || !close(row.Max, high) || !close(row.Mean, (low+high)/2) {
			t.Errorf("%s: %g to %g s, mean %g s; want %g, %g and the middle", row.Title, row.Min, row.Max, row.Mean, low, high)
		}
		mean += row.Mean
	}
	if !close(mean, rows[0].Wall) {
		t.Errorf("the means add up to %g s, the wall time is %g s", mean, rows[0].Wall)
	}
}

func TestSummary(t *testing.T) {
	s := summarize(ranksOf(5))
	if want := ranksOf(5).Makespan().Seconds(); s.makespan != want || s.bound != want/2 {
		t.Errorf("makespan %g s, bound %g s, want %g and half of it", s.makespan, s.bound, want)
	}
}

func TestPapersBars(t *testing.T) {
	b := timers([]Run{
		{Name: "E", Bars: []Bar{{"Local Computation", 1}, {"Barrier", 2}}},
		{Name: "none"},
		{Name: "P", Bars: []Bar{{"Comm Init", 3}, {"Barrier", 4}}},
	})
	got := fmt.Sprint(b.Groups, b.Parts[0].Values, b.Parts[1].Values, b.Parts[2].Values, " ", b.Parts[2].Name)
	if want := "[E P] [[1] [NaN]] [[2] [4]] [[NaN] [3]] Comm Init"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if timers([]Run{{Name: "none"}}) != nil {
		t.Error("a chart without bars")
	}
}

func TestPartColors(t *testing.T) {
	parts := []Part{{Name: "Local Computation"}, {Name: "Remote Dep Computation"}, {Name: "Prefetch Comm Init"}, {Name: "Pipeline Comm Init"},
		{Name: "Comm Sync"}, {Name: "Barrier"}, {Name: "x"}, {Name: "y"}, {Name: "z", Color: "#123456"}}
	colors := partColors(parts)
	seen := map[string]bool{}
	for i, c := range colors {
		if c == "" || seen[c] {
			t.Errorf("%s has colour %q, which is empty or taken", parts[i].Name, c)
		}
		seen[c] = true
	}
	if colors[0] != looks[results.Compute].Color || colors[5] != looks[results.BarrierTime].Color || colors[8] != "#123456" {
		t.Errorf("colours %v", colors)
	}
}

func TestCompare(t *testing.T) {
	a, b := Run{Name: "a", Result: ranksOf(2)}, Run{Name: "b", Result: ranksOf(3)}
	rows := compare([]Run{a, b, {Name: "no result"}})
	if rows[0].Name != "Makespan" || rows[0].Cells[0] != (cell{"55.00 µs", ""}) || rows[0].Cells[1] != (cell{"100.0 µs", "+45.00 µs, +81.8 %"}) ||
		rows[0].Cells[2] != (cell{"–", " "}) {
		t.Errorf("first row %+v", rows[0])
	}
	for _, row := range rows {
		if row.Name == "Idle" {
			t.Error("a row for what no run has")
		}
	}
	if compare([]Run{a}) != nil {
		t.Error("one run compared with nothing")
	}
}
