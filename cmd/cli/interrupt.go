package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"overlapsim/scenarios"
	"overlapsim/sim"
)

// interruption ends when ^C is pressed: a command with many runs then gives what it has.
type interruption struct {
	context.Context
	end func() // lets ^C end the program again
}

// interruptible begins such a time, and says on the first ^C that the program ends soon. The
// second one ends it at once.
func interruptible(say io.Writer) *interruption {
	ctx, stop := context.WithCancel(context.Background())
	quiet := context.AfterFunc(ctx, func() {
		fmt.Fprintln(say, "\nstopping when the runs that are under way have ended; once more ends at once")
	})
	interruptTo(stop)
	return &interruption{ctx, func() {
		onInterrupt.Store(nil)
		quiet()
	}}
}

// stopped tells whether no more runs may begin.
func (i *interruption) stopped() bool { return i.Err() != nil }

// before announces a step, unless the command has been told to stop.
func (i *interruption) before(say func()) error {
	if i.stopped() {
		return scenarios.ErrStopped
	}
	say()
	return nil
}

// untilStopped does work that ^C does not wait for: it abandons what is under way, and returns the error for being
// told to stop.
func untilStopped[T any](i *interruption, work func() (T, error)) (value T, err error) {
	ended := make(chan func() (T, error), 1)
	go func() {
		value, err := caught(work)
		ended <- func() (T, error) { return value, err }
	}()
	select {
	case of := <-ended:
		return of()
	case <-i.Done():
		return value, scenarios.ErrStopped
	}
}

// caught does work whose fault is an error.
func caught[T any](work func() (T, error)) (value T, err error) {
	defer sim.Catch("overlapsim", &err)
	return work()
}

// stoppedError is the end of a command that was told to stop.
type stoppedError struct{ message string }

func (e *stoppedError) Error() string { return e.message }

// partial returns the error of a command that has printed what it has, given what is done.
func partial(command, done string) error {
	return &stoppedError{fmt.Sprintf("overlapsim %s: stopped, the results are partial: %s", command, done)}
}

// isStopped tells whether an error means that the command was told to stop.
func isStopped(err error) bool { return errors.Is(err, scenarios.ErrStopped) }
