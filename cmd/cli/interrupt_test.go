package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/optimize"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/sensitivity"
	"overlapsim/sim/must"
)

// After ^C no more steps begin, and the status is that of ^C.
func TestInterrupted(t *testing.T) {
	if signal.Ignored(os.Interrupt) {
		t.Skip("^C is ignored here, as in the background of a shell script")
	}
	handleSignals()
	i := interruptible(io.Discard)
	steps := 0
	if err := i.before(func() { steps++ }); err != nil || steps != 1 {
		t.Errorf("before ^C: %v, %d steps", err, steps)
	}
	self := must.Get(os.FindProcess(os.Getpid()))(t)
	if err := self.Signal(os.Interrupt); err != nil {
		t.Skip("this system cannot signal: ", err)
	}
	<-i.Done()
	i.end()
	if err := i.before(func() { steps++ }); !isStopped(err) || steps != 1 {
		t.Errorf("after ^C: %v, %d steps", err, steps)
	}
	if got := withRuns([]sensitivity.Sensitivity{{}, {Slope: results.Slope{Time: 1}}}, false); got != 1 {
		t.Errorf("%d parameters of one have runs", got)
	}
	if got := status(partial("gradient", "1 of 2 parameters are done")); got != 130 {
		t.Errorf("the status is %d", got)
	}
}

// When a command is told to stop, finished outputs are complete, and the others do not exist.
func TestPartialResults(t *testing.T) {
	study := must.Get(scenarios.Load("fig22-initiation", nil))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{Critical: true}))(t)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	i := &interruption{Context: stopped}
	if all, err := sensitivities(&call{errors: &printable{out: new(bytes.Buffer)}}, o, points.Noise{}, math.Inf(1), i); !isStopped(err) {
		t.Errorf("%d parameters, %v", len(all), err)
	}
	for most, want := range map[int64]int{0: 0, 5: 5} {
		var runs atomic.Int64
		s, err := optimize.Find(optimize.Request{Scenario: "fig22-initiation", Over: "machine.network.latency=1us,2us,3us,4us,5us,6us,7us",
			Minimize: "makespan_s", Why: true, Started: func(optimize.Progress) {}, Stopped: func() bool { return runs.Add(1) > most }})
		if !errors.Is(err, scenarios.ErrStopped) {
			t.Fatal(err)
		}
		done := 0
		for _, o := range s.Optima {
			done += len(o.Points)
			if o.Best.Result == nil || len(o.Why) > 0 {
				t.Errorf("stopped after %d runs: %+v", most, o)
			}
		}
		if done > want || want > 0 && done == 0 {
			t.Errorf("stopped after %d runs: %d points", most, done)
		}
	}
	for _, name := range []string{"optimize", "overlap", "reproduce"} {
		if !strings.HasPrefix(partial(name, "nothing").Error(), "overlapsim "+name+": stopped, the results are partial: ") {
			t.Error(name)
		}
	}
}

// Told to stop, run shows the runs that are done, and gives up the one that is under way. A fault on the side is one of the
// program as everywhere.
func TestRunGivesWhatIsDone(t *testing.T) {
	study, err := scenarios.Load("rdma", nil)
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	i := &interruption{Context: stopped}
	var out, errs bytes.Buffer
	c := &call{out: &printable{out: &out}, errors: &printable{out: &errs}}
	flags := newFlags("run")
	r := newRunner("run", flags)
	made, err := r.simulate(c, &scenarios.Study{Runs: study.Runs[:2]}, i, nodes.Options{})
	if err != nil || len(made) != 2 {
		t.Fatal(len(made), err)
	}
	stop()
	if more, err := r.simulate(c, study, i, nodes.Options{}); !isStopped(err) || len(more) > 1 {
		t.Errorf("%d runs, %v", len(more), err)
	}
	err = r.partial(c, study, made)
	if status(err) != interrupted || !strings.HasSuffix(err.Error(), "2 of 6 runs are done") {
		t.Error(err)
	}
	for _, o := range made {
		if !strings.Contains(out.String(), "\n"+o.Name) {
			t.Errorf("no %s in\n%s", o.Name, out.String())
		}
	}
	_, err = untilStopped(&interruption{Context: t.Context()}, func() (int, error) { panic("a fault") })
	if faultOf(err) == nil {
		t.Errorf("got %v", err)
	}
}
