package main

import (
	"fmt"
	"testing"
)

// BenchmarkPatterns runs them all. The event counts are exact.
func BenchmarkPatterns(b *testing.B) {
	for _, c := range []struct {
		pattern, platform string
		ranks             int32
		events            uint64
	}{
		{"stencil", "crossbar", 512, 307599}, {"stencil", "crossbar", 1024, 614799},
		{"stencil", "tree", 512, 308299}, {"stencil", "tree", 1024, 615699}, {"stencil", "tree", 4096, 2458899},
		{"stencil", "torus", 512, 307599}, {"stencil", "torus", 1024, 614799},
		{"pencil64", "crossbar", 512, 33023}, {"pencil64", "crossbar", 1024, 65791},
		{"pencil64", "tree", 512, 38449}, {"pencil64", "tree", 1024, 71217},
		{"pencil64", "torus", 512, 125888}, {"pencil64", "torus", 1024, 240244},
		{"paced64", "tree", 512, 66082}, {"paced64", "tree", 1024, 131130},
		{"paced64", "torus", 512, 72358}, {"paced64", "torus", 1024, 142218},
		{"bulk64", "tree", 512, 37460}, {"bulk64", "tree", 1024, 70228},
		{"bulk64", "torus", 512, 38375}, {"bulk64", "torus", 1024, 70830},
		{"alltoall", "crossbar", 1024, 1051643}, {"alltoall", "tree", 1024, 1187725}, {"alltoall", "torus", 1024, 5157405},
	} {
		b.Run(fmt.Sprintf("%s/%s/%d", c.pattern, c.platform, c.ranks), func(b *testing.B) {
			b.ReportAllocs()
			var o outcome
			for range b.N {
				var err error
				if o, err = simulate(c.pattern, c.platform, c.ranks); err != nil || o.events != c.events {
					b.Fatalf("%d events, want %d; %v", o.events, c.events, err)
				}
			}
			b.ReportMetric(1e6*o.end.Seconds(), "simulated-us")
			b.ReportMetric(float64(b.N*o.messages)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
