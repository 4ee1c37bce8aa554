package sweep

import (
	"context"
	"time"
)

// Engine runs the points of a sweep that have no result. Engines share the directory: one engine may continue a sweep
// that another has begun, and several may work on it at the same time.
type Engine interface {
	// Run returns when all of these points have results, or with the reason why some do not: the end of the context,
	// or another error. A point that fails has a result, and is no such reason.
	Run(ctx context.Context, d *Dir, report func(Status)) error
}

// Status is the progress of a sweep, regardless of who ran its points.
type Status struct {
	Done, Total int    // points
	Failed      int    // of those that are done, as far as is known: earlier versions did not mark them
	Tasks       string // states of the tasks of a cluster; "" if there are none
}

// status counts the points that are done.
func (d *Dir) status() (s Status, err error) {
	c, err := d.openClaims()
	if err != nil {
		return s, err
	}
	marks, err := c.marks(0, len(d.Plan.Points))
	s.Total = len(marks)
	for _, mark := range marks {
		if isDone(mark) {
			s.Done++
		}
		if mark == failed {
			s.Failed++
		}
	}
	return s, err
}

// glance is the time between two looks at what is done.
const glance = 50 * time.Millisecond

// watch reports what is done until something has ended.
func (d *Dir) watch(ended <-chan struct{}, report func(Status)) error {
	for last := (Status{Done: -1}); ; {
		s, err := d.status()
		if err != nil {
			return err
		}
		if s != last {
			report(s)
			last = s
		}
		select {
		case <-ended:
			return nil
		case <-time.After(glance):
		}
	}
}
