package main

import (
	"fmt"
	"io"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/forecast"
	"overlapsim/scenarios/report"
)

// longRun is the time in seconds from which a run is said to be long before it begins.
const longRun = 3600

// sayLong says before some runs that they will take hours, unless symmetry may spare them that.
func sayLong(out io.Writer, name string, o nodes.Options, runs ...*scenarios.Scenario) {
	operations := 0.0
	for _, s := range runs {
		operations += operationsOf(s, o)
	}
	sayOperations(out, name, operations, 1)
}

// sampled is how many of many runs tell how long all take.
const sampled = 5

// sayLongPoints says before many runs that they will take hours, as some of them tell that lie
// evenly among them. Several run at a time. What cannot be loaded takes no time.
func sayLongPoints(out io.Writer, name string, n, jobs int, load func(i int) (*scenarios.Scenario, error)) {
	operations, count := 0.0, min(n, sampled)
	for k := range count {
		if s, err := load(k * (n - 1) / max(1, count-1)); err == nil {
			operations += operationsOf(s, nodes.Options{})
		}
	}
	sayOperations(out, name, operations*float64(n)/float64(max(1, count)), min(n, jobs))
}

// operationsOf is how many operations a run simulates; 0 where symmetry may spare them, and
// where they are not known.
func operationsOf(s *scenarios.Scenario, o nodes.Options) float64 {
	work, ok := s.Work()
	if !ok || s.Symmetric(o) {
		return 0
	}
	return work.Operations
}

// sayOperations says that operations will take hours, some runs of them at a time.
func sayOperations(out io.Writer, name string, operations float64, jobs int) {
	seconds := operations / forecast.OperationsPerSecond / float64(max(1, jobs))
	if seconds < longRun {
		return
	}
	beside := ""
	if jobs > 1 {
		beside = fmt.Sprintf(" in each of %d processes or threads", jobs)
	}
	fmt.Fprintf(out, "%s: %.3g operations may take %s, at %s operations/s%s\n", name, operations, span(seconds),
		report.Count(forecast.OperationsPerSecond), beside)
}

// span writes a long time in words.
func span(seconds float64) string {
	const hour, day, year = 3600, 24 * 3600, 365 * 24 * 3600
	switch {
	case seconds < 2*day:
		return fmt.Sprintf("%.0f hours", max(1, seconds/hour))
	case seconds < 2*year:
		return fmt.Sprintf("%.0f days", seconds/day)
	}
	return fmt.Sprintf("%.3g years", seconds/year)
}
