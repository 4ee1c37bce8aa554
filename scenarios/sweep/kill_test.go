//go:build linux

package sweep

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"overlapsim/scenarios/limited"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

var (
	kills = flag.Int("kills", 20, "how often TestKill ends a sweep")
	seed  = flag.Uint64("killseed", 1, "seed of the moments at which TestKill does so")
)

// slow is a sweep of points that take some milliseconds each; three of them fail.
var slow = []string{"--vary", "workload.rows=64,65,66,67,96,128,160,192,224,256,288,320,352,384,416,448", "--vary",
	"machine.network.gap=1us,2us,3us",
	"--set", "workload.row_length=64", "--jobs", "2"}

// ways to end a sweep: kill its process, all its processes, or one of its workers, or ^C.
var ways = []struct {
	name string
	kill func(t *testing.T, main *os.Process, random *sim.Stream)
}{
	{"SIGKILL", func(_ *testing.T, main *os.Process, _ *sim.Stream) { main.Kill() }},
	{"SIGKILL to all", func(_ *testing.T, main *os.Process, _ *sim.Stream) { syscall.Kill(-main.Pid, syscall.SIGKILL) }},
	{"SIGKILL to a worker, then ^C", func(t *testing.T, main *os.Process, random *sim.Stream) {
		if all := children(main.Pid); len(all) > 0 {
			syscall.Kill(all[random.Intn(len(all))], syscall.SIGKILL)
		}
		time.Sleep(time.Duration(random.Intn(10)) * time.Millisecond)
		main.Signal(os.Interrupt)
	}},
	{"^C", func(_ *testing.T, main *os.Process, _ *sim.Stream) { syscall.Kill(-main.Pid, syscall.SIGINT) }},
	{"SIGTERM", func(_ *testing.T, main *os.Process, _ *sim.Stream) { main.Signal(syscall.SIGTERM) }},
}

// children returns the processes that a process has started.
func children(pid int) (all []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, name := range tasks {
		text, _ := os.ReadFile(name)
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

// A sweep that is killed at random moments, again and again, loses no point that is done,
// runs none of them again, and in the end gives the same bytes as an undisturbed one. The
// files of results would show if a point was run again after it was done, or if two processes
// finished it.
func TestKill(t *testing.T) {
	must.Long(t)
	overlapsim := build(t)
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir()) // a killed process does not clean up
	sweep := append([]string{"sweep", "ft-pencils-jacquard"}, slow...)
	if out, err := limited.Command(t, overlapsim, append(sweep, "--out", "calm")...).CombinedOutput(); !finished(err, out) {
		t.Fatalf("%v: %s", err, out)
	}
	calm := must.Get(Open("calm"))(t)
	want := calm.files(t)
	random := sim.NewStream(*seed)
	took := 0
	for n := 0; took < *kills; n++ {
		d, times := disturb(t, overlapsim, append(sweep, "--out", fmt.Sprint("sweep", n)), random, *kills-took)
		took += times
		sameFiles(t, d.files(t), want)
		d.ranOnce(t)
	}
}

// finished tells whether a sweep ran all its points, some of which fail.
func finished(err error, said []byte) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 1 && bytes.Contains(said, []byte("9 of 48 points failed, such as workload.rows=65 "))
}

// disturb runs a sweep and kills it at random moments, up to a number of times, until it
// is done. Each time it checks that no point that was done before has been run since.
func disturb(t *testing.T, overlapsim string, args []string, random *sim.Stream, most int) (d *Dir, times int) {
	t.Helper()
	before := map[int]bool{} // the points that were done the last time
	for {
		var said bytes.Buffer
		main := limited.Command(t, overlapsim, args...)
		main.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		main.Stdout, main.Stderr = &said, &said
		must.Do(t, main.Start())
		ended := make(chan error, 1)
		go func() { ended <- main.Wait() }()
		moment := make(<-chan time.Time) // never
		if times < most {
			moment = time.After(time.Duration(random.Intn(120)) * time.Millisecond)
		}
		var err error
		alive := false
		select {
		case err = <-ended:
		case <-moment:
			alive = true
			times++
			ways[random.Intn(len(ways))].kill(t, main.Process, random)
			err = <-ended
		}
		if d = checkDone(t, args[len(args)-1], before); finished(err, said.Bytes()) {
			return d, times
		}
		if !alive || t.Failed() {
			t.Fatalf("%v: %s", err, &said)
		}
	}
}

// checkDone checks that points that were done still are, and have one result each, and records those that are done now. A
// sweep that was killed before it had a plan has none.
func checkDone(t *testing.T, path string, before map[int]bool) *Dir {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		return nil
	}
	times := d.times(t)
	for point := range before {
		if times[point] != 1 || !d.done(point) {
			t.Errorf("point %d was done, and now has %d results", point, times[point])
		}
	}
	for point := range d.Plan.Points {
		if d.done(point) {
			before[point] = true
		}
	}
	return d
}
