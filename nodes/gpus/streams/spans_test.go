package streams

import (
	"testing"

	"pgregory.net/rapid"
)

// The spans of a stream follow each other without gap, and are its ledger. Recording them changes nothing.
func TestSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		plain, err := Run(g)
		if err != nil || len(g.Ops) == 0 || plain.Makespan == 0 {
			return
		}
		g.Record = true
		r, err := Run(g)
		if err != nil || r.Makespan != plain.Makespan || plain.Spans != nil {
			t.Fatalf("%v; %v with spans, %v without", err, r.Makespan, plain.Makespan)
		}
		for d := range r.Spans {
			for s, spans := range r.Spans[d] {
				sums := make([]Ledger, len(r.Ledgers[d][s]))
				at := spans[0].Start
				for _, x := range spans {
					if x.Start != at || x.End <= x.Start {
						t.Fatalf("span from %v to %v after %v", x.Start, x.End, at)
					}
					at = x.End
					sums[x.Kind][x.Term] += x.End - x.Start
				}
				if at != r.Makespan || spans[0].Start != 0 {
					t.Fatalf("spans from %v to %v of %v", spans[0].Start, at, r.Makespan)
				}
				for kind, l := range r.Ledgers[d][s] {
					if sums[kind] != l {
						t.Fatalf("kind %d: %v, the ledger has %v", kind, sums[kind], l)
					}
				}
			}
		}
	})
}
