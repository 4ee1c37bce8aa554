package sweep

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// hypercube makes the table of a Latin hypercube.
func hypercube(t interface{ Fatal(...any) }, samples int, seed uint64, runs []string, factors []Factor,
	gives func(Point) (float64, string)) *Table {
	p := made(sampled, runs, factors...)
	p.Points, p.Samples = nil, samples
	points := latinHypercube(factors, samples, seed)
	for _, twin := range []bool{false, true} {
		for _, run := range runs {
			for _, l := range points {
				p.Points = append(p.Points, Point{len(p.Points), "s.yaml", run, l, twin})
			}
		}
		points = twins(factors, points[0])
	}
	return tableOf(t, p, gives)
}

var unitRange = Range{From: "1", To: "3"}

// Knots are samples, ascending, and each row lies between two of them or on one.
func TestKnots(t *testing.T) {
	factors := []Factor{{Path: "a", Range: &Range{From: "1us", To: "1ms", Log: true}}, {Path: "b", Levels: []string{"x", "y"}}}
	table := hypercube(t, 24, 1, []string{""}, factors, func(Point) (float64, string) { return 1, "" })
	axes := table.axes()
	a := axes[0]
	if len(axes) != 2 || len(a.texts) != mostKnots || a.unit != "s" || !slices.IsSorted(a.numbers) {
		t.Fatalf("got %+v", a)
	}
	logs := make([]float64, len(a.numbers))
	for k, x := range a.numbers {
		logs[k] = math.Log(x)
	}
	for row, x := range table.Paths[0].Numbers[:table.Rows] {
		if got := a.along(logs, row); !near(got, math.Log(x)) {
			t.Errorf("row %d of %g lies at %g", row, x, math.Exp(got))
		}
	}
}

// If the result is a sum of straight lines and of steps for words, the effect of each
// path is its own term, regardless of what the others do, and the residual is 0. A run that failed
// is just one sample fewer.
func TestTrendOfASum(t *testing.T) {
	must.Long(t)
	rapid.Check(t, func(t *rapid.T) {
		factors := []Factor{{Path: "word", Levels: []string{"x", "y", "z"}}}
		weight := make([]float64, rapid.IntRange(1, 4).Draw(t, "ranges")+1)
		for i := 1; i < len(weight); i++ {
			weight[i] = float64(rapid.IntRange(-5, 5).Draw(t, "weight"))
			factors = append(factors, Factor{Path: fmt.Sprint("p", i), Range: &unitRange})
		}
		words := map[string]float64{"x": 0, "y": 4, "z": -3}
		table := hypercube(t, 12*len(factors), rapid.Uint64().Draw(t, "seed"), []string{"r", "s"}, factors, func(p Point) (float64, string) {
			sum := words[p.Levels[0]] + map[string]float64{"r": 100, "s": 700}[p.Run]
			for i := 1; i < len(weight); i++ {
				sum += weight[i] * numberOf(p.Levels[i])
			}
			if p.Number == 3 {
				return 0, "bad"
			}
			return sum, ""
		})
		makespan := table.Main()[0]
		fit := table.trend(makespan.Numbers)
		if fit.explained() < 1-1e-9 {
			t.Fatalf("explains %g", fit.explained())
		}
		for _, e := range table.Effects(makespan) {
			want := 7.0
			if e.Path != "word" {
				i := int(numberOf(e.Path[1:]))
				x := table.Paths[i].Numbers[:table.Rows]
				want = math.Abs(weight[i]) * (slices.Max(x) - slices.Min(x))
			}
			if math.Abs(e.High-e.Low-want) > 1e-4*(1+want) || e.Chance && want > 0 {
				t.Fatalf("%+v, want %g from end to end", e, want)
			}
		}
	})
}

// A path without effect is told from one with an effect, although the means over parts of
// its range differ much more. 1 of 20 may be missed.
func TestTrendAndChance(t *testing.T) {
	must.Long(t)
	factors := []Factor{{Path: "much", Range: &unitRange}, {Path: "also", Range: &unitRange}, {Path: "none", Range: &unitRange}}
	slips, misses := 0, 0
	const cases = 200
	for seed := range uint64(cases) {
		noise := sim.NewStream(seed, 99)
		table := hypercube(t, 40, seed, []string{""}, factors, func(p Point) (float64, string) {
			return 10 + 100*math.Exp(-numberOf(p.Levels[0])) + 2*numberOf(p.Levels[1]) + noise.Float64(), ""
		})
		fit := table.trend(table.Main()[0].Numbers)
		for i, a := range fit.axes {
			switch real := !fit.chance(i); {
			case real && a.name == "none":
				slips++
			case !real && a.name != "none":
				misses++
			}
		}
	}
	if slips > cases/8 || misses > 0 {
		t.Errorf("of %d sweeps %d see an effect of what has none, %d miss one", cases, slips, misses)
	}
	table := hypercube(t, 40, 1, []string{""}, factors, func(p Point) (float64, string) {
		noise := sim.NewStream(uint64(p.Number))
		return 10*numberOf(p.Levels[0]) + noise.Float64(), ""
	})
	bars := table.tornado(table.Main()[0], "Makespan")
	if n := slices.Index(bars.Groups, "none: no more than chance"); n < 0 || bars.Parts[0].Values[n][0] != 0 ||
		bars.Parts[1].Values[n][0] != 0 {
		t.Errorf("got %+v", bars)
	}
	few := hypercube(t, 3, 1, []string{""}, factors, func(p Point) (float64, string) { return float64(p.Number), "" })
	if !few.trend(few.Main()[0].Numbers).chance(0) {
		t.Error("three samples of three paths tell something")
	}
}

// The tridiagonal solution is checked against the product with a known solution.
func TestTridiagonal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		want, beside, diagonal, right := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			want[i] = float64(rapid.IntRange(-9, 9).Draw(t, "x"))
			diagonal[i] = float64(rapid.IntRange(7, 9).Draw(t, "diagonal"))
			if i+1 < n {
				beside[i] = float64(rapid.IntRange(-3, 3).Draw(t, "beside"))
			}
		}
		for i := range n {
			right[i] += diagonal[i] * want[i]
			if i+1 < n {
				right[i] += beside[i] * want[i+1]
				right[i+1] += beside[i] * want[i]
			}
		}
		for i, x := range tridiagonal(diagonal, beside, right) {
			if !near(x, want[i]) {
				t.Fatalf("place %d is %g, want %g", i, x, want[i])
			}
		}
	})
}

// Numbers that grow by a factor, or far, are shown on a logarithmic axis.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		numbers []float64
		want    bool
	}{
		{[]float64{1, 2, 4, 8}, true}, {[]float64{1, 2, 4}, false}, {[]float64{1, 2, 3, 4}, false},
		{[]float64{0.5, 0.840896, 1.41421, 2.37841, 4}, true}, {[]float64{100, 101, 102.01, 103.03}, false},
		{[]float64{1, 30}, true}, {[]float64{0, 1, 2, 400}, false}, {nil, false},
	} {
		if got := spread(c.numbers); got != c.want {
			t.Errorf("%v: %t", c.numbers, got)
		}
	}
}
