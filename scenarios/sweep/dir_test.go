package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
)

// several is a sweep of 30 points, of which five fail.
var several = Request{Vary: []string{"ranks=1,2,3,4,8,16", "machine.network.gap=1us..16us*2"}}

// newDir makes the directory of a sweep of the small scenario.
func newDir(t *testing.T, r Request) *Dir {
	t.Helper()
	return must.Get(Create(filepath.Join(t.TempDir(), "sweep"), newPlan(t, small, r)))(t)
}

// run runs points in this process.
func (d *Dir) run(t *testing.T, points ...int) {
	t.Helper()
	must.Do(t, d.Plan.unpack(d.root, "input"))
	for _, point := range points {
		must.Do(t, d.store(d.compute(d.Plan.Points[point])))
	}
}

// The same plan continues where it was. A directory with another plan, or without a
// sweep, is left alone.
func TestCreate(t *testing.T) {
	t.Chdir(t.TempDir())
	one, other := newPlan(t, small, Request{Vary: []string{"ranks=2,4"}}), newPlan(t, small, Request{Vary: []string{"ranks=2,8"}})
	for range 2 {
		must.Get(Create("dir", one))(t)
	}
	writeText(t, "full/note.txt", "mine")
	writeText(t, "cut/.plan.jsonl.host-1", "half a pl")
	writeText(t, "bad/plan.jsonl", "{")
	for path, want := range map[string]string{
		"dir": "sweep directory dir: holds another sweep (with another --vary); give another --out, or continue that one: " +
			"overlapsim sweep dir",
		"full":          "sweep directory full: is not empty and holds no sweep; give another --out",
		"full/note.txt": "sweep directory full/note.txt: not a directory",
		"cut":           "",
	} {
		_, err := Create(path, other)
		var problems keys.Problems
		if got := ""; err != nil && !errors.As(err, &problems) || err != nil && err.Error() != want || err == nil && want != got {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
	for path, want := range map[string]string{
		"gone": "sweep directory gone: holds no sweep: no such file or directory",
		"bad":  "sweep directory bad: plan.jsonl is not a plan: it was cut short, in the middle of a line",
	} {
		if _, err := Open(path); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
	if d, err := Open("dir"); err != nil || len(d.Plan.Points) != 2 {
		t.Errorf("got %v, %v", d, err)
	}
	if !Is("dir") || Is("full") || Is("gone") {
		t.Error("what is a sweep is not told from what is none")
	}
}

// The missing points are those without a complete result.
func TestMissing(t *testing.T) {
	d := newDir(t, Request{Vary: []string{"ranks=2,4,8,16"}})
	d.run(t, 0, 1, 2, 3)
	lines := strings.SplitAfter(d.logged(t), "\n")
	writeText(t, d.logFile(), lines[0]+"\n"+`{"point":3,"settings":[]}`+"\n"+strings.ReplaceAll(lines[2], `"point":2`, `"point":1`)+lines[3][:20])
	missing, err := d.Missing()
	if err != nil || len(missing) != 3 || missing[0]+missing[1]+missing[2] != 1+2+3 || len(d.Damaged) != 3 {
		t.Errorf("got %v, damaged %v, %v", missing, d.Damaged, err)
	}
	if s, err := d.status(); s.Done != 1 || err != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

// A process may end between a result and its mark, or before either.
func TestMarks(t *testing.T) {
	d := newDir(t, Request{Vary: []string{"ranks=2,4,8"}})
	d.run(t, 0, 1)
	c := must.Get(d.openClaims())(t)
	if err := c.mark(0, 0); err != nil || d.done(0) || !d.done(1) || d.done(2) {
		t.Errorf("the marks are wrong: %v", err)
	}
	missing, err := d.Missing()
	if err != nil || len(missing) != 1 || missing[0] != 2 || len(d.Damaged) > 0 || !d.done(0) || !d.done(1) || d.done(2) {
		t.Errorf("missing %v, damaged %v, %v", missing, d.Damaged, err)
	}
}

// A line that could not be written completely spoils no other.
func TestCutLine(t *testing.T) {
	d := newDir(t, Request{Vary: []string{"ranks=2,4"}})
	d.run(t, 0)
	writeText(t, d.logFile(), d.logged(t)+`{"point":1,"set`)
	d.log.cut = true
	d.run(t, 1)
	if missing, err := d.Missing(); err != nil || len(missing) > 0 || len(d.Damaged) > 0 {
		t.Errorf("missing %v, damaged %v, %v", missing, d.Damaged, err)
	}
}

// logFile is the file to which this process writes results.
func (d *Dir) logFile() string { return d.file("results", disk.Process+".jsonl") }

func (d *Dir) logged(t *testing.T) string {
	t.Helper()
	text := must.Get(os.ReadFile(d.logFile()))(t)
	return string(text)
}

// A result holds the settings, and the record or the error.
func TestResult(t *testing.T) {
	d := newDir(t, Request{Vary: []string{"ranks=3,4"}})
	d.run(t, 0, 1)
	text, _, _ := strings.Cut(d.logged(t), "\n")
	want := string(seal([]byte(`{"point":0,"settings":["ranks=3"],"error":"` +
		`small.yaml:4:28: workload.rows: must be a multiple of the 3 ranks, got 16"}`)))
	if text+"\n" != want {
		t.Errorf("got %s", text)
	}
	r, err := d.Result(1)
	if err != nil || r.Error != "" || !strings.Contains(string(r.Record), `"makespan_s":`) {
		t.Errorf("got %+v, %v", r, err)
	}
}

// A bug in the simulator becomes the error of the point that shows it.
func TestBug(t *testing.T) {
	var err error
	func() {
		defer rescue(&err)
		panic("queue of -1")
	}()
	if err == nil || err.Error() != "a bug in the simulator: queue of -1" {
		t.Errorf("got %v", err)
	}
}

// A directory that is closed leaves no file open.
func TestClose(t *testing.T) {
	plan, path := newPlan(t, small, Request{Vary: []string{"ranks=2,4"}}), filepath.Join(t.TempDir(), "sweep")
	before := openFiles(t)
	d := must.Get(Create(path, plan))(t)
	must.Do(t, d.store(d.compute(plan.Points[0])))
	must.Get(d.Result(0))(t)
	if err := d.Close(); err != nil || openFiles(t) > before {
		t.Errorf("%d files are open, error %v", openFiles(t)-before, err)
	}
}

// openFiles counts the open files of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("this system does not list open files: %v", err)
	}
	return len(all)
}

// The versions of the program that took part are each known once.
func TestPrograms(t *testing.T) {
	d := newDir(t, Request{Vary: []string{"ranks=2,4"}})
	for _, program := range []string{"one", "two", "one"} {
		must.Get(d.worker(program, nil))(t)
	}
	writeText(t, d.file(programsFile), "one\ntwo\ntwo\n") // two processes at the same time
	programs := must.Get(d.Programs())(t)
	same(t, programs, "one", "two")
}

// If several sweeps begin in one directory at the same time, one gets it. The same sweep
// gets it any number of times.
func TestCreateTogether(t *testing.T) {
	for range 30 {
		folder := filepath.Join(t.TempDir(), "sweep")
		var group sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			plan := made(crossed, []string{""}, Factor{Path: "ranks", Levels: []string{"2", fmt.Sprint(4 + i%2)}})
			group.Go(func() { _, errs[i] = Create(folder, plan) })
		}
		group.Wait()
		failed := [2]int{}
		for i, err := range errs {
			if err != nil {
				failed[i%2]++
				if !strings.Contains(err.Error(), "holds another sweep (with another --vary)") {
					t.Error(err)
				}
			}
		}
		if failed != [2]int{0, 4} && failed != [2]int{4, 0} {
			t.Fatalf("%v failed: %v", failed, errs)
		}
	}
}

// The next free name is the first one that holds the same sweep or none.
func TestFree(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, want := range []string{"s", "s-2", "s-3", "s-2"} {
		plan := made(crossed, []string{""}, Factor{Path: "ranks", Levels: []string{"2", []string{"3", "4", "5", "4"}[i]}})
		path, err := Free("s", plan)
		if err != nil || path != want {
			t.Errorf("%s, %v, want %s", path, err, want)
		}
		if _, err := Create(path, plan); err != nil {
			t.Error(err)
		}
	}
}
