package papers

import (
	"errors"
	"math"
	"os"
	"strconv"
	"testing"

	"go.yaml.in/yaml/v3"

	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
)

// A draw changes what has a unit, and what a fit found or did not find.
func TestShakingChanges(t *testing.T) {
	fitted := keys.Fact{Path: "network.gap", Value: "1.5us", Origin: "fitted", Quantity: true}
	chosen := keys.Fact{Path: "network.gap", Value: "1.5us", Origin: "chosen", Quantity: true}
	count := keys.Fact{Path: "cores", Value: "8", Origin: "published", Quantity: true}
	slow := keys.Fact{Path: "smt.slow_down.fp.fp", Value: "2.7", Origin: "fitted", Quantity: true}
	text := keys.Fact{Path: "title", Value: "one"}
	for _, test := range []struct {
		s    Shaking
		want [5]bool
	}{
		{ShakeAll, [5]bool{true, true, false, true, false}},
		{ShakeFitted, [5]bool{true, false, false, true, false}},
		{ShakeOthers, [5]bool{false, true, false, false, false}},
	} {
		for i, f := range []keys.Fact{fitted, chosen, count, slow, text} {
			if got := test.s.changes(f); got != test.want[i] {
				t.Errorf("%s: %s %s: got %v", test.s, f.Origin, f.Path, got)
			}
		}
	}
}

// Factors are the same for all runs of a draw, differ between draws, and lie within the
// width.
func TestShakeFactors(t *testing.T) {
	seen := map[float64]bool{}
	for draw := range 100 {
		x := shakeFactor(draw, "bassi", "network.gap")
		if x < 1.0/shakeWidth || x > shakeWidth || seen[x] || x != shakeFactor(draw, "bassi", "network.gap") {
			t.Errorf("draw %d: factor %g", draw, x)
		}
		seen[x] = true
	}
}

// Settings of the run stay, and a run that its draw does not allow counts as not computed.
func TestShakenRuns(t *testing.T) {
	run := newRun("ft-pencils-jacquard", []Setting{{Path: "machine.network.gap", Value: "3us"}})
	_, err := ShakeAll.Runner(0, func(r *Run) (map[string]float64, error) {
		if r.Value("machine.network.gap") != "3us" {
			t.Errorf("the gap is %s", r.Value("machine.network.gap"))
		}
		x, err := strconv.ParseFloat(r.Value("machine.network.latency")[1:], 64)
		if err != nil || x < 1.0/shakeWidth || x > shakeWidth {
			t.Errorf("the latency is %s", r.Value("machine.network.latency"))
		}
		return nil, nil
	})(run)
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := ShakeAll.Runner(0, func(*Run) (map[string]float64, error) { return nil, errors.New("broken") })(run)
	if err != nil || metrics == nil || len(metrics) > 0 {
		t.Errorf("got %v, %v", metrics, err)
	}
}

func TestShakenAdd(t *testing.T) {
	var s Shaken
	_, verdicts := judge(t, judged)
	for _, v := range verdicts {
		if v.ID == "equal" || v.ID == "not-finite" {
			s.add(v)
		}
	}
	if s.Draws != 1 || s.Hold != 1 || s.From != 2 || s.To != 2 || s.moves() {
		t.Errorf("got %+v", s)
	}
}

// What shaking says of the claims agrees with their kinds: a claim that holds for any
// numbers is no prediction, and one that does not hold in some draw is of construction
// only as the order of fitted numbers. A claim that a fit used moves with what fits found.
func TestKindsAgainstShaking(t *testing.T) {
	for _, name := range Names() {
		text, err := os.ReadFile("shaken/" + name + ".yaml")
		if os.IsNotExist(err) {
			continue
		}
		var r ShakeResult
		if err == nil {
			err = yaml.Unmarshal(text, &r)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := must.Get(Load(name))(t)
		others := map[string]Shaken{}
		for _, s := range r.Others {
			others[s.Claim] = s
		}
		for _, s := range r.All {
			if c := p.Claim(s.Claim); c == nil {
				t.Errorf("%s: shaken, but no claim: %s", name, s.Claim)
			} else {
				checkShaken(t, c, s, others[s.Claim])
			}
		}
	}
}

// enough draws say that a claim holds always.
const enough = 8

func checkShaken(t *testing.T, c *Claim, all, others Shaken) {
	t.Helper()
	if c.Judged == Withheld || all.Draws == 0 {
		return
	}
	always := all.Hold == all.Draws
	switch {
	case c.Kind == Predicted && always && all.Draws >= enough:
		t.Errorf("%s holds in all %d draws: it is of construction, or derived", c.ID, all.Draws)
	case c.Kind == Construction && !always && others.Hold < others.Draws:
		t.Errorf("%s holds in %d of %d draws, and in %d of %d of what no fit found: it is not of construction", c.ID, all.Hold, all.Draws,
			others.Hold, others.Draws)
	case c.Kind == Fitted && all.Draws >= enough && !all.moves():
		t.Errorf("%s does not move: it tells a fit nothing", c.ID)
	}
}

// moves tells whether the value changes by more than its rounding.
func (s *Shaken) moves() bool { return s.To-s.From > 0.001*math.Max(math.Abs(s.From), math.Abs(s.To)) }
