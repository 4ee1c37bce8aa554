// Package must is for tests: a value that has to be there, or the end of the test.
package must

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

// Test is a test, a benchmark, or a test of random cases.
type Test interface {
	Helper()
	Fatal(args ...any)
}
