package optimize

import "testing"

// A plateau ends where values are noticeably worse or cannot be run.
func TestPlateau(t *testing.T) {
	none := -1.0
	for _, c := range []struct {
		results []float64
		ordered bool
		want    string
		noise   float64
	}{
		{[]float64{104, 102, 100.3, 100, 100.1}, true, "x: as good, within 0.3 %, are c or more", 0},
		{[]float64{100.01, 100, 102, 100.1, 103}, true, "x: as good are b or less", 0},
		{[]float64{102, 100.4, 100, 100.2, 103}, true, "x: as good, within 0.4 %, are b to d", 0},
		{[]float64{100.4, 100.3, 100, 100.1, 100.2}, true, "x: as good, within 0.4 %, are all values", 0},
		{[]float64{100.2, none, 100, none, 100.2}, true, "", 0},
		{[]float64{102, 101, 100, 101, 102}, true, "", 0},
		{[]float64{100, 100, 100, 100, 100}, true, "", 0},
		{[]float64{100.2, 102, 100, none, 100.1}, false, "x: as good, within 0.2 %, are c, e, a", 0},
		{[]float64{102, 102, 100, none, 101}, false, "", 0},
		{[]float64{120, 104, 100, 104, 120}, true, "x: as good, within 4.0 %, are b to d", 0.05},
	} {
		o := &Optimum{Run: "x", Noise: &c.noise}
		for i, result := range c.results {
			p := Point{Value: string(rune('a' + i)), index: i}
			if result != none {
				p.Result = &result
			}
			o.Points = append(o.Points, p)
		}
		o.Best = o.Ranking(1)[0]
		o.Plateau = o.plateau(c.ordered)
		if got := o.PlateauText(); got != c.want {
			t.Errorf("%v: %q, want %q", c.results, got, c.want)
		}
	}
}
