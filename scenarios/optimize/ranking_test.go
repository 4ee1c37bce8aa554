package optimize

import (
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
