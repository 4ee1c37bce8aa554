package cli

import (
	"fmt"
	"io"
	"math"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/forecast"
	"overlapsim/scenarios/report"
)

// longRun is the time in seconds from which a run is announced as long before it begins.
const longRun = 30

// sayLong says before some runs that they will take minutes.
func sayLong(out io.Writer, name string, o nodes.Options, runs ...*scenarios.Scenario) {
	var all forecast.Effort
	for _, s := range runs {
		all = all.Plus(s.Effort(o))
	}
	sayEffort(out, name, all, 1)
}

// longAnswer is the time in seconds from which the makespan of a run is printed before the re-runs that explain
// it.
const longAnswer = 20

// sayLongAnswer says before the re-runs that explain a run what is known already, and that they will take minutes.
func sayLongAnswer(out io.Writer, s *scenarios.Scenario, o *outcome) {
	effort := s.Effort(nodes.Options{}).Times(answer.AllTimes)
	if effort.Seconds >= longAnswer {
		fmt.Fprintf(out, "%s takes %s; re-runs explain it, --no-advice leaves them out\n", s.Name, report.Seconds(o.record.Makespan))
	}
	sayEffort(out, "re-runs that explain it, without --no-advice", effort, 1)
}

// sampled is the number of runs from which the time of many is estimated.
const sampled = 5

// sayLongPoints says before many runs that they will take minutes. It estimates the time from
// some of them, evenly spaced. Several run at a time. A run that cannot be loaded takes no
// time.
func sayLongPoints(out io.Writer, name string, n, jobs int, load func(i int) (*scenarios.Scenario, error)) {
	var some forecast.Effort
	count := min(n, sampled)
	for k := range count {
		if s, err := load(k * (n - 1) / max(1, count-1)); err == nil {
			some = some.Plus(s.Effort(nodes.Options{}))
		}
	}
	sayEffort(out, name, some.Times(float64(n)/float64(max(1, count))), min(n, jobs))
}

// sayEffort says that operations will take minutes, some runs of them at a time.
func sayEffort(out io.Writer, name string, e forecast.Effort, jobs int) {
	seconds := e.Seconds / float64(max(1, jobs))
	if seconds < longRun {
		return
	}
	processes := ""
	if jobs > 1 {
		processes = fmt.Sprintf(" in each of %d processes or threads", jobs)
	}
	rate := e.Operations / e.Seconds
	speed := fmt.Sprintf("%.2g s each", 1/rate)
	if rate >= 10 {
		digit := math.Pow(10, math.Floor(math.Log10(rate))-1) // the second one is the last that means something
		speed = report.Count(uint64(math.Round(rate/digit)*digit)) + " operations/s"
	}
	fmt.Fprintf(out, "%s: %.3g operations may take %s, at %s%s\n", name, e.Operations, span(seconds), speed, processes)
}

// span writes a long time in a few words.
func span(seconds float64) string {
	const minute, hour, day, year = 60, 3600, 24 * 3600, 365 * 24 * 3600
	switch {
	case seconds < 2*minute:
		return fmt.Sprintf("%.0f seconds", seconds)
	case seconds < 2*hour:
		return fmt.Sprintf("%.0f minutes", seconds/minute)
	case seconds < 2*day:
		return fmt.Sprintf("%.0f hours", seconds/hour)
	case seconds < 2*year:
		return fmt.Sprintf("%.0f days", seconds/day)
	}
	return fmt.Sprintf("%.3g years", seconds/year)
}
