package answer

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// flow is the network on which messages share links and the rate of NICs.
const flow = "fabric.kind=flow"

// turns is the cause of a re-run in which NICs do not send one message after another.
const turns = "turns"

// contend runs processes of the ideal network on one with contention, if communication alone takes a part of the run that matters; where the
// run takes another time there, also without computation, which tells how much hides.
func (s *subject) contend(a *outcomes.Answer, wanted Part) {
	if s.Contended() || s.Calibration != nil || s.Result.On != results.Processes ||
		a.Communication != nil && *a.Communication < leastCause*s.Result.Makespan().Seconds() {
		return
	}
	a.NotContended = "that takes too long"
	if wanted < Shared || s.noise == nil {
		return
	}
	shared := &trial{change: change{set: []string{flow}}, cause: turns}
	s.add(shares * shared.expected(s)) // beyond the re-runs of the answer, which is the same without them
	if s.explore([]*trial{shared}, 1, s.events); !shared.counts {
		if why := s.refused(shared.set); why != "" {
			a.NotContended = why
		}
		return
	}
	a.NotContended = ""
	a.Contended = &outcomes.Contended{Change: outcomes.Change{Set: shared.set, Makespan: shared.makespan.Seconds(), Saves: shared.gain(s)}}
	if !otherwise(a) || !s.computes() || a.Computation == nil || s.long() {
		return
	}
	alone := &trial{change: change{set: slices.Concat(s.without("computation"), shared.set)}, cause: turns}
	s.add(shares * alone.expected(s))
	if s.explore([]*trial{alone}, 1, s.events); alone.counts && alone.makespan > 0 {
		a.Contended.Overlap = new(1 - (shared.makespan.Seconds()-*a.Computation)/alone.makespan.Seconds())
	}
}

// otherwise tells whether a run takes another time on a network with contention: it is shorter by as much as a cause that counts, or longer by
// that or a tenth of communication, beyond the noise.
func otherwise(a *outcomes.Answer) bool {
	c, least := a.Contended, leastCause
	if c == nil {
		return false
	}
	if a.Communication != nil {
		least = min(least, max(report.LeastShare, *a.Communication*(1-c.Saves)/c.Makespan/10))
	}
	return c.Saves >= leastCause || -c.Saves >= max(least, zero(a.Noise))
}

// there says how long a run takes on a network with contention, and how much of communication hides.
func there(c *outcomes.Contended) string {
	text := fmt.Sprintf("%s, %s shorter", one(c.Makespan), report.Share(c.Saves))
	if c.Saves < 0 {
		text = fmt.Sprintf("%s, %s longer", one(c.Makespan), report.Share(-c.Saves))
	}
	switch {
	case c.Overlap == nil:
		return text
	case *c.Overlap < report.LeastShare:
		return text + ", and nothing of communication is hidden"
	case *c.Overlap > 1-report.LeastShare:
		return text + ", and all of communication is hidden"
	}
	return text + ", and " + report.Share(*c.Overlap) + " of communication are hidden"
}

// withContention says what it means for a run that the ideal network has no contention, and its NICs send one message after another, if it is otherwise
// where messages share NICs and links: then the run is much shorter or longer, or the order of equals does not matter.
func (s *subject) withContention(a *outcomes.Answer) []string {
	if a.NotContended != "" {
		return []string{"Not run on a network with contention (--set " + flow + "): " + a.NotContended + "."}
	}
	const only = "Links of the ideal network are free, and its NICs send one message after another"
	switch c := a.Contended; {
	case c == nil:
		return nil
	case otherwise(a):
		why := ""
		if most := s.Injection(); c.Saves > 0 && most > s.Machine.Network.Rate() {
			why = fmt.Sprintf(", at the rate of one, where those of this machine send several at %s (links.injection)", keys.Format(keys.Bandwidth, float64(most)))
		} else if c.Saves > 0 {
			why = ", so that a late rank can hold up others"
		}
		return []string{fmt.Sprintf("%s%s. Where messages share the rate of both, the run takes %s: --set %s.", only, why, there(c), flow)}
	case a.Paused || a.Near || *s.noise < leastCause || s.long():
		return nil
	}
	all, _ := s.inOrders()
	for _, t := range all {
		t.set = append(slices.Clone(t.set), flow)
		s.add(roomy * t.expected(s))
	}
	s.explore(all, len(all), s.events)
	if len(makespans(all)) < len(all) {
		return nil
	}
	if in := outcomes.RangeOf(append(makespans(all), a.Contended.Makespan)); in[1]-in[0] > *s.noise/4*in[0] {
		return nil
	}
	return []string{"The order of equals matters because NICs of the ideal network send one message after another. It does not where they share " +
		"their rate among messages: --set " + flow + "."}
}

// contending says which of several runs of the ideal network take another time on one with contention, which is the shortest there, if it is
// another one, and which were not run there; "": none.
func contending(order []*outcomes.RunRecord) string {
	var others []string
	var unknown []*outcomes.RunRecord
	on := func(r *outcomes.RunRecord) float64 {
		if r.Answer != nil && r.Answer.Contended != nil {
			return r.Answer.Contended.Makespan
		}
		return r.Makespan
	}
	best := order[0]
	for _, r := range order {
		switch {
		case r.Answer == nil:
		case r.Answer.NotContended != "":
			unknown = append(unknown, r)
		case otherwise(r.Answer):
			others = append(others, r.Scenario+" takes "+there(r.Answer.Contended))
		}
		if on(r) < on(best)*(1-report.LeastShare) {
			best = r
		}
	}
	text := ""
	if left := len(others) - mostNamed; left > 0 {
		others = append(others[:mostNamed], fmt.Sprintf("%d more take another time", left))
	}
	if best != order[0] && len(unknown) == 0 {
		others = append(others, best.Scenario+" is the shortest there")
	}
	if others != nil {
		text = " On a network with contention (--set " + flow + "), compared with the ideal one, " + strings.Join(others, "; ") + "."
	}
	const not = " run on a network with contention (--set " + flow + "), as that takes too long"
	switch len(unknown) {
	case 0:
	case len(order):
		text += " None was" + not + "."
	default:
		text += " Not" + not + ": " + firstOf(unknown, func(r *outcomes.RunRecord) string { return r.Scenario }) + "."
	}
	return text
}
