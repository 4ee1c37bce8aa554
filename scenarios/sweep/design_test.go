package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/scenarios/keys"
)

// drawFactors draws up to 4 factors of up to 5 levels each.
func drawFactors(t *rapid.T) []Factor {
	factors := make([]Factor, rapid.IntRange(1, 4).Draw(t, "factors"))
	for i := range factors {
		factors[i].Path = fmt.Sprint("p", i)
		for j := range rapid.IntRange(1, 5).Draw(t, "levels") {
			factors[i].Levels = append(factors[i].Levels, fmt.Sprint("v", j))
		}
	}
	return factors
}

// A grid has every combination once; the last factor varies fastest.
func TestGrid(t *testing.T) {
	got := grid([]Factor{{Levels: []string{"a", "b"}}, {Levels: []string{"1", "2", "3"}}})
	if text := fmt.Sprint(got); text != "[[a 1] [a 2] [a 3] [b 1] [b 2] [b 3]]" {
		t.Errorf("got %s", text)
	}
	rapid.Check(t, func(t *rapid.T) {
		factors := drawFactors(t)
		n, err := crossed.size(factors, 0)
		points := grid(factors)
		seen := map[string]bool{}
		for _, p := range points {
			for i, level := range p {
				if !slices.Contains(factors[i].Levels, level) {
					t.Fatalf("%s has no level %s", factors[i].Path, level)
				}
			}
			seen[strings.Join(p, " ")] = true
		}
		want := 1
		for _, f := range factors {
			want *= len(f.Levels)
		}
		if err != nil || n != want || len(points) != want || len(seen) != want {
			t.Fatalf("size %d, %d points, %d different, want %d; %v", n, len(points), len(seen), want, err)
		}
	})
}

// One at a time is the scenario as it is, and each level of each path alone.
func TestOneAtATime(t *testing.T) {
	factors := []Factor{{Levels: []string{"a", "b"}}, {Levels: []string{"1"}}}
	if got := fmt.Sprintf("%q", oneAtATime(factors)); got != `[["" ""] ["a" ""] ["b" ""] ["" "1"]]` {
		t.Errorf("got %s", got)
	}
	if n, _ := fromBase.size(factors, 0); n != 4 {
		t.Errorf("size is %d", n)
	}
}

// Every one of n equal parts of each range holds one sample, and levels occur equally
// often, up to a difference of one.
func TestLatinHypercube(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		factors := append(drawFactors(t), Factor{Path: "linear", Range: &Range{From: "1s", To: "2s"}},
			Factor{Path: "log", Range: &Range{From: "1MB/s", To: "1TB/s", Log: true}})
		n := rapid.IntRange(1, 40).Draw(t, "samples")
		points := latinHypercube(factors, n, rapid.Uint64().Draw(t, "seed"))
		if len(points) != n {
			t.Fatalf("%d points", len(points))
		}
		for i, f := range factors {
			count := map[string]int{}
			for _, p := range points {
				count[p[i]]++
			}
			for _, level := range f.Levels {
				if c := count[level]; c != n/len(f.Levels) && c != n/len(f.Levels)+1 {
					t.Fatalf("%s occurs %d times in %d samples of %d levels", level, c, n, len(f.Levels))
				}
			}
			for part, place := range places(f.Range, points, i) {
				if x := place * float64(n); x < float64(part)-0.01 || x > float64(part+1)+0.01 {
					t.Fatalf("sample %d of %s is at %g of %d parts", part, f.Path, x, n)
				}
			}
		}
	})
}

// places returns the places of the samples in a range, from 0 to 1, ascending. Samples
// are rounded to six digits.
func places(r *Range, points []levels, factor int) (all []float64) {
	if r == nil {
		return nil
	}
	d, _ := measure(r.From)
	from, to := number(d, r.From), number(d, r.To)
	for _, p := range points {
		x := number(d, p[factor])
		if r.Log {
			all = append(all, math.Log(x/from)/math.Log(to/from))
		} else {
			all = append(all, (x-from)/(to-from))
		}
	}
	slices.Sort(all)
	return all
}

// The same seed gives the same points, another seed different ones.
func TestLatinHypercubeSeed(t *testing.T) {
	factors := []Factor{{Path: "p", Range: &Range{From: "1us", To: "1ms", Log: true}}}
	one, same, other := latinHypercube(factors, 9, 1), latinHypercube(factors, 9, 1), latinHypercube(factors, 9, 2)
	if fmt.Sprint(one) != fmt.Sprint(same) || fmt.Sprint(one) == fmt.Sprint(other) {
		t.Errorf("got %v, %v, %v", one, same, other)
	}
}

// A twin differs from the first sample in one path, and there is one for each
// path that has more than one level.
func TestTwins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		factors := append(drawFactors(t), Factor{Path: "r", Range: &Range{From: "1", To: "9", Whole: true}})
		first := latinHypercube(factors, 3, 1)[0]
		want := 0
		for _, f := range factors {
			if len(f.Levels) != 1 {
				want++
			}
		}
		all := twins(factors, first)
		for _, twin := range all {
			differ := 0
			for i := range twin {
				if twin[i] != first[i] {
					differ++
				}
			}
			if differ != 1 {
				t.Fatalf("%v and %v differ in %d paths", first, twin, differ)
			}
		}
		if len(all) != want {
			t.Fatalf("%d twins, want %d", len(all), want)
		}
	})
}

// The order in which points run has each point once and is always the same, and so have its parts together.
func TestOrder(t *testing.T) {
	p := &Plan{Points: make([]Point, 20)}
	order := p.order()
	if slices.IsSorted(order) || !slices.Equal(order, p.order()) {
		t.Errorf("got %v", order)
	}
	var parts []int
	for k := range 3 {
		for n, point := range order {
			if (Part{k, 3}).has(n) {
				parts = append(parts, point)
			}
		}
	}
	if slices.Sort(parts); len(slices.Compact(parts)) != 20 || parts[0] != 0 || parts[19] != 19 {
		t.Errorf("the parts are %v", parts)
	}
}

// A part is read as it was written; what is none is an error.
func TestPart(t *testing.T) {
	for text, want := range map[string]string{"0/0": "", "2/3": "", "3/3": "3/3 is not a part: there are the parts 0 to 2",
		"-1/3": "-1/3 is not a part: there are the parts 0 to 2", "x": "x is not a part: expected integer"} {
		var p Part
		err := p.UnmarshalText([]byte(text))
		if again, _ := p.MarshalText(); err == nil && string(again) != text || err == nil != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
}

// A sweep that is too large is refused before its points are made.
func TestSize(t *testing.T) {
	levels := make([]string, 1000)
	three := []Factor{{Levels: levels}, {Levels: levels}, {Levels: levels}}
	if n, err := crossed.size(three[:2], 0); n != 1_000_000 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := crossed.size(three, 0); err == nil {
		t.Error("a billion points are not refused")
	}
}

// A computed level is written in the unit of the range, with six digits.
func TestRangeAt(t *testing.T) {
	r := Range{From: "1us", To: "1ms", Log: true}
	for part, want := range map[float64]string{0: "1us", 0.5: "31.6228us", 1: "1ms"} {
		if got := r.at(part); got != want {
			t.Errorf("at %g is %s, want %s", part, got, want)
		}
	}
	if got := (&Range{From: "0", To: "10", Whole: true}).at(0.26); got != "3" {
		t.Errorf("got %s", got)
	}
	if d, _ := measure(r.at(0.3)); d != keys.Time {
		t.Errorf("is %s", d)
	}
}
