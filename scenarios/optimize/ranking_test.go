package optimize

import (
	"strings"
	"testing"
)

// The ranking has all values that could be run, the best first, and says in what others take
// longer.
func TestRanking(t *testing.T) {
	at := func(value string, result float64, compute, transfer float64) Point {
		return Point{Value: value, Result: &result, Ledger: map[string]float64{"compute": compute, "transfer": transfer}}
	}
	o := &Optimum{Points: []Point{at("a", 9, 5, 4), {Value: "b", Error: "no"}, at("c", 7, 6, 1), at("d", 8, 6, 2)}}
	all := o.Ranking(2)
	if len(all) != 2 || all[0].Value != "c" || all[1].Value != "d" {
		t.Fatalf("%+v", all)
	}
	if term, time := o.Points[0].Beyond(all[0]); term != "transfer" || time != 3 {
		t.Errorf("%s %g", term, time)
	}
	if term, time := all[0].Beyond(all[0]); term != "" || time != 0 {
		t.Errorf("%s %g", term, time)
	}
}

// Memory is a column where it is known; the best values that need more than nine tenths of it are named.
func TestSaysWhatNearlyFills(t *testing.T) {
	point := func(value string, result, memory float64) Point {
		return Point{Value: value, Result: &result, Memory: memory, OfMemory: 80}
	}
	s := &Study{Minimize: "makespan_s"}
	o := &Optimum{Run: "step", Points: []Point{point("a", 1, 79), point("b", 2, 40), point("c", 3, 73)}}
	o.Best = &o.Points[0]
	if got := s.RunnersUp(o); got[0][3] != "memory" || got[2][3] != "40.0 GB" {
		t.Errorf("got %q", got)
	}
	if got := s.MemoryText(o); !strings.HasPrefix(got, "step: nearly full: a, c. They need more than 90 % of the 80.0 GB") ||
		!strings.HasSuffix(got, "; the best of the others is b, 2.000 s in 40.0 GB") {
		t.Errorf("got %q", got)
	}
	o.Best = &o.Points[1]
	if got := s.MemoryText(o); got != "" {
		t.Errorf("the best value leaves half: %q", got)
	}
}
