package sweep

import (
	"context"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Local runs points on this machine, several at a time, each in a process of its own. A
// process that crashes, or that the system kills for its memory, does not end the sweep.
type Local struct {
	Jobs   int                           // processes
	Worker func(folder string) *exec.Cmd // a process that serves the directory
}

// Run implements Engine.
func (l *Local) Run(ctx context.Context, d *Dir, points []int, report func(Status)) error {
	total := len(d.Plan.Points)
	q := &queue{
		waiting: points, crashes: map[int]int{}, report: report,
		status:   Status{Done: total - len(points), Total: total},
		estimate: estimate{jobs: min(l.Jobs, len(points))},
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	for range min(l.Jobs, len(points)) {
		group.Go(func() {
			if err := l.work(ctx, d, q); err != nil {
				stop(err)
			}
		})
	}
	group.Wait()
	if q.status.Done == total {
		return nil
	}
	return context.Cause(ctx)
}

// work runs points, one at a time, until there are none.
func (l *Local) work(ctx context.Context, d *Dir, q *queue) error {
	var p *process
	defer func() {
		if p != nil {
			p.end()
		}
	}()
	for {
		point, ok := q.take()
		if !ok || ctx.Err() != nil {
			return nil
		}
		if p == nil {
			var err error
			if p, err = start(ctx, l.Worker(d.Path)); err != nil {
				return err
			}
		}
		r, err := p.do(point)
		if err == nil {
			if err = q.settle(ctx, r); err != nil {
				return err
			}
			continue
		}
		how := p.end()
		p = nil
		if ctx.Err() != nil {
			return nil
		}
		if err := q.crashed(d, point, how); err != nil {
			return err
		}
	}
}

// queue holds the points that wait, and the state of the others.
type queue struct {
	mu       sync.Mutex
	waiting  []int
	crashes  map[int]int // by point
	status   Status
	estimate estimate
	report   func(Status)
}

// take returns the next point.
func (q *queue) take() (point int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return 0, false
	}
	point, q.waiting = q.waiting[0], q.waiting[1:]
	return point, true
}

// back puts a point behind the others.
func (q *queue) back(point int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, point)
}

// again is the time until the next look at a point that another process runs.
const again = 50 * time.Millisecond

// settle processes the reply of a worker.
func (q *queue) settle(ctx context.Context, r reply) error {
	if err := r.err(); err != nil {
		return err
	}
	if r.State == busy {
		q.back(r.Point)
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.State == ran {
		q.estimate.add(r.Seconds)
	}
	q.finished(r.Failed)
	return nil
}

// finished counts a point as done. The lock is held.
func (q *queue) finished(failed bool) {
	q.status.Done++
	if failed {
		q.status.Failed++
	}
	q.status.Left, _ = q.estimate.left(q.status.Total - q.status.Done)
	q.report(q.status)
}

// crashed decides about a point whose process ended. A point whose process was ended by a
// signal is tried once more, as the signal need not have been the point's fault.
func (q *queue) crashed(d *Dir, point int, how ending) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.crashes[point]++; how.signal != 0 && q.crashes[point] == 1 {
		q.waiting = append(q.waiting, point)
		return nil
	}
	if err := d.settle(point, how.message()); err != nil {
		return err
	}
	q.finished(true)
	return nil
}

// ending is how a process ended.
type ending struct {
	signal syscall.Signal // 0: it ended itself
	last   string         // its last words
}

// message describes the end of a point's process.
func (e ending) message() string {
	switch e.signal {
	case 0:
		return "the process that ran it ended: " + e.String()
	case syscall.SIGKILL:
		return "the process that ran it was killed, twice; perhaps it needs more memory than there is"
	}
	return "the process that ran it ended twice: " + e.String()
}

func (e ending) String() string {
	switch {
	case e.signal != 0:
		return "signal: " + e.signal.String()
	case e.last == "":
		return "without a word"
	}
	return e.last
}
