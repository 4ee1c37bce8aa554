package papers

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"overlapsim/scenarios/keys"
)

// judged is a paper with a claim of every kind; the fake runs give x = 2.
const judged = `
paper: test
title: A test
experiments:
  e:
    title: runs
    scenario: fake
    variants: {A: {path: a}}
    points: [{label: one}]
claims:
  - {id: equal, kind: predicted, place: p, claim: c, reason: r, metric: last(e.A.x), published: 2.05, tolerance: 0.1}
  - {id: too-far, kind: predicted, place: p, claim: c, reason: r, metric: last(e.A.x), published: 2.2, tolerance: 0.1}
  - {id: relative, kind: predicted, place: p, claim: c, reason: r, metric: "-last(e.A.x)", published: -2.2, tolerance: {relative: 0.1}}
  - {id: least, kind: predicted, place: p, claim: c, reason: r, metric: last(e.A.x), published: {at_least: 1}, tolerance: 0}
  - {id: least-not, kind: predicted, place: p, claim: c, reason: r, metric: last(e.A.x), published: {at_least: 3}, tolerance: 0.5}
  - {id: most, kind: predicted, place: p, claim: c, reason: r, metric: last(e.A.x), published: {at_most: 1.5}, tolerance: 0.5}
  - {id: truth, kind: predicted, place: p, claim: c, reason: r, metric: last(e.A.x) > 1, published: true}
  - {id: untruth, kind: predicted, place: p, claim: c, reason: r, metric: all(e.A.x > 3) && last(e.A.x) > 1, published: true}
  - {id: withheld, kind: predicted, place: p, claim: c, reason: r, metric: last(e.A.x), published: null}
  - {id: known, kind: predicted, place: p, claim: c, reason: r, metric: last(e.A.x), published: 3, tolerance: 0, explanation: no such machine}
  - {id: was-known, kind: predicted, place: p, claim: c, reason: r, metric: last(e.A.x), published: 2, tolerance: 0, explanation: no such machine}
  - {id: fitted, kind: fitted, place: p, claim: c, reason: r, metric: last(e.A.x), published: 2, tolerance: 0, used_in_fit: f}
  - {id: fitted-not, kind: fitted, place: p, claim: c, reason: r, metric: last(e.A.x), published: 3, tolerance: 0, used_in_fit: f}
  - {id: band, kind: derived, basis: b, place: p, claim: c, reason: r, metric: last(e.A.x), published: {at_least: 1, at_most: 2}, tolerance: 0}
  - {id: band-not, kind: construction, basis: b, place: p, claim: c, reason: r, metric: last(e.A.x),
     published: {at_least: 1, at_most: 1.5}, tolerance: 0.1}
  - {id: not-finite, kind: predicted, place: p, claim: c, reason: r, metric: 1 / (last(e.A.x) - 2), published: 3, tolerance: 0}
  - {id: no-metric, kind: predicted, place: p, claim: c, reason: r, metric: last(e.A.z), published: 3, tolerance: 0}
`

func fake(*Run) (map[string]float64, error) { return map[string]float64{"x": 2}, nil }

// judge returns the verdicts of the fake runs, by id.
func judge(t *testing.T, text string) (map[string]*Verdict, []*Verdict) {
	t.Helper()
	_, all, err := read(t, text).Reproduce(fake, nil)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]*Verdict{}
	for _, v := range all {
		byID[v.ID] = v
	}
	return byID, all
}

func TestVerdicts(t *testing.T) {
	byID, all := judge(t, judged)
	want := map[string]Status{
		"equal": Reproduced, "too-far": NotReproduced, "relative": Reproduced, "least": Reproduced, "least-not": NotReproduced,
		"most": Reproduced, "truth": Reproduced, "untruth": NotReproduced, "withheld": Computed, "known": KnownFailure,
		"was-known": NowReproduced, "fitted": Reproduced, "fitted-not": NotReproduced, "not-finite": NotReproduced, "no-metric": NotReproduced,
		"band": Reproduced, "band-not": NotReproduced,
	}
	for id, status := range want {
		if got := byID[id].Status(); got != status {
			t.Errorf("%s: got %q, want %q", id, got, status)
		}
		if pass := status == Reproduced || status == NowReproduced; byID[id].Pass != pass {
			t.Errorf("%s: pass is %v", id, !pass)
		}
	}
	if want := (Tally{Claims: [4]int{12, 2, 1, 1}, Hold: [4]int{6, 1, 1, 0}, Unexplained: 7, Known: 1, Computed: 1, AtEdge: 2}); !reflect.DeepEqual(Count(all), want) {
		t.Errorf("got %+v, want %+v", Count(all), want)
	}
	if got, want := byID["untruth"].Why, "not so: 2 > 3 at 0 (e.A.x > 3)"; got != want {
		t.Errorf("untruth: got %q, want %q", got, want)
	}
	if !math.IsNaN(byID["not-finite"].Simulated) || !strings.Contains(byID["not-finite"].Why, "is +Inf") {
		t.Errorf("not-finite: got %+v", byID["not-finite"])
	}
	if got := byID["no-metric"].Why; !strings.Contains(got, "e.A.z: unknown metric") {
		t.Errorf("no-metric: got %q", got)
	}
}

// The record is the stable form for other programs.
func TestRecords(t *testing.T) {
	byID, _ := judge(t, judged)
	tests := map[string]string{
		"equal":      `"published":2.05,"simulated":2,"unit":"","tolerance":0.1,"pass":true`,
		"least":      `"published":1,"simulated":2,"unit":"","bound":"at_least","tolerance":0,"pass":true`,
		"truth":      `"published":1,"simulated":1,"unit":"truth","tolerance":0,"pass":true`,
		"untruth":    `"published":1,"simulated":0,"unit":"truth","tolerance":0,"pass":false`,
		"withheld":   `"published":null,"simulated":2,"unit":"","tolerance":null,"pass":null`,
		"not-finite": `"published":3,"simulated":null,"unit":"","tolerance":0,"pass":false`,
		"known":      `"status":"not reproduced (known)","model":"simulated","reason":"r","explanation":"no such machine"`,
		"fitted":     `"used_in_fit":"f"`,
		"most":       `"kind":"predicted","published":1.5`,
		"band":       `"kind":"derived","basis":"b","published":1,"published_to":2,"simulated":2,"unit":"","bound":"band","tolerance":0,"pass":true`,
	}
	for id, want := range tests {
		text, err := json.Marshal(byID[id].Record())
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s: got %s, want %s in it", id, text, want)
		}
	}
}

// A value satisfies a claim if and only if it is on the right side, with the
// tolerance.
func TestHolds(t *testing.T) {
	for _, test := range []struct {
		kind Judged
		want [5]bool // at 0.7, 0.8, 1, 1.2, 1.3
	}{
		{Value, [5]bool{false, true, true, true, false}},
		{Least, [5]bool{false, true, true, true, true}},
		{Most, [5]bool{true, true, true, true, false}},
		{Band, [5]bool{false, true, true, true, false}},
	} {
		c := Claim{Judged: test.kind, Published: 1, Upper: 1, Tolerance: 0.2000001}
		for i, x := range []float64{0.7, 0.8, 1, 1.2, 1.3} {
			if c.Holds(x) != test.want[i] {
				t.Errorf("kind %d at %g: got %v", test.kind, x, !test.want[i])
			}
		}
		if c.Holds(math.NaN()) {
			t.Errorf("kind %d holds at NaN", test.kind)
		}
	}
}

// Equal runs are simulated once, regardless of the experiments that they belong to, and the results do
// not depend on the number of cores.
func TestEachRunOnce(t *testing.T) {
	p := read(t, `
paper: test
title: A test
experiments:
  e: {title: t, scenario: s, variants: {A: {a: 1}, B: {a: 2}}, points: [{label: x, b: 1}, {label: y, b: 2}]}
  f: {title: t, scenario: s, common: {b: 2}, variants: {A: {}}, points: [{label: x, a: 1}, {label: y, a: 3}]}
claims:
  - {id: all, kind: predicted, place: p, claim: c, reason: r, metric: sum(e.A.v + 100 * e.B.v + 10000 * f.A.v), published: 7211122, tolerance: 0}
`)
	var calls atomic.Int32
	steps := 0
	_, verdicts, err := p.Reproduce(func(r *Run) (map[string]float64, error) {
		calls.Add(1)
		v := map[string]float64{"1 1": 1, "1 2": 2, "2 1": 3, "2 2": 4, "3 2": 5}[r.Value("a")+" "+r.Value("b")]
		return map[string]float64{"v": v}, nil
	}, func(done, total int) {
		steps++
		if done != steps || total != 5 {
			t.Errorf("step %d: got %d of %d", steps, done, total)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls.Load() != 5 || steps != 5 || len(p.Runs()) != 5 {
		t.Errorf("got %d runs, %d steps, %d runs announced; want 5", calls.Load(), steps, len(p.Runs()))
	}
	if want := float64(1 + 2 + 300 + 400 + 20000 + 50000); verdicts[0].Simulated != want {
		t.Errorf("got %g, want %g", verdicts[0].Simulated, want)
	}
}

// All runs are tried, and their errors are joined, each once.
func TestRunErrors(t *testing.T) {
	p := read(t, judged)
	broken := errors.New("broken")
	if _, _, err := p.Reproduce(func(*Run) (map[string]float64, error) { return nil, broken }, nil); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	bad := read(t, `
paper: test
title: A test
experiments:
  e: {title: t, scenario: ft-exchange-jacquard, common: {workload.rovs: 1}, variants: {A: {}, B: {ranks: 16}}, points: [{label: x, ranks: many}]}
claims:
  - {id: one, kind: predicted, place: p, claim: c, reason: r, metric: first(e.A.total_s), published: 1, tolerance: 0}
`)
	_, _, err := bad.Reproduce(Simulate, nil)
	want := "test.yaml:5:58: workload.rovs: unknown key, did you mean rows?\ntest.yaml:5:132: ranks: must be a whole number such as 32, " +
		"got many"
	if problems, ok := err.(keys.Problems); !ok || problems.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if err := Check(bad.Runs()); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestUnknownBar(t *testing.T) {
	p := read(t, strings.Replace(judged, "scenario: fake", "scenario: fake\n    bars: {Waiting: y}", 1))
	_, _, err := p.Reproduce(fake, nil)
	if err == nil || !strings.Contains(err.Error(), `test.yaml:5:3: experiments.e: no run has the metric y of the bar "Waiting"`) {
		t.Errorf("got %v", err)
	}
}

func TestText(t *testing.T) {
	p := read(t, judged)
	_, verdicts, err := p.Reproduce(fake, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, row := range Rows(verdicts) {
		rows = append(rows, strings.Join(row, "|"))
	}
	for _, want := range []string{
		"predictions||||", "  equal|yes|2.05 ± 0.1|2|-", "  least|yes|>= 1|2|-", "  untruth|NO|true|false|-", "  withheld|-|-|2|-",
		"  known|no, known|3|2|-", "derived||||", "  band|yes|1 to 2|2|-",
	} {
		if !slices.Contains(rows, want) {
			t.Errorf("no %q in\n%s", want, strings.Join(rows, "\n"))
		}
	}
	notes := Notes(p, verdicts)
	for _, want := range []string{
		"\nwas-known: ok (was known not to)\n  c (p)\n  simulated 2, published 2, tolerance 0\n  r\n  no such machine\n",
		"\nuntruth: NOT REPRODUCED\n  c (p)\n  not so: 2 > 3 at 0 (e.A.x > 3)\n  r\n",
		"\ntest: 6 of 12 predictions are reproduced; also 1 of 2 fitted, 1 of 1 derived, 0 of 1 by construction; " +
			"8 are not (1 explained); 2 verdicts are at the edge of their tolerance; 1 withheld and computed\n",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
}
