package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// outputs are commands that write the file with the name that is added to them.
var outputs = [][]string{
	{"export", "fig22-initiation", "--goal"},
	{"run", "fig22-initiation", "--no-advice", "--html"}, {"run", "fig22-initiation", "--no-advice", "--svg"},
	{"run", "fig22-initiation", "--no-advice", "--trace"},
	{"gradient", "fig22-initiation", "--html"},
	{"optimize", "fig22-initiation", "--over", "machine.network.latency=1us,2us", "--html"},
}

// saysOneLine checks that a command fails as a mistake of the user, with one line beside
// that about its help.
func saysOneLine(t *testing.T, c *exec.Cmd, want string) {
	t.Helper()
	var said strings.Builder
	c.Stderr = &said
	err := c.Run()
	var exit *exec.ExitError
	line, _, _ := strings.Cut(said.String(), "See 'overlapsim help ")
	if !errors.As(err, &exit) || exit.ExitCode() != wrong || strings.Count(line, "\n") != 1 || !strings.Contains(line, want) {
		t.Errorf("%v: %v, said %q, want one line with %q and status 2", c.Args[1:], err, said.String(), want)
	}
}

// A device that takes nothing is said in a line, also if it is the standard output.
func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	for _, args := range outputs {
		saysOneLine(t, program(t, t.TempDir(), append(args, "/dev/full")...), "/dev/full: cannot be written: no space left on device")
	}
	for _, args := range [][]string{{"run", "fig22-initiation", "--json", "--no-advice"}, {"list", "machines"}, {"help"}, {"version"},
		{"show", "jacquard"}} {
		c := program(t, t.TempDir(), args...)
		c.Stdout = full
		saysOneLine(t, c, "no space left on device")
	}
}

// A disk that fills up, or is read-only, is said in a line and leaves no part of a file.
func TestFullDisk(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "small")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted here: %v: %s", err, out)
	}
	defer exec.Command("umount", folder).Run()
	if err := os.WriteFile(filepath.Join(folder, "most"), make([]byte, 16<<10), 0o666); err != nil {
		t.Fatal(err)
	}
	leaves := func(want string) {
		t.Helper()
		for _, args := range append(outputs, []string{"sweep", "fig22-initiation", "--vary", "machine.network.latency=1us,2us", "--out"}) {
			saysOneLine(t, program(t, folder, append(args, "out")...), want)
			if left, err := os.ReadDir(folder); err != nil || len(left) != 1 && args[0] != "sweep" {
				t.Errorf("%v: left %v, %v", args, left, err)
			}
			os.RemoveAll(filepath.Join(folder, "out")) // a sweep keeps its directory
		}
	}
	leaves("no space left on device")
	if out, err := exec.Command("mount", "-o", "remount,ro", folder).CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("%w: %s", err, out))
	}
	leaves("read-only file system")
}
