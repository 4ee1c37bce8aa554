package cli

import (
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"overlapsim/scenarios/child"
	"overlapsim/scenarios/disk"
)

// stops are the signals that tell the program to end, except those that its caller lets it
// ignore, as nohup does. (Of an ignored SIGTERM a Go program does not learn.)
func stops() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// onInterrupt is what the next ^C does; nil: it ends the program, as the other signals always do.
var onInterrupt atomic.Pointer[func()]

// interruptTo lets the next ^C do something else than end the program.
func interruptTo(do func()) { onInterrupt.Store(&do) }

// ignoreInterrupts leaves it to the process that started this one what becomes of it after ^C.
func ignoreInterrupts() { interruptTo(ignoreInterrupts) }

// handleSignals ends the program when it is told to. Nothing else subscribes to these signals, so
// none can be lost between two subscribers.
var handleSignals = sync.OnceFunc(func() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, stops()...)
	go func() {
		for s := range told {
			if do := onInterrupt.Swap(nil); s == os.Interrupt && do != nil {
				(*do)()
				continue
			}
			ended := child.Abandon()
			go func() {
				ended()
				disk.Abandon()
				die(s)
			}()
			die(<-told) // does not wait for a slow disk, or for others' processes
		}
	}()
})

// die ends the program by the signal, as if it were not handled: a shell then sees 128 and its
// number, and ends a loop around a command that ^C ended.
func die(s os.Signal) {
	raise(s)
	time.Sleep(time.Second) // until it comes; the first process of a container cannot be ended so
	number, _ := s.(syscall.Signal)
	os.Exit(128 + int(number))
}
