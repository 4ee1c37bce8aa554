//go:build unix

package sweep

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overlapsim/scenarios/limited"
)

// TestMain lets the test binary serve as a worker.
func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv("SWEEP_TEST_WORKER"); ok {
		if err := Serve(os.Args[1], "test", trapped(os.Stdin, mode), os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	status := m.Run()
	os.RemoveAll(program.folder)
	os.Exit(status)
}

// trapped passes lines on until one has the point of the mode, which is "POINT HOW".
// Then it ends the worker in that way.
func trapped(in io.Reader, mode string) io.Reader {
	out, to := io.Pipe()
	go func() {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			if point, how, _ := strings.Cut(mode, " "); slices.Contains(strings.Fields(lines.Text()), point) {
				die(how)
			}
			fmt.Fprintln(to, lines.Text())
		}
		to.Close()
	}()
	return out
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
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Local{Jobs: jobs, Worker: func(folder string) *exec.Cmd {
		c := limited.Command(t, program, folder)
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
	missing, err := d.Missing()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Run(soon(t), d, missing, func(s Status) { last = s }); err != nil {
		t.Fatal(err)
	}
	return last
}

// files returns the results by point, and the files that Merge writes by name.
func (d *Dir) files(t *testing.T) map[string]string {
	t.Helper()
	if _, err := d.Merge(); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for i := range d.Plan.Points {
		line, err := d.found.read(d, i)
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint("point ", i)] = string(line)
	}
	for _, name := range []string{CSVFile, ParquetFile, PageFile} {
		text, err := os.ReadFile(d.file(name))
		if err != nil {
			t.Fatal(err)
		}
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
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	by := newDir(t, several)
	for i := range by.Plan.Points {
		by.run(t, i)
	}
	want := by.files(t)
	for _, jobs := range []int{1, 3, 100} {
		d := newDir(t, several)
		last := finish(t, local(t, jobs, ""), d)
		if last.Done != 30 || last.Total != 30 || last.Failed != 5 || last.Left != (Left{}) {
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
		"quit":  "the process that ran it ended: without a word",
	} {
		d := newDir(t, several)
		if last := finish(t, local(t, 2, "7 "+how), d); last.Failed != 6 {
			t.Errorf("%s: %+v", how, last)
		}
		table, err := d.Table()
		if err != nil {
			t.Fatal(err)
		}
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
	for want, worker := range map[string]func(string) *exec.Cmd{
		"a process to run points ended: no worker": func(string) *exec.Cmd {
			return limited.Command(t, "sh",
				"-c", "echo no worker >&2; exit 1")
		},
		"no process can be started: fork/exec /no/such/program: no such file or directory": func(string) *exec.Cmd {
			return limited.Command(t, "/no/such/program")
		},
	} {
		err := (&Local{Jobs: 2, Worker: worker}).Run(context.Background(), d, []int{1, 2, 3}, func(Status) {})
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if n, err := d.count(); n != 0 || err != nil {
		t.Errorf("%d points have a result", n)
	}
}

// A result that cannot be written ends the sweep, and is not an error of the point.
func TestCannotWrite(t *testing.T) {
	d := newDir(t, several)
	writeText(t, d.file("results"), "in the way")
	err := local(t, 2, "").Run(context.Background(), d, []int{1, 2, 3}, func(Status) {})
	if err == nil || !strings.HasSuffix(err.Error(), "results: file exists") {
		t.Errorf("got %v", err)
	}
}

// A sweep that is stopped stops at once, keeps its results, and can be continued.
func TestStop(t *testing.T) {
	d := newDir(t, several)
	ctx, stop := context.WithCancel(context.Background())
	missing, _ := d.Missing()
	err := local(t, 2, "7 hang").Run(ctx, d, missing, func(s Status) {
		if s.Done == 20 { // some may wait behind the one that hangs
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n, _ := d.count(); n < 20 || n > 29 {
		t.Errorf("%d points are done, want 20 to 29", n)
	}
	finish(t, local(t, 2, ""), d)
	h, _ := d.history()
	for point, times := range h.ended {
		if times != 1 {
			t.Errorf("point %d ran %d times", point, times)
		}
	}
}

// Engines that run the same sweep at the same time share it: no point runs
// twice, and each of them ends when all are done.
func TestTogether(t *testing.T) {
	d := newDir(t, several)
	missing, _ := d.Missing()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if err := local(t, 2, "").Run(context.Background(), d, missing, func(Status) {}); err != nil {
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
	c, err := d.openClaims()
	if err != nil {
		t.Fatal(err)
	}
	if mine, err := c.take(3); !mine || err != nil {
		t.Fatalf("point 3 cannot be claimed: %v", err)
	}
	done := make(chan Status, 100)
	go func() {
		missing, _ := d.Missing()
		if err := local(t, 2, "").Run(context.Background(), d, missing, func(s Status) { done <- s }); err != nil {
			t.Error(err)
		}
		close(done)
	}()
	alive := true
	for s := range done {
		if s.Done == 29 && alive {
			time.Sleep(3 * again)
			if d.done(3) {
				t.Error("a point that is claimed was run")
			}
			alive = false
			c.close() // as if this process had died
		}
	}
	later, err := Open(d.Path)
	if err != nil || !later.done(3) {
		t.Errorf("the point was not taken over: %v", err)
	}
}

// A worker refuses an unknown point, and a directory without a sweep.
func TestServe(t *testing.T) {
	d := newDir(t, several)
	var out bytes.Buffer
	if err := Serve(d.Path, "test", strings.NewReader("30\n"), &out); err == nil || err.Error() != `there is no point "30"` {
		t.Errorf("got %v", err)
	}
	if err := Serve(t.TempDir(), "test", strings.NewReader(""), &out); err == nil {
		t.Error("serves no sweep")
	}
}

// Points that were asked for together with one that takes long are left to others.
func TestLater(t *testing.T) {
	long := "machine: loggp\nworkload: {name: token-ring, repeat: 40000}\nranks: 8\n"
	d, err := Create(filepath.Join(t.TempDir(), "sweep"), newPlan(t, long, Request{Vary: []string{"workload.bytes=1B,2B,3B"}}))
	if err != nil {
		t.Fatal(err)
	}
	p, err := start(context.Background(), local(t, 1, "").Worker(d.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer p.end()
	replies, err := p.do([]int{2, 0, 1})
	if err != nil || len(replies) != 3 || replies[0].State != ran || replies[1].State != later || replies[2].State != later || replies[2].Point != 1 {
		t.Errorf("%+v, %v", replies, err)
	}
	finish(t, local(t, 1, ""), d)
	d.ranOnce(t)
}

// ranOnce makes sure that each point ran once, whoever ran it.
func (d *Dir) ranOnce(t *testing.T) {
	t.Helper()
	h, err := d.history()
	if err != nil {
		t.Fatal(err)
	}
	for point := range d.Plan.Points {
		if h.begun[point] != 1 || h.ended[point] != 1 {
			t.Errorf("point %d was begun %d times and ended %d times", point, h.begun[point], h.ended[point])
		}
	}
}
