package keys

import (
	"testing"
)

// A word sets the number of its place, or a flag, and the value is written as that word; other
// words are refused.
func TestChoice(t *testing.T) {
	type speed uint8
	var of speed
	var own bool
	for _, test := range []struct {
		row  Row
		text string
		is   func() bool
	}{
		{Row{To: OneOf(&of), Choices: []string{"slow", "usual", "fast"}}, "fast", func() bool { return of == 2 }},
		{Row{To: OneOf(&own), Choices: []string{"one", "own"}}, "own", func() bool { return own }},
	} {
		if got, want := test.row.Default(), test.row.Choices[0]; got != want || test.is() {
			t.Errorf("before: %s, want %s", got, want)
		}
		restore := Table{test.row}.KeepBeside(new(int))
		if err := test.row.Read("other"); err == nil || test.is() {
			t.Errorf("other: %v", err)
		}
		if err := test.row.Read(test.text); err != nil || !test.is() || test.row.Default() != test.text {
			t.Errorf("%s: %v, %s", test.text, err, test.row.Default())
		}
		if restore(); test.is() {
			t.Errorf("%s is kept", test.text)
		}
	}
}
