package papers

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// Every prediction that is not reproduced names what the model lacks for it, and so does every claim whose
// value a trial is recorded of.
func TestMissing(t *testing.T) {
	for _, name := range Names() {
		p := must.Get(Load(name))(t)
		r := must.Get(loadRecorded(name))(t)
		verdicts := must.Get(p.Verdicts(r))(t)
		for _, v := range verdicts {
			if v.Kind == Predicted && v.Status() == KnownFailure && len(p.missing(v.Claim)) == 0 {
				t.Errorf("%s: nothing is named that the model lacks for %s, a prediction that is not reproduced", name, v.ID)
			}
		}
		for _, m := range p.Mechanisms {
			checkMechanism(t, p, m, r)
		}
	}
}

// checkMechanism checks that a mechanism explains a claim that is not reproduced, and that its trials can run and
// are recorded.
func checkMechanism(t *testing.T, p *Paper, m *Mechanism, r *Recorded) {
	t.Helper()
	fails := func(id string) bool { return !p.judged(p.Claim(id), r.Claims[id]).Pass }
	if !slices.ContainsFunc(m.Claims, fails) {
		t.Errorf("%s: missing.%s: all of its claims are reproduced", p.Name, m.Name)
	}
	if len(r.Trials[m.Name]) != len(m.Trials) {
		t.Errorf("%s: missing.%s: %d trials are recorded of %d; %s", p.Name, m.Name, len(r.Trials[m.Name]), len(m.Trials), retry)
	}
	for i, trial := range m.Trials {
		changed, claims, err := m.changed(p.Name, trial)
		if err == nil {
			err = Check(changed.Needed(claims))
		}
		if err != nil {
			t.Errorf("%s: missing.%s: %v", p.Name, m.Name, err)
		}
		if ids := slices.Collect(maps.Keys(r.trial(m, i))); len(ids) != len(m.Claims) {
			t.Errorf("%s: missing.%s: trial %d has %d claims of %d; %s", p.Name, m.Name, i+1, len(ids), len(m.Claims), retry)
		}
	}
}

const retry = "run 'go test ./scenarios/papers -run TestTrials -every-trial -update -timeout 0'"

var everyTrial = flag.Bool("every-trial", false, "run the trials of every paper")

// The trials give what is recorded. Those of all papers take as long as their claims.
func TestTrials(t *testing.T) {
	must.Long(t)
	names := []string{quickPaper}
	if *everyTrial {
		names = Names()
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { checkTrials(t, name) })
	}
}

// checkTrials compares the trials of a paper with what is recorded, or records them.
func checkTrials(t *testing.T, name string) {
	p := must.Get(Load(name))(t)
	r := must.Get(loadRecorded(name))(t)
	got := trials(t, p)
	if *update {
		r.Trials = got
		write(t, "recorded/"+name+".yaml", r.Marshal)
		return
	}
	for _, m := range p.Mechanisms {
		for i := range m.Trials {
			if !maps.Equal(got[m.Name][i], r.trial(m, i)) {
				t.Errorf("missing.%s, trial %d: %v, recorded is %v; %s", m.Name, i+1, got[m.Name][i], r.trial(m, i), retry)
			}
		}
	}
}

// trials runs the trials of a paper.
func trials(t *testing.T, p *Paper) map[string][]map[string]string {
	t.Helper()
	all := map[string][]map[string]string{}
	for _, m := range p.Mechanisms {
		for _, trial := range m.Trials {
			changed, claims, err := m.changed(p.Name, trial)
			if err != nil {
				t.Fatal(err)
			}
			verdicts, err := changed.Try(claims, Simulate, nil)
			if err != nil {
				t.Fatalf("%s: missing.%s: %v", p.Name, m.Name, err)
			}
			all[m.Name] = append(all[m.Name], p.Record(verdicts).Claims)
		}
	}
	return all
}

// Settings of an experiment change its runs alone, those without a scenario stay, and mistakes name their flags.
func TestSet(t *testing.T) {
	p := read(t, `
paper: test
title: A test
experiments:
  e: {title: t, scenario: s, variants: {A: {a: 1}, B: {a: 1}}, points: [{label: x, b: 1}]}
  f: {title: t, scenario: s, variants: {A: {a: 2}}, points: [{label: x, b: 1}]}
  numbers: {title: t, variants: {A: {a: 3}}, points: [{label: x}]}
claims:
  - {id: all, kind: predicted, place: p, claim: c, reason: r, metric: sum(e.A.v + 10 * f.A.v + 100 * numbers.A.a),
     published: 397, tolerance: 0}
  - {id: one, kind: predicted, place: p, claim: c, reason: r, metric: last(e.A.v), published: 7, tolerance: 0}
`)
	err := p.Set([]string{"rank", "=1"})
	if err == nil || !strings.HasPrefix(err.Error(), "--set rank: must be path=value, such as ") {
		t.Errorf("got %v", err)
	}
	if _, err := p.Named([]string{"all", "ones"}); err == nil || err.Error() != "--claims ones: test has no such claim, did you mean one?" {
		t.Errorf("got %v", err)
	}
	must.Do(t, p.Set([]string{"e.A.a=8", "e.a=7", "e.B.a=5", "b=2"}))
	value := func(r *Run) (map[string]float64, error) {
		if r.Scenario == "" {
			return Numbers(r)
		}
		if r.Value("b") != "2" {
			t.Errorf("b is %s", r.Value("b"))
		}
		if r.Value("a") == "5" {
			t.Error("the other variant is run")
		}
		return map[string]float64{"v": map[string]float64{"7": 7, "2": 9}[r.Value("a")]}, nil
	}
	claims, err := p.Named([]string{"one", "all", "one"})
	if err != nil || len(claims) != 2 {
		t.Fatal(claims, err)
	}
	verdicts, err := p.Try(claims, value, nil)
	if err != nil || !verdicts[0].Pass || !verdicts[1].Pass {
		t.Errorf("got %+v %+v, %v", verdicts[0], verdicts[1], err)
	}
	if n := len(p.Needed(claims[:1])); n != 1 {
		t.Errorf("one needs %d runs", n)
	}
}
