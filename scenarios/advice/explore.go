package advice

import (
	"math"

	"overlapsim/nodes"
	"overlapsim/scenarios"
)

// mostRuns is how many re-runs count at most.
const mostRuns = 6

// Re-runs have together at most so many times the events of the run, and each as many
// as it is expected to need, and half as many again; together no fewer than take no
// time.
const (
	mostTimes = 6
	fewEvents = 200_000
	allowance = 1.5
)

// mostAtOnce is how many messages a run may have of which several are run at a time.
const mostAtOnce = 1_000_000

// explore runs candidates, in their order, as far as runs and events go. Those that
// fail leave their place to others. It returns those that count.
func (s *subject) explore(queue []*trial, step func(string)) (counted []*trial) {
	budget := max(mostTimes*float64(s.Result.Events), fewEvents)
	for {
		var batch []*trial
		if batch, queue = s.batch(queue, mostRuns-len(counted), budget); len(batch) == 0 {
			return counted
		}
		s.runAll(batch, step)
		for _, t := range batch {
			if budget -= t.events; t.makespan > 0 {
				counted = append(counted, t)
			}
		}
	}
}

// batch takes the next candidates that can be loaded and fit into a number of events.
// Those that do not fit stay, as others may need less than expected; what nobody is
// expected to need is for all.
func (s *subject) batch(queue []*trial, most int, budget float64) (batch, rest []*trial) {
	for _, t := range queue {
		switch need := t.expected(s); {
		case len(batch) == most, need > budget:
			rest = append(rest, t)
		case t.starts(s):
			budget -= need
			t.mostEvents = need
			batch = append(batch, t)
		}
	}
	for _, t := range batch {
		t.mostEvents += budget / float64(len(batch))
	}
	return batch, rest
}

// expected is how many events a trial may need.
func (t *trial) expected(s *subject) float64 {
	events := float64(s.Result.Events)
	if t.times > 0 {
		events *= t.times
	}
	return allowance * (events + float64(s.Result.Ranks))
}

// runAll runs a batch.
func (s *subject) runAll(batch []*trial, step func(string)) {
	one := func(k int) {
		step(batch[k].says)
		batch[k].run(s)
	}
	if s.Result.Messages <= mostAtOnce {
		scenarios.Parallel(len(batch), one)
		return
	}
	for k := range batch { // so that memory is that of one
		one(k)
	}
}

// run runs a trial. One that fails, needs too many events, or turns out to be other work
// does not count, but its events do, as far as they are known.
func (t *trial) run(s *subject) {
	o, err := t.scenario.Run(nodes.Options{MostEvents: uint64(math.Ceil(t.mostEvents))})
	t.scenario = nil // for memory
	if err != nil {
		t.events = t.mostEvents
		return
	}
	t.events = float64(o.Result.Events)
	if s.sameWork(o) {
		t.makespan = o.Result.Makespan()
	}
}

// gain is the part of the makespan that a re-run saves.
func (t *trial) gain(s *subject) float64 {
	return 1 - t.makespan.Seconds()/s.Result.Makespan().Seconds()
}
