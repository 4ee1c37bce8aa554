package files

import (
	"testing"

	"overlapsim/scenarios/keys"
)

// --set accepts every path that is offered.
func TestChoicesAreKnown(t *testing.T) {
	choices := Choices("ft-pencils")
	if len(choices) < 150 {
		t.Errorf("only %d paths", len(choices))
	}
	for _, c := range choices {
		_, err := Read("test.yaml", []byte(good), []string{c.Path + "=x"})
		problems, _ := err.(keys.Problems)
		for _, p := range problems {
			if p.Kind == keys.UnknownKey {
				t.Errorf("%s: %s", c.Path, p.Message)
			}
		}
	}
}
