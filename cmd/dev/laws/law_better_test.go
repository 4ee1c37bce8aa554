package laws

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

// leastNoise is the smallest part of a makespan by which runs of equal quality may differ.
const leastNoise = 100 // the inverse

// improved returns the outcomes of the case and of one in which something is better.
func (t *trial) improved(way func() (better, bool)) (o, with *outcomes.Outcome, b better, err error) {
	o, err = t.runs()
	if err != nil || o.Result.Makespan() == 0 || t.lacksSome() {
		return nil, nil, b, errNotFor
	}
	if o.Result.On == results.Processes && (!t.fixed() || o.Result.Messages == 0) { // one without messages may be a model of others
		return nil, nil, b, errNotFor
	}
	for range 8 {
		var ok bool
		if b, ok = way(); !ok {
			continue
		}
		if with, err = t.variant(b.Case); err == nil && sameProgram(o, with) {
			return o, with, b, nil
		}
	}
	return nil, nil, b, errNotFor
}

// lacksSome tells whether the case takes causes away itself.
func (t *trial) lacksSome() bool { return t.scenario().Whole() != t.scenario().Scenario }

// room is by how much runs of a case differ by chance: the spread of two orders of equals, and at least 1 %.
func (t *trial) room(o *outcomes.Outcome) sim.Time {
	return max(o.Result.Makespan()/leastNoise, t.spread(t.Case, o.Result.Makespan()))
}

// spread is by how much two other orders of equals change the makespan of a case.
func (t *trial) spread(of Case, makespan sim.Time) (most sim.Time) {
	for _, ties := range []string{"ties=1", "ties=2"} {
		c := of.clone()
		c.Settings = append(c.Settings, ties)
		if other, err := t.variant(c); err == nil {
			most = max(most, apart(other.Result.Makespan(), makespan))
		}
	}
	return most
}

// monotone is the law that nothing which is made better makes a run longer.
func monotone(t *trial) error {
	o, with, b, err := t.improved(t.better)
	if err != nil {
		return err
	}
	longer := with.Result.Makespan() - o.Result.Makespan()
	if longer <= o.Result.Makespan()/leastNoise || longer <= t.room(o) {
		return nil
	}
	return t.anomaly(t.Case, b.Case, float64(longer)/float64(o.Result.Makespan()),
		fmt.Sprintf("with %s it takes %v, and %v without", b.says, with.Result.Makespan(), o.Result.Makespan()))
}

// bounded is the law that no improvement of a resource saves more than the absence of its cause.
func bounded(t *trial) error {
	way := t.better
	if t.chance(0.2) {
		way = t.agent
	}
	o, with, b, err := t.improved(way)
	if err != nil || b.causes == nil {
		return errNotFor
	}
	names := b.causes
	if names[0] == "bandwidth" && o.Contended() {
		names = append(names, "links") // those that have the bandwidth of NICs
	}
	absent, err := t.lacking(names)
	if err != nil {
		return errNotFor // a graph of GPUs that does not have it
	}
	less := absent.Result.Makespan() - with.Result.Makespan()
	if less <= o.Result.Makespan()/leastNoise || less <= t.room(o) {
		return nil
	}
	return t.anomaly(b.Case, t.without(names), float64(less)/float64(o.Result.Makespan()),
		fmt.Sprintf("with %s it takes %v, without %s %v (%v as it is)", b.says, with.Result.Makespan(),
			strings.Join(names, " and "), absent.Result.Makespan(), o.Result.Makespan()))
}

// sharedCauses are those whose absence only makes pieces of a path shorter.
var sharedCauses = []string{"latency", "bandwidth", "gap", "overhead", "noise", "computation"}

// shares is the law that the absence of a cause saves no more than its share of the critical path, where nothing contends.
func shares(t *trial) error {
	o, err := t.unshared()
	if err != nil || !t.fixed() || t.lacksSome() || o.Unstable() {
		return errNotFor
	}
	cause := one(t.draw, sharedCauses)
	absent, err := t.lacking([]string{cause})
	if err != nil {
		return err
	}
	share := shareOf(cause, o)
	saved := o.Result.Makespan() - absent.Result.Makespan()
	if more := saved - share - sim.Time(len(o.Result.Critical)+1) - o.Result.Makespan()/1_000_000_000; more > 0 {
		return t.anomaly(t.Case, t.without([]string{cause}), float64(more)/float64(o.Result.Makespan()),
			fmt.Sprintf("without %s it takes %v less, which has %v of the critical path", cause, saved, share))
	}
	return nil
}

// termsOfGPUs are the terms of the pieces of a path on GPUs that the absence of a cause makes shorter.
var termsOfGPUs = map[string][]results.Term{
	"bandwidth": {results.Transfer, results.Contention, results.NICStall}, "latency": {results.Latency, results.NICStall},
	"launches": {results.Overhead},
}

// ofCauseOnGPUs tells whether the absence of a cause makes a piece of a path shorter. The start of an operation of several GPUs is latency.
func ofCauseOnGPUs(cause string, p *results.Piece) bool {
	switch {
	case p.Resource == results.Hosts:
		return cause == "launches"
	case p.Resource == results.Collectives && p.Part.Term() == results.Overhead:
		return cause == "latency"
	}
	return slices.Contains(termsOfGPUs[cause], p.Part.Term())
}

// sharesOnGPUs is shares of operations on streams, where those on the path have all that they need to themselves.
func sharesOnGPUs(t *trial) error {
	o, err := t.explained()
	if err != nil || o.Result.On != results.GPUs || t.lacksSome() {
		return errNotFor
	}
	cause := one(t.draw, sortedKeys(termsOfGPUs))
	absent, err := t.lacking([]string{cause})
	if err != nil {
		return errNotFor // its graph does not have it
	}
	var share sim.Time
	for i := range o.Result.Critical {
		if p := &o.Result.Critical[i]; ofCauseOnGPUs(cause, p) {
			share += p.End - p.Start
		}
	}
	saved := o.Result.Makespan() - absent.Result.Makespan()
	if more := saved - share - sim.Time(len(o.Result.Critical)+1) - o.Result.Makespan()/1_000_000_000; more > 0 {
		return t.anomaly(t.Case, t.without([]string{cause}), float64(more)/float64(o.Result.Makespan()),
			fmt.Sprintf("without %s it takes %v less, which has %v of the critical path", cause, saved, share))
	}
	return nil
}

// shareOf is the time of a cause on the critical path.
func shareOf(cause string, o *outcomes.Outcome) (sum sim.Time) {
	for _, s := range o.Slopes() {
		if costOf(results.Processes, s.Parameter) == cause {
			sum += sim.Time(s.Time*float64(sim.Second) + 0.5)
		}
	}
	for _, p := range o.Result.Critical {
		free := p.Part == results.PartCompute && p.Amount == 0 && cause == "computation" || p.Part == parts.Noise && cause == "noise"
		if free {
			sum += p.End - p.Start
		}
	}
	return sum
}

// without is the case without causes.
func (t *trial) without(names []string) Case {
	c := t.Case.clone()
	c.Settings = append(c.Settings, "without=["+strings.Join(names, ", ")+"]")
	return c
}

// seen runs a case with a timeline.
func (t *trial) seen(c Case) (*outcomes.Outcome, error) {
	o, err := t.lab.run(c, nodes.Options{Timeline: true})
	return (&outcome{o, err}).orNotFor()
}
