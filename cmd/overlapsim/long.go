package main

import (
	"fmt"
	"io"

	"overlapsim/scenarios"
)

// longRun is the time in seconds from which a run is said to be long before it begins.
const longRun = 3600

// sayLong says before a run that it will take hours.
func sayLong(out io.Writer, s *scenarios.Scenario) {
	work, ok := s.Work()
	if !ok || work.Seconds() < longRun {
		return
	}
	fmt.Fprintf(out, "%s: %.3g operations of %d ranks may take %s\n", s.Name, work.Operations, s.Ranks, span(work.Seconds()))
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
