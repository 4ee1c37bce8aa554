package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tableOf makes the table of a plan. A function gives the makespan or the error of each
// point.
func tableOf(t interface{ Fatal(...any) }, p *Plan, gives func(Point) (float64, string)) *Table {
	table := &Table{Plan: p, Errors: make([]string, len(p.Points)), named: map[string]*Column{}}
	table.readPaths()
	for i, point := range p.Points {
		if !point.Twin {
			table.Rows++
		}
		x, wrong := gives(point)
		if table.Errors[i] = wrong; wrong == "" {
			table.read(i, fmt.Appendf(nil,
				`{"record":{"scenario":"s","machine":"m","events":%d,"makespan_s":%v,"ledger":{"compute_s":1}}}`, i, x))
		}
	}
	return table
}

// made makes a plan of factors by hand.
func made(design *Design, runs []string, factors ...Factor) *Plan {
	p := &Plan{Format: planFormat, Scenario: "s.yaml", Title: "S", Design: design, Factors: factors, Runs: len(runs),
		Files: []File{{"s.yaml", "text\n"}}}
	if design.sampled {
		p.Samples, p.Seed = 20, 1
	}
	points, extra := design.points(p)
	for _, twin := range []bool{false, true} {
		for _, run := range runs {
			for _, l := range points {
				p.Points = append(p.Points, Point{len(p.Points), "s.yaml", run, l, twin})
			}
		}
		points = extra
	}
	return p
}

func numberOf(level string) float64 {
	x, _ := strconv.ParseFloat(level, 64)
	return x
}

// If the result is a sum over the paths, the effect of each is the effect of its term: from
// its smallest to its largest value, relative to the term's mean.
func TestEffectsOfASum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		design := rapid.SampledFrom([]*Design{crossed, fromBase}).Draw(t, "design")
		factors := make([]Factor, rapid.IntRange(1, 3).Draw(t, "factors"))
		weight := make([]float64, len(factors))
		for i := range factors {
			factors[i].Path = fmt.Sprint("p", i)
			weight[i] = float64(rapid.IntRange(-5, 5).Draw(t, "weight"))
			for j := range rapid.IntRange(2, 4).Draw(t, "levels") {
				factors[i].Levels = append(factors[i].Levels, fmt.Sprint(j+1))
			}
		}
		table := tableOf(t, made(design, []string{"a", "b"}, factors...), func(p Point) (float64, string) {
			sum := map[string]float64{"a": 100, "b": 500}[p.Run]
			for i, level := range p.Levels {
				sum += weight[i] * numberOf(level)
			}
			return sum, ""
		})
		effects := table.Effects(table.Main()[0])
		if len(effects) != len(factors) {
			t.Fatalf("%d effects", len(effects))
		}
		for _, e := range effects {
			i := int(numberOf(strings.TrimPrefix(e.Path, "p")))
			n := float64(len(factors[i].Levels))
			centre := (1 + n) / 2
			if design.fromBase {
				centre = 0
			}
			ends := []float64{weight[i] * (1 - centre), weight[i] * (n - centre)}
			if !near(e.Low, slices.Min(ends)) || !near(e.High, slices.Max(ends)) {
				t.Fatalf("%s with the weight %g of %g levels: %+v, want %v", e.Path, weight[i], n, e, ends)
			}
		}
		for i := 1; i < len(effects); i++ {
			if effects[i].Swing() > effects[i-1].Swing()+1e-9 {
				t.Fatalf("not ranked: %+v", effects)
			}
		}
	})
}

// Of a grid with points that failed, the effect of a path comes from points that differ only in it: the effect of its
// term, regardless of what the other paths do. A path none of whose blocks is whole has none that is known.
func TestEffectsWithFailures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		factors := []Factor{{Path: "p0", Levels: []string{"1", "2", "3"}}, {Path: "p1", Levels: []string{"1", "2", "3", "4"}}}
		weight := []float64{float64(rapid.IntRange(-5, 5).Draw(t, "weight")), 1000}
		failed := map[string]bool{}
		for range rapid.IntRange(1, 8).Draw(t, "failures") {
			failed[rapid.SampledFrom(factors[0].Levels).Draw(t, "p0")+" "+rapid.SampledFrom(factors[1].Levels).Draw(t, "p1")] = true
		}
		table := tableOf(t, made(crossed, []string{"a"}, factors...), func(p Point) (float64, string) {
			if failed[p.Levels[0]+" "+p.Levels[1]] {
				return math.NaN(), "out of memory"
			}
			return 1e4 + weight[0]*numberOf(p.Levels[0]) + weight[1]*numberOf(p.Levels[1]), ""
		})
		ok := func(i int, level, other string) bool {
			return i == 0 && !failed[level+" "+other] || i == 1 && !failed[other+" "+level]
		}
		for _, e := range table.Effects(table.Main()[0]) {
			i := int(numberOf(strings.TrimPrefix(e.Path, "p")))
			others := factors[1-i].Levels
			var ran []string
			for _, level := range factors[i].Levels {
				if slices.ContainsFunc(others, func(other string) bool { return ok(i, level, other) }) {
					ran = append(ran, level)
				}
			}
			whole := len(ran) > 1 && slices.ContainsFunc(others, func(other string) bool {
				return !slices.ContainsFunc(ran, func(level string) bool { return !ok(i, level, other) })
			})
			want := 0.0
			if whole {
				want = math.Abs(weight[i]) * (numberOf(ran[len(ran)-1]) - numberOf(ran[0]))
			}
			if e.Unknown == whole || !near(e.Swing(), want) {
				t.Fatalf("%+v, failed %v: want a swing of %g", e, failed, want)
			}
		}
	})
}

func near(x, y float64) bool { return math.Abs(x-y) < 1e-9*(1+math.Abs(x)+math.Abs(y)) }

// Exactly the paths that the result does not depend on are named, in every
// design.
func TestIdle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		design := rapid.SampledFrom(designs).Draw(t, "design")
		factors := []Factor{{Path: "a", Levels: []string{"1", "2", "3"}}, {Path: "b", Levels: []string{"1", "2"}},
			{Path: "one", Levels: []string{"1"}}}
		if design.sampled {
			factors = append(factors, Factor{Path: "r", Range: &Range{From: "1", To: "2"}})
		}
		matters := make([]bool, len(factors))
		var want []string
		for i, f := range factors {
			if matters[i] = rapid.Bool().Draw(t, f.Path); !matters[i] && (f.Path != "one" || design.fromBase) {
				want = append(want, f.Path)
			}
		}
		table := tableOf(t, made(design, []string{""}, factors...), func(p Point) (float64, string) {
			sum := 0.0
			for i, level := range p.Levels {
				if matters[i] {
					sum += numberOf(level) * math.Pow(10, float64(i))
				}
			}
			return sum, ""
		})
		if got := table.Idle(); !slices.Equal(got, want) {
			t.Fatalf("%s: got %v, want %v", design.name, got, want)
		}
	})
}

// A path that decides between success and failure has an effect. If all points that can
// be compared failed, the effect is not known.
func TestIdleAndErrors(t *testing.T) {
	factors := []Factor{{Path: "a", Levels: []string{"1", "2"}}, {Path: "b", Levels: []string{"1", "2"}}}
	fails := func(bad ...string) *Table {
		return tableOf(t, made(crossed, []string{""}, factors...), func(p Point) (float64, string) {
			if slices.Contains(bad, strings.Join(p.Levels, "")) {
				return 0, "wrong"
			}
			return 5, ""
		})
	}
	for _, c := range []struct {
		bad  []string
		want string
	}{
		{nil, "a b"},
		{[]string{"11", "12"}, "b"},
		{[]string{"11"}, ""},
		{[]string{"11", "12", "21", "22"}, ""},
	} {
		if got := strings.Join(fails(c.bad...).Idle(), " "); got != c.want {
			t.Errorf("where %v fail: %q, want %q", c.bad, got, c.want)
		}
	}
}

// Points that failed for the same reason count as one failure.
func TestFailures(t *testing.T) {
	table := tableOf(t, made(crossed, []string{""}, Factor{Path: "ranks", Levels: []string{"2", "3", "4", "5"}}),
		func(p Point) (float64, string) {
			switch p.Levels[0] {
			case "2":
				return 0, "deadlock"
			case "4":
				return 1, ""
			}
			return 0, "must divide 16, got " + p.Levels[0]
		})
	all := table.Failures()
	if fmt.Sprint(all) != "[{deadlock [0]} {must divide 16, got 3 [1 3]}]" {
		t.Errorf("got %v", all)
	}
	if got := table.Summary(); got != "s.yaml, 4 points, a grid; 3 failed" {
		t.Errorf("got %s", got)
	}
}
