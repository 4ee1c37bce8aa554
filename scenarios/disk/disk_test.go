package disk

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// listed returns the names in a folder.
func listed(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries := must.Get(os.ReadDir(folder))(t)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func root(t *testing.T, folder string) *os.Root {
	t.Helper()
	r := must.Get(os.OpenRoot(folder))(t)
	t.Cleanup(func() { r.Close() })
	return r
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, strings.Repeat("n", 255)) // the longest name that there is
	for _, want := range []string{"one", "two"} {
		must.Do(t, Write(path, text(want)))
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	broken := errors.New("broken")
	if err := Write(path, func(w io.Writer) error { return broken }); err != broken {
		t.Errorf("error %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "two" || len(listed(t, folder)) != 1 {
		t.Errorf("after an error: %q, files %v", got, listed(t, folder))
	}
}

// What replaces a file has the same permissions, and is readable by no one else before.
func TestPermissionsStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for mode := fs.FileMode(0); mode < 0o1000; mode += 5 {
		os.WriteFile(path, nil, 0o600)
		must.Do(t, os.Chmod(path, mode))
		err := Write(path, func(w io.Writer) error {
			for _, name := range listed(t, filepath.Dir(path)) {
				if info, err := os.Stat(filepath.Join(filepath.Dir(path), name)); name != "file" && (err != nil || info.Mode().Perm() != 0o600) {
					t.Errorf("mode %o: meanwhile %v, %v", mode, info.Mode(), err)
				}
			}
			return nil
		})
		if info, _ := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Fatalf("mode %o becomes %o, error %v", mode, info.Mode().Perm(), err)
		}
	}
}

// What a user has named stays, and what another user's process left.
func TestOnlyItsOwn(t *testing.T) {
	all := t.TempDir()
	t.Setenv("TMPDIR", all)
	inside := filepath.Join(all, "own")
	must.Do(t, os.Mkdir(inside, 0o777))
	left := unfinished.name(7)
	for _, name := range []string{".overlapsim-notes", ".overlapsim-", ".overlapsim-killed-1-2", left + "0", left[:len(left)-1], "x" + left,
		strings.ToUpper(left), strings.Replace(left, "-7-", "-8-", 1), string(scratches) + left[len(unfinished):]} {
		for _, path := range []string{filepath.Join(all, name), filepath.Join(inside, name)} {
			must.Do(t, os.WriteFile(path, []byte("mine"), 0o666))
		}
	}
	for _, name := range []string{"overlapsim-scratch-mine", "overlapsim-scratch-", left, scratches.name(1) + "~"} {
		must.Do(t, os.MkdirAll(filepath.Join(all, name, "deep"), 0o777))
	}
	link := filepath.Join(all, scratches.name(2))
	must.Do(t, os.Symlink(inside, link))
	other := filepath.Join(inside, unfinished.name(3))
	must.Do(t, os.WriteFile(other, nil, 0o600))
	if os.Chown(other, 12345, 12345) != nil { // only root can give it to another user
		os.Remove(other)
	}
	before := [2][]string{listed(t, all), listed(t, inside)}
	must.Do(t, errors.Join(Scratch(func(*os.Root) error { return nil }), Write(filepath.Join(inside, "out"), text("x"))))
	os.Remove(filepath.Join(inside, "out"))
	if after := [2][]string{listed(t, all), listed(t, inside)}; !reflect.DeepEqual(after, before) {
		t.Errorf("%v, want %v", after, before)
	}
}

func TestCreateIn(t *testing.T) {
	folder := t.TempDir()
	must.Do(t, CreateIn(root(t, folder), "plan", []byte("one")))
	if err := CreateIn(root(t, folder), "plan", []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want that it exists", err)
	}
	if got, _ := os.ReadFile(filepath.Join(folder, "plan")); string(got) != "one" || len(listed(t, folder)) != 1 {
		t.Errorf("%q, files %v", got, listed(t, folder))
	}
}

// No name and no link leads out of a root.
func TestRootHolds(t *testing.T) {
	outer := t.TempDir()
	inner := filepath.Join(outer, "sweep")
	must.Do(t, os.Mkdir(inner, 0o777))
	must.Do(t, os.Symlink("..", filepath.Join(inner, "results")))
	for _, name := range []string{"../pwned", filepath.Join(outer, "pwned"), "results/pwned"} {
		if err := StoreIn(root(t, inner), name, []byte("x")); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if names := listed(t, outer); len(names) != 1 {
		t.Errorf("outside: %v", names)
	}
}

// holder is a process that begins a file and never finishes it.
func holder(t *testing.T, folder string, more ...string) *exec.Cmd {
	t.Helper()
	c := limited.Command(t, os.Args[0], "-test.run=TestHelperHolds")
	c.Env = append(os.Environ(), append(more, "HOLD="+folder)...)
	out := must.Get(c.StdoutPipe())(t)
	must.Do(t, c.Start())
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	begun := make([]byte, 1)
	must.Get(out.Read(begun))(t)
	return c
}

func TestHelperHolds(t *testing.T) {
	folder := os.Getenv("HOLD")
	if folder == "" {
		return
	}
	Write(filepath.Join(folder, "file"), func(w io.Writer) error {
		os.Stdout.WriteString("!")
		if os.Getenv("ABANDON") != "" {
			go Abandon()
			Abandon()
			os.Exit(0)
		}
		time.Sleep(time.Hour) // a process whose goroutines all sleep for ever would end
		return nil
	})
}

// The next process removes the files of a killed process, but not those that a living one writes.
func TestTidy(t *testing.T) {
	folder := t.TempDir()
	one, two := holder(t, folder), holder(t, folder)
	if n := len(listed(t, folder)); n != 2 {
		t.Fatalf("%d files of two living processes", n)
	}
	one.Process.Kill()
	one.Wait()
	Tidy(root(t, folder), ".")
	if n := len(listed(t, folder)); n != 1 {
		t.Fatalf("%d files, one process lives", n)
	}
	two.Process.Kill()
	two.Wait()
	must.Do(t, Write(filepath.Join(folder, "other"), text("x")))
	if names := listed(t, folder); len(names) != 1 || names[0] != "other" {
		t.Errorf("files %v", names)
	}
}

// Two who are told to end may both remove the files, and neither waits for the other for ever.
func TestAbandonTwice(t *testing.T) {
	folder := t.TempDir()
	if err := holder(t, folder, "ABANDON=yes").Wait(); err != nil || len(listed(t, folder)) != 0 {
		t.Errorf("error %v, files %v", err, listed(t, folder))
	}
}

func TestScratch(t *testing.T) {
	all := t.TempDir()
	t.Setenv("TMPDIR", all)
	left := filepath.Join(all, scratches.name(0))
	must.Do(t, os.MkdirAll(filepath.Join(left, "deep"), 0o777))
	err := Scratch(func(r *os.Root) error {
		if names := listed(t, all); len(names) != 1 || names[0] == filepath.Base(left) {
			t.Errorf("folders %v", names)
		}
		return Scratch(func(*os.Root) error { return StoreIn(r, "file", nil) }) // removes no folder in use
	})
	if err != nil || len(listed(t, all)) != 0 {
		t.Errorf("error %v, left %v", err, listed(t, all))
	}
}

func TestReadAll(t *testing.T) {
	if got, err := readAll(strings.NewReader("abc"), 3); err != nil || !bytes.Equal(got, []byte("abc")) {
		t.Errorf("%q, %v", got, err)
	}
	var large *TooLarge
	if _, err := Read("/dev/zero", 1<<20); !errors.As(err, &large) {
		t.Errorf("/dev/zero: %v", err)
	}
}

// Files for data that do not fit into memory are in one folder, which is removed with them, also
// after a killed process.
func TestSpills(t *testing.T) {
	all := t.TempDir()
	t.Setenv("TMPDIR", all)
	must.Do(t, os.Mkdir(filepath.Join(all, scratches.name(0)), 0o777))
	var s Spills
	for range 2 {
		f := must.Get(s.New())(t)
		if _, err := f.WriteAt([]byte("x"), 5); err != nil {
			t.Error(err)
		}
		if info, err := f.Stat(); err != nil || info.Size() != 6 {
			t.Errorf("%v, %v", info, err)
		}
	}
	if names := listed(t, all); len(names) != 1 || len(listed(t, filepath.Join(all, names[0]))) != 2 {
		t.Errorf("folders %v", names)
	}
	s.Close()
	if names := listed(t, all); len(names) != 0 {
		t.Errorf("left %v", names)
	}
	t.Setenv("TMPDIR", filepath.Join(all, "none"))
	if _, err := s.New(); err == nil {
		t.Error("a file in a folder that does not exist")
	}
}
