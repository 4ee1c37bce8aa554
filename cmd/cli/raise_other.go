//go:build !linux

package cli

import (
	"os"
	"os/signal"
)

// raise lets a signal have the effect on this process that it has on one that does not handle it, where the system
// has signals.
func raise(s os.Signal) {
	signal.Reset(s)
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Signal(s)
	}
}
