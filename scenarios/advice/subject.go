package advice

import (
	"math"
	"slices"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
)

// subject is the run to be improved.
type subject struct {
	*outcomes.Outcome
	load   Load
	wall   float64 // of all ranks, in s
	ledger results.Totals
	messages
}

func newSubject(o *outcomes.Outcome, load Load) *subject {
	s := &subject{Outcome: o, load: load, ledger: o.Ledger()}
	if o.Program != nil {
		s.messages = sample(o.Program)
	}
	s.wall = s.ledger.Sum().Seconds()
	return s
}

// share is the part of all ranks' time in some terms.
func (s *subject) share(terms ...results.Term) (sum float64) {
	for _, t := range terms {
		sum += s.ledger[t].Seconds() / s.wall
	}
	return sum
}

// library is the machine's library; LogGOPS if its file states none.
func (s *subject) library() machines.Runtime {
	if rt := s.Machine.Runtime; rt != nil {
		return *rt
	}
	return machines.Runtime{}
}

// rendezvous tells whether messages wait for their receives.
func (s *subject) rendezvous() bool {
	limit := s.Machine.Network.Rendezvous
	return limit > 0 && s.largest > limit
}

// moved tells whether CPUs must move messages on.
func (s *subject) moved() bool {
	return s.Machine.Copying != nil || s.rendezvous() || s.Machine.Runtime != nil && s.twoSided
}

// states tells whether the machine's file, or the settings on top, give a key.
func (s *subject) states(key string) bool {
	return slices.ContainsFunc(s.Machine.Facts, func(f keys.Fact) bool {
		path := strings.TrimPrefix(f.Path, "machine.")
		rest, ok := strings.CutPrefix(path, key)
		return ok && (rest == "" || strings.ContainsAny(rest[:1], "[."))
	})
}

// nodesOf is the number of nodes that the ranks of a scenario take.
func nodesOf(s *files.Scenario) int {
	if s.Nodes == nil {
		return (s.Ranks + s.Processes - 1) / s.Processes
	}
	seen := map[int32]bool{}
	for _, n := range s.Nodes {
		seen[n] = true
	}
	return len(seen)
}

// sameWork tells whether another run sent the same bytes and computed for as long, except
// for the rounding of its pieces to picoseconds. The changes of steps on GPUs keep the result of a step,
// and not how it is computed.
func (s *subject) sameWork(o *outcomes.Outcome) bool {
	if s.Result.On == results.GPUs {
		return true
	}
	ledger := o.Ledger()
	mine, its := s.ledger[results.Compute].Seconds(), ledger[results.Compute].Seconds()
	return s.Result.Bytes == o.Result.Bytes && math.Abs(mine-its) <= rounded*mine
}

// rounded is the relative difference of computation that rounding may cause.
const rounded = 1e-6
