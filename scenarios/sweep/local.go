package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"overlapsim/scenarios/disk"
)

// Local runs points on this machine, several at a time, each in its own process. A process that crashes, or that
// the system kills for its memory, does not end the sweep.
type Local struct {
	Jobs   int                                      // processes
	Part   Part                                     // of the points
	Worker func(folder string, part Part) *exec.Cmd // a process that serves the directory
}

// Run implements Engine.
func (l *Local) Run(ctx context.Context, d *Dir, report func(Status)) error {
	points, err := d.left(l.Part)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &localRun{Local: l, dir: d, crashes: map[int]int{}}
	var group sync.WaitGroup
	for k := range min(l.Jobs, len(points)) {
		group.Go(func() {
			if err := r.work(ctx, k); err != nil {
				stop(err)
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		group.Wait()
		close(ended)
	}()
	if err := d.watch(ended, report); err != nil {
		return err
	}
	s, err := d.status()
	report(s)
	if points, err2 := d.left(l.Part); err != nil || err2 != nil || len(points) > 0 {
		return errors.Join(err, err2, context.Cause(ctx))
	}
	return nil
}

// localRun is a run of the engine.
type localRun struct {
	*Local
	dir     *Dir
	mu      sync.Mutex
	crashes map[int]int // by point
}

// work keeps the k-th worker running until there are no more points.
func (r *localRun) work(ctx context.Context, k int) error {
	for {
		at, how, err := r.serve(ctx, note{Point: -1 - k})
		if err != nil || how == nil || ctx.Err() != nil {
			return err
		}
		if err := r.crashed(at.Point, *how); err != nil {
			return err
		}
	}
}

// serve starts a worker, which is killed when the context ends, and waits for its end. It returns the last note of the
// worker, or the given one if it wrote none, and how it ended if that was a crash.
func (r *localRun) serve(ctx context.Context, last note) (note, *ending, error) {
	var spills disk.Spills
	defer spills.Close()
	notes, err := spills.New()
	if err != nil {
		return last, nil, err
	}
	command, said := r.Worker(r.dir.Path, r.Part), &beginning{}
	command.Stdout, command.Stderr = notes, said
	in, err := command.StdinPipe() // its end tells the worker that this process is gone
	if err != nil {
		return last, nil, err
	}
	defer in.Close()
	if err := command.Start(); err != nil {
		return last, nil, fmt.Errorf("no process can be started: %w", err)
	}
	release := context.AfterFunc(ctx, func() { command.Process.Kill() })
	defer release()
	if command.Wait() == nil {
		return last, nil, nil
	}
	if notes.Seek(0, io.SeekStart); json.NewDecoder(notes).Decode(&last) == nil && last.Error != "" {
		return last, nil, last.err()
	}
	how := &ending{last: said.line()}
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		how.signal = status.Signal()
	}
	return last, how, nil
}

// crashed decides about a point whose process ended before the point had a result. If a signal ended it, the point is
// tried once more, because the signal may have had another cause: ^C also ends a worker that does not ignore it yet,
// and the context of the sweep may end a moment later. A negative number stands for a worker that ran no point yet.
func (r *localRun) crashed(point int, how ending) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.crashes[point]++
	switch {
	case how.signal != 0 && r.crashes[point] == 1:
		return nil
	case point < 0:
		return fmt.Errorf("a process to run points ended: %w", how)
	}
	return r.dir.settle(point, how.message())
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
		return "without a message"
	}
	return e.last
}

// beginning keeps the first bytes written to it: a Go program that crashes prints the reason in its first lines.
type beginning struct{ text []byte }

func (b *beginning) Write(text []byte) (int, error) {
	b.text = append(b.text, text[:min(len(text), 4096-len(b.text))]...)
	return len(text), nil
}

// line returns the first line that is not empty.
func (b *beginning) line() string {
	for line := range strings.Lines(string(b.text)) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
