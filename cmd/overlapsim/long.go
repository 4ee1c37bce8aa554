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
	operations, seconds := 0.0, 0.0
	for _, s := range runs {
		if work, ok := s.Work(); ok && !s.Symmetric(o) {
			operations, seconds = operations+work.Operations, seconds+work.Seconds()
		}
	}
	if seconds < longRun {
		return
	}
	fmt.Fprintf(out, "%s: %.3g operations may take %s, at %s operations/s\n", name, operations, span(seconds),
		report.Count(forecast.OperationsPerSecond))
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
