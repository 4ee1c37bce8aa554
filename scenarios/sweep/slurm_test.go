//go:build linux

package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

// few is a sweep with one task for each point.
var few = Request{Vary: []string{"ranks=1,2,4,8,16"}}

// calmly returns the files of an undisturbed sweep.
func calmly(t *testing.T, r Request) map[string]string {
	d := newDir(t, r)
	finish(t, local(t, 2, ""), d)
	return d.files(t)
}

// needSlurm skips a test if no Slurm is running.
func needSlurm(t *testing.T) {
	t.Helper()
	if limited.Command(t, "sinfo").Run() != nil {
		t.Skip("no Slurm is running; .ci/slurm starts one: .ci/slurm go test ./scenarios/sweep -run Slurm")
	}
}

// slurmOf is an engine for tests, with short tasks and frequent checks.
func slurmOf(t *testing.T) *Slurm {
	overlapsim := build(t)
	return &Slurm{Program: overlapsim, Version: "test", Task: 300 * time.Millisecond, Poll: 200 * time.Millisecond}
}

// A sweep on Slurm gives the same bytes as here; one may begin here and go on
// there, be left alone while its job runs, lose the job, and end here.
func TestSlurm(t *testing.T) {
	needSlurm(t)
	t.Run("all", func(t *testing.T) {
		d := newDir(t, several)
		if last := finish(t, slurmOf(t), d); last.Done != 30 {
			t.Errorf("the last status is %+v", last)
		}
		sameFiles(t, d.files(t), calmly(t, several))
		d.ranOnce(t)
	})
	t.Run("here, there, here", hereAndThere)
	t.Run("followed again", followedAgain)
	t.Run("cancelled", cancelled)
	t.Run("stuck", stuck)
	t.Run("command", slurmCommand)
}

// until runs an engine until a number of points are done.
func until(t *testing.T, e Engine, d *Dir, points int) {
	t.Helper()
	ctx, stop := context.WithCancel(soon(t))
	defer stop()
	if err := e.Run(ctx, d, func(s Status) {
		if s.Done >= points {
			stop()
		}
	}); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func hereAndThere(t *testing.T) {
	d := newDir(t, several)
	some := local(t, 1, "")
	some.Part = Part{0, 6}
	finish(t, some, d) // five of 30
	there := slurmOf(t)
	there.Task, there.Jobs = time.Nanosecond, 1 // a task for each point
	until(t, there, d, 8)
	finish(t, local(t, 2, ""), d) // while the job continues
	sameFiles(t, d.files(t), calmly(t, several))
	d.ranOnce(t)
	limited.Command(t, "scancel", "--name=overlapsim-sweep").Run()
}

// The job continues when no process follows it. Later it is followed again instead of
// submitted again.
func followedAgain(t *testing.T) {
	d := newDir(t, few)
	e := slurmOf(t)
	e.Task, e.Jobs = time.Nanosecond, 1
	until(t, e, d, 2)
	finish(t, e, d)
	if n := d.submissions(t); n != 1 {
		t.Errorf("%d submissions", n)
	}
	sameFiles(t, d.files(t), calmly(t, few))
	d.ranOnce(t)
}

// A job that is cancelled is submitted again for the remaining points. Its third task waits to be cancelled.
func cancelled(t *testing.T) {
	d := newDir(t, few)
	e := slurmOf(t)
	e.Task, e.Jobs = time.Nanosecond, 1
	waiting := t.TempDir()
	e.Program = waits(t, waiting, e.Program)
	once := false
	must.Do(t, e.Run(soon(t), d, func(s Status) {
		if s.Done >= 2 && !once {
			once = true
			if out, err := limited.Command(t, "scancel", "--name=overlapsim-sweep").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			if err := os.WriteFile(filepath.Join(waiting, "go"), nil, 0o666); err != nil {
				t.Error(err)
			}
			e.Task, e.Jobs = time.Second, 0
		}
	}))
	if n := d.submissions(t); n != 2 {
		t.Errorf("%d submissions", n)
	}
	sameFiles(t, d.files(t), calmly(t, few))
}

// waits returns a program that is another one the first two times, and from when the folder has a file go. In between it waits.
func waits(t *testing.T, folder, other string) string {
	t.Helper()
	script := fmt.Sprintf(`#!/bin/sh
for n in 1 2; do mkdir %[1]q/$n 2>/dev/null && exec %[2]q "$@"; done
[ -e %[1]q/go ] && exec %[2]q "$@"
exec sleep 600
`, folder, other)
	name := filepath.Join(folder, "waits")
	must.Do(t, os.WriteFile(name, []byte(script), 0o777))
	return name
}

// A job whose tasks cannot run is not submitted again and again. The error says how they
// ended, with their last message.
func stuck(t *testing.T) {
	d := newDir(t, several)
	e := slurmOf(t)
	e.Program = "/no/such/program"
	err := e.Run(soon(t), d, func(Status) {})
	if err == nil {
		t.Fatal("a job without a program ran")
	}
	for _, part := range []string{"ended, and 29 points have no result", "failed", "task-0.log", "/no/such/program: not found"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

// The command does all of this, in a folder whose name needs quoting in a shell.
func slurmCommand(t *testing.T) {
	out := filepath.Join(t.TempDir(), "it's a sweep")
	said, err := limited.Command(t, build(t), "sweep", "ft-slabs-jacquard", "--vary", "workload.rows=64,96,100", "--engine", "slurm", "--out",
		out).CombinedOutput()
	if err == nil || !strings.Contains(string(said), "\n1 of 3 points failed, workload.rows=100:\n") {
		t.Errorf("%v: %s", err, said)
	}
	if text, err := os.ReadFile(filepath.Join(out, CSVFile)); err != nil || strings.Count(string(text), "\n") != 4 {
		t.Errorf("%v: %s", err, text)
	}
}

func TestNoSlurm(t *testing.T) {
	t.Setenv("PATH", "")
	err := (&Slurm{}).Run(context.Background(), newDir(t, few), func(Status) {})
	if err == nil || err.Error() != "there is no Slurm here: sbatch is not installed" {
		t.Errorf("got %v", err)
	}
}

// submissions counts the jobs whose tasks have left a log.
func (d *Dir) submissions(t *testing.T) int {
	t.Helper()
	logs := must.Get(filepath.Glob(d.file("slurm", "*-task-*.log")))(t)
	jobs := map[string]bool{}
	for _, log := range logs {
		id, _, _ := strings.Cut(filepath.Base(log), "-")
		jobs[id] = true
	}
	return len(jobs)
}

// Tasks last as long as they should, but there are no more than Slurm allows.
func TestTasksFor(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		n, most int
		want    int
	}{
		{10, 100, 1001, 34},
		{40, 100, 1001, 100},
		{0.001, 100, 1001, 1},
		{0, 100, 1001, 1},
		{100, 5000, 1001, 1001},
		{7, 1, 1001, 1},
	} {
		if got := tasksFor(c.n, time.Duration(c.seconds*float64(time.Second)), 30*time.Second, c.most); got != c.want {
			t.Errorf("%d points of %g s: %d tasks, want %d", c.n, c.seconds, got, c.want)
		}
	}
}

func TestCountStates(t *testing.T) {
	for text, want := range map[string]string{"": "ended", "RUNNING PENDING RUNNING": "2 running, 1 pending", "COMPLETED": "1 completed"} {
		if got := countStates(strings.Fields(text)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
