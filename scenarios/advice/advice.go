package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
)

// Load loads the scenario of a run again, with more settings.
type Load func(settings []string) (*scenarios.Scenario, error)

// MostEvents is the largest number of events of a run that is run again without being asked.
const MostEvents = 20_000_000

// leastGain is the part of the makespan that a change must save to be reported.
const leastGain = 0.01

// mostChanges are reported.
var mostChanges = [results.NumWorkers]int{results.Processes: 3, results.GPUs: 8}

// For returns what would help a run; nil if it ran neither a program nor on GPUs, as then nothing can be
// changed. Step is called for each re-run, from several goroutines.
func For(o *outcomes.Outcome, load Load, step func(change string)) *outcomes.Advice {
	if o.Program == nil && o.Result.On != results.GPUs || o.Result.Makespan() == 0 {
		return nil
	}
	s := newSubject(o, load)
	tried := s.explore(inTurns(s.candidates()), step)
	advice := &outcomes.Advice{Runs: len(tried), Changes: []outcomes.Change{}}
	for _, t := range s.best(tried) {
		advice.Changes = append(advice.Changes, outcomes.Change{
			Change: t.says, Of: t.of.String(), Set: t.set, Makespan: t.makespan.Seconds(), Gain: t.gain(s),
		})
	}
	if len(advice.Changes) == 0 {
		advice.None = s.binds(advice.Runs)
	}
	return advice
}

// best returns the trials that are worth a line: software before machine, and the best
// first in each. Of several values of a key on GPUs it is the best one.
func (s *subject) best(tried []*trial) (best []*trial) {
	tried = slices.SortedStableFunc(slices.Values(tried), func(a, b *trial) int { return cmp.Compare(a.makespan, b.makespan) })
	for _, of := range []of{software, machine} {
		for _, t := range tried {
			if t.of == of && t.gain(s) > leastGain && !(s.Result.On == results.GPUs && slices.ContainsFunc(best, t.sameKey)) {
				best = append(best, t)
			}
		}
	}
	return best[:min(len(best), mostChanges[s.Result.On])]
}

// sameKey tells whether another trial gives its first key another value.
func (t *trial) sameKey(other *trial) bool {
	mine, _, _ := strings.Cut(t.set[0], "=")
	its, _, _ := strings.Cut(other.set[0], "=")
	return mine == its
}

// TooLong is the advice for a run that is too long to be run again without being asked.
func TooLong(o *outcomes.Outcome) *outcomes.Advice {
	why := fmt.Sprintf("not tried, as the run has more than %d million events; --advice tries it all the same", MostEvents/1_000_000)
	return &outcomes.Advice{Changes: []outcomes.Change{}, None: why}
}
