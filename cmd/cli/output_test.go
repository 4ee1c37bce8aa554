package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

// A trace is compressed if its name says so, and is the same trace.
func TestPackedTrace(t *testing.T) {
	folder := t.TempDir()
	plain, small := filepath.Join(folder, "t.json"), filepath.Join(folder, "t.json.gz")
	for _, file := range []string{plain, small} {
		if _, errs, status := callMain("run", "fig22-initiation", "--no-advice", "--trace", file); status != done {
			t.Fatal(errs)
		}
	}
	want, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	got, err := disk.UnpackAll(bytes.NewReader(packed), 1<<20)
	if err != nil || !bytes.Equal(got, want) || len(packed) >= len(want)/4 {
		t.Errorf("%d bytes packed, %d unpacked, want %d: %v", len(packed), len(got), len(want), err)
	}
}

// Two outputs to one place, under any names, are refused before the run, and so is a name that is empty.
func TestOutputsAreApart(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	writeText(t, "there", "before")
	for link, to := range map[string]string{"link": "there", "dangling": "new", "dir": ".", "again": "dir/dangling"} {
		must.Do(t, os.Symlink(to, link))
	}
	must.Do(t, os.Link("there", "hard"))
	for _, c := range [][2]string{{"there", "there"}, {"there", "link"}, {"hard", "there"}, {"new", "./new"}, {"new", "dangling"}, {"dangling", "again"},
		{"dir/new", folder + "/new"}, {"dir/there", "link"}} {
		_, errs, status := callMain("run", "fig22-initiation", "--no-advice", "--html", c[0], "--trace", c[1])
		want := "overlapsim run: --trace " + c[1] + ": is also the file of --html; give each its own\nSee 'overlapsim help run'.\n"
		if status != wrong || errs != want {
			t.Errorf("%q: status %d, %s, want %s", c, status, errs, want)
		}
	}
	if text, err := os.ReadFile("there"); string(text) != "before" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	for _, args := range [][]string{{"run", "fig22-initiation", "--html", ""}, {"show", "jacquard", "--html="}, {"record", "-o", "", "true"}} {
		if _, errs, status := callMain(args...); status != wrong || !strings.Contains(errs, "must be the name of a file") {
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	}
	if _, errs, status := callMain("show", "jacquard", "--html", "/dev/null"); status != done {
		t.Error(errs)
	}
}

// A file to which a shell sends what is printed is not replaced.
func TestOutputsAreNotPrinted(t *testing.T) {
	folder := t.TempDir()
	for _, redirected := range []string{">out", ">out.txt 2>out"} {
		p := limited.Command(t, "sh", "-c", "overlapsim show jacquard --html ./out "+redirected)
		p.Dir = folder
		if out, err := p.CombinedOutput(); err == nil || p.ProcessState.ExitCode() != wrong {
			t.Errorf("%s: %v, %s", redirected, err, out)
		}
	}
}

// The file behind a link is written, there or not, and keeps its permissions; the link stays.
func TestWrittenThroughLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "secret", "before")
	for _, err := range []error{os.Mkdir("deep", 0o777), os.Chmod("secret", 0o600), os.Symlink("../secret", "deep/link"), os.Symlink("deep", "dir"),
		os.Symlink("new", "dangling")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, file := range map[string]string{"dir/link": "secret", "dangling": "new"} {
		if _, errs, status := callMain("show", "jacquard", "--html", path); status != done {
			t.Fatal(errs)
		}
		link, err := os.Lstat(path)
		if err != nil || link.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s is %v, %v", path, link.Mode(), err)
		}
		if text, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(text, []byte("<!DOCTYPE")) {
			t.Errorf("%s: %.20q, %v", file, text, err)
		}
	}
	if info, err := os.Stat("secret"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
