package advice

import (
	"math"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
)

// mostRuns is how many re-runs count at most. Steps on GPUs have more ways to be laid out, and are shorter.
var mostRuns = [results.NumWorkers]int{results.Processes: 6, results.GPUs: 24}

// All re-runs together may have a multiple of the events of the run, but always a number
// that takes hardly any time. Each may have half as many again as it is expected to need.
const (
	mostTimes = 6
	allowance = 1.5
)

var fewEvents = [results.NumWorkers]float64{results.Processes: 200_000, results.GPUs: 4_000_000}

// mostAtOnce is the largest number of messages of a run for several re-runs at the same time.
const mostAtOnce = 1_000_000

// explore runs candidates in order, within the limits of runs and events. A candidate
// that fails does not use up a run. It returns those that count.
func (s *subject) explore(queue []*trial, step func(string)) (counted []*trial) {
	budget := s.budget()
	for {
		var batch []*trial
		if batch, queue = s.batch(queue, mostRuns[s.Result.On]-len(counted), budget); len(batch) == 0 {
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

// budget is how many events all re-runs together may have.
func (s *subject) budget() float64 {
	return max(mostTimes*float64(s.Result.Events), fewEvents[s.Result.On])
}

// batch takes the next candidates that can be loaded and fit into a number of events.
// Those that do not fit stay in the queue, as others may need less than expected. All of
// them may use events that none is expected to need.
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

// expected is the number of events that a trial may need.
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
	for k := range batch { // so that only one run is in memory
		one(k)
	}
}

// run runs a trial. A trial that fails, needs too many events, or turns out to do other
// work does not count, but its events do, as far as they are known.
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
