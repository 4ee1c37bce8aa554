package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"

	"overlapsim/scenarios"
)

// interruption lets a command with many runs print what it has when ^C is pressed.
type interruption struct {
	stop atomic.Bool
	told chan os.Signal // nil: the caller lets the program ignore it
}

// interruptible handles the first ^C; a second one ends the program at once.
func interruptible(c *call) *interruption {
	i := new(interruption)
	if !slices.Contains(stops(), os.Interrupt) {
		return i
	}
	told := make(chan os.Signal, 1)
	i.told = told
	unguard([]os.Signal{os.Interrupt})
	signal.Notify(told, os.Interrupt)
	go func() {
		if _, ok := <-told; ok {
			i.stop.Store(true)
			fmt.Fprintln(c.errors, "\nstopping when the runs that are under way have ended; once more ends at once")
			signal.Stop(told)
			guard()
		}
	}()
	return i
}

// end gives ^C its usual effect again.
func (i *interruption) end() {
	if i.told != nil && !i.stopped() {
		signal.Stop(i.told)
		close(i.told)
		guard()
	}
}

// stopped tells whether no more runs may begin.
func (i *interruption) stopped() bool { return i.stop.Load() }

// before announces a step, unless the command has been told to stop.
func (i *interruption) before(say func()) error {
	if i.stopped() {
		return scenarios.ErrStopped
	}
	say()
	return nil
}

// stoppedError is the end of a command that was told to stop.
type stoppedError struct{ message string }

func (e *stoppedError) Error() string { return e.message }

// partial returns the error of a command that has printed what it has, given what is done.
func partial(command, done string) error {
	return &stoppedError{fmt.Sprintf("overlapsim %s: stopped, the results are partial: %s", command, done)}
}

// isStopped tells whether an error is that of being told to stop.
func isStopped(err error) bool { return errors.Is(err, scenarios.ErrStopped) }
