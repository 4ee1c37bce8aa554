// Package limited starts processes for tests. None of them can hang its test.
package limited

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

const (
	usual = 5 * time.Minute // far more than any process of a test needs on a loaded machine
	// Compiles is the limit of a process that compiles.
	Compiles = 30 * time.Minute
	// dumps is how long a process may take to show where its goroutines are, before it is killed.
	dumps = time.Minute
)

// Command is exec.Command for a process that has a limit of time.
func Command(t testing.TB, name string, args ...string) *exec.Cmd {
	return Within(t, usual, name, args...)
}

// Within returns a command that must end within a time. If it does not, its test fails and says what hangs; the process is told to
// quit, which makes a Go program show the stacks of its goroutines on its standard error, and then it is killed. It
// is killed at the end of the test too.
func Within(t testing.TB, limit time.Duration, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, name, args...)
	c.WaitDelay = dumps
	c.Cancel = func() error {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return c.Process.Kill()
		}
		t.Errorf("%q hangs: it has not ended in %v", c.Args, limit)
		return c.Process.Signal(syscall.SIGQUIT)
	}
	return c
}
