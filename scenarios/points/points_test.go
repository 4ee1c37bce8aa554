package points

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

func set(settings ...string) Point { return Point{Set: settings} }

// ranks takes something of a run that its settings decide.
func ranks(o *outcomes.Outcome) (int, error) { return o.Ranks, nil }

// Results come in the order of the points, each with its own error, and the same settings are run once.
func TestRun(t *testing.T) {
	loaded := must.Get(scenarios.LoadRun("rdma", 0, []string{"ranks=2"}))(t)
	var began, ended atomic.Int64
	p := &Pool{Load: Of("rdma", 0, nil), Started: func(*Point) { began.Add(1) }, Ended: func(*Point) { ended.Add(1) }}
	all := []Point{set("ranks=4"), set("ranks=x"), set("ranks=8"), set("ranks=4"), {Loaded: loaded}, {Load: Of("rdma", 0, []string{"ranks=2"})},
		{Set: []string{"ranks=4"}, Options: nodes.Options{NoSymmetry: true}}}
	for _, p.OneByOne = range []bool{false, true} {
		began.Store(0)
		ended.Store(0)
		got := Run(p, all, ranks)
		for k, want := range []int{4, 0, 8, 4, 2, 2, 4} {
			if got[k].Value != want || (got[k].Err != nil) != (want == 0) {
				t.Errorf("point %d: %+v, want %d ranks", k, got[k], want)
			}
		}
		if err := got[1].Err; err == nil || !strings.Contains(err.Error(), "--set ranks=x: ") {
			t.Errorf("got %v", err)
		}
		if began.Load() != 6 || ended.Load() != 6 {
			t.Errorf("%d runs began and %d ended, want 6: two points are the same", began.Load(), ended.Load())
		}
	}
}

// Points that could not begin say so; those that had begun have their results.
func TestRunStops(t *testing.T) {
	n := 0
	p := &Pool{Load: Of("rdma", 0, nil), OneByOne: true, Started: func(*Point) { n++ }, Stopped: func() bool { return n == 1 }}
	got := Run(p, []Point{set("ranks=2"), set("ranks=4")}, ranks)
	if got[0].Value != 2 || got[0].Err != nil || !errors.Is(got[1].Err, scenarios.ErrStopped) {
		t.Errorf("%+v", got)
	}
}
