package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

func TestEveryTermHasALook(t *testing.T) {
	for term, l := range looks {
		if l.Title == "" || len(l.Color) != 7 || l.Sentence == "" || l.Doing == "" {
			t.Errorf("term %v is not described: %+v", results.Term(term), l)
		}
	}
}

// Terms of a run on GPUs are explained in words of GPUs.
func TestWordsOfGPUs(t *testing.T) {
	w := wordsOf[results.GPUs]
	for term := range results.NumTerms {
		never := term == results.Progress || term == results.BarrierTime
		if own := w.sentences[term] != ""; own == never {
			t.Errorf("term %v: a sentence of its own is %v", term, own)
		}
	}
	r := &results.Result{Ranks: 2, On: results.GPUs, Finish: make([]sim.Time, 2), Hidden: make([]sim.Time, 2),
		Ledgers: [][]results.Ledger{{{results.Interference: 5}}, {{}}}, Phases: []string{""}}
	if got := ledgerTable(r); len(got) != 1 || got[0].Sentence != w.sentences[results.Interference] {
		t.Errorf("got %+v", got)
	}
	for _, f := range facts(&Run{Result: r}) {
		if f.Name == "Messages" {
			t.Errorf("a run on GPUs tells %+v", f)
		}
	}
}

// Communicating, waiting for others, and computation add up to a ledger.
func TestCommunicating(t *testing.T) {
	var l results.Totals
	for i := range l {
		l[i].Add(sim.Time(1) << i)
	}
	want := l.Sum()
	for _, term := range []results.Term{results.Compute, results.Interference, results.Partner, results.BarrierTime, results.Idle} {
		want = want.Minus(l[term])
	}
	if got := l.Communicating(); got != want {
		t.Errorf("communicating %v of %v, want %v", got, l.Sum(), want)
	}
}

// sights are the linear-RGB matrices of Machado, Oliveira and Fernandes, "A
// Physiologically-based Model for Simulation of Color Vision Deficiency",
// IEEE TVCG 15(6), 2009, at full severity.
var sights = map[string][3][3]float64{
	"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func TestColorsDifferForEverySight(t *testing.T) {
	for sight, m := range sights {
		for a := range results.NumTerms {
			for b := range a {
				if d := distance(lab(looks[a].Color, m), lab(looks[b].Color, m)); d < 19 {
					t.Errorf("%s: %v and %v are only %.0f apart", sight, a, b, d)
				}
			}
		}
	}
}

// Everything that is painted has a contrast of at least 3, that of WCAG 2 for graphics, to the paper of a light and of a dark page.
func TestColorsHaveContrast(t *testing.T) {
	css := asset("page.css")
	for _, paper := range []string{"#ffffff", "#14181d"} {
		if !strings.Contains(css, "--paper: "+paper) {
			t.Errorf("no page has the paper %s", paper)
		}
		all := append(slices.Clone(others), Mixed, PaleMixed, EndedColor)
		for _, l := range looks {
			all = append(all, l.Color)
		}
		for _, color := range all {
			if c := contrast(color, paper); c < 3 {
				t.Errorf("%s on %s has a contrast of %.2f", color, paper, c)
			}
		}
	}
}

// contrast is the contrast of WCAG 2.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is the relative luminance of #rrggbb.
func luminance(hex string) float64 {
	l := (lab(hex, sights["normal"])[0] + 16) / 116
	return l * l * l
}

// Parts that are not terms have other colours than terms, and the first eight differ for every
// kind of sight.
func TestOtherColors(t *testing.T) {
	for i, color := range append(slices.Clone(others), Mixed, PaleMixed, EndedColor) {
		for term := range results.NumTerms {
			if d := distance(lab(color, sights["normal"]), lab(looks[term].Color, sights["normal"])); d < 15 {
				t.Errorf("%s is only %.0f from %v", color, d, term)
			}
		}
		for sight, m := range sights {
			for _, other := range others[:min(i, len(others))] {
				if d := distance(lab(color, m), lab(other, m)); d < 19 && i < len(others) {
					t.Errorf("%s: %s and %s are only %.0f apart", sight, color, other, d)
				}
			}
		}
	}
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// lab converts #rrggbb, seen through m, to CIE L*a*b* (D65).
func lab(hex string, m [3][3]float64) [3]float64 {
	var in, seen [3]float64
	for i := range in {
		n, _ := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		c := float64(n) / 255
		if c <= 0.04045 {
			in[i] = c / 12.92
		} else {
			in[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	for i := range seen {
		seen[i] = min(1, max(0, m[i][0]*in[0]+m[i][1]*in[1]+m[i][2]*in[2]))
	}
	f := func(x float64) float64 {
		if x > 0.008856 {
			return math.Cbrt(x)
		}
		return 7.787*x + 16.0/116
	}
	x := f((0.4124*seen[0] + 0.3576*seen[1] + 0.1805*seen[2]) / 0.95047)
	y := f(0.2126*seen[0] + 0.7152*seen[1] + 0.0722*seen[2])
	z := f((0.0193*seen[0] + 0.1192*seen[1] + 0.9505*seen[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}
