package main

import (
	"testing"

	"overlapsim/scenarios/sweep"
)

// The bar is as full as the sweep is done, and never more.
func TestBar(t *testing.T) {
	for _, c := range []struct {
		done, total int
		want        string
	}{
		{0, 3, "[--------------------] 0/3"},
		{1, 3, "[######--------------] 1/3"},
		{999, 1000, "[###################-] 999/1000"},
		{3, 3, "[####################] 3/3"},
	} {
		if got := statusText(sweep.Status{Done: c.done, Total: c.total}); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.done, c.total, got, c.want)
		}
	}
}
