package main

import "testing"

// What a user gives is checked before anything runs.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		nil, {"stencil", "torus"}, {"stencil", "torus", "512", "8"}, {"stencil", "torus", "many"}, {"stencil", "torus", "100"},
		{"stencil", "torus", "0"}, {"stencils", "torus", "512"}, {"stencil", "hypercube", "512"},
	} {
		if err := run(args); err != errUsage {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// All messages of every pattern arrive on every platform, in as many events as always.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, platform string
		messages          int
		events            uint64
	}{
		{"stencil", "crossbar", 38400, 38799}, {"stencil", "tree", 38400, 39199}, {"stencil", "torus", 38400, 38799},
		{"pencil64", "crossbar", 4096, 4351}, {"pencil64", "tree", 4096, 5583}, {"pencil64", "torus", 4096, 12881},
		{"paced64", "tree", 4096, 8646}, {"bulk64", "torus", 4096, 4133}, {"alltoall", "tree", 4032, 5515},
	} {
		o, err := simulate(c.pattern, c.platform, 64)
		if err != nil || o.messages != c.messages || o.events != c.events {
			t.Errorf("%s on a %s: %d messages in %d events, want %d in %d; %v", c.pattern, c.platform, o.messages, o.events, c.messages,
				c.events, err)
		}
	}
}
