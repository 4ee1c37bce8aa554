package main

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"overlapsim/scenarios/disk"
)

// stops are the signals that tell the program to end, except those that its caller lets it
// ignore, as nohup does.
func stops() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// guard removes unfinished files when the program is told to end, and then lets the signal
// have its usual effect. unguard undoes this.
func guard() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, stops()...)
	go func() {
		s := <-told
		disk.Abandon()
		signal.Reset(s)
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
			select {} // until the signal comes
		}
		os.Exit(failed)
	}()
}

// unguard lets someone else handle the signals.
func unguard(signals []os.Signal) { signal.Reset(signals...) }
