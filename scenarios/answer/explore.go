package answer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// mostRuns is how many changes are tried at most, of a run of processes that is not short half as many; mostOfGroup is how many of a
// group are told.
var (
	mostRuns    = 24
	mostOfGroup = [results.NumWorkers]int{results.Processes: 2, results.GPUs: 4}
)

// All re-runs together may have as many events as AllTimes plain runs, and changes that may help at least as many as helpTimes, but
// always a number that takes hardly any time; if who asks is patient, so many times that. What it takes to find the rates of flows that
// share links counts in events that take as long. Each may have a fifth more than it is expected to need, and twice as many if there is
// room: on other routes, at other places and by other algorithms a run has more events.
const (
	AllTimes  = 10
	helpTimes = 3
	patient   = 8
	shares    = 4 // of a short run whose flows share links
	free      = 3 // of a short run of processes whose messages do not
	allowance = 1.2
	roomy     = 2
)

var fewEvents = [results.NumWorkers]float64{results.Processes: 4_000_000, results.GPUs: 20_000_000}

// ForAll is how many events re-runs of all ranks may have where two nodes stand for them, and all re-runs of a gradient.
const ForAll = 30_000_000

// budget is how many events all re-runs together may have. Where two nodes stand for all, re-runs for which they cannot come in addition. A
// short run whose flows share links has more for its orders, in which the flows are out of step, and for other places and routes, as these
// cost nothing and may save most.
func budget(o *outcomes.Outcome, represented bool) float64 {
	events := float64(o.Result.Work())
	all, few, orders := AllTimes*events, fewEvents[o.Result.On], 2*roomy*events
	switch {
	case represented:
		return max(all, few) + min(3*roomy*unfolded(o.Result), ForAll)
	case o.Result.Solving > 0:
		return max(all, shares*few+orders)
	case o.Result.On == results.Processes:
		return max(all, free*few)
	}
	return max(all, few)
}

// forHelp is how many events causes leave for changes: none where communication costs too little for one to be tried.
func (s *subject) forHelp() float64 {
	if s.Result.On == results.Processes && s.exposed < s.attacked() {
		return 0
	}
	return helpTimes * s.work()
}

// unfolded is the work of a run if all ranks are simulated, in events.
func unfolded(r *results.Result) float64 { return float64(r.Work() + r.Folded) }

// mostTries is how many changes of a run are tried at most.
func (s *subject) mostTries() int {
	if s.Result.On == results.Processes && float64(mostRuns)*roomy*s.work() > fewEvents[results.Processes] {
		return mostRuns / 2
	}
	return mostRuns
}

// explore runs trials in order, within a number of runs and of events. A trial that fails does not use up a run. It
// returns those that count.
func (s *subject) explore(queue []*trial, most int, left float64) (counted []*trial) {
	for {
		var batch []*trial
		if batch, queue = s.batch(queue, most-len(counted), min(left, s.events)); len(batch) == 0 {
			s.counted += len(counted)
			for _, t := range queue {
				t.short = t.makesSense(s)
				t.scenario = nil // for memory
			}
			return counted
		}
		s.runAll(batch)
		for _, t := range batch {
			left, s.events = left-t.events, s.events-t.events
			if !t.counts {
				continue
			}
			if counted = append(counted, t); t.cause == "" {
				s.tried = append(s.tried, t)
			}
		}
		s.begun.done = s.most - s.events
	}
}

// waits is how many times a patient one doubles what re-runs may have, until all have run.
const waits = 6

// exploreAll runs trials in order, as explore does; all of them, if who asks is patient.
func (s *subject) exploreAll(queue []*trial, most int, left float64) {
	s.explore(queue, most, left)
	for range waits {
		short := slices.DeleteFunc(slices.Clone(queue), func(t *trial) bool { return !t.short })
		if !s.patient || len(short) == 0 {
			return
		}
		s.add(s.most)
		s.explore(short, len(short), s.events)
	}
}

// add lets re-runs have more events.
func (s *subject) add(events float64) { s.events, s.most = s.events+events, s.most+events }

// unfinished notes how many changes failed, and how many did not end within the events of all re-runs.
func (s *subject) unfinished(what, says string, all []*trial, name func(*trial) string) {
	failed := slices.DeleteFunc(slices.Clone(all), func(t *trial) bool { return t.failed == nil })
	if len(failed) > 0 {
		s.short = append(s.short, fmt.Sprintf("%s failed, such as %s: %s.", keys.Plural(len(failed), "re-run"), name(failed[0]),
			points.Reason(failed[0].failed)))
	}
	short := slices.DeleteFunc(slices.Clone(all), func(t *trial) bool { return !t.short })
	of := slices.DeleteFunc(slices.Clone(all), func(t *trial) bool { return !t.short && !t.counts })
	if len(short) == 0 {
		return
	}
	were := "were"
	if len(short) == 1 {
		were = "was"
	}
	text := fmt.Sprintf("%d of %s %s %s, as the answer would take too long: %s.", len(short), keys.Plural(len(of), what), were, says, firstOf(short, name))
	if !s.patient {
		text += " --advice waits for them."
	}
	s.short = append(s.short, text)
}

// batch takes the next trials that can be loaded and fit into a number of events.
// Those that do not fit stay in the queue, as others may need less than expected. All of
// them may use events that none is expected to need. So that these suffice, few changes are tried at once where events are scarce, and no
// more than two causes where flows that share links may be out of step without them.
func (s *subject) batch(queue []*trial, most int, budget float64) (batch, rest []*trial) {
	room := budget
	for _, t := range queue {
		need := t.expected(s)
		wanted, least := need*s.outOfStep(), 2
		if t.cause == "" {
			wanted, least = need*roomy/allowance, 1
		}
		switch {
		case len(batch) == most, need > budget, len(batch) >= least && wanted > room:
			rest = append(rest, t)
		case t.starts(s, budget):
			budget, room = budget-need, room-wanted
			t.mostEvents = need
			batch = append(batch, t)
		}
	}
	for _, t := range batch {
		t.mostEvents += budget / float64(len(batch))
	}
	return batch, rest
}

// expected is the number of events that a trial may need.
func (t *trial) expected(s *subject) float64 {
	events := s.work()
	if t.cause == ties || t.cause == turns || t.critical {
		events = unfolded(s.Result)
	}
	if t.times > 0 {
		events *= t.times
	}
	if t.cause == "" && (t.of == placement || t.of == routes) {
		events *= roomy * s.outOfStep()
	}
	return allowance * (events + float64(s.Result.Ranks))
}

// outOfStep is how many times the work of the run one has in which flows that share links do not begin and end together, as far as another
// order of what happens at the same moment tells: rates change more often.
func (s *subject) outOfStep() float64 {
	times := 1.0
	for _, t := range s.orders {
		if t.counts && s.Result.Solving > 0 {
			times = max(times, t.events/s.work())
		}
	}
	return times
}

// begun counts what re-runs have taken of all that they may.
type begun struct {
	lock sync.Mutex
	done float64 // in earlier batches, and expected of the re-runs of this one that have begun
}

// begin notes that a re-run begins, and returns the share of the events of all re-runs that those before it have taken at least.
func (s *subject) begin(p *points.Point) float64 {
	s.begun.lock.Lock()
	defer s.begun.lock.Unlock()
	share := s.begun.done / s.most
	s.begun.done += min(float64(p.Options.MostEvents), s.work())
	return min(share, 1)
}

// runAll runs a batch.
func (s *subject) runAll(batch []*trial) {
	all := make([]points.Point, len(batch))
	for i, t := range batch {
		all[i] = points.Point{Says: t.says, Set: t.set, Loaded: t.scenario,
			Options: nodes.Options{MostEvents: uint64(math.Ceil(t.mostEvents)), Within: s.within(t), Critical: t.critical, PathOnly: true}}
		t.scenario = nil // for memory
		if unfolded(s.Result) > t.mostEvents {
			all[i].Options.All = func() error { return points.ErrAll }
		}
	}
	for i, made := range points.Run(s.pool, all, func(o *outcomes.Outcome) (taken, error) { return s.take(o), nil }) {
		// One that fails, or has too many events, does not count, but its events do, as far as they are known. One that saves nothing counts.
		t := batch[i]
		if t.taken = made.Value; made.Err != nil {
			var late nodes.Late
			switch t.events = t.mostEvents; {
			case errors.As(made.Err, &late):
				t.events, t.makespan, t.counts = float64(late.Events), sim.Forever, true
			case errors.Is(made.Err, points.ErrAll):
				t.events = s.work()
			}
			if t.short = errors.Is(made.Err, nodes.ErrMostEvents); t.cause == "" && !t.short && !t.counts {
				t.failed = made.Err
			}
			continue
		}
		t.short = false
		t.counts = t.same || t.cause != "" || t.otherWork || s.adapts()
	}
}

// within is the longest makespan of a re-run that is told: of a change, the makespan of the best one of its kind so
// far, or one that is shorter than the run by as much as is told from chance.
func (s *subject) within(t *trial) sim.Time {
	if t.cause != "" || t.whole {
		return 0
	}
	least := s.least()
	switch {
	case t.further != nil:
		least = 0 // the next value may save more
	case s.noisy():
		least = report.LeastShare // other orders will tell
	}
	most := sim.Time((1 - least) * float64(s.Result.Makespan()))
	for _, other := range s.tried {
		if other.kind() == t.kind() {
			most = min(most, other.makespan)
		}
	}
	return most + 1 // not 0
}

// taken is what is kept of a re-run.
type taken struct {
	makespan sim.Time
	memory   float64 // of a GPU, in GB; 0: not known
	rate     float64 // tokens per second and GPU; 0: it trains nothing
	events   float64
	same     bool             // it did the same work
	steady   bool             // no order of what happens at the same moment changes it
	shares   []outcomes.Share // of the critical path, if it was asked for
	onPath   [results.NumTerms]float64
	ties     int
}

func (s *subject) take(o *outcomes.Outcome) taken {
	t := taken{makespan: o.Result.Makespan(), memory: memory(o), rate: metric(o, perGPU), events: float64(o.Result.Work()), same: s.sameWork(o),
		steady: o.Result.Folded > 0 && o.Machine.IsFree()}
	if o.Result.Critical != nil {
		var shares []outcomes.PathShare
		shares, t.ties = o.PathShares()
		for i := range o.Result.Critical {
			piece := &o.Result.Critical[i]
			t.onPath[piece.Part.Term()] += float64(piece.End-piece.Start) / float64(t.makespan)
		}
		for _, one := range shares {
			if share := one.Time / t.makespan.Seconds(); share >= report.LeastShare {
				t.shares = append(t.shares, outcomes.Share{Part: one.Name(), Share: share})
			}
		}
	}
	return t
}

// memory is what a step of training needs of a GPU, in GB; 0: it is not known.
func memory(o *outcomes.Outcome) float64 { return metric(o, "memory_GB") }

// perGPU is the metric of what training does in a time.
const perGPU = "tokens_per_s_per_gpu"

// metric is a number of the workload; 0: it has none of that name.
func metric(o *outcomes.Outcome, name string) float64 {
	for _, m := range o.Metrics {
		if m.Name == name {
			return m.Value
		}
	}
	return 0
}

// kind is what is changed, regardless of the value.
func (c *change) kind() string {
	if c.like != "" {
		return c.like
	}
	paths := slices.Clone(c.set)
	for i, one := range paths {
		paths[i], _, _ = strings.Cut(one, "=")
	}
	return strings.Join(paths, " ")
}
