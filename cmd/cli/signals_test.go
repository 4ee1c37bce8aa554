//go:build unix

package cli

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

var (
	signals     = flag.Int("signals", 12, "how often commands are told to end; with TURN, others in each turn")
	signalsFrom = flag.Uint64("signals-from", 1, "seed of the moments at which they are")
	signalsEnd  = flag.Duration("signals-end", 5*time.Minute, "how long a command may live that was told to end")
)

// stoppable are commands that ^C stops in between, in addition to the examples and the writers. OUT is a new name.
var stoppable = [][]string{
	{"sweep", "fig22-initiation", "--vary", "machine.network.latency=1us..2us:40", "--out", "OUT"},
	{"validate", "contention-plafrim", "--keep", "OUT"},
	{"optimize", "fig22-initiation", "--over", "machine.network.latency=1us,2us,3us,4us,5us,6us", "--json"},
	{"reproduce", "mpi", "--claims", "tcp-edge"},
}

// A command that is told to end by INT, TERM or HUP, at any moment, once or twice, itself or with the processes that it has started,
// ends. A shell sees 128 and the number of the signal, unless the command was done. No process is left, and no temporary file.
func TestToldToEnd(t *testing.T) {
	must.Long(t)
	next, lock := limited.Turn()**signals, sync.Mutex{}
	end := next + *signals
	counts, slowest := map[string]int{}, time.Duration(0)
	var group sync.WaitGroup
	for range 2 {
		x := newTelling(t)
		group.Go(func() {
			for {
				lock.Lock()
				n := next
				next++
				lock.Unlock()
				if n >= end || t.Failed() {
					return
				}
				how, took := x.tell(n)
				lock.Lock()
				counts[how]++
				slowest = max(slowest, took)
				lock.Unlock()
			}
		})
	}
	group.Wait()
	for _, how := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[how], how)
	}
	t.Logf("the longest life after the last signal was %v", slowest)
}

// telling tells commands to end in its own folder.
type telling struct {
	*testing.T
	folder, tmp string
	commands    [][]string
	undisturbed map[int]undisturbed // by command
}

// undisturbed is a command that no one tells to end.
type undisturbed struct {
	took   time.Duration
	status int
}

func newTelling(t *testing.T) *telling {
	if signal.Ignored(syscall.SIGHUP) { // as under nohup, which commands would take over from this process
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	x := &telling{T: t, folder: forWriters(t), tmp: t.TempDir(), undisturbed: map[int]undisturbed{}}
	for n, of := range ofScenarios {
		x.commands = append(x.commands, slices.Concat(of[:1], lawCase(t, *signalsFrom+uint64(n)), of[1:]))
	}
	x.commands = append(x.commands, stoppable...)
	succeed(t, program(t, x.folder, "export", "fig22-initiation", "--goal", "fig22.goal")) // for the example of replay
	for _, c := range commands() {
		x.commands = append(x.commands, strings.Fields(c.example)[1:])
	}
	for _, name := range slices.Sorted(maps.Keys(writers)) {
		x.commands = append(x.commands, writers[name])
	}
	return x
}

// lawCase writes one of the random scenarios that the laws keep into a folder, and returns the arguments that run it.
func lawCase(t *testing.T, number uint64) []string {
	kept := must.Get(filepath.Glob("../dev/laws/testdata/*.txtar"))(t)
	a := must.Get(txtar.ParseFile(kept[number%uint64(len(kept))]))(t)
	folder := t.TempDir()
	must.Do(t, txtar.Write(a, folder))
	args := []string{filepath.Join(folder, "case.yaml")}
	for line := range strings.Lines(string(a.Comment)) {
		if setting, is := strings.CutPrefix(strings.TrimSpace(line), "--set "); is {
			args = append(args, "--set", setting)
		}
	}
	return args
}

// ofScenarios are commands that are given random scenarios of the laws, and the flags that follow.
var ofScenarios = [][]string{{"run"}, {"run", "--html", "OUT"}, {"run", "--json", "--per-rank"}, {"gradient"}, {"export", "--goal", "OUT"}, {"overlap"},
	{"compare", "--machines", "jacquard,hopper"}, {"potential"}, {"sweep", "--vary", "seed=1..40:40", "--out", "OUT"}}

// command is a command of the list, in its own group of processes, that may take so long.
func (x *telling) command(which int, out string, limit time.Duration, said *bytes.Buffer) *exec.Cmd {
	args := slices.Clone(x.commands[which])
	if at := slices.Index(args, "OUT"); at >= 0 {
		args[at] = out
	}
	path, err := exec.LookPath("overlapsim")
	if err != nil {
		x.Error(err)
	}
	c := limited.Within(x, limit, path, args...)
	c.Dir, c.Env = x.folder, append(os.Environ(), "TMPDIR="+x.tmp)
	c.Stderr = said
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// tell runs a command, tells it to end, and returns how it was told and ended, and how long it lived then.
func (x *telling) tell(n int) (how string, lived time.Duration) {
	which := n % len(x.commands)
	calm, ran := x.undisturbed[which]
	if !ran {
		calm = x.calm(which, fmt.Sprint("calm", which))
		x.undisturbed[which] = calm
	}
	random := rand.New(rand.NewPCG(*signalsFrom, uint64(n)))
	all := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	told := []syscall.Signal{all[random.IntN(3)], all[random.IntN(3)]}[:1+random.IntN(2)]
	var said bytes.Buffer
	before := x.left()
	c := x.command(which, fmt.Sprint("out", n), 2*calm.took+*signalsEnd, &said)
	if err := c.Start(); err != nil {
		x.Error(err)
		return
	}
	to := c.Process.Pid * []int{1, -1}[random.IntN(2)] // -1: as a terminal does
	time.Sleep(time.Duration(random.Float64() * 1.1 * float64(calm.took)))
	for i, s := range told {
		time.Sleep(time.Duration(i*random.IntN(3000)) * time.Microsecond)
		syscall.Kill(to, s)
	}
	began := time.Now()
	shows := time.AfterFunc(*signalsEnd, func() { c.Process.Signal(syscall.SIGQUIT) }) // where it is: check prints that
	c.Wait()
	shows.Stop()
	for living(c.Process.Pid) && time.Since(began) < *signalsEnd {
		time.Sleep(time.Millisecond)
	}
	if lived = time.Since(began); lived > *signalsEnd {
		x.Errorf("case %d: %q told %v: lived %v longer", n, c.Args, told, lived)
	}
	status := seen(c)
	x.check(n, c, told, status, calm.status, said.String())
	if left := x.left(); len(told) == 1 && len(left) > len(before) { // the second signal does not wait until files are removed
		x.Errorf("case %d: %q told %v: left %q, there were %q", n, c.Args, told, left, before)
	}
	if status == calm.status {
		return fmt.Sprintf("%v: done", told), lived
	}
	return fmt.Sprintf("%v: %d", told, status), lived
}

// calm runs a command to its end.
func (x *telling) calm(which int, out string) undisturbed {
	var said bytes.Buffer
	c := x.command(which, out, 5*time.Minute, &said)
	began := time.Now()
	err := c.Run()
	drawn := which < len(ofScenarios) && seen(c) == wrong // some are none for the command
	if err != nil && seen(c) != failed && !drawn {        // a claim may not hold
		x.Errorf("%q: %v, %s", c.Args, err, &said)
	}
	return undisturbed{time.Since(began), seen(c)}
}

// seen is the status of a process that a shell sees.
func seen(c *exec.Cmd) int {
	if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return c.ProcessState.ExitCode()
}

// check checks how a command ended that was told to, and that no process is left.
func (x *telling) check(n int, c *exec.Cmd, told []syscall.Signal, status, calm int, said string) {
	allowed := []int{calm}
	for _, s := range told {
		allowed = append(allowed, 128+int(s))
	}
	if !slices.Contains(allowed, status) {
		x.Errorf("case %d: %q told %v: status %d, want one of %d; it said %s", n, c.Args, told, status, allowed, said)
	}
	if living(c.Process.Pid) {
		x.Errorf("case %d: %q told %v: a process that it has started is alive", n, c.Args, told)
	}
}

// left returns the temporary files and folders of the program, and of its libraries, that are there.
func (x *telling) left() []string {
	files, _ := filepath.Glob(filepath.Join(x.folder, ".overlapsim-*"))
	folders, _ := filepath.Glob(filepath.Join(x.tmp, "*"))
	return append(files, folders...)
}

// living tells whether a process of a group is not over, where the system shows it.
func living(group int) bool {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range all {
		text, _ := os.ReadFile(file)
		_, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after) // the state, the parent, the group
		if len(fields) > 2 && fields[2] == fmt.Sprint(group) && fields[0] != "Z" && fields[0] != "X" {
			return true
		}
	}
	return false
}

var forecastLine = regexp.MustCompile(`^.* operations may take .*\n`)

// ^C stops a sweep, which says how it continues; a signal that was ignored at the start stays so; and any other one ends it at once.
func TestSignalsOfSweep(t *testing.T) {
	for _, c := range []struct {
		ignored string
		told    []syscall.Signal
		status  int
		says    string
	}{
		{"", []syscall.Signal{syscall.SIGINT}, 130, "overlapsim sweep: stopped, the results are partial: "},
		{"", []syscall.Signal{syscall.SIGTERM}, 143, ""},
		{"", []syscall.Signal{syscall.SIGHUP}, 129, ""},
		{"trap '' HUP;", []syscall.Signal{syscall.SIGHUP, syscall.SIGINT}, 130, "; to continue: overlapsim sweep s\n"},
		{"trap '' HUP INT;", []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM}, 143, ""},
	} {
		if slices.ContainsFunc(c.told, func(s syscall.Signal) bool { return signal.Ignored(s) }) {
			t.Logf("told %v: one of them is ignored here, as with nohup", c.told)
			continue
		}
		folder := t.TempDir()
		writeText(t, filepath.Join(folder, "long.yaml"), "machine: loggp\nworkload: {name: token-ring, repeat: 40000}\nranks: 8\n")
		p := limited.Command(t, "sh", "-c", c.ignored+"exec overlapsim sweep long.yaml --vary workload.bytes=1B..1000B+1B --out s --jobs 1")
		var said bytes.Buffer
		p.Dir, p.Stderr = folder, &said
		must.Do(t, p.Start())
		for marks := []byte(nil); !bytes.Contains(marks, []byte("1")) && !t.Failed(); time.Sleep(time.Millisecond) {
			marks, _ = os.ReadFile(filepath.Join(folder, "s", "claims")) // a point is done
		}
		for _, s := range c.told {
			p.Process.Signal(s)
			time.Sleep(10 * time.Millisecond)
		}
		p.Wait()
		more := forecastLine.ReplaceAllString(said.String(), "") // it is said before the first point
		if seen(p) != c.status || !strings.Contains(more, c.says) || c.says == "" && more != "" {
			t.Errorf("%stold %v: status %d, want %d, and it said %q, want %q", c.ignored, c.told, seen(p), c.status, &said, c.says)
		}
	}
}

// unloaded is what the system says of a recorder that it does not load.
var unloaded = regexp.MustCompile(`(?m)^ERROR: ld\.so: .*\n`)

// A recording that is told to end takes the program along, with all that it has started, and its files.
func TestRecordToldToEnd(t *testing.T) {
	must.Long(t)
	tools := map[string]string{
		"mpicc":  `while [ "$1" != -o ]; do shift || exit 0; done; : > "$2"`, // a recorder that the system does not load
		"mpirun": "trap '' HUP; touch $OVERLAPSIM_RECORD/rank-1; sh -c 'trap \"\" INT; echo $PPID >begun; sleep 300; exit 0' & wait; sleep 300",
	}
	for _, told := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(told) {
			continue // as with nohup
		}
		x := &telling{T: t, folder: t.TempDir(), tmp: t.TempDir()}
		for name, script := range tools {
			must.Do(t, os.WriteFile(filepath.Join(x.folder, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777))
		}
		c := program(t, x.folder, "record", "--", "./mpirun")
		c.Env = append(os.Environ(), "TMPDIR="+x.tmp, "XDG_CACHE_HOME="+x.folder, "HOME="+x.folder)
		var said bytes.Buffer
		c.Stderr = &said
		must.Do(t, c.Start())
		ended := make(chan struct{})
		go func() { c.Wait(); close(ended) }()
		var begun []byte
		for len(begun) == 0 {
			select {
			case <-ended:
				t.Fatalf("it ended before it began: %q", &said)
			case <-time.After(time.Millisecond):
			}
			begun, _ = os.ReadFile(filepath.Join(x.folder, "begun"))
		}
		c.Process.Signal(told)
		<-ended
		group := must.Get(strconv.Atoi(strings.TrimSpace(string(begun))))(t)
		if text := unloaded.ReplaceAllString(said.String(), ""); seen(c) != 128+int(told) || text != "" {
			t.Errorf("told %v: status %d, and it said %q", told, seen(c), text)
		}
		for since := time.Now(); living(group); time.Sleep(time.Millisecond) { // who is killed may die a little later
			if time.Since(since) > 30*time.Second {
				t.Fatalf("told %v: what the program has started is alive", told)
			}
		}
		if left := x.left(); len(left) > 0 {
			t.Errorf("told %v: left %q", told, left)
		}
	}
}
