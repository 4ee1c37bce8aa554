// Package child starts the processes that work for this one: compilers, and MPI programs that are recorded. They end with it.
package child

import (
	"bytes"
	"context"
	"os/exec"
	"sync"
	"time"
)

// children are the processes that run.
var children struct {
	sync.Mutex
	of map[*exec.Cmd]chan struct{} // closed when the process has ended
}

// patience is how long a child may take to end after it was told to. MPI's launchers end their ranks, which takes
// Open MPI more than a second, and go removes its files.
var patience = 5 * time.Second

// Abandon tells all children, and the processes that they have started, to end as after ^C. No new one starts. The function that it returns
// waits until they have, and kills what is left after some seconds.
func Abandon() (wait func()) {
	children.Lock() // forever: who starts another one, or has seen one end, waits for the end
	for c := range children.of {
		interrupt(c)
	}
	return func() {
		late, done := context.WithTimeout(context.Background(), patience)
		defer done()
		for c, over := range children.of {
			select {
			case <-over:
			case <-late.Done():
			}
			kill(c)
		}
	}
}

// Run is c.Run for a process that ends with this one. It does not return once this one has been told to end: what a
// child says that was told so does not matter.
func Run(c *exec.Cmd) error {
	apart(c)
	over, err := start(c)
	if err != nil {
		return err
	}
	err = c.Wait()
	close(over)
	children.Lock()
	defer children.Unlock()
	delete(children.of, c)
	return err
}

// Output is c.CombinedOutput for a process that ends with this one.
func Output(c *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	err := Run(c)
	return said.Bytes(), err
}

func start(c *exec.Cmd) (over chan struct{}, err error) {
	children.Lock()
	defer children.Unlock()
	if err := c.Start(); err != nil {
		return nil, err
	}
	if children.of == nil {
		children.of = map[*exec.Cmd]chan struct{}{}
	}
	over = make(chan struct{})
	children.of[c] = over
	return over, nil
}
