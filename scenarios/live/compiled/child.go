package compiled

import (
	"bytes"
	"errors"
	"os/exec"
	"sync"
)

// child is the process that compiles. Without its parent it would compile on for minutes.
var child struct {
	sync.Mutex
	of    *exec.Cmd
	ended bool
}

// errEnds says that nothing is compiled by a program that has been told to end.
var errEnds = errors.New("the program ends")

// Abandon ends the process that compiles, and those that it has started, as this program is about to end. No new one starts.
func Abandon() {
	child.Lock()
	defer child.Unlock()
	child.ended = true
	if child.of != nil {
		interrupt(child.of.Process)
	}
}

// output is build.CombinedOutput, until the process is abandoned.
func output(build *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	build.Stdout, build.Stderr = &said, &said
	apart(build)
	err := start(build)
	if err == nil {
		err = build.Wait()
		child.Lock()
		child.of = nil
		child.Unlock()
	}
	return said.Bytes(), err
}

func start(build *exec.Cmd) error {
	child.Lock()
	defer child.Unlock()
	if child.ended {
		return errEnds
	}
	err := build.Start()
	if err == nil {
		child.of = build
	}
	return err
}
