package experiments

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
	"overlapsim/workloads"
)

// A path is one file; a pattern all files that fit, in the order of their numbers; a folder those that begin as they should. Too
// many, none, and one that cannot be read are errors.
func TestOpenTraces(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"r10.et": "yes", "r9.et": "yes", "c.txt": "no"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	base := func(name string) (string, error) { return filepath.Base(name), nil }
	begins := func(begin []byte) bool { return string(begin) == "yes" }
	for pattern, want := range map[string][]string{"*.et": {"r9.et", "r10.et"}, "": {"r9.et", "r10.et"}, "c.txt": {"c.txt"}, "gone": {"gone"}} {
		got, err := OpenTraces(filepath.Join(dir, pattern), 2, begins, base)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", pattern, got, err, want)
		}
	}
	for pattern, want := range map[string]string{"*": "are 3 files, the most is 2", "*.gz": "no file is called"} {
		must.Refuse(OpenTraces(filepath.Join(dir, pattern), 2, begins, base))(t, want)
	}
	fails := errors.New("broken")
	if _, err := OpenTraces(filepath.Join(dir, "*.et"), 2, begins, func(string) (int, error) { return 0, fails }); err != fails {
		t.Error(err)
	}
}

// Factors are 0 to 1000; each one that is not is an error at its key.
func TestWrongFactors(t *testing.T) {
	if wrong := WrongFactors(Factor{"compute", 0}, Factor{"host", 1000}); wrong != nil {
		t.Error(wrong)
	}
	wrong := WrongFactors(Factor{"compute", -1}, Factor{"host", 1001}, Factor{"pauses", math.NaN()})
	for i, key := range []string{"compute", "host", "pauses"} {
		var at *workloads.KeyError
		if len(wrong) != 3 || !errors.As(wrong[i], &at) || at.Key != key {
			t.Fatalf("%v, want three errors, that %d at %s", wrong, i, key)
		}
	}
}

// A run can take 53 days at most, with a margin of four times.
func TestTooLong(t *testing.T) {
	if err := TooLong(1); err != nil {
		t.Error(err)
	}
	if err := TooLong(1e9); err == nil || !strings.Contains(err.Error(), "1e+09 s, longer than a run can") {
		t.Error(err)
	}
}
