package keys

import (
	"testing"

	"overlapsim/scenarios/limited"
)

// A shell reads a quoted text as that text, regardless of what it contains.
func TestForShell(t *testing.T) {
	for text, want := range map[string]string{
		"machine.network.bandwidth=x2": "machine.network.bandwidth=x2",
		"":                             "''",
		"fabric={kind: flow}":          "'fabric={kind: flow}'",
		"it's":                         `'it'\''s'`,
		"$(touch pwned)":               "'$(touch pwned)'",
		"`touch pwned`;&|<>*?~#!\n\\":  "'`touch pwned`;&|<>*?~#!\n\\'",
		`"a"`:                          `'"a"'`,
	} {
		if got := ForShell(text); got != want {
			t.Errorf("%q is quoted as %s, want %s", text, got, want)
		}
		out, err := limited.Command(t, "sh", "-c", "printf %s "+ForShell(text)).Output()
		if err != nil || string(out) != text {
			t.Errorf("a shell reads %s as %q, %v", ForShell(text), out, err)
		}
	}
}
