package papers

import (
	"testing"

	"overlapsim/sim/must"
)

// A prediction that is not reproduced counts once, regardless of the number of its mechanisms, and so does each trial.
// Claims that are reproduced, and claims of other kinds, do not count, even if a trial moves them.
func TestRetried(t *testing.T) {
	p := read(t, `
paper: test
title: A test
experiments:
  e: {title: t, scenario: s, variants: {A: {a: 1}}, points: [{label: x}]}
claims:
  - {id: tried, kind: predicted, place: p, claim: c, reason: r, metric: sum(e.A.v), published: 1, tolerance: 0, explanation: x}
  - {id: never, kind: predicted, place: p, claim: c, reason: r, metric: sum(e.A.v), published: 1, tolerance: 0, explanation: x}
  - {id: untried, kind: predicted, place: p, claim: c, reason: r, metric: sum(e.A.v), published: 1, tolerance: 0, explanation: x}
  - {id: holds, kind: predicted, place: p, claim: c, reason: r, metric: sum(e.A.v), published: 1, tolerance: 0, explanation: x}
  - {id: other, kind: derived, place: p, claim: c, reason: r, metric: sum(e.A.v), published: 1, tolerance: 0, explanation: x, basis: b}
missing:
  one: {lacks: l, claims: [tried, never, holds, other], shows: s, trials: [{a: 2}, {a: 3}]}
  two: {lacks: l, claims: [tried], shows: s, trials: [{a: 4}]}
  words: {lacks: l, claims: [untried], shows: s}
`)
	r := &Recorded{Claims: map[string]string{"tried": "2", "never": "2", "untried": "2", "holds": "1", "other": "2"},
		Trials: map[string][]map[string]string{
			"one": {{"tried": "3", "never": "3", "holds": "1", "other": "1"}, {"tried": "1", "never": "3", "holds": "3", "other": "1"}},
			"two": {{"tried": "1"}},
		}}
	verdicts := must.Get(p.Verdicts(r))(t)
	if got, want := p.retrials(verdicts, r), (retried{Failed: 3, Claims: 2, Hold: 1, Free: 1, Trials: 3}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
