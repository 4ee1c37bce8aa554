//go:build unix

package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

// TestMain lets the test binary serve as a worker.
func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv("SWEEP_TEST_WORKER"); ok {
		var part Part
		err := part.UnmarshalText([]byte(os.Args[2]))
		if err == nil {
			err = Serve(os.Args[1], "test", part, os.Stdin, trapped(mode))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	status := m.Run()
	os.RemoveAll(program.folder)
	os.Exit(status)
}

// trapped takes notes until one has the point of the mode, which is "POINT HOW". Then it ends the worker in that way.
type trapped string

func (mode trapped) WriteAt(text []byte, at int64) (int, error) {
	n, err := os.Stdout.WriteAt(text, at)
	if point, how, _ := strings.Cut(string(mode), " "); string(text) == `{"point":`+point+"}\n" {
		die(how)
	}
	return n, err
}

func die(how string) {
	switch first, file, _ := strings.Cut(how, " "); first {
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "once": // only if no process was killed before
		if f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL, 0o666); err == nil {
			f.Close()
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return
	case "panic":
		go func() { panic("out of order") }()
	case "quit":
		os.Exit(3)
	case "hang":
	}
	select {}
}

// local is an engine whose workers are this test binary.
func local(t *testing.T, jobs int, mode string) *Local {
	program := must.Get(os.Executable())(t)
	return &Local{Jobs: jobs, Worker: func(folder string, part Part) *exec.Cmd {
		c := limited.Command(t, program, folder, fmt.Sprintf("%d/%d", part.Index, part.Of))
		c.Env = append(os.Environ(), "SWEEP_TEST_WORKER="+mode)
		return c
	}}
}

// soon is the time that a sweep may take, far more than any needs.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Minute, errors.New("the sweep hangs"))
	t.Cleanup(cancel)
	return ctx
}

// finish runs the missing points and returns the last status.
func finish(t *testing.T, e Engine, d *Dir) (last Status) {
	t.Helper()
	must.Get(d.Missing())(t)
	must.Do(t, e.Run(soon(t), d, func(s Status) { last = s }))
	return last
}

// files returns the results by point, and the files that Merge writes by name.
func (d *Dir) files(t *testing.T) map[string]string {
	t.Helper()
	must.Get(d.Merge())(t)
	all := map[string]string{}
	for i := range d.Plan.Points {
		line := must.Get(d.found.read(d, i))(t)
		all[fmt.Sprint("point ", i)] = string(line)
	}
	for _, name := range []string{CSVFile, ParquetFile, PageFile} {
		text := must.Get(os.ReadFile(d.file(name)))(t)
		all[name] = string(text)
	}
	return all
}

func sameFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs:\n%.300s\n%.300s", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

// Points give the same bytes as in this process, however many processes run them. Some of
// the points fail.
func TestLocal(t *testing.T) {
	must.Long(t)
	by := newDir(t, several)
	for i := range by.Plan.Points {
		by.run(t, i)
	}
	want := by.files(t)
	for _, jobs := range []int{1, 3, 100} {
		d := newDir(t, several)
		last := finish(t, local(t, jobs, ""), d)
		if last.Done != 30 || last.Total != 30 || last.Failed != 5 {
			t.Errorf("%d jobs: the last status is %+v", jobs, last)
		}
		sameFiles(t, d.files(t), want)
		d.ranOnce(t)
	}
}

// A point that ends its process has that as its error. Other points have no error.
func TestCrash(t *testing.T) {
	for how, want := range map[string]string{
		"kill":  "the process that ran it was killed, twice; perhaps it needs more memory than there is",
		"panic": "the process that ran it ended: panic: out of order",
		"quit":  "the process that ran it ended: without a message",
	} {
		d := newDir(t, several)
		if last := finish(t, local(t, 2, "7 "+how), d); last.Failed != 6 {
			t.Errorf("%s: %+v", how, last)
		}
		table := must.Get(d.Table())(t)
		if table.Errors[7] != want {
			t.Errorf("%s: the error is %q, want %q", how, table.Errors[7], want)
		}
		if table.Errors[6] != "" || table.Errors[8] != "" {
			t.Errorf("%s: others failed: %q, %q", how, table.Errors[6], table.Errors[8])
		}
	}
}

// A process that is killed once may have been killed for another reason: its point runs
// again.
func TestKilledOnce(t *testing.T) {
	d := newDir(t, several)
	if last := finish(t, local(t, 2, "7 once "+filepath.Join(t.TempDir(), "killed")), d); last.Failed != 5 {
		t.Errorf("got %+v", last)
	}
	if r, err := d.Result(7); err != nil || r.Error != "" {
		t.Errorf("got %+v, %v", r, err)
	}
}

// A fault that affects every point is an error of the sweep, not of the points.
func TestNoWorker(t *testing.T) {
	d := newDir(t, several)
	for want, worker := range map[string]func(string, Part) *exec.Cmd{
		"a process to run points ended: no worker": func(string, Part) *exec.Cmd {
			return limited.Command(t, "sh",
				"-c", "echo no worker >&2; exit 1")
		},
		"no process can be started: fork/exec /no/such/program: no such file or directory": func(string, Part) *exec.Cmd {
			return limited.Command(t, "/no/such/program")
		},
	} {
		err := (&Local{Jobs: 2, Worker: worker}).Run(context.Background(), d, func(Status) {})
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if s, err := d.status(); s.Done != 0 || err != nil {
		t.Errorf("%d points have a result, %v", s.Done, err)
	}
}

// A result that cannot be written ends the sweep, and is not an error of the point.
func TestCannotWrite(t *testing.T) {
	d := newDir(t, several)
	writeText(t, d.file("results"), "in the way")
	err := local(t, 2, "").Run(context.Background(), d, func(Status) {})
	if err == nil || !strings.HasSuffix(err.Error(), "results: file exists") {
		t.Errorf("got %v", err)
	}
}

// A sweep that is stopped stops at once, keeps its results, and can be continued.
func TestStop(t *testing.T) {
	d := newDir(t, several)
	ctx, stop := context.WithCancel(context.Background())
	err := local(t, 2, "7 hang").Run(ctx, d, func(s Status) {
		if s.Done == 29 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	finish(t, local(t, 2, ""), d)
	d.ranOnce(t)
}

// Engines that run the same sweep at the same time share it: no point runs
// twice, and each of them ends when all are done.
func TestTogether(t *testing.T) {
	d := newDir(t, several)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if err := local(t, 2, "").Run(context.Background(), d, func(Status) {}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	d.ranOnce(t)
}

// A point that another process runs is waited for, and taken over if that
// process dies.
func TestTakeOver(t *testing.T) {
	d := newDir(t, several)
	c := must.Get(d.openClaims())(t)
	if mine, err := c.take(3); !mine || err != nil {
		t.Fatalf("point 3 cannot be claimed: %v", err)
	}
	other := must.Get(Open(d.Path))(t)
	done := make(chan Status, 100)
	go func() {
		if err := local(t, 2, "").Run(context.Background(), other, func(s Status) { done <- s }); err != nil {
			t.Error(err)
		}
		close(done)
	}()
	alive := true
	for s := range done {
		if s.Done == 29 && alive {
			time.Sleep(3 * glance)
			if other.done(3) {
				t.Error("a point that is claimed was run")
			}
			alive = false
			c.close() // as if this process had died
		}
	}
	if !other.done(3) {
		t.Error("the point was not taken over")
	}
}

// A worker refuses a directory without a sweep, and notes why.
func TestServe(t *testing.T) {
	notes, err := os.Create(filepath.Join(t.TempDir(), "notes"))
	if err != nil {
		t.Fatal(err)
	}
	in, _ := io.Pipe()
	err = Serve(t.TempDir(), "test", Part{}, in, notes)
	var n note
	if err == nil || json.NewDecoder(notes).Decode(&n) != nil || n.Error != err.Error() {
		t.Errorf("%v, noted as %+v", err, n)
	}
}

// A worker whose starter is gone ends, even while it runs a point.
func TestStarterGone(t *testing.T) {
	d := newDir(t, several)
	c := local(t, 1, "7 hang").Worker(d.Path, Part{})
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	must.Do(t, c.Start())
	for s := (Status{}); s.Done < 1; time.Sleep(time.Millisecond) {
		if s, err = d.status(); err != nil || t.Failed() {
			t.Fatal(err)
		}
	}
	in.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// A part of the points is run, and no other.
func TestLocalPart(t *testing.T) {
	d := newDir(t, several)
	e := local(t, 2, "")
	e.Part = Part{1, 4}
	finish(t, e, d)
	want, times := 0, d.times(t)
	for n, point := range d.Plan.order() {
		if e.Part.has(n) {
			want++
			if times[point] != 1 {
				t.Errorf("point %d ran %d times", point, times[point])
			}
		}
	}
	if len(times) != want {
		t.Errorf("%d points ran, want %d", len(times), want)
	}
}

// times returns how many results each point has that has any.
func (d *Dir) times(t *testing.T) map[int]int {
	t.Helper()
	all := map[int]int{}
	logs := must.Get(filepath.Glob(d.file("results", "*.jsonl")))(t)
	for _, name := range logs {
		text := must.Get(os.ReadFile(name))(t)
		for line := range bytes.Lines(text) {
			if point, ok := intact(bytes.TrimSuffix(line, []byte("\n"))); ok {
				all[point]++
			}
		}
	}
	return all
}

// ranOnce makes sure that each point ran once, in any process.
func (d *Dir) ranOnce(t *testing.T) {
	t.Helper()
	times := d.times(t)
	for point := range d.Plan.Points {
		if times[point] != 1 {
			t.Errorf("point %d has %d results", point, times[point])
		}
	}
}
