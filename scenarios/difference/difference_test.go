package difference

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// outcome returns a run of the given ledgers, by rank and phase.
func outcome(name string, phases []string, ledgers [][]results.Ledger) *outcomes.Outcome {
	r := &results.Result{Ranks: len(ledgers), Phases: phases, Ledgers: ledgers, Finish: make([]sim.Time, len(ledgers))}
	for rank := range ledgers {
		l := r.OfRank(rank)
		r.Finish[rank] = l.Sum()
	}
	s := &files.Scenario{Name: name, Kind: "made-up", Ranks: len(ledgers), Machine: &files.Machine{Machine: &machines.Machine{Name: "m"}}}
	return &outcomes.Outcome{Scenario: s, Result: r}
}

// drawn draws a run whose times are at most the longest.
func drawn(t *rapid.T, name string, ranks int, phases []string, longest int64) *outcomes.Outcome {
	times := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 20), rapid.Int64Range(0, longest))
	ledgers := make([][]results.Ledger, ranks)
	for rank := range ledgers {
		for range phases {
			var l results.Ledger
			for term := range l {
				l[term] = sim.Time(times.Draw(t, "time"))
			}
			ledgers[rank] = append(ledgers[rank], l)
		}
	}
	return outcome(name, phases, ledgers)
}

// saved returns the side of a run that went through JSON.
func saved(t *rapid.T, o *outcomes.Outcome) *Side {
	record := o.Record()
	record.ByRank = o.LedgersByRank()
	text := must.Get(json.Marshal(record))(t)
	records, ok, err := outcomes.Saved(text)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	return OfRecord(records[0])
}

// All terms of a difference add up to the difference of the makespans, to the picosecond; the
// difference the other way round is the opposite.
func TestDifferencesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 5)
		a := drawn(t, "a", ranks.Draw(t, "ranks of a"), []string{"x", "y"}, 1e15)
		b := drawn(t, "b", ranks.Draw(t, "ranks of b"), rapid.SampledFrom([][]string{{"x", "y"}, {"y", "z"}, {"z"}}).Draw(t, "phases"), 1e15)
		d, back := Between(Of(a), Of(b)), Between(Of(b), Of(a))
		if d.Change != b.Result.Makespan()-a.Result.Makespan() || back.Change != -d.Change {
			t.Fatalf("the makespan changes by %v, and back by %v", d.Change, back.Change)
		}
		adds(t, d)
		adds(t, back)
		if len(a.Result.Ledgers) != len(b.Result.Ledgers) && (d.Ranks != nil || d.NoRank == "") {
			t.Fatalf("ranks of runs with other numbers of ranks: %+v", d)
		}
		worst(t, d, a.Result, b.Result)
	})
}

// adds checks the sums of a difference.
func adds(t *rapid.T, d *Difference) {
	if sum := Sum(d.Terms); sum != d.Change {
		t.Fatalf("the terms add up to %v of %v", sum, d.Change)
	}
	var phases sim.Time
	for _, p := range d.Phases {
		phases += p.Change
		if sum := Sum(p.Terms); sum != p.Change {
			t.Fatalf("the terms of phase %s add up to %v of %v", p.Name, sum, p.Change)
		}
	}
	if d.Phases != nil && phases != d.Change {
		t.Fatalf("the phases add up to %v of %v", phases, d.Change)
	}
	for i := range d.Ranks {
		if sum := Sum(d.Ranks[i].Terms); sum != d.Change {
			t.Fatalf("the terms of rank %d add up to %v of %v", d.Ranks[i].Rank, sum, d.Change)
		}
	}
}

// worst compares the listed ranks with all of them.
func worst(t *rapid.T, d *Difference, a, b *results.Result) {
	if d.Ranks == nil {
		return
	}
	listed := map[int]bool{}
	for i := range d.Ranks {
		listed[d.Ranks[i].Rank] = true
	}
	last := d.Ranks[len(d.Ranks)-1].Change()
	for rank := range a.Ledgers {
		la, lb := a.OfRank(rank), b.OfRank(rank)
		var grew sim.Time
		for term := range la {
			if term != int(results.Compute) && term != int(results.Interference) {
				grew += lb[term] - la[term]
			}
		}
		if !listed[rank] && grew > last || grew < d.Spread.Least || grew > d.Spread.Most {
			t.Fatalf("rank %d grew by %v; listed until %v, spread %+v", rank, grew, last, d.Spread)
		}
	}
}

// Results saved as JSON give the same difference as the runs.
func TestSavedDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 4).Draw(t, "ranks")
		a, b := drawn(t, "a", ranks, []string{"x", "y"}, 1e12), drawn(t, "b", ranks, []string{"y", "z"}, 1e12)
		want, _ := json.Marshal(Between(Of(a), Of(b)).Record())
		for _, d := range []*Difference{Between(saved(t, a), saved(t, b)), Between(Of(a), saved(t, b)), Between(saved(t, a), Of(b))} {
			if got, _ := json.Marshal(d.Record()); string(got) != string(want) {
				t.Fatalf("saved: %s\nrun:   %s", got, want)
			}
		}
	})
}

// By hand: rank 0 computes 10 and waits 2, then also 5 more; rank 1 ends 3 earlier.
func TestDifferenceByHand(t *testing.T) {
	ledger := func(compute, partner, barrier sim.Time) []results.Ledger {
		return []results.Ledger{{results.Compute: compute, results.Partner: partner, results.BarrierTime: barrier}}
	}
	a := outcome("a", []string{"all"}, [][]results.Ledger{ledger(10, 2, 0), ledger(12, 0, 0)})
	b := outcome("b", []string{"all"}, [][]results.Ledger{ledger(10, 7, 0), ledger(13, 0, 1)})
	d := Between(Of(a), Of(b))
	// The makespan goes from 12 to 17; partner from 1 to 3.5, ended from 0 to 1.5,
	// compute from 11 to 11.5, barrier from 0 to 0.5: of equal rests the first are rounded up.
	got := map[string]sim.Time{}
	for _, c := range d.Terms {
		got[TermName(c.Term)] = c.Change
	}
	if d.Change != 5 || got["compute"] != 1 || got["partner"] != 3 || got["barrier"] != 0 || got["ended"] != 1 {
		t.Errorf("%v: %v", d.Change, got)
	}
	if len(d.Ranks) != 2 || d.Ranks[0].Rank != 0 || d.Ranks[0].Change() != 5 || d.Ranks[1].Change() != 1 ||
		d.Spread != (Spread{1, 5, 1, 0}) {
		t.Errorf("ranks %+v, %+v", d.Ranks, d.Spread)
	}
	if lead := d.Lead(); lead != "b takes 5.000 ps longer than a (+41.7 %): partner +3.000 ps, compute +1.000 ps." {
		t.Error(lead)
	}
	if same := Between(Of(a), Of(a)); same.Lead() != "a and a take the same time, term by term." || len(same.Terms) != 0 || same.Ranks != nil {
		t.Errorf("%+v", same)
	}
}

// The largest remainders are rounded up, until the sum is right.
func TestApportion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		denominator := rapid.Int64Range(1, 7).Draw(t, "denominator")
		var exact []*big.Rat
		sum := new(big.Rat)
		for range rapid.IntRange(1, 6).Draw(t, "count") {
			exact = append(exact, big.NewRat(rapid.Int64Range(-50, 50).Draw(t, "numerator"), denominator))
			sum.Add(sum, exact[len(exact)-1])
		}
		want, _ := new(big.Float).SetRat(sum).Int64()
		if !sum.IsInt() {
			return
		}
		var got sim.Time
		for i, x := range apportion(exact, sim.Time(want)) {
			got += x
			if off := new(big.Rat).Sub(big.NewRat(int64(x), 1), exact[i]); off.Abs(off).Cmp(big.NewRat(1, 1)) >= 0 {
				t.Fatalf("%v becomes %d", exact[i], x)
			}
		}
		if got != sim.Time(want) {
			t.Fatalf("%v becomes %d", sum, got)
		}
	})
}

// Results that cannot be compared are an error.
func TestNoRanks(t *testing.T) {
	a := outcome("a", []string{"all"}, [][]results.Ledger{{{1}}})
	side := OfRecord(a.Record())
	const want = "the saved results of a have no ledgers by rank; --json --per-rank saves them"
	if d := Between(Of(a), side); !strings.Contains(d.RankNote(), want) {
		t.Error(d.RankNote())
	}
	record := a.Record()
	record.ByRank = []outcomes.RankTimes{{Term: "compute", Times: []float64{1, 2}}}
	if d := Between(Of(a), OfRecord(record)); !strings.Contains(d.RankNote(), "have 2 times of compute for 1 ranks") {
		t.Error(d.RankNote())
	}
}
