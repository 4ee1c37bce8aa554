package optimize

import (
	"fmt"
	"testing"

	"overlapsim/scenarios/report"
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

// A plateau is what lies next to the best value without a worse one in between; words have none.
func TestPlateau(t *testing.T) {
	results := []float64{1.2, 1.001, 1, 1.004, 1.2, 1.001}
	o := &Optimum{Run: "r"}
	for i := range results {
		o.Points = append(o.Points, Point{Value: fmt.Sprint(i), Result: &results[i], index: i})
	}
	o.Best = &o.Points[2]
	s := &Study{Path: "p", Minimize: makespan, Optima: []*Optimum{o}, numbers: []float64{1, 2, 3, 4, 5, 6}}
	if got := s.BestAt(o); got != "2 (as good: 1 to 3)" {
		t.Errorf("the best is at %s", got)
	}
	if o.Noise = new(0.25); s.AsGood(o) != "0 to 5" {
		t.Errorf("with noise of a quarter: %s", s.AsGood(o))
	}
	if s.numbers = nil; s.AsGood(o) != report.Dash {
		t.Errorf("words have a plateau: %s", s.AsGood(o))
	}
}
