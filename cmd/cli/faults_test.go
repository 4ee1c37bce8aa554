package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

// caller runs the program and returns its output, its messages and its status.
type caller func(args ...string) (out, errs string, status int)

// inProcess runs a process: a sweep has its folder open until the process ends.
func inProcess(t *testing.T) caller {
	return func(args ...string) (out, errs string, status int) { return callOffline(t, args...) }
}

// saysOneLine checks that a command fails as a mistake of the user, with one line next to
// that about its help.
func saysOneLine(t *testing.T, call caller, want string, args ...string) {
	t.Helper()
	_, said, status := call(args...)
	line, _, _ := strings.Cut(said, "See 'overlapsim help ")
	if status != wrong || strings.Count(line, "\n") != 1 || !strings.Contains(line, want) {
		t.Errorf("%v: status %d, said %q, want one line with %q and status 2", args, status, said, want)
	}
}

// A full device is reported in one line, also if it is the standard output.
func TestFullDevice(t *testing.T) {
	must.Long(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	t.Chdir(forWriters(t))
	for _, args := range writers {
		device := args[len(args)-1]
		must.Do(t, os.Symlink("/dev/full", device))
		saysOneLine(t, callMain, device+": cannot be written: no space left on device", args...)
		os.Remove(device)
	}
	for _, args := range [][]string{{"run", "fig22-initiation", "--json", "--no-advice"}, {"list", "machines"}, {"help"}, {"version"},
		{"show", "jacquard"}} {
		toFull := func(args ...string) (out, errs string, status int) {
			var said strings.Builder
			status = Run(args, full, &said)
			return "", said.String(), status
		}
		saysOneLine(t, toFull, "no space left on device", args...)
	}
}

// A sweep whose disk fills up while points run reports it as other commands do, and continues
// when there is room.
func TestDiskFillsDuringSweep(t *testing.T) {
	must.Long(t)
	folder := t.TempDir()
	if out, err := limited.Command(t, "mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", folder).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted here: %v: %s", err, out)
	}
	defer func() { limited.Command(t, "umount", folder).Run() }()
	saysOneLine(t, inProcess(t), "no space left on device", "sweep", "fig22-initiation", "--vary", "machine.network.latency=1us..2us:100",
		"--out", filepath.Join(folder, "s"))
	if n := stored(t, folder); n == 0 || n == 100 {
		t.Errorf("%d points were done before the disk was full", n)
	}
	if out, err := limited.Command(t, "mount", "-o", "remount,size=8m", folder).CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("%w: %s", err, out))
	}
	succeed(t, program(t, folder, "sweep", "s"))
	if n := stored(t, folder); n != 100 {
		t.Errorf("%d points are done at the end", n)
	}
}

// stored is how many points of the sweep s are marked as done.
func stored(t *testing.T, folder string) int {
	marks := must.Get(os.ReadFile(filepath.Join(folder, "s", "claims")))(t)
	return bytes.Count(marks, []byte("1"))
}

// A disk that fills up, or is read-only, is reported in one line and leaves no part of a file.
func TestFullDisk(t *testing.T) {
	must.Long(t)
	folder := filepath.Join(t.TempDir(), "small")
	must.Do(t, os.Mkdir(folder, 0o777))
	if out, err := limited.Command(t, "mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted here: %v: %s", err, out)
	}
	defer func() { limited.Command(t, "umount", folder).Run() }()
	must.Do(t, os.WriteFile(filepath.Join(folder, "most"), make([]byte, 16<<10), 0o666))
	t.Chdir(forWriters(t))
	leaves := func(want string) {
		t.Helper()
		for _, args := range writers {
			last := len(args) - 1
			saysOneLine(t, callMain, want, append(slices.Clone(args[:last]), filepath.Join(folder, args[last]))...)
			if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
				t.Errorf("%v: left %v, %v", args, left, err)
			}
		}
		out := filepath.Join(folder, "out") // which a sweep keeps
		saysOneLine(t, inProcess(t), want, "sweep", "fig22-initiation", "--vary", "machine.network.latency=1us,2us", "--out", out)
		os.RemoveAll(out)
	}
	leaves("no space left on device")
	if out, err := limited.Command(t, "mount", "-o", "remount,ro", folder).CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("%w: %s", err, out))
	}
	leaves("read-only file system")
}
