package optimize

import "testing"

// A plateau ends where values are noticeably worse or cannot be run.
func TestPlateau(t *testing.T) {
	none := -1.0
	for _, c := range []struct {
		results []float64
		ordered bool
		want    string
	}{
		{[]float64{104, 102, 100.3, 100, 100.1}, true, "x: as good, within 0.3 %, are c or more"},
		{[]float64{100.01, 100, 102, 100.1, 103}, true, "x: as good are b or less"},
		{[]float64{102, 100.4, 100, 100.2, 103}, true, "x: as good, within 0.4 %, are b to d"},
		{[]float64{100.4, 100.3, 100, 100.1, 100.2}, true, "x: as good, within 0.4 %, are all values"},
		{[]float64{100.2, none, 100, none, 100.2}, true, ""},
		{[]float64{102, 101, 100, 101, 102}, true, ""},
		{[]float64{100, 100, 100, 100, 100}, true, ""},
		{[]float64{100.2, 102, 100, none, 100.1}, false, "x: as good, within 0.2 %, are c, e, a"},
		{[]float64{102, 102, 100, none, 101}, false, ""},
	} {
		o := &Optimum{Run: "x"}
		for i, result := range c.results {
			p := Point{Value: string(rune('a' + i)), index: i}
			if result != none {
				p.Result = &result
			}
			o.Points = append(o.Points, p)
		}
		o.Best = o.Ranking(1)[0]
		o.Plateau = o.plateau(c.ordered)
		if all := o.best(); o.Plateau == nil && !o.Flat() && (len(all) != 1 || all[0].index != o.Best.index) ||
			o.Plateau != nil && c.ordered && (all[0].Value != o.Plateau.From || all[len(all)-1].Value != o.Plateau.To) {
			t.Errorf("%v: drawn as the best are %v", c.results, all)
		}
		if got := o.PlateauText(); got != c.want {
			t.Errorf("%v: %q, want %q", c.results, got, c.want)
		}
	}
}
