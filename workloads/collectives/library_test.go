package collectives

import "testing"

// Every library chooses an algorithm that serves the group, for every operation, every number of
// ranks and every size.
func TestLibrariesChoose(t *testing.T) {
	for _, name := range Libraries() {
		l := LibraryNamed(name)
		for _, of := range Operations {
			for ranks := 2; ranks < 5000; ranks += 1 + ranks/7 {
				for bytes := int64(1); bytes < 1<<28; bytes *= 3 {
					g := &Group{Ranks: ranks, Bytes: bytes, Levels: []int{1 + ranks%5}, Dims: []int{ranks}}
					a, err := l.Choose(of, g)
					if err != nil || a.Needs != nil && a.Needs(g) != "" {
						t.Fatalf("%s, %s of %d ranks and %d bytes: %v, %v", name, of.Name, ranks, bytes, a, err)
					}
				}
			}
		}
	}
}

// Cases from the libraries' sources.
func TestChoices(t *testing.T) {
	for _, c := range []struct {
		library string
		of      *Operation
		ranks   int
		bytes   int64
		want    *Algorithm
	}{
		{"openmpi-4", Allreduce, 7, 8191, AllreduceDoubling},
		{"openmpi-4", Allreduce, 7, 8192, AllreduceRabenseifner},
		{"openmpi-4", Allreduce, 64, 262143, AllreduceDoubling},
		{"openmpi-4", Allreduce, 256, 4095, AllreduceReduceBroadcast},
		{"openmpi-4", Allreduce, 32, 8, AllreduceDoubling}, // two elements
		{"openmpi-4", Allreduce, 16, 63, AllreduceDoubling},
		{"openmpi-4", Allreduce, 17, 67, AllreduceDoubling},
		{"openmpi-4", Allreduce, 3, 4, AllreduceDoubling},
		{"openmpi-4", Allreduce, 3, 5000, AllreduceRing},
		{"openmpi-4", Allreduce, 16384, 32768, AllreduceLinear}, // 8,192 elements
		{"openmpi-4", Reduce, 2, 4, ReduceLinear},
		{"openmpi-4", Allgather, 64, 64 * 511, AllgatherDoubling},
		{"openmpi-4", Allgather, 65, 65 * 511, AllgatherBruck},
		{"openmpi-4", Allgather, 64, 64 * 512, AllgatherNeighbour},
		{"openmpi-4", Allgather, 65, 65 * 512, AllgatherRing},
		{"openmpi-4", Broadcast, 256, 16384, BroadcastSplitBinary},
		{"openmpi-4", Barrier, 300, 0, BarrierTree},
		{"openmpi-5", Allreduce, 64, 262144, AllreduceRabenseifner}, // a rank on each node
		{"openmpi-libnbc", Allreduce, 8, 65536, AllreduceRing},
		{"openmpi-libnbc-5", Allreduce, 8, 65536, AllreduceRabenseifner},
		{"openmpi-libnbc-5", Allreduce, 8, 65535, AllreduceInTurn},
		{"openmpi-libnbc-5", Reduce, 8, 32, ReduceRabenseifner},
		{"openmpi-libnbc-5", Reduce, 8, 28, ReduceInTurn}, // seven elements
		{"openmpi-libnbc-5", Reduce, 2, 65536, ReducePipeline},
		{"mpich-4", Allreduce, 16, 2048, AllreduceDoubling},
		{"mpich-4", Allreduce, 1500, 4092, AllreduceDoubling},
		{"mpich-4", Broadcast, 24, 12289, BroadcastScatterRing},
		{"mpich-4", Alltoall, 8, 8 * 256, AlltoallBruck},
	} {
		got, err := LibraryNamed(c.library).Choose(c.of, &Group{Ranks: c.ranks, Bytes: c.bytes})
		if err != nil || got != c.want {
			t.Errorf("%s: %s of %d ranks, %d bytes: %v, %v; want %s", c.library, c.of.Name, c.ranks, c.bytes, got, err, c.want.Name)
		}
	}
}

// Open MPI 5 has HAN for what shares nodes evenly, and what is HAN's.
func TestChoicesOfHan(t *testing.T) {
	if name := LibraryNamed("openmpi-5").Nonblocking(); name != "openmpi-libnbc-5" {
		t.Errorf("non-blocking ones are by %s", name)
	}
	for _, c := range []struct {
		of          *Operation
		ranks, node int
		want        string
		segment     int64
	}{
		{Allreduce, 64, 8, "han", 65536}, {Broadcast, 64, 8, "han", 65536}, {Reduce, 64, 8, "han", 65536}, {Barrier, 64, 8, "two-level", 0},
		{Allreduce, 63, 8, "doubling", 0}, {Allreduce, 64, 64, "doubling", 0}, {Alltoall, 64, 8, "bruck", 0},
	} {
		g := &Group{Ranks: c.ranks, Bytes: 100, Levels: []int{c.node}}
		got, err := LibraryNamed("openmpi-5").Choose(c.of, g)
		if err != nil || got.Name != c.want || g.Segment != c.segment {
			t.Errorf("%s of %d ranks, %d on a node: %v, segment %d, %v; want %s, %d", c.of.Name, c.ranks, c.node, got, g.Segment, err,
				c.want, c.segment)
		}
	}
}

// Mistakes in a table are reported with what is wrong.
func TestLibraryMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{base: y}`: "x: base: no library is called y",
		`operations: {scan: {instead: [{of: linear, unless: odd, use: doubling}]}}`: "x: scan: instead: {linear odd doubling}",
		`operations: {dance: {}}`:                                  "x: no operation is called dance",
		`operations: {scan: {rules: [{use: waltz}]}}`:              `x: scan: no algorithm is called "waltz"`,
		`operations: {scan: {rules: [{use: "<8 linear"}]}}`:        `x: scan: "<8 linear": the last choice must have no limit`,
		`operations: {scan: {rules: [{use: "8 linear, linear"}]}}`: `x: scan: "8" must be a limit such as <8192 or <=8192`,
	} {
		if _, err := readLibrary("x", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
