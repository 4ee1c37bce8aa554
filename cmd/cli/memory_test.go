package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// After the first collection memory is collected as usual, regardless of what a run needs: the share of growth
// is then one of what is in use.
func TestCollectAfter(t *testing.T) {
	usual := debug.SetGCPercent(77)
	defer debug.SetGCPercent(usual)
	runtime.GC()
	collectAfter(1e12)
	if got := debug.SetGCPercent(77); got != 77 {
		t.Errorf("the heap may grow by %d %% after a collection, want 77", got)
	}
}
