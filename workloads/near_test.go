package workloads

import (
	"slices"
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/workloads/collectives"
)

// Other algorithms are all that there are, each once, the one that a library takes for that many ranks and bytes before what no library
// takes, and the one that the run has last.
func TestNearAlgorithms(t *testing.T) {
	for _, c := range []struct {
		operation, algorithm string
		bytes                int64
		first, last          string
	}{
		{"broadcast", auto, 64, "knomial", "binomial"}, // mpich-4 takes binomial
		{"broadcast", "chain", 64, "knomial", ""},
		{"allgather", auto, 8 << 20, "linear", "ring"},
	} {
		w := &oneCollective{Operation: c.operation, Repeat: 1, collectiveKeys: collectiveKeys{Algorithm: c.algorithm, Bytes: c.bytes}}
		near, names := w.Near("algorithm", &machines.Machine{Processes: 1}, 64), collectives.Named(c.operation).Names()
		t.Log(c.operation, near)
		sorted, want := slices.Sorted(slices.Values(near)), slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(names), func(n string) bool {
			return n == c.algorithm
		})))
		if !slices.Equal(sorted, want) {
			t.Errorf("%+v: %v, want all of %v", c, near, want)
		}
		if at := slices.Index(near, c.first); at > 1 || c.algorithm == auto && near[len(near)-1] != c.last {
			t.Errorf("%+v: %v", c, near)
		}
	}
}
