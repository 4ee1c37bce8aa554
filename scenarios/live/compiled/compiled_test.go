package compiled

import (
	"strings"
	"testing"
)

// Without Go, the error says what to do.
func TestNoGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := Missing(); err == nil || !strings.Contains(err.Error(), "take a released program, or install Go") {
		t.Error(err)
	}
	if _, err := compile(); err == nil || !strings.Contains(err.Error(), "take a released program, or install Go") {
		t.Error(err)
	}
}
