package papers

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
)

var everyShake = flag.Bool("every-shake", false, "draw machines with random numbers for all papers again; takes hours")

// What machines with random numbers give is of these claims and these machines, and is something: each prediction
// has a draw that could be computed. One draw of the quickest paper is drawn again, or with -every-shake all.
func TestShakenIsCurrent(t *testing.T) {
	for _, name := range Names() {
		p := must.Get(Load(name))(t)
		r, err := readShaken(name)
		if err != nil || r == nil {
			t.Errorf("%s: no machine was drawn (%v); run 'go run ./cmd/dev/shake-papers %[1]s 8'", name, err)
			continue
		}
		if stamp, err := p.Stamp(); err != nil || stamp != r.Stamp {
			t.Errorf("%s: claims or machines have changed since machines were drawn (%v); run 'go run ./cmd/dev/shake-papers %[1]s 8'", name, err)
		}
		drawn := map[string]Shaken{}
		for _, s := range r.All {
			drawn[s.Claim] = s
		}
		for _, c := range p.Claims {
			if c.Kind == Predicted && c.Judged != Withheld && !p.analytic(c) && drawn[c.ID].Draws == 0 {
				t.Errorf("%s: %s was computed on no machine that was drawn", name, c.ID)
			}
		}
		if name == "mpi" || *everyShake {
			checkDraws(t, p, r)
		}
	}
}

// checkDraws draws the first machine again, or all.
func checkDraws(t *testing.T, p *Paper, r *ShakeResult) {
	t.Helper()
	draws := 1
	if *everyShake {
		draws = len(r.All[0].Each)
	}
	claims := slices.DeleteFunc(slices.Clone(p.Claims), func(c *Claim) bool {
		return !slices.ContainsFunc(r.All, func(s Shaken) bool { return s.Claim == c.ID })
	})
	again := must.Get(p.Shake(ShakeAll, claims, 0, draws, Simulate, func(int) {}))(t)
	for i, s := range again {
		if kept := r.All[i]; kept.Claim != s.Claim || !strings.HasPrefix(kept.Each, s.Each) {
			t.Errorf("%s: %s: draws give %s, recorded is %s", p.Name, s.Claim, s.Each, kept.Each)
		}
	}
}

// Drawing predictions again loses no claim that was drawn before, nor the other rounds.
func TestShakeAgain(t *testing.T) {
	for _, name := range []string{"mpi", "probes"} {
		p := must.Get(Load(name))(t)
		old := must.Get(readShaken(name))(t)
		rounds := 0
		none := func(*Run) (map[string]float64, error) { return map[string]float64{}, nil }
		r := must.Get(p.ShakeAgain(1, true, none, func(s Shaking, _ int) {
			if rounds++; s != ShakeAll {
				t.Errorf("%s: a round of %s", name, s)
			}
		}))(t)
		drawn := map[string]bool{}
		for _, s := range r.All {
			drawn[s.Claim] = true
		}
		for _, s := range old.All {
			if p.Claim(s.Claim).Judged != Withheld && !drawn[s.Claim] {
				t.Errorf("%s: %s is not drawn again", name, s.Claim)
			}
		}
		if rounds != 1 || len(r.Fitted) != len(old.Fitted) || len(r.Others) != len(old.Others) {
			t.Errorf("%s: %d rounds, %d and %d of the others, were %d and %d", name, rounds, len(r.Fitted), len(r.Others), len(old.Fitted), len(old.Others))
		}
	}
}

// A prediction that nine in ten random machines pass says little: of two that hold, one of them by chance, and one
// that does not hold but is not met by chance either, it weighs a tenth.
func TestAgainstChance(t *testing.T) {
	p := &Paper{chances: map[string]Chance{"easy": {10, 9, "1111111110"}, "hard": {10, 0, "0000000000"}, "missed": {10, 1, "1000000000"}}}
	var a AgainstChance
	for _, v := range []*Verdict{
		{Paper: p, Claim: &Claim{ID: "easy", Judged: Truth}, Pass: true},
		{Paper: p, Claim: &Claim{ID: "hard", Judged: Value}, Pass: true},
		{Paper: p, Claim: &Claim{ID: "missed", Judged: Band}},
		{Paper: p, Claim: &Claim{ID: "not drawn", Judged: Value}, Pass: true},
		{Paper: p, Claim: &Claim{ID: "easy", Judged: Value, Kind: Fitted}, Pass: true},
	} {
		a.add(v)
	}
	const want = "of 3 predictions tried on machines with random numbers 2 hold here and 1.0 there; numbers with two sides: 1 of 2, there 0.1; " +
		"orders and bounds: 1 of 1, there 0.9; weighted by what a random machine does not pass: 55 %, there 9 %; " +
		"1 of the 10 random machines hold at least as many"
	if got := a.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	a.add(&Verdict{Paper: &Paper{chances: p.chances}, Claim: &Claim{ID: "easy", Judged: Truth}})
	if _, of := a.AsGood(); of != 0 {
		t.Errorf("%d machines of two papers", of)
	}
}

// A slow-down is at least 1 on every machine that is drawn.
func TestShakenSlowDowns(t *testing.T) {
	for draw := range 20 {
		f := shakeFactor(draw, "xenon", "smt.slow_down.fp.fp")
		if got := shakenValue(keys.Fact{Path: "smt.slow_down.fp.fp", Value: "1.5"}, f); got < "1" || strings.HasPrefix(got, "x") {
			t.Errorf("factor %g: %s", f, got)
		}
	}
	if got := shakenValue(keys.Fact{Path: "network.gap", Value: "1.5us"}, 2); got != "x2" {
		t.Error(got)
	}
}
