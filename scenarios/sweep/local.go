package sweep

import (
	"context"
	"errors"
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
		points := q.take()
		if len(points) == 0 || ctx.Err() != nil {
			return nil
		}
		if p == nil {
			var err error
			if p, err = l.start(ctx, d); err != nil {
				return err
			}
		}
		replies, err := p.do(points)
		if err := q.settle(ctx, replies); err != nil {
			return err
		}
		if err == nil {
			continue
		}
		how := p.end()
		p = nil
		if ctx.Err() != nil {
			return nil
		}
		if err := q.crashed(d, points[len(replies):], how); err != nil {
			return err
		}
	}
}

// start starts a worker, once more if a signal ended it before it was ready: ^C ends one that does not ignore it yet, and the
// context of the sweep may end a moment later.
func (l *Local) start(ctx context.Context, d *Dir) (*process, error) {
	p, err := start(ctx, l.Worker(d.Path))
	var how ending
	if errors.As(err, &how) && how.signal != 0 {
		p, err = start(ctx, l.Worker(d.Path))
	}
	return p, err
}

// queue holds the points that wait, and the state of the others.
type queue struct {
	mu       sync.Mutex
	waiting  []int
	crashes  map[int]int // by point
	alone    bool        // points are asked for one at a time
	status   Status
	estimate estimate
	report   func(Status)
}

// take returns the next points for a process: several, if points are so short that asking
// for each would cost more than a little of its time. There are none at the end.
func (q *queue) take() (points []int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(1, len(q.waiting))
	if !q.alone {
		n = max(n, min(q.estimate.within(request), len(q.waiting)/(2*q.estimate.jobs)))
	}
	points, q.waiting = q.waiting[:n:n], q.waiting[n:]
	return points
}

// request is how long the points that are asked for together should take.
const request = 10 * time.Millisecond

// again is the time until the next look at a point that another process runs.
const again = 50 * time.Millisecond

// settle processes the replies of a worker. Points that another process runs are queued
// behind the others.
func (q *queue) settle(ctx context.Context, replies []reply) error {
	waits := false
	for _, r := range replies {
		if err := r.err(); err != nil {
			return err
		}
		waits = waits || r.State == busy
		q.note(r)
	}
	if waits {
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
	return nil
}

// note records the reply of a worker.
func (q *queue) note(r reply) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.State == busy || r.State == later {
		q.waiting = append(q.waiting, r.Point)
		return
	}
	if r.State == ran {
		q.estimate.add(r.Seconds)
	}
	q.finished(r.Failed)
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

// crashed decides about points whose process ended before it had answered for them. If
// there are several, they are run one by one to find out which of them it was. A point
// whose process was ended by a signal is tried once more, because the signal may have had
// another cause.
func (q *queue) crashed(d *Dir, points []int, how ending) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(points) > 1 {
		q.alone = true
		q.waiting = append(q.waiting, points...)
		return nil
	}
	point := points[0]
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
	signal syscall.Signal // 0: it ended by itself
	last   string         // its last words
}

// message describes the end of a point's process.
func (e ending) message() string {
	switch e.signal {
	case 0:
		return "the process that ran it ended: " + e.Error()
	case syscall.SIGKILL:
		return "the process that ran it was killed, twice; perhaps it needs more memory than there is"
	}
	return "the process that ran it ended twice: " + e.Error()
}

func (e ending) Error() string {
	switch {
	case e.signal != 0:
		return "signal: " + e.signal.String()
	case e.last == "":
		return "without a word"
	}
	return e.last
}
