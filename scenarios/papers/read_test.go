package papers

import (
	"maps"
	"strings"
	"testing"

	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
)

// start is a correct paper without claims.
const start = `paper: test
title: A test
experiments:
  e:
    title: numbers
    variants: {A: {x: 1}}
    points: [{label: one}, {label: two}]
`

// claim is a correct claim in which parts can be replaced.
const claim = `claims:
  - id: one
    kind: predicted
    place: section 1
    claim: something
    metric: max(e.A.x)
    published: 1
    tolerance: 0.1
    reason: none
`

func TestReadMistakes(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // one for each problem, in order
	}{
		{"empty", "", []string{"test.yaml:1:1: is empty"}},
		{"comment", "# nothing\n", []string{"test.yaml:1:1: is empty"}},
		{"not YAML", "paper: {", []string{"is not YAML"}},
		{"two documents", start + claim + "---\n{}\n", []string{"is a second document"}},
		{"a list", "- 1\n", []string{"test.yaml:1:1: must be a mapping of keys (paper, title, bars, experiments, definitions, printed, figures, " +
			"claims, tables, missing), got a list"}},
		{"missing keys", "experiments: {}\n", []string{"test.yaml:1:1: paper: is missing", "title: is missing"}},
		{"unknown key", start + claim + "claim: 1\n", []string{"test.yaml:17:1: claim: unknown key, did you mean claims?"}},
		{"key twice", start + claim + "title: again\n", []string{"test.yaml:17:1: title: is given twice"}},
		{"alias", "paper: &a test\ntitle: *a\n", []string{"title: is an alias (*a); write the value out"}},
		{"claim without anything", start + "claims: [{}]\n", []string{
			"test.yaml:8:10: claims[0].kind: is missing", "claims[0].id: is missing", "claims[0].place: is missing", "claims[0].claim: is missing",
			"claims[0].metric: is missing", "claims[0].published: is missing", "claims[0].reason: is missing"}},
		{"no tolerance", start + without("tolerance"), []string{"test.yaml:9:5: claims[0].tolerance: is missing"}},
		{"unknown kind", start + with("kind", "right"), []string{"claims[0].kind: must be one of predicted, fitted, derived, construction, got right"}},
		{"no basis", start + with("kind", "derived"), []string{"claims[0].basis: must be given for the kinds derived and construction"}},
		{"a basis too many", start + claim + "    basis: b\n", []string{"claims[0].basis: must be given for the kinds derived and construction"}},
		{"no fit", start + with("kind", "fitted"), []string{"claims[0].used_in_fit: must be given for the kind fitted"}},
		{"a fit too many", start + claim + "    used_in_fit: f\n", []string{"claims[0].used_in_fit: must be given for the kind fitted"}},
		{"band upside down", start + with("published", "{at_least: 2, at_most: 1}"),
			[]string{"must be a band from a smaller to a larger number, got 2 to 1"}},
		{"negative least tolerance", start + with("tolerance", "{relative: 0.1, least: -1}"), []string{"must not be negative, got -1"}},
		{"no reason", start + without("reason"), []string{"claims[0].reason: is missing"}},
		{"no place", start + without("place"), []string{"claims[0].place: is missing"}},
		{"empty reason", start + with("reason", "''"), []string{"claims[0].reason: must not be empty"}},
		{"negative tolerance", start + with("tolerance", "-1"), []string{"claims[0].tolerance: must not be negative, got -1"}},
		{"wordy tolerance", start + with("tolerance", "small"), []string{"claims[0].tolerance: must be a number such as 1.5, got small"}},
		{"tolerance of nothing", start + with("published", "null"), []string{"claims[0].tolerance: means nothing here"}},
		{"wordy published", start + with("published", "yes"), []string{"claims[0].published: must be a number such as 1.5, got yes"}},
		{"published list", start + with("published", "[1]"), []string{"claims[0].published: must be a number such as 1.5, got a list"}},
		{"infinite", start + with("published", ".inf"), []string{"must be a number"}},
		{"syntax", start + with("metric", "max("), []string{"test.yaml:13:5: claims[0].metric: is not an expression"}},
		{"unknown metric name", start + with("metric", "max(f.A.x)"),
			[]string{"e: no claim uses this experiment", "test.yaml:13:5: claims.one.metric: f: unknown experiment"}},
		{"vector", start + with("metric", "e.A.x"), []string{"is 2 numbers; make one of them"}},
		{"truth for number", start + with("metric", "all(e.A.x > 0)"), []string{"is true or false, but a number is published"}},
		{"number for truth", start + strings.Replace(with("published", "true"), "    tolerance: 0.1\n", "", 1),
			[]string{"is a number; say what must hold"}},
		{"claim twice", start + claim + strings.TrimPrefix(claim, "claims:\n"), []string{"test.yaml:17:5: claims: two claims are called one"}},
		{"nothing is missing", start + claim + "missing: {m: {claims: [none]}}\n", []string{"missing.m.lacks: is missing", "missing.m.shows: is missing"}},
		{"no claim lacks it", start + claim + "missing: {m: {lacks: a, shows: b, claims: [two]}}\n",
			[]string{"test.yaml:17:11: missing.m.claims: test has no such claim"}},
		{"unused experiment", start, []string{"test.yaml:4:3: experiments.e: no claim uses this experiment"}},
		{"several mistakes", strings.Replace(start, "title: numbers", "titel: numbers", 1) + with("tolerance", "-1"), []string{
			"test.yaml:5:5: experiments.e.titel: unknown key, did you mean title?", "test.yaml:15:5: claims[0].tolerance"}},
		{"definition of itself", start + "definitions: {a: b, b: 2 * a}\n" + claim, []string{"is defined by itself", "is defined by itself"}},
		{"bad name", strings.Replace(start, "{A: {x: 1}}", "{A: {x: 1}, 2D: {x: 1}}", 1) + claim,
			[]string{"variants.2D: must be a name of letters and digits"}},
		{"no points", strings.Replace(start, "[{label: one}, {label: two}]", "[]", 1) + claim, []string{"must hold at least one point"}},
		{"no variants", strings.Replace(start, "{A: {x: 1}}", "{}", 1) + claim, []string{"must name at least one variant"}},
		{"no label", strings.Replace(start, "{label: two}", "{x: 2}", 1) + claim, []string{"points[1].label: is missing"}},
		{"label twice", strings.Replace(start, "label: two", "label: one", 1) + claim, []string{"another point is labelled one too"}},
		{"setting without value", strings.Replace(start, "x: 1", "x:", 1) + claim, []string{"must be a value, got nothing"}},
		{"no number", strings.Replace(start, "x: 1", "x: many", 1) + claim,
			[]string{`must be a number, as the experiment has no scenario; got "many"`}},
		{"no file of rows", start + inFile("rows: none.csv, column: get_us", "x"), []string{"validation/none.csv:1:1: is no file of rows"}},
		{"no column", start + inFile("rows: bgp-point-to-point.csv, column: get_s", "x"), []string{"bgp-point-to-point.csv has no column get_s"}},
		{"no column of a cell", start + inFile("rows: bgp-point-to-point.csv, column: get_us", "size"),
			[]string{"bgp-point-to-point.csv has no column size"}},
		{"several rows", start + inFile("rows: cray-tables.csv, column: percent_of_peak", "layers"),
			[]string{"cray-tables.csv has two rows of map[layers:1]"}},
		{"no row", start + inFile("rows: bgp-point-to-point.csv, column: get_us", "bytes"),
			[]string{"no row of bgp-point-to-point.csv agrees with what the table says of its cells"}},
		{"like nothing", strings.Replace(start, "title: numbers", "title: numbers\n    like: g", 1) + claim,
			[]string{"like: unknown experiment"}},
	}
	for _, test := range tests {
		_, err := readPaper("test.yaml", []byte(test.text))
		problems, ok := err.(keys.Problems)
		if !ok {
			t.Errorf("%s: got %v, want problems", test.name, err)
			continue
		}
		for i, want := range test.want {
			if i >= len(problems) || !strings.Contains(problems[i].Error(), want) {
				t.Errorf("%s: got\n%v\nwant %q as problem %d", test.name, err, want, i)
			}
		}
		if len(problems) > len(test.want) {
			t.Errorf("%s: got %d problems, want %d:\n%v", test.name, len(problems), len(test.want), err)
		}
	}
}

// inFile returns a table whose cells are in a file, each in the row that has its x in a column.
func inFile(published, column string) string {
	text := strings.Replace(with("published", "{"+published+"}"), "max(e.A.x)", "x", 1)
	return strings.Replace(text, "claims:", "tables:", 1) + "    experiment: e\n    cell: {" + column + ": {setting: x}}\n"
}

// with returns the claim with another value of a key; without returns it without the key.
func with(key, value string) string {
	return change(key, "    "+key+": "+value+"\n")
}

func without(key string) string { return change(key, "") }

func change(key, line string) string {
	before, rest, _ := strings.Cut(claim, "    "+key+":")
	_, after, _ := strings.Cut(rest, "\n")
	return before + line + after
}

func TestLike(t *testing.T) {
	p := read(t, strings.Replace(start, "variants", "common: {z: 1, w: 1}\n    variants", 1)+`  f:
    title: more
    like: e
    common: {z: 2}
    points: [{label: three, w: 3}]
`+with("metric", "max(e.A.z) + f.A[0].z + f.A[0].w"))
	results, verdicts, err := p.Reproduce(Numbers, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 2 || verdicts[0].Simulated != 1+2+3 {
		t.Errorf("got %d runs and %g, want 2 and 6", len(results), verdicts[0].Simulated)
	}
	if first, second := p.Experiments[0].Title, p.Experiments[1].Title; first != "numbers" || second != "more" {
		t.Errorf("got titles %q and %q", first, second)
	}
}

const table = `
paper: test
title: A test
experiments:
  e:
    title: numbers
    variants: {A: {x: 1}, B: {x: 2}}
    points: [{label: one, y: 1}, {label: two, y: 2}]
tables:
  - id: t
    kind: predicted
    experiment: e
    place: Table 1
    claim: something
    metric: 10 * x + y
    unit: s
    tolerance: {relative: 0.1}
    reason: none
    published: {A: [11, 20], B: [null, {at_least: 22}]}
    explanations: {A/two: it is a misprint}
`

func TestTables(t *testing.T) {
	p := read(t, table)
	_, verdicts, err := p.Reproduce(Numbers, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		id        string
		simulated float64
		status    Status
	}{{"t/A/one", 11, Reproduced}, {"t/A/two", 12, KnownFailure}, {"t/B/one", 21, Computed}, {"t/B/two", 22, Reproduced}}
	if len(verdicts) != len(want) {
		t.Fatalf("got %d cells, want %d", len(verdicts), len(want))
	}
	for i, w := range want {
		v := verdicts[i]
		if v.ID != w.id || v.Simulated != w.simulated || v.Status() != w.status || !v.Analytic {
			t.Errorf("got %s: %g, %v, analytic %v; want %+v", v.ID, v.Simulated, v.Status(), v.Analytic, w)
		}
	}
}

func TestTableMistakes(t *testing.T) {
	tests := []struct{ old, new, want string }{
		{"experiment: e", "experiment: g2", "experiment: unknown experiment"},
		{"A: [11, 20]", "A: [11]", "must have a cell for each of the 2 points of e, got 1"},
		{"A: [11, 20]", "A: [11, 20, 30]", "must have a cell for each of the 2 points of e, got 3"},
		{"A: [11, 20]", "Gamma: [11, 20]", "unknown variant"},
		{"A/two", "A/three", "there is no cell A/three"},
		{"tolerance: {relative: 0.1}", "unit: s", "is given twice"},
		{"10 * x", "10 * all(x > 1)", "* cannot be applied to"},
		{"reason: none", "reason: none\n    not_in_fit: [A/three]", "there is no cell A/three"},
		{"reason: none", "reason: none\n    cell: {y: {setting: z}}", "cell.y: no setting z in some cells"},
		{"reason: none", "reason: none\n    cell: {v: {A: a}}", "cell.v: has no text for the variant B"},
		{"reason: none", "reason: none\n    cell: {v: {A: a, B: b, C: c}}", "cell.v: unknown variant"},
	}
	for _, test := range tests {
		must.Refuse(readPaper("test.yaml", []byte(strings.Replace(table, test.old, test.new, 1))))(t, test.want)
	}
}

// A cell has the description that its table gives it, and is used in the table's fit
// unless it is withheld or excluded.
func TestCellNames(t *testing.T) {
	p := read(t, strings.Replace(strings.Replace(table, "predicted", "fitted", 1), "reason: none", `reason: none
    used_in_fit: f
    not_in_fit: [A/two]
    cell: {table: II, y: {setting: y}, variant: {A: 2D, B: 2.5D}}`, 1))
	for i, want := range []struct {
		fit, variant string
		y            int64
	}{{"f", "2D", 1}, {"", "2D", 2}, {"", "2.5D", 1}, {"f", "2.5D", 2}} {
		c := p.Claims[i]
		if c.Fit != want.fit || !maps.Equal(c.Cell, map[string]any{"table": "II", "y": want.y, "variant": want.variant}) {
			t.Errorf("%s: fit %q, %v; want %+v", c.ID, c.Fit, c.Cell, want)
		}
	}
}

// Reading a file never panics, for any content.
func FuzzRead(f *testing.F) {
	for _, text := range []string{grid, table, start + claim, "", "a: [1", "- &a *a", "paper: {x: 1}\nclaims: 3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := readPaper("fuzz.yaml", []byte(text)); err == nil && p.Name == "" {
			t.Error("a paper without a name")
		}
	})
}
