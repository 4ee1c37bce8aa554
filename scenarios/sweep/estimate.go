package sweep

import (
	"fmt"
	"math"
	"time"
)

// estimate tells how long the rest of a sweep will take from the points that are done.
// The points that are done are a random sample of all, so their times are too.
type estimate struct {
	jobs         int // points at a time
	n            int
	sum, squares float64 // of seconds
}

// add takes in the time of a point in seconds.
func (e *estimate) add(seconds float64) {
	e.n++
	e.sum += seconds
	e.squares += seconds * seconds
}

// within returns how many points take so long, as far as is known; 0 before that.
func (e *estimate) within(d time.Duration) int {
	if e.n < fewest {
		return 0
	}
	return int(min(100, d.Seconds()*float64(e.n)/max(e.sum, 1e-9)))
}

// Left is the time until the end. It lies between the two values in about 19 of 20 cases.
type Left struct{ Least, Most time.Duration }

// fewest is the number of points that must be done before there is an estimate.
const fewest = 4

// left returns the time that the remaining points will take. Their sum has the mean
// rest*m and the variance rest*s² + rest²*s²/n; the second part comes from the
// uncertainty of m. The last few points run at the same time, so at least the mean of one
// is left.
func (e *estimate) left(rest int) (Left, bool) {
	if e.n < fewest || rest < 1 {
		return Left{}, false
	}
	n, r := float64(e.n), float64(rest)
	mean := e.sum / n
	variance := max(0, e.squares-e.sum*mean) / (n - 1)
	spread := 2 * math.Sqrt(variance*r*(1+r/n))
	jobs := float64(max(1, min(e.jobs, rest)))
	middle := max(mean, r*mean/jobs)
	return Left{seconds(max(0, middle-spread/jobs)), seconds(middle + spread/jobs)}, true
}

func seconds(s float64) time.Duration {
	return time.Duration(min(s, 1e9) * float64(time.Second))
}

// String writes the time with no more precision than it has: "about 4 min", or "2 to 6 min"
// while it is uncertain.
func (l Left) String() string {
	if l.Most == 0 {
		return ""
	}
	unit, name := time.Second, "s"
	switch middle := (l.Least + l.Most) / 2; {
	case middle >= 48*time.Hour:
		unit, name = 24*time.Hour, "days"
	case middle >= 2*time.Hour:
		unit, name = time.Hour, "h"
	case middle >= 2*time.Minute:
		unit, name = time.Minute, "min"
	}
	least := math.Floor(l.Least.Seconds() / unit.Seconds())
	most := math.Ceil(l.Most.Seconds() / unit.Seconds())
	if middle := (l.Least + l.Most) / 2; (most - least) <= max(1, 0.3*most) {
		return fmt.Sprintf("about %.0f %s", max(1, math.Round(middle.Seconds()/unit.Seconds())), name)
	}
	return fmt.Sprintf("%.0f to %.0f %s", least, most, name)
}
