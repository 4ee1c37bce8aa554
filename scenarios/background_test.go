package scenarios

import (
	"testing"

	"overlapsim/nodes"
	"overlapsim/sim/must"
)

// Threads that compute next to a process slow it down.
func TestBackgroundThreadsSlowDown(t *testing.T) {
	study := must.Get(Load("overlap-load", []string{"background_threads=3"}))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	if slowdown := o.Metrics[0].Value; slowdown < 10 {
		t.Errorf("three threads on the process's core: %g times as long", slowdown)
	}
}
