package collectives

import (
	"testing"

	"overlapsim/nodes/programs"
)

// BenchmarkRounds asks for all steps of all members. The numbers of operations are exact.
func BenchmarkRounds(b *testing.B) {
	for _, c := range []struct {
		by         *Algorithm
		operations int
	}{
		{BarrierDissemination, 1536}, {AllreduceDoubling, 1536}, {AllreduceRabenseifner, 3072}, {AllreduceHierarchical, 544},
		{AlltoallLinear, 16128},
	} {
		b.Run(c.by.Of.Name+"/"+c.by.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n := operations(c.by, &Group{Ranks: 64, Bytes: 1 << 20, Levels: []int{8, 4}}); n != c.operations {
					b.Fatalf("%d operations, want %d", n, c.operations)
				}
			}
		})
	}
}

// operations counts the operations of all members.
func operations(a *Algorithm, g *Group) (n int) {
	var do programs.Ops
	for g.Me = range g.Ranks {
		for round := range a.Rounds(g) {
			do.Reset()
			a.Do(g, round, &do)
			n += len(do.List())
		}
	}
	return n
}
