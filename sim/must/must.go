// Package must is for tests: a value that has to be there, or the end of the test. Tests that import it collect garbage later.
package must

import (
	"runtime/debug"
	"strings"
	"testing"
)

// Runs of tests have so small a heap that the garbage collector would take a good part of their time.
func init() { debug.SetGCPercent(800) }

// Get returns a function that gives a value to a test, or ends the test if there is an error:
//
//	m := must.Get(files.LoadMachine("jacquard"))(t)
func Get[T any](value T, err error) func(t Test) T {
	return func(t Test) T {
		t.Helper()
		Do(t, err)
		return value
	}
}

// Do ends the test if there is an error.
func Do(t Test, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Refuse is an error of a test if there is no error, or one that does not say what it should:
//
//	must.Refuse(files.LoadMachine("jaquard"))(t, "did you mean jacquard?")
func Refuse[T any](_ T, err error) func(t Test, want string) {
	return func(t Test, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// Long skips a test that takes a second or more where -short asks for it.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
}

// Test is a test, a benchmark, or a test of random cases.
type Test interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}
