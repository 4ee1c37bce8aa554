package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

// freshly are commands of a machine on which nothing is set up, in this order.
var freshly = []string{
	"run halo-libraries --run 'Open MPI 4.1'", "run own.yaml --html 'a report.html' --trace t.json.gz --figure f.pdf",
	"show jacquard --html machine.html", "sweep own.yaml --vary machine.network.latency=1us,2us --out 'a sweep'",
	"export own.yaml --goal own.goal", "replay own.goal", "compare own.yaml fig22-initiation", "gradient own.yaml --html g.html",
	"record --source", "help run",
}

// The commands say and write the same on a machine with nothing: in a folder with spaces in its name, with no environment but PATH, a
// home that cannot be written, another locale, a folder for temporary files of 1 MiB, and no network.
func TestFreshMachine(t *testing.T) {
	must.Long(t)
	usual, fresh := t.TempDir(), filepath.Join(t.TempDir(), "a folder, ünïcode ğüş 'quoted'")
	small := filepath.Join(fresh, "tmp dir")
	must.Do(t, os.MkdirAll(small, 0o777))
	for _, folder := range []string{usual, fresh} {
		writeText(t, filepath.Join(folder, "own.yaml"), "title: Grösse\nmachine: jacquard\nworkload: {name: halo, iterations: 3}\nranks: 8\n")
	}
	script := "set -e\n"
	for _, command := range freshly {
		script += "overlapsim " + command + "\n"
	}
	in := limited.Command(t, "sh", "-c", script)
	in.Dir = usual
	want, err := in.Output()
	if err != nil {
		t.Fatalf("%v, %s", err, want)
	}
	enter := []string{"unshare", "--user", "--map-root-user", "--mount", "--net"}
	probe := limited.Command(t, enter[0], append(enter[1:], "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small)...)
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("no machine with nothing can be made here: %s", out)
	}
	in = limited.Command(t, enter[0], append(enter[1:], "sh", "-c", `mount -t tmpfs -o size=1m tmpfs "$TMPDIR"`+"\n"+script)...)
	in.Dir = fresh
	in.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/dev/null/home", "TMPDIR=" + small, "LC_ALL=tr_TR.UTF-8", "LANG=de_DE.UTF-8",
		"COLUMNS=" + os.Getenv("COLUMNS")}
	var said bytes.Buffer
	in.Stderr = &said
	got, err := in.Output()
	if err != nil || said.Len() > 0 || !bytes.Equal(got, want) {
		t.Fatalf("%v, %s\nsays\n%s\nwant\n%s", err, &said, got, want)
	}
	for _, name := range []string{"a report.html", "t.json.gz", "f.pdf", "machine.html", "own.goal", "g.html", "a sweep/results.csv"} {
		want := must.Get(os.ReadFile(filepath.Join(usual, name)))(t)
		if got, err := os.ReadFile(filepath.Join(fresh, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, want %d: %v", name, len(got), len(want), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(strings.ReplaceAll(fresh, "'", "?"), ".overlapsim-*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}
