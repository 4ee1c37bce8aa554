package files

import "testing"

// A title names what settings change: all of five, and the first four of six.
func TestChanged(t *testing.T) {
	five := []string{"a=1", "b=2", "c=3", "d=4", "e=5"}
	for want, settings := range map[string][]string{
		"t (changed: a=1, b=2, c=3, d=4, e=5)":       five,
		"t (changed: a=1, b=2, c=3, d=4 and 2 more)": append(five, "f=6"),
		"t (changed: a=1)":                           five[:1],
	} {
		if got := Changed("t", settings); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
