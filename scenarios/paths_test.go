package scenarios

import "testing"

// Every path that is offered is one that --set knows.
func TestChoicesAreKnown(t *testing.T) {
	choices := Choices("ft-pencils")
	if len(choices) < 150 {
		t.Errorf("only %d paths", len(choices))
	}
	for _, c := range choices {
		var problems Problems
		load("test.yaml", []byte(good), []string{c.Path + "=x"}, &problems)
		for _, p := range problems {
			if p.Kind == UnknownKey {
				t.Errorf("%s: %s", c.Path, p.Message)
			}
		}
	}
}
