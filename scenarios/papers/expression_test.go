package papers

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
)

// grid is a paper whose runs are numbers: A.x is 1, 2, 4; A.y 3, 3, 3; B.x 2,
// 2, 2.
const grid = `
paper: grid
title: A grid of numbers
experiments:
  e:
    title: numbers
    variants: {A: {y: 3}, B: {y: 5, x: 2}}
    points: [{label: one, x: 1}, {label: two, x: 2}, {label: big one, x: 4}]
  f:
    title: other numbers
    variants: {C: {}}
    points: [{label: a, x: 7, z: 0}, {label: b, x: 9, z: 0}]
definitions:
  twice: 2 * e.A.x
  more: twice + 1
claims:
  - {id: uses-both, kind: predicted, place: here, claim: something, metric: "max(e.A.x) < f.C[0].x", published: true, reason: none}
`

func read(t testing.TB, text string) *Paper {
	t.Helper()
	return must.Get(readPaper("test.yaml", []byte(text)))(t)
}

// evaluate computes an expression over the grid.
func evaluate(t testing.TB, p *Paper, text string) (value, error) {
	t.Helper()
	e, err := parse(text, keys.Place{})
	if err != nil {
		return value{}, err
	}
	results := Results{}
	must.Do(t, results.Get(p.Runs(), Numbers, nil))
	return (&evaluator{paper: p, metric: results.metric}).eval(&e)
}

// A point's setting wins over a variant's, so B.x is 1, 2, 4 as well.
func TestExpressions(t *testing.T) {
	tests := []struct {
		text string
		want string // as shown by show
	}{
		{"1 + 2*3", "7"},
		{"(1 + 2) * -3", "-9"},
		{"1_000 / 8", "125"},
		{"1e-3 * 2", "0.002"},
		{"e.A.x", "[1 2 4]"},
		{"e.A.y", "[3 3 3]"},
		{"e.A.x / e.A.y * 3", "[1 2 4]"},
		{"e.A.x - 1", "[0 1 3]"},
		{"1 - e.A.x", "[0 -1 -3]"},
		{"e.A[2].x", "4"},
		{`e.A["big one"].x`, "4"},
		{"e.A[1:].x", "[2 4]"},
		{"e.A[:2].x", "[1 2]"},
		{"e.A[0:1].x", "[1]"},
		{"e.A.x[2]", "4"},
		{"(e.A.x + 1)[1:3]", "[3 5]"},
		{"e.A[1:][1].x", "4"},
		{"max(e.A.x)", "4"},
		{"max(e.A.x, 2)", "[2 2 4]"},
		{"max(1, 2, 3)", "3"},
		{"min(e.A.x, e.A.y, 2)", "[1 2 2]"},
		{"sum(e.A.x)", "7"},
		{"mean(e.A.x)", "2.3333333333333335"},
		{"spread(e.A.y)", "0"},
		{"spread(e.A[:2].x)", "0.6666666666666666"},
		{"first(e.A.x)", "1"},
		{"last(e.A.x)", "4"},
		{"abs(1 - e.A.x)", "[0 1 3]"},
		{"sqrt(e.A[2].x)", "2"},
		{"log2(e.A.x)", "[0 1 2]"},
		{"increasing(e.A.x)", "true"},
		{"increasing(e.A.y)", "true"},
		{"increasing(-e.A.x)", "false"},
		{"decreasing(-e.A.x)", "true"},
		{"e.A.x > 1", "[false true true]"},
		{"!(e.A.x > 1)", "[true false false]"},
		{"e.A.x > 1 && e.A.x < 4", "[false true false]"},
		{"e.A.x < 2 || e.A.x >= 4", "[true false true]"},
		{"e.A.x == 2", "[false true false]"},
		{"e.A.x != 2", "[true false true]"},
		{"all(e.A.x >= 1)", "true"},
		{"all(e.A.x > 1)", "false"},
		{"any(e.A.x > 3)", "true"},
		{"any(e.A.x > 9)", "false"},
		{"count(e.A.x > 1)", "2"},
		{"where(e.A.x > 1, e.A.x * 10)", "[20 40]"},
		{"where(e.A.x > 1, 5)", "[5 5]"},
		{"max(where(e.A.x < 3, e.A.x))", "2"},
		{"twice", "[2 4 8]"},
		{"more[1]", "5"},
		{"true", "true"},
		{"ft_transfer(4, 8, 0, 0, 0, 1e-6)", "6e-06"},
		{"ft_init(4, 8, e.A.x, 1, 0, 0)", "[14 22 38]"}, // eq. (6): [2T + o + (T + o)(P-2)] N/P
	}
	p := read(t, grid)
	for _, test := range tests {
		got, err := evaluate(t, p, test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
		} else if show(got) != test.want {
			t.Errorf("%s: got %s, want %s", test.text, show(got), test.want)
		}
	}
}

// show writes a value as the tables of the tests do.
func show(v value) string {
	var all []string
	for _, x := range v.x {
		if v.truth {
			all = append(all, fmt.Sprint(x == 1))
		} else {
			all = append(all, strconv.FormatFloat(x, 'g', -1, 64))
		}
	}
	if v.vector {
		return "[" + strings.Join(all, " ") + "]"
	}
	return all[0]
}

func TestExpressionMistakes(t *testing.T) {
	tests := []struct{ text, want string }{
		{"1 +", "is not an expression: expected operand"},
		{"other.A.x", "other: unknown experiment, there are e, f"},
		{"e.Delta.x", "e.Delta: unknown variant, there are A, B"},
		{"e.A.weight", "e.A.weight: unknown metric, there are x, y"},
		{"e.A", "e: is an experiment; write e.VARIANT.METRIC"},
		{"e", "is an experiment"},
		{"twic", "twic: unknown name, did you mean twice?"},
		{"e.A.x.z", "e.A.x: must be EXPERIMENT.VARIANT"},
		{"e.A[3].x", "3: there is no such point; the last one is 2"},
		{"e.A[-1].x", "-1: must be a number, or behind a variant the label of a point"},
		{`e.A["four"].x`, `"four": no point has this label`},
		{`e.A.x["one"]`, `"one": must be a number`},
		{"e.A[2:2].x", "holds no point"},
		{"e.A[0:1:2].x", "one colon too many"},
		{"e.A[0][0].x", "is one point already"},
		{"e.A[0].x[0]", "is one number and has no points"},
		{"e.A.x + f.C.x", "vectors of unequal length: 3 and 2"},
		{"e.A.x + (e.A.x > 1)", "+ cannot be applied to 3 numbers and 3 truths"},
		{"1 && 2", "&& cannot be applied to one number and one number"},
		{"!e.A.x", "! cannot be applied to 3 numbers"},
		{"-(1 > 2)", "- cannot be applied to one truth"},
		{"1 << 2", "there is no operator <<"},
		{"maximum(1)", "unknown function"},
		{"maxx(1)", "did you mean max?"},
		{"max()", "max takes one argument or more, got 0"},
		{"sum(1, 2)", "sum takes one argument, got 2"},
		{"all(e.A.x)", "all wants truths here, got 3 numbers"},
		{"max(e.A.x > 1)", "max wants numbers here, got 3 truths"},
		{"where(e.A.x, e.A.x)", "where wants truths here"},
		{"max(where(e.A.x > 9, e.A.x))", "no point is left: where() chose none"},
		{"all(where(e.A.x > 9, e.A.x) > 1)", "no point is left"},
		{"where(f.C.x > 1, e.A.x)", "vectors of unequal length: 2 and 3"},
		{`"text"`, "must be a number"},
		{"0x1p", "is not an expression"},
		{"func() {}", "has no meaning here"},
		{"e.A.x(1)", "is not a function"},
		{"[]int{1}", "has no meaning here"},
	}
	p := read(t, grid)
	for _, test := range tests {
		got, err := evaluate(t, p, test.text)
		if err == nil {
			t.Errorf("%s: got %s, want an error", test.text, show(got))
		} else if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q, want %q in it", test.text, err, test.want)
		}
	}
}

func TestNotFinite(t *testing.T) {
	p := read(t, grid)
	results := Results{}
	must.Do(t, results.Get(p.Runs(), Numbers, nil))
	for _, text := range []string{"1 / f.C[0].z", "f.C[0].z / f.C[0].z", "sqrt(-e.A[0].x)", "ft_init(0, 8, 1, 1, 1, 1)"} {
		e := must.Get(parse(text, keys.Place{}))(t)
		if x, err := p.eval(&e, nil, results); err == nil {
			t.Errorf("%s: got %g, want an error", text, x)
		}
	}
}

// formula is an expression and its expected value, computed by Go itself.
type formula struct {
	text string
	want [3]float64
}

func drawFormula(t *rapid.T, depth int) formula {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind = kind % 2
	}
	if kind < 2 {
		return drawLeaf(t, kind)
	}
	a, b := drawFormula(t, depth-1), drawFormula(t, depth-1)
	apply := func(form string, f func(a, b float64) float64) formula {
		r := formula{text: fmt.Sprintf(form, a.text, b.text)}
		for i := range r.want {
			r.want[i] = f(a.want[i], b.want[i])
		}
		return r
	}
	switch kind {
	case 2:
		return apply("(%s + %s)", func(a, b float64) float64 { return a + b })
	case 3:
		return apply("(%s - (%s))", func(a, b float64) float64 { return a - b })
	case 4:
		return apply("(%s) * (%s)", func(a, b float64) float64 { return a * b })
	case 5:
		return apply("max(%s, %s)", math.Max)
	}
	return apply("mean((%s)) + %s", func(_, y float64) float64 { return (a.want[0]+a.want[1]+a.want[2])/3 + y })
}

func drawLeaf(t *rapid.T, kind int) formula {
	if kind == 0 {
		x := rapid.Float64Range(-1e3, 1e3).Draw(t, "number")
		return formula{strconv.FormatFloat(x, 'g', -1, 64), [3]float64{x, x, x}}
	}
	return rapid.SampledFrom([]formula{
		{"e.A.x", [3]float64{1, 2, 4}}, {"e.A.y", [3]float64{3, 3, 3}}, {"twice", [3]float64{2, 4, 8}},
	}).Draw(t, "vector")
}

// Property: an expression has the value that Go computes.
func TestExpressionsAgainstGo(t *testing.T) {
	p := read(t, grid)
	rapid.Check(t, func(r *rapid.T) {
		f := drawFormula(r, 4)
		got, err := evaluate(t, p, "e.A.x * 0 + "+f.text)
		if err != nil {
			r.Fatalf("%s: %v", f.text, err)
		}
		if !slices.EqualFunc(got.x, f.want[:], close) {
			r.Fatalf("%s: got %v, want %v", f.text, got.x, f.want)
		}
	})
}

// close allows for sums in a different order: the mean of one number differs from that of
// three equal ones in the last bit.
func close(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b))
}

func TestNeedsOnlyWhatIsNamed(t *testing.T) {
	p := read(t, grid)
	for text, want := range map[string]int{"e.A[0].x": 1, "e.A.x[0]": 3, "e.A[1:].x + e.B[0].x": 3, "twice[0] + e.A[0].x": 3, "f.C[1].x": 1,
		"7": 0} {
		e := must.Get(parse(text, keys.Place{}))(t)
		runs, err := p.needs(&e, nil)
		if err != nil || len(runs) != want {
			t.Errorf("%s: %d runs, %v; want %d", text, len(runs), err, want)
		}
	}
}
