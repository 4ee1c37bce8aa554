package sweep

import "context"

// Engine runs points of a sweep. Engines share the directory: one engine may continue a
// sweep that another has begun, and several may work on it at the same time.
type Engine interface {
	// Run returns when all of the points have results, or with the reason why some do not:
	// the end of the context, or another error. A point that fails has a result, and is no
	// such reason.
	Run(ctx context.Context, d *Dir, points []int, report func(Status)) error
}

// Status is the progress of a sweep.
type Status struct {
	Done, Total int    // points
	Failed      int    // points run since the start that have an error
	Tasks       string // states of the tasks of a cluster; "" if there are none
	Left        Left   // time until the end
}
