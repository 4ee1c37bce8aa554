package scenarios

import (
	"testing"

	"overlapsim/nodes"
)

// Threads that compute next to a process slow it down.
func TestBackgroundThreadsSlowDown(t *testing.T) {
	study, err := Load("overlap-load", []string{"background_threads=3"})
	if err != nil {
		t.Fatal(err)
	}
	o, err := study.Runs[0].Run(nodes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if slowdown := o.Metrics[0].Value; slowdown < 10 {
		t.Errorf("three threads on the process's core: %g times as long", slowdown)
	}
}
