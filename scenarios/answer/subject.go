package answer

import (
	"math"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
)

// subject is the run to be improved.
type subject struct {
	*outcomes.Outcome
	load   points.Load
	pool   *points.Pool
	wall   float64 // of all ranks, in s
	ledger results.Totals
	messages

	represented bool // two nodes stand for all

	most    float64  // work of all re-runs together, in events
	events  float64  // what is left of it
	patient bool     // who asks waits
	short   []string // notes on re-runs that failed, or for which not enough was left
	begun   begun    // the events of re-runs that have begun
	counted int      // re-runs that count
	tried   []*trial // changes; in the end the best first
	queued  []*trial // changes in the order of trial
	more    int      // changes that save, and are not listed
	noise   *float64 // of the run; nil: not known
	near    bool     // most of it comes from a bandwidth that is a little other
	exposed float64  // part of the makespan that communication costs

	absences  [2]*trial       // without communication, and without computation
	orders    []*trial        // re-runs in other orders of equals
	nearly    []*trial        // re-runs with a bandwidth that is a little other
	exposedIn *outcomes.Range // parts of the makespan that communication costs in several orders; nil: they are not known

	steps *without.Steps // of the program; nil: not asked for yet

	path [results.NumTerms]float64 // parts of the critical path, by term; 0: it is not known
}

func newSubject(o *outcomes.Outcome, load points.Load) *subject {
	s := &subject{Outcome: o, load: load, ledger: o.Ledger()}
	s.represented = load != nil && points.Represented(&points.Pool{Load: load}, o, nodes.Options{})
	s.most = budget(o, s.represented)
	s.events = s.most
	if o.Program != nil {
		s.messages = sample(o.Program, 0)
	}
	s.wall = s.ledger.Sum().Seconds()
	return s
}

// stepsOf returns the steps of the program of a run of processes.
func (s *subject) stepsOf() without.Steps {
	if s.steps == nil {
		s.steps = new(without.StepsOf(s.Program, s.Machine.Machine))
	}
	return *s.steps
}

// long tells whether a run takes so long by itself that its answer should have few re-runs.
func (s *subject) long() bool { return s.work() > fewEvents[s.Result.On] && !s.patient }

// tooLong says why the run is not run in other orders; "": it is.
func (s *subject) tooLong() string { return points.TooLong(s.pool, s.Outcome, nodes.Options{}) }

// work is the work of the run, in events.
func (s *subject) work() float64 { return float64(s.Result.Work()) }

// share is the part of all ranks' time in some terms.
func (s *subject) share(terms ...results.Term) (sum float64) {
	for _, t := range terms {
		sum += s.ledger[t].Seconds() / s.wall
	}
	return sum
}

// movable tells whether the program has messages that may be posted at other times.
func (s *subject) movable() bool { return s.twoSided && s.computes() && !s.represented }

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

// moved tells whether CPUs must move messages on, or begin the rounds of collectives.
func (s *subject) moved() bool {
	return s.Machine.Copying != nil || s.rendezvous() || s.Machine.Runtime != nil && s.twoSided || s.beginsRounds()
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
