package streams

import (
	"testing"

	"pgregory.net/rapid"

	"overlapsim/sim"
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

// A piece of the critical path has only the time of its operation: nothing on the path waits
// for an event or another GPU.
func TestPathOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		g.Record = true
		r, err := Run(g)
		if err != nil || r.Makespan == 0 {
			return
		}
		for _, p := range r.Critical() {
			at := p.Start
			for _, x := range r.Of(&p) {
				if x.Start != at || x.Kind != g.Ops[p.Op].Kind || x.Term == EventWait || x.Term == Skew || x.Term == Idle {
					t.Fatalf("a piece of %s from %v to %v has %v from %v to %v", g.Ops[p.Op].Name, p.Start, p.End, x.Term, x.Start, x.End)
				}
				if (x.Term == LaunchWait) != p.Launch {
					t.Fatalf("a piece of %s is a launch: %t, and has %v", g.Ops[p.Op].Name, p.Launch, x.Term)
				}
				at = x.End
			}
			if at != p.End {
				t.Fatalf("a piece of %s from %v to %v is told up to %v", g.Ops[p.Op].Name, p.Start, p.End, at)
			}
		}
	})
}

// Two operations that end at once are a tie for what comes after both, also if one is its stream's.
func TestPathTies(t *testing.T) {
	for second, want := range map[sim.Time]bool{9: false, 10: true} {
		g := &Graph{Devices: []Device{h100()}, Kinds: []string{"all"}, Ops: []Op{{Name: "a", Work: 10}, {Name: "b", Stream: 1, Work: second},
			{Name: "c", After: []int32{0, 1}, Work: 5}}}
		path := run(t, g).Critical()
		if last := path[len(path)-1]; last.Op != 2 || last.Tied != want {
			t.Errorf("beside %v: %+v, want tied %t", second, last, want)
		}
	}
}
