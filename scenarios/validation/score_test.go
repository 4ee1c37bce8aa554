package validation

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/sim/must"
)

// TestChoices compares the groups with a count of all pairs and choices, one by one.
func TestChoices(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := &Set{kind: relative, compete: &competition{within: []string{"group"}, good: 0.25, most: rapid.Bool().Draw(r, "most")}}
		text := "group,x\n"
		groups, n := rapid.IntRange(1, 3).Draw(r, "groups"), rapid.IntRange(2, 5).Draw(r, "members")
		var predicted, measured []float64
		for g := range groups {
			for range n {
				text += fmt.Sprintf("%d,1\n", g)
				predicted = append(predicted, float64(len(predicted)*7%11)+rapid.Float64Range(1, 2).Draw(r, "predicted")+1e-6*float64(len(predicted)))
				measured = append(measured, float64(rapid.IntRange(1, 4).Draw(r, "measured")))
			}
		}
		table := mustParse(t, text)
		var rows []*row
		for i := range table.rows {
			rows = append(rows, &row{table: table, line: &table.rows[i], Measured: measured[i]})
		}
		got := s.score(rows, predicted)
		want := slowChoices(groups, n, predicted, measured, s.compete)
		for name, pair := range map[string][2]float64{"tau": {got.Tau, want.Tau}, "right": {got.Right, want.Right}, "good": {got.Good, want.Good},
			"chance": {got.RightChance, want.RightChance}, "good chance": {got.GoodChance, want.GoodChance}, "ordered": {got.Ordered, want.Ordered},
			"apart": {got.Apart, want.Apart}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 || math.IsNaN(pair[0]) != math.IsNaN(pair[1]) {
				r.Fatalf("%s: %g, want %g", name, pair[0], pair[1])
			}
		}
	})
}

func slowChoices(groups, n int, predicted, measured []float64, c *competition) (sum Score) {
	better := func(a, b float64) bool { return a < b != c.most && a != b }
	known := 0
	var right, differ, rightApart, apart float64
	for g := range groups {
		p, m := predicted[g*n:][:n], measured[g*n:][:n]
		if one := slowTau(p, m); !math.IsNaN(one) {
			sum.Tau += one
			known++
		}
		for i := range n {
			best, chosen := true, true
			for j := range n {
				if m[i] < m[j] {
					differ++
					if p[i] < p[j] {
						right++
					}
				}
				if m[j] > m[i]*(1+c.good) {
					apart++
					if p[i] < p[j] {
						rightApart++
					}
				}
				best = best && !better(m[j], m[i])
				chosen = chosen && !better(p[j], p[i])
			}
			good := true
			for j := range n {
				within := m[i] <= m[j]*(1+c.good)
				if c.most {
					within = m[i] >= m[j]*(1-c.good)
				}
				good = good && within
			}
			for _, share := range []struct {
				is          bool
				all, chance *float64
			}{{best, &sum.Right, &sum.RightChance}, {good, &sum.Good, &sum.GoodChance}} {
				if share.is {
					*share.chance += 1 / float64(groups*n)
					if chosen {
						*share.all += 1 / float64(groups)
					}
				}
			}
		}
	}
	sum.Tau, sum.Ordered, sum.Apart = sum.Tau/float64(known), right/differ, rightApart/apart
	return sum
}

// Of four figures, 100 and 105 are as good within 10 %: five pairs are apart. Predicted are one
// in the wrong order and one as equal, which is half.
func TestPairs(t *testing.T) {
	var differ, apart inPairs
	measured, predicted := []float64{100, 105, 200, 300}, []float64{2, 1, 3, 3}
	differ.add(predicted, measured, 0)
	apart.add(predicted, measured, 0.1)
	if differ != (inPairs{pairs: 6, right: 4.5, tied: 1}) || apart != (inPairs{pairs: 5, right: 4.5, tied: 1}) {
		t.Errorf("%+v, %+v", differ, apart)
	}
}

// slowTau counts pairs (Kendall, Biometrika 33(3), 1945).
func slowTau(p, m []float64) float64 {
	right, wrong, sameP, sameM, pairs := 0, 0, 0, 0, 0
	for i := range p {
		for j := i + 1; j < len(p); j++ {
			pairs++
			switch up, rises := p[i] < p[j], m[i] < m[j]; {
			case p[i] == p[j] && m[i] == m[j]:
				sameP, sameM = sameP+1, sameM+1
			case p[i] == p[j]:
				sameP++
			case m[i] == m[j]:
				sameM++
			case up == rises:
				right++
			default:
				wrong++
			}
		}
	}
	return float64(right-wrong) / math.Sqrt(float64((pairs-sameP)*(pairs-sameM)))
}

// Three groups: the usual choice is good in one of the two that have it; ring is best of both groups
// of 8 bytes, and any is of that of 16.
func TestRivals(t *testing.T) {
	table := mustParse(t, "group,bytes,algorithm\n1,8,auto\n1,8,ring\n2,8,auto\n2,8,ring\n3,16,ring\n3,16,tree\n")
	measured := []float64{105, 100, 120, 100, 130, 100}
	c := &competition{within: []string{"group"}, good: 0.1, rivals: rivals{
		usual: where{{column: "algorithm", texts: []string{"auto"}}}, fixed: "algorithm", by: []string{"bytes"}}}
	s := &Set{kind: relative, compete: c}
	var rows []*row
	for i := range table.rows {
		rows = append(rows, &row{table: table, line: &table.rows[i], Measured: measured[i]})
	}
	if got := s.score(rows, measured); got.Usual != 0.5 || math.Abs(got.Fixed-1) > 1e-12 {
		t.Errorf("the usual choice is good in %g, a fixed one in %g", got.Usual, got.Fixed)
	}
	c.by = []string{"group"}[:0]
	if got := s.score(rows, measured); math.Abs(got.Fixed-2.0/3) > 1e-12 {
		t.Errorf("one choice for all is good in %g", got.Fixed)
	}
}

// Rows with the same settings are repetitions: 9, 10 and 12 are 10 % from their median in
// the median.
func TestSpread(t *testing.T) {
	table := mustParse(t, "x\n1\n1\n1\n")
	s := &Set{kind: relative}
	var rows []*row
	for i, x := range []float64{9, 10, 12} {
		rows = append(rows, &row{table: table, line: &table.rows[i], Measured: x, spread: math.NaN()})
	}
	if got := s.spreadOf(rows); math.Abs(got-1.0/9) > 1e-12 {
		t.Errorf("%g", got)
	}
	rows[0].spread, rows[1].spread, rows[2].spread = 0.3, 0.2, 0.1
	if got := s.spreadOf(rows); got != 0.2 {
		t.Errorf("as the file says: %g", got)
	}
}

// The baseline of a column is that column, in its unit. Others learn from the rows with other settings: of the
// places 1, 2, 4, 8 and the figures 5, 7, 11, 19, a line through three of them goes through the fourth.
func TestBaselines(t *testing.T) {
	us, ms := mustUnit(t, "us"), mustUnit(t, "ms")
	s := &Set{kind: relative, measured: figure{unit: us}}
	line := []float64{5, 7, 11, 19}
	for _, c := range []struct {
		name    string
		b       baseline
		figures []float64
		want    []float64
	}{
		{"constant", baseline{learn: constant}, line, []float64{11, 11, 7, 7}},
		{"line", baseline{x: factorsOf("x"), learn: straight}, line, line},
		{"power", baseline{x: factorsOf("x"), learn: power}, []float64{3, 12, 48, 192}, []float64{3, 12, 48, 192}},
		{"nearest", baseline{x: factorsOf("x"), learn: nearest}, line, []float64{7, 8, 13, 11}},
		{"multiple", baseline{x: factorsOf("metrics.n"), learn: proportional}, []float64{2, 4, 8, 16}, []float64{2, 4, 8, 16}},
		{"multiple of a quotient", baseline{x: factorsOf("x * metrics.n / x / x"), learn: proportional}, line, []float64{11, 11, 7, 7}},
		{"column", baseline{reads: []string{"x"}, knows: given("x", ms)}, line, []float64{1000, 2000, 4000, 8000}},
		{"line through two", baseline{x: factorsOf("x"), learn: straight}, line[:3], []float64{9, 8, 6}},
	} {
		rows := rowsAt(t, []float64{1, 2, 4, 8}[:len(c.figures)], c.figures)
		for i, got := range c.b.predict(s, rows, rows) {
			if math.Abs(got-c.want[i]) > 1e-9 {
				t.Errorf("%s: row %d: %g, want %g", c.name, i, got, c.want[i])
			}
		}
	}
}

// rowsAt are rows at places x, each with its own settings.
func rowsAt(t *testing.T, x, figures []float64) (rows []*row) {
	t.Helper()
	text := "x\n"
	for _, at := range x {
		text += fmt.Sprintf("%g\n", at)
	}
	table := mustParse(t, text)
	for i, at := range x {
		rows = append(rows, &row{table: table, line: &table.rows[i], settings: []string{fmt.Sprintf("x=%g", at)}, Measured: figures[i],
			cells: map[string]float64{"x": at}, numbers: map[string]float64{"metrics.n": at}})
	}
	return rows
}

// No baseline knows the figure of the row that it predicts: for any figure, the prediction is the same.
func TestBaselinesDoNotKnow(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(r, "rows")
		x := rapid.SliceOfN(rapid.Float64Range(-2, 9), n, n).Draw(r, "x")
		y := rapid.SliceOfN(rapid.Float64Range(1, 9), n, n).Draw(r, "y")
		i := rapid.IntRange(0, n-1).Draw(r, "row")
		s := &Set{kind: relative}
		for name, learn := range map[string]func(l *lessons) func(float64) float64{"constant": constant, "straight": straight, "power": power,
			"nearest": nearest, "proportional": proportional} {
			b := baseline{x: factorsOf("x"), learn: learn}
			rows := rowsAt(t, x, y)
			before := b.predict(s, rows, rows)[i]
			for _, other := range rows {
				if other.figure() == rows[i].figure() {
					other.Measured = 77
				}
			}
			if after := b.predict(s, rows, rows)[i]; after != before && !(math.IsNaN(after) && math.IsNaN(before)) {
				r.Fatalf("%s: %g, and %g with another figure of the row", name, before, after)
			}
		}
	})
}

// A message of 100 us alone next to 100, 300 and 1050 us of computation: nothing hides, two thirds of it, and of the
// last row it is not known, as the message is less than a tenth.
func TestOverlapScore(t *testing.T) {
	us := mustUnit(t, "us")
	h := &hides{computation: "x", unit: us}
	s := &Set{kind: relative, measured: figure{unit: us}, hides: h}
	rows := rowsAt(t, []float64{1, 100, 300, 1050}, []float64{101, 200, 340, 1050})
	for i, predicted := range []float64{51, 125, 325, 1050} { // a message of 50 us, of which a half hides next to 100 and 300 us
		rows[i].Predicted = predicted
	}
	h.link(rows)
	got := s.overlaps(rows)
	want := OverlapScore{Rows: 2, Measured: 0.3}
	if got == nil || got.Rows != want.Rows || math.Abs(got.Measured-want.Measured) > 1e-12 ||
		math.Abs(got.Predicted.Worst-0.5) > 1e-12 || math.Abs(got.Predicted.Median-0.3) > 1e-12 ||
		math.Abs(got.NothingHides.Worst-0.6) > 1e-12 || math.Abs(got.EverythingHides.Worst-1) > 1e-12 {
		t.Errorf("%+v", got)
	}
	if l := h.limits(s, rows[2], measured); l != (limits{400, 300}) {
		t.Errorf("%+v", l)
	}
	if l := h.limits(s, rows[0], measured); !math.IsNaN(l.sum) {
		t.Errorf("the row that shows the communication: %+v", l)
	}
}

func mustUnit(t *testing.T, name string) unit {
	t.Helper()
	return must.Get(unitOf(name))(t)
}

// A set may be judged by its mean: where most figures are met, a median says nothing.
func TestJudged(t *testing.T) {
	c := &Score{Median: 1, Mean: 2}
	for text, want := range map[string]float64{"": 1, "judged: median\n": 1, "judged: mean\n": 2} {
		set := must.Get(read("judged", "judged.yaml", []byte(
			"title: t\nscenario: ft\nmeasured: {column: a}\npredicted: {path: ranks}\nbaseline: constant\naccepted: 3\n"+text)))(t)
		if name, got := set.Judged(c); got != want {
			t.Errorf("%q is judged by its %s, %g", text, name, got)
		}
	}
}

// Judged is the error that Accepted bounds, and its name.
func (s *Set) Judged(c *Score) (name string, wrong float64) { return s.judged.name, s.judged.of(c) }
