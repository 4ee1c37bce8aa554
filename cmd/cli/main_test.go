package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

// processes are what tests may start as processes.
var processes = map[string]func(){"overlapsim": Main}

// offline is the program that may open no socket, where there is one.
var offline = "overlapsim"

func TestMain(m *testing.M) {
	if begin := processes[filepath.Base(os.Args[0])]; begin != nil {
		begin()
		os.Exit(done)
	}
	os.Exit(withProcesses(m))
}

// withProcesses runs the tests with the processes in the path.
func withProcesses(m *testing.M) (status int) {
	folder, err := os.MkdirTemp("", "processes")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	self, err := os.Executable()
	for name := range processes {
		err = errors.Join(err, os.Symlink(self, filepath.Join(folder, name)))
	}
	// Wide enough for all tables; the tests of terminals say how wide theirs are.
	err = errors.Join(err, os.Setenv("COLUMNS", "1000"))
	if err = errors.Join(err, os.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))); err != nil {
		panic(err)
	}
	return m.Run()
}

var update = flag.Bool("update", false, "write the wanted output into the scripts")

// A script's "overlapsim ..." runs inside the test, in half the time of a process, but
// writes over no file that an earlier one has read. "exec overlapsim ..." starts a process.
func TestScripts(t *testing.T) {
	here := must.Get(os.Getwd())(t)
	s := scripts{home: here}
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join(here, "testdata", "script"),
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"overlapsim": s.succeeds, "status": s.checkStatus},
		UpdateScripts: *update,
		Deadline:      time.Now().Add(limited.Compiles), // for what "exec" starts in all scripts, on a machine with other work
	})
}

// scripts run in turn in the one directory that the test has.
type scripts struct {
	turn sync.Mutex
	home string
}

// run runs a command in the directory of a script and returns its status.
func (s *scripts) run(ts *testscript.TestScript, args []string) (status string) {
	if args[0] != "overlapsim" {
		if err := ts.Exec(args[0], args[1:]...); err != nil {
			return strings.TrimPrefix(err.Error(), "exit status ")
		}
		return "0"
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(s.home)
	return strconv.Itoa(Run(args[1:], ts.Stdout(), ts.Stderr()))
}

// succeeds runs "overlapsim ..."; with ! before it, it must fail.
func (s *scripts) succeeds(ts *testscript.TestScript, neg bool, args []string) {
	if status := s.run(ts, append([]string{"overlapsim"}, args...)); status == "0" == neg {
		ts.Fatalf("exit status %s", status)
	}
}

// checkStatus runs "status N command..." and checks the exit status; what was printed is in stdout
// and stderr.
func (s *scripts) checkStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command...")
	}
	if got := s.run(ts, args[1:]); got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// call runs the program inside the test.
func callMain(args ...string) (out, errs string, status int) {
	var o, e bytes.Buffer
	status = Run(args, &o, &e)
	return o.String(), e.String(), status
}

// callOffline runs the program as a process that may open no socket.
func callOffline(t *testing.T, args ...string) (out, errs string, status int) {
	t.Helper()
	path := must.Get(exec.LookPath(offline))(t)
	c := limited.Command(t, path, args...)
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return o.String(), e.String(), c.ProcessState.ExitCode()
}

// mostHelp is the largest number of lines of a help, so that a small window shows it.
const mostHelp = 28

// Every help fits a small window of 80 columns, and its example works and opens no socket.
func TestHelp(t *testing.T) {
	must.Long(t)
	t.Chdir(t.TempDir())
	t.Chdir(t.TempDir()) // some examples write files
	for _, cmd := range commands() {
		out, errs, status := callMain("help", cmd.name)
		if status != done || errs != "" {
			t.Errorf("help %s: status %d, %s", cmd.name, status, errs)
		}
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if len(lines) > mostHelp {
			t.Errorf("help %s has %d lines", cmd.name, len(lines))
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > 90 {
				t.Errorf("help %s: %d columns: %s", cmd.name, utf8.RuneCountInString(line), line)
			}
		}
		if !strings.HasSuffix(out, "Example:\n  "+cmd.example+"\n") {
			t.Errorf("help %s does not end with its example", cmd.name)
		}
		if also, _, _ := callMain(cmd.name, "--help"); also != out {
			t.Errorf("%s --help is not help %s", cmd.name, cmd.name)
		}
		words := strings.Fields(cmd.example)
		if words[0] != "overlapsim" {
			t.Errorf("example of %s: %s", cmd.name, cmd.example)
			continue
		}
		out, errs, status = callOffline(t, words[1:]...)
		// Whether all claims are reproduced is tested with the papers.
		if checked := cmd.name == "reproduce" && status == failed; !checked && (status != done || errs != "") || out == "" {
			t.Errorf("%s: status %d, %s", cmd.example, status, errs)
		}
	}
}

// The fields of a run are those that others rely on, in their order.
func TestRunFields(t *testing.T) {
	out, errs, status := callMain("run", "ft-slabs-jacquard", "--set", "ranks=4", "--json", "--per-rank", "--host")
	if status != done || errs != "" {
		t.Fatalf("status %d, %s", status, errs)
	}
	want := []string{"schema_version", "scenario", "machine", "workload", "ranks", "nodes", "events", "messages", "bytes", "makespan_s",
		"finish_s", "ledger", "phases", "in_flight_while_computing_s", "communicating_s", "bound_s", "bound_of", "metrics", "answer", "host", "runs"}
	if got := fields(t, []byte(out)); !slices.Equal(got, want) {
		t.Errorf("fields are %v, want %v", got, want)
	}
	var record struct {
		Finish       []float64 `json:"finish_s"`
		Ledger, Host json.RawMessage
		Runs         []json.RawMessage
	}
	must.Do(t, json.Unmarshal([]byte(out), &record))
	want = []string{"compute_s", "interference_s", "overhead_s", "nic_stall_s", "progress_s", "transfer_s", "contention_s",
		"latency_s", "partner_s", "barrier_s", "idle_s"}
	if got := fields(t, record.Ledger); !slices.Equal(got, want) {
		t.Errorf("fields of the ledger are %v, want %v", got, want)
	}
	want = []string{"seconds", "events_per_second", "messages_per_second", "peak_rss_bytes"}
	if got := fields(t, record.Host); !slices.Equal(got, want) {
		t.Errorf("fields of the host are %v, want %v", got, want)
	}
	if first := fields(t, record.Runs[0]); !slices.Contains(first, "ledger_by_rank") {
		t.Errorf("fields of a run are %v, without the ledger by rank", first)
	}
	if len(record.Finish) != 4 {
		t.Errorf("%d ranks finish, want 4", len(record.Finish))
	}
}

// fields returns the keys of a JSON object in their order.
func fields(t *testing.T, text []byte) (keys []string) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		t.Fatalf("no object: %v, %v", start, err)
	}
	for decoder.More() {
		key := must.Get(decoder.Token())(t)
		keys = append(keys, key.(string))
		var value json.RawMessage
		must.Do(t, decoder.Decode(&value))
	}
	return keys
}

// The first example is the main job, 262,144 messages of Pencils included.
func TestFirstExample(t *testing.T) {
	must.Long(t)
	out, _, _ := callMain("run", "--json")
	type run struct {
		Scenario, Machine, Workload string
		Ranks                       int
		Messages                    uint64
	}
	var printed struct {
		run  // the first
		Runs []run
	}
	must.Do(t, json.Unmarshal([]byte(out), &printed))
	got := printed.Runs
	want := []run{
		{"Open MPI 4.1", "hdr-infiniband", "halo", 64, 64 * 6 * 50},
		{"with MPI_Test every 50 us", "hdr-infiniband", "halo", 64, 64 * 6 * 50},
		{"with a progress thread", "hdr-infiniband", "halo", 64, 64 * 6 * 50},
		{"Cray MPICH (NIC progresses)", "hdr-infiniband", "halo", 64, 64 * 6 * 50},
	}
	if !slices.Equal(got, want) || printed.run != want[0] {
		t.Errorf("got %v, want %v, and the first %v", got, want, printed.run)
	}
}

// A file that cannot be completed does not appear, and an old one stays.
func TestNoHalfWrittenFile(t *testing.T) {
	dir := t.TempDir()
	file := output(filepath.Join(dir, "report.html"))
	half := func(w io.Writer) error {
		io.WriteString(w, strings.Repeat("half", 10000))
		return errors.New("the disk is gone")
	}
	for _, old := range []string{"", "old"} {
		if old != "" {
			must.Do(t, os.WriteFile(string(file), []byte(old), 0o666))
		}
		must.Do(t, file.check("run", "--html"))
		if err := file.write(half); err == nil || err.Error() != "the disk is gone" {
			t.Errorf("got %v", err)
		}
		text, _ := os.ReadFile(string(file))
		if string(text) != old {
			t.Errorf("the file is %q, want %q", text, old)
		}
		if entries, _ := os.ReadDir(dir); len(entries) > 1 || old == "" && len(entries) > 0 {
			t.Errorf("left behind: %v", entries)
		}
	}
}

// A link to a file stays a link.
func TestOutputBehindLink(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, errors.Join(os.WriteFile("real", nil, 0o666), os.Symlink("real", "link")))
	err := output("link").write(func(w io.Writer) error {
		_, err := io.WriteString(w, "text")
		return err
	})
	text, _ := os.ReadFile("real")
	info, _ := os.Lstat("link")
	if err != nil || string(text) != "text" || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("got %v, %q, %v", err, text, info.Mode())
	}
}

// The peak of memory is what the system says, and more than nothing on Linux.
func TestHost(t *testing.T) {
	h := hostOf(100, 50, 2e9)
	if h.Seconds != 2 || h.EventsPerSecond != 50 || h.MessagesPerSecond != 25 {
		t.Errorf("got %+v", h)
	}
	if _, err := os.Stat("/proc/self/status"); err == nil && h.PeakRSS < 1<<20 {
		t.Errorf("peak of memory %d", h.PeakRSS)
	}
}
