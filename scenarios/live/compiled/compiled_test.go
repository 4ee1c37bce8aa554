package compiled

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Without Go, the error says what to do.
func TestNoGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := compile(); err == nil || !strings.Contains(err.Error(), "take a released program, or install Go") {
		t.Error(err)
	}
}

// A program that is told to end takes what compiles for it along, and what that has started.
func TestAbandon(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the process is a script")
	}
	folder := t.TempDir()
	script := "#!/bin/sh\ntouch started\nsleep 300\nexit 0\n"
	if err := os.WriteFile(filepath.Join(folder, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	build := exec.Command(filepath.Join(folder, "go"))
	build.Dir = folder
	ended := make(chan error, 1)
	go func() {
		_, err := output(build) // it ends when no process has its output
		ended <- err
	}()
	for range 6000 {
		if _, err := os.Stat(filepath.Join(folder, "started")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	Abandon()
	defer func() { child.ended = false }()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the script was not interrupted")
		}
	case <-time.After(time.Minute):
		t.Fatal("what compiles is alive")
	}
	if _, err := output(exec.Command("true")); err != errEnds {
		t.Errorf("another process: %v", err)
	}
}
