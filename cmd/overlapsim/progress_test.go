package main

import (
	"testing"
	"time"

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

// A step that takes long says for how long; one of a single run is quiet until
// then.
func TestProgressText(t *testing.T) {
	for _, c := range []struct {
		total int
		since time.Duration
		want  string
	}{
		{1, 0, ""}, {1, 12 * time.Second, "ft, 12 s"}, {6, 0, "[2/6] ft"}, {6, 3 * time.Second, "[2/6] ft, 3 s"},
	} {
		p := &progress{done: 2, total: c.total, name: "ft"}
		if got := p.text(c.since); got != c.want {
			t.Errorf("%d, %v: %q, want %q", c.total, c.since, got, c.want)
		}
	}
}
