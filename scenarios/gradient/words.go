package gradient

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
)

// Lead summarises the result in a few sentences.
func Lead(o *outcomes.Outcome, noise *float64, all []sensitivity.Sensitivity) string {
	told, _, _ := Split(all, noise)
	text := fmt.Sprintf("The makespan is %s. Its critical path is %s.", report.Quantity(o.Result.Makespan().Seconds(), "s"), madeOf(o))
	if o.Unstable() {
		return text + " " + o.WhyUnstable() + strongest(told, noise)
	}
	first := most(told)
	switch {
	case first == nil && report.Noisy(noise):
		return text + " The effect of each parameter is " + report.Below(*noise) + "."
	case first == nil:
		return text + " No parameter with a derivative changes it."
	}
	return text + " " + first.Parameter + " matters most: " + onePercent(first, noise) + until(first) + "." + twice(all, noise, first)
}

// onePercent says what a parameter that is 1 % better does, unless that alone is below the noise of the run.
func onePercent(s *sensitivity.Sensitivity, noise *float64) string {
	moves := "shorter"
	switch by := better(s.Slope); {
	case report.BelowNoise(by, noise):
		return "its elasticity is " + Elasticity(s.Elasticity)
	case by > 0:
		moves = "longer"
	}
	return fmt.Sprintf("1\u00a0%% better makes the makespan %s %s", size(better(s.Slope)), moves)
}

// better is the relative change of the makespan when a parameter is 1 % better: a lower
// cost, a higher rate.
func better(s results.Slope) float64 {
	if s.Unit.Rate() {
		return s.Elasticity / 100
	}
	return -s.Elasticity / 100
}

// until says how far a parameter can become better before something else counts.
func until(s *sensitivity.Sensitivity) string {
	b := s.Better()
	switch {
	case b.Open:
		return ", and that holds as far as it was tried, to " + times(b.Factor) + " its value"
	case b.Takes == "" || b.Takes == s.Parameter:
		return reach(b)
	}
	return reach(b) + ", where " + b.Takes + " takes over"
}

// reach says up to which change of a parameter its derivative holds.
func reach(b *sensitivity.Bound) string {
	switch change := b.Factor - 1; {
	case b.Noise:
		return ""
	case math.Abs(change) >= 0.0005:
		return ", until " + percent(change)
	}
	return ", though only for less than 0.05\u00a0%"
}

// twice states the largest possible gain.
func twice(all []sensitivity.Sensitivity, noise *float64, first *sensitivity.Sensitivity) string {
	best, gained := gainsMost(all, noise)
	switch {
	case best == nil:
		return ""
	case best.Parameter == first.Parameter:
		return " Twice as good, it would gain " + size(gained) + "."
	}
	return fmt.Sprintf(" Most would be gained by %s: twice as good, it makes the makespan %s shorter.", best.Parameter, size(gained))
}

// size writes how much shorter the makespan is.
func size(part float64) string { return strings.TrimLeft(percent(part), "+-") }

// madeOf lists the parts that make up a hundredth of the path or more.
func madeOf(o *outcomes.Outcome) string {
	shares, _ := o.PathShares()
	var parts []string
	for _, s := range shares {
		if part := s.Time / o.Result.Makespan().Seconds(); part >= 0.01 || len(parts) == 0 {
			parts = append(parts, strconv.FormatFloat(100*part, 'f', 1, 64)+"\u00a0% "+s.Part)
		}
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return strings.Join(parts, "")
}

// Facts are the key numbers.
func Facts(o *outcomes.Outcome, noise points.Noise, all []sensitivity.Sensitivity) []report.Fact {
	shares, ties := o.PathShares()
	facts := []report.Fact{{Name: "Makespan", Value: report.Quantity(o.Result.Makespan().Seconds(), "s"),
		Note: fmt.Sprintf("%d ranks", o.Result.Ranks)}, noiseFact(noise)}
	if len(shares) > 0 {
		s := shares[0]
		facts = append(facts, report.Fact{Name: "Most of the path",
			Value: strconv.FormatFloat(100*s.Time/o.Result.Makespan().Seconds(), 'f', 1, 64) + " %", Note: s.Part + ", " + s.Resource})
	}
	told, _, _ := Split(all, noise.Part)
	if s := most(told); s != nil {
		facts = append(facts, report.Fact{Name: "Matters most", Value: Elasticity(s.Elasticity),
			Note: "elasticity by " + s.Parameter + reachNote(s)})
	}
	if s, gained := gainsMost(all, noise.Part); s != nil {
		facts = append(facts, report.Fact{Name: "Most to gain", Value: percent(gained), Note: s.Parameter + " twice as good"})
	}
	pieces := len(o.PathPieces())
	return append(facts, report.Fact{Name: "Pieces of the path", Value: report.Count(pieces), Note: tiesNote(ties)})
}

// noiseFact says what the noise of a run is.
func noiseFact(noise points.Noise) report.Fact {
	value, note := noise.Says()
	return report.Fact{Name: "Noise", Value: value, Note: note}
}

func tiesNote(ties int) string {
	switch ties {
	case 0:
		return "no other path is as long"
	case 1:
		return "1 tie, from where another path is as long"
	}
	return report.Count(ties) + " ties, from where another path is as long"
}

// reachNote says over which change an elasticity holds, or was measured.
func reachNote(s *sensitivity.Sensitivity) string {
	b := s.Better()
	switch {
	case s.Differences != nil:
		return " over " + span(s.Differences[len(s.Differences)-1])
	case b.Open:
		return ""
	}
	return reach(b)
}

func pathNote(o *outcomes.Outcome) string {
	const what = "The makespan is the sum of the pieces of the critical path, from the start of the run to the end of its last rank."
	if o.Unstable() {
		return what + " " + o.WhyUnstable()
	}
	if _, ties := o.PathShares(); ties > 0 {
		return fmt.Sprintf("%s At %s of its events something else was as late: another path is as long there, and a change may gain less.",
			what, report.Count(ties))
	}
	return what
}

// most is the parameter with the largest elasticity; nil if there is none.
func most(all []sensitivity.Sensitivity) *sensitivity.Sensitivity {
	if len(all) == 0 || all[0].Elasticity == 0 {
		return nil
	}
	return &all[0]
}

// gainsMost is the parameter that gains most if it is twice as good; nil if none gains anything.
func gainsMost(all []sensitivity.Sensitivity, noise *float64) (best *sensitivity.Sensitivity, gained float64) {
	for i := range all {
		if g := moved(&all[i], sensitivity.TwiceAsGood); g < gained && !report.BelowNoise(g, noise) {
			best, gained = &all[i], g
		}
	}
	return best, gained
}

// times writes a factor.
func times(factor float64) string {
	if factor < 1 {
		return "1/" + strconv.FormatFloat(1/factor, 'g', 3, 64) + " of"
	}
	return strconv.FormatFloat(factor, 'g', 3, 64) + " times"
}
