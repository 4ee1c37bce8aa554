package answer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
)

// Again runs the scenario of an answer with more settings.
type Again func(set []string) (*outcomes.Outcome, error)

// Confirm checks a whole answer for a run against the scenario itself: each absence and each change, repeated with the settings
// that it names, has the stated makespan to the picosecond; a change takes no more nodes than its price says; and the numbers of the
// answer follow from such runs. The error says all that is not so.
func Confirm(o *outcomes.Outcome, said *outcomes.Answer, again Again) error {
	c := confirmation{Outcome: o, said: said, again: again, makespan: o.Result.Makespan().Seconds()}
	for _, change := range slices.Concat(said.Without, said.Help) {
		c.change(&change)
	}
	for i := range said.InVain {
		c.inVain(&said.InVain[i])
	}
	c.overlap()
	c.contended()
	c.noise()
	if e := said.Efficiency; e != nil && math.Abs(e.Parallel-e.LoadBalance*e.Serialisation*e.Transfer) > 1e-12 {
		c.wrong("the efficiency is no product: %+v", *e)
	}
	if said.Sentence == "" || said.Runs > c.mostRuns() {
		c.wrong("%q after %d runs", said.Sentence, said.Runs)
	}
	return errors.Join(c.all...)
}

// confirmation is an answer that is being confirmed.
type confirmation struct {
	*outcomes.Outcome
	said     *outcomes.Answer
	again    Again
	makespan float64
	all      []error
}

func (c *confirmation) wrong(format string, values ...any) {
	c.all = append(c.all, fmt.Errorf(format, values...))
}

// mostRuns is the largest number of re-runs of an answer: of the parts of its first lines, with six of chance, and of larger steps; of what
// is exposed in other orders; and of each cause, of pairs, and of changes, in its own order and in others.
func (c *confirmation) mostRuns() int {
	return 15 + 2*mostOthers + mostDraws + (1+mostOthers)*(len(causes[c.Result.On])+mostPaired*(mostPaired-1)/2+mostRuns+mostFurther)
}

// run is the outcome with more settings; nil: there is none, which is wrong.
func (c *confirmation) run(set ...string) *outcomes.Outcome {
	o, err := c.again(set)
	if err != nil {
		c.wrong("%s: %w", keys.Flags(set), err)
		return nil
	}
	return o
}

func (c *confirmation) change(said *outcomes.Change) {
	with := c.run(said.Set...)
	if with == nil {
		return
	}
	if said.SavesIn != nil {
		c.savesIn(said)
	}
	if got := with.Result.Makespan().Seconds(); got != said.Makespan || said.Saves != 1-got/c.makespan {
		c.wrong("%s: makespan %g s, the answer says %g s, which saves %g of %g", said.Flags(), got, said.Makespan, said.Saves, c.makespan)
	}
	if now, before := with.NodesTaken(), c.NodesTaken(); now > before && !moreNodes(said) {
		c.wrong("%s: %d nodes instead of %d, and no price", said.Flags(), now, before)
	}
}

// inVain confirms that a change does not help a run without noise: its run is no shorter, or never ends.
func (c *confirmation) inVain(said *outcomes.InVain) {
	if c.said.Noise == nil || report.Noisy(c.said.Noise) || strings.HasPrefix(said.Set[0], ofPlaces+"="+atRandom) {
		return
	}
	if with, err := c.again(said.Set); err == nil {
		if saves := 1 - with.Result.Makespan().Seconds()/c.makespan; saves >= report.LeastShare {
			c.wrong("%s: saves %g, the answer says that it was tried in vain", keys.Flags(said.Set), saves)
		}
	}
}

// savesIn confirms the range of what a change saves in its own and in other orders of equals, up to the first in which it saves nothing.
func (c *confirmation) savesIn(said *outcomes.Change) {
	if said.Set[0] == ofPlaces+"="+atRandom {
		c.inDraws(said)
		return
	}
	gains := []float64{said.Saves}
	for _, set := range c.otherOrders()[:mostOthers] {
		before, err := c.again(set)
		with, other := c.again(slices.Concat(said.Set, set))
		if err != nil || other != nil {
			return // there are none, or they have too many events
		}
		gain := 1 - with.Result.Makespan().Seconds()/before.Result.Makespan().Seconds()
		if gains = append(gains, gain); gain < report.LeastShare {
			break
		}
	}
	if want := outcomes.RangeOf(gains); *want != *said.SavesIn {
		c.wrong("%s saves %v in several orders, want %v", said.Flags(), *said.SavesIn, *want)
	}
}

// inDraws confirms that what random places save, as far as it is said, is within what they save with each of the seeds, and in other orders.
func (c *confirmation) inDraws(said *outcomes.Change) {
	var gains []float64
	add := func(before float64, set ...string) {
		if with := c.run(set...); with != nil {
			gains = append(gains, 1-with.Result.Makespan().Seconds()/before)
		}
	}
	for seed := 1; seed <= mostDraws; seed++ {
		add(c.makespan, said.Set[0], fmt.Sprint("seed=", seed))
	}
	for _, set := range c.otherOrders()[:mostOthers] {
		if before, err := c.again(set); err == nil {
			add(before.Result.Makespan().Seconds(), slices.Concat(said.Set, set)...)
		}
	}
	if in := outcomes.RangeOf(gains); said.SavesIn[0] < in[0] || said.SavesIn[1] > in[1] {
		c.wrong("%s saves %v in several draws, want no more than %v", said.Flags(), *said.SavesIn, *in)
	}
}

// otherOrders are settings with which the run differs by chance alone.
func (c *confirmation) otherOrders() [][]string {
	if c.said.Paused {
		return [][]string{{"ties=1", "seed=1000001"}, {"ties=2", "seed=1000002"}, {"ties=3", "seed=1000003"}, {"ties=4", "seed=1000004"}}
	}
	if c.said.Late {
		var sets [][]string
		for _, p := range points.Orders(c.Outcome) {
			sets = append(sets, p.Set)
		}
		return sets
	}
	return [][]string{{"ties=1"}, {"ties=2"}, {"ties=3"}, {"ties=4"}}
}

// overlap confirms how much of communication hides.
func (c *confirmation) overlap() {
	said := c.said
	if said.Exposed == nil {
		return
	}
	s := subject{Outcome: c.Outcome}
	o := c.run(s.without("communication")...)
	if o == nil {
		return
	}
	exposed := c.Result.Makespan() - o.Result.Makespan()
	if *said.Exposed != exposed.Seconds() {
		c.wrong("exposed %g s, want %v", *said.Exposed, exposed)
	}
	if in := said.ExposedIn; in != nil && !(in[0] <= *said.Exposed && *said.Exposed <= in[1]) {
		c.wrong("exposed %g s is not within %v", *said.Exposed, *in)
	}
	if in := said.HiddenIn; in != nil && !(in[0] <= *said.Hidden && *said.Hidden <= in[1]) {
		c.wrong("hidden %g s is not within %v", *said.Hidden, *in)
	}
	if said.Hidden == nil {
		return
	}
	if o = c.run(s.without("computation")...); o == nil {
		return
	}
	alone := o.Result.Makespan()
	hidden := (alone - exposed).Seconds()
	if *said.Communication != alone.Seconds() || *said.Hidden != hidden || alone > 0 && *said.Overlap != hidden/alone.Seconds() {
		c.wrong("%g s alone, hidden %g, overlap %g, want %v alone, hidden %g", *said.Communication, *said.Hidden, zero(said.Overlap), alone, hidden)
	}
	c.overlapWithout(byHosts, said.Launched)
	c.overlapWithout(uneven, said.Even)
}

// overlapWithout confirms how much the run without a cause hides; nil: nothing is said of it.
func (c *confirmation) overlapWithout(cause string, said *float64) {
	if said == nil {
		return
	}
	s := subject{Outcome: c.Outcome}
	run, communication, computation := c.run(s.without(cause)...), c.run(s.without(cause+and+"communication")...),
		c.run(s.without(cause+and+"computation")...)
	if run == nil || communication == nil || computation == nil {
		return
	}
	exposed, alone := run.Result.Makespan()-communication.Result.Makespan(), computation.Result.Makespan()
	if overlap := (alone - exposed).Seconds() / alone.Seconds(); math.Abs(*said-overlap) > rounded {
		c.wrong("overlap %g without %s, want %g", *said, cause, overlap)
	}
}

// contended confirms what the run takes and hides on a network with contention.
func (c *confirmation) contended() {
	said := c.said.Contended
	if said == nil {
		return
	}
	c.change(&said.Change)
	if said.Overlap == nil {
		return
	}
	s := subject{Outcome: c.Outcome}
	communication, computation := c.run(slices.Concat(s.without("communication"), said.Set)...), c.run(slices.Concat(s.without("computation"), said.Set)...)
	if communication == nil || computation == nil {
		return
	}
	alone := computation.Result.Makespan().Seconds()
	if overlap := 1 - (said.Makespan-communication.Result.Makespan().Seconds())/alone; math.Abs(*said.Overlap-overlap) > rounded {
		c.wrong("overlap %g with contention, want %g", *said.Overlap, overlap)
	}
}

// noise confirms by how much the order of equals changes the makespan.
func (c *confirmation) noise() {
	if c.said.Noise == nil {
		return
	}
	least, shortest, longest := 0.0, c.makespan, c.makespan // also of a formula, which has no other order
	if c.said.Paused {
		least = c.Machine.Noise.Length.Seconds()
	}
	all := c.otherOrders()
	for _, p := range points.Nearly(c.Outcome) {
		all = append(all, p.Set)
	}
	for _, set := range all {
		if o, err := c.again(set); err == nil { // one that ran out of its events does not count
			shortest, longest = min(shortest, o.Result.Makespan().Seconds()), max(longest, o.Result.Makespan().Seconds())
		}
	}
	most := max(least, longest-shortest) / c.makespan
	if *c.said.Noise > most {
		c.wrong("the noise is %g, in other orders of equals the makespan differs by %g", *c.said.Noise, most)
	}
}
