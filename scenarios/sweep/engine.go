package sweep

import "context"

// Engine runs points of a sweep. Engines share the directory: a sweep that one
// has begun another may go on with, or several at the same time.
type Engine interface {
	// Run returns when all of the points have results, or with the reason why
	// they have not: the context's when it ends, or whatever stands in the way.
	// A point that fails has a result and is no reason.
	Run(ctx context.Context, d *Dir, points []int, report func(Status)) error
}

// Status is how far a sweep is.
type Status struct {
	Done, Total int    // points
	Failed      int    // points run since the start that have an error
	Tasks       string // what the tasks of a cluster do, "" where there are none
	Left        Left   // time until the end
}
