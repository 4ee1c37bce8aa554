package child

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A program that is told to end takes along what works for it, and what that has started, also what ignores ^C.
func TestAbandon(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the processes are scripts")
	}
	defer func(usual time.Duration) { patience = usual }(patience)
	patience = time.Second
	for _, script := range []string{"touch started; sleep 300; exit 0", "trap '' INT TERM; touch started; sleep 300; sleep 300",
		"sh -c 'trap \"\" INT; touch started; sleep 300' & wait"} {
		folder := t.TempDir()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command("sh", "-c", script)
		c.Dir, c.Stdout = folder, w
		go Run(c)
		for range 6000 {
			if _, err := os.Stat(filepath.Join(folder, "started")); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		children.Lock() // the process has been started
		w.Close()
		children.Unlock()
		Abandon()()
		children.Unlock()
		r.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.ReadAll(r); err != nil { // it ends when no process has it
			t.Errorf("%s: is alive: %v", script, err)
		}
	}
}

// Nothing is started by a program that has been told to end.
func TestNothingAfterAbandon(t *testing.T) {
	Abandon()()
	ended := make(chan error)
	go func() { ended <- Run(exec.Command("true")) }()
	select {
	case err := <-ended:
		t.Errorf("a process was started: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	children.Unlock()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A process that ends is one of exec.Command.
func TestRun(t *testing.T) {
	var said strings.Builder
	c := exec.Command("sh", "-c", "echo out; exit 3")
	c.Stdout = &said
	if err := Run(c); err == nil || err.Error() != "exit status 3" || said.String() != "out\n" || len(children.of) > 0 {
		t.Errorf("error %v, out %q, children %v", err, &said, children.of)
	}
	if err := Run(exec.Command(t.TempDir())); err == nil || len(children.of) > 0 {
		t.Errorf("error %v, children %v", err, children.of)
	}
}
