package nodes

import (
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// The error of a run that cannot end says who waits for what.
func TestUnfinished(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  [][]programs.Op
		want []string
	}{
		{"a cycle of receives",
			[][]programs.Op{{irecv(1, 7, 0), wait(0)}, {irecv(2, 8, 0), wait(0)}, {irecv(0, 9, 0), wait(0)}},
			[]string{"deadlock: rank 0 waits for a message with tag 7 from rank 1, which waits for a message with tag 8 from rank 2, which waits for a message with tag 9 from rank 0: a cycle"}},
		{"a cycle that the first rank is not in",
			[][]programs.Op{{irecv(1, 7, 0), wait(0)}, {irecv(2, 8, 0), wait(0)}, {irecv(1, 9, 0), wait(0)}},
			[]string{"rank 0 waits for a message with tag 7 from rank 1, which", "tag 9 from rank 1: a cycle"}},
		{"two rendezvous",
			[][]programs.Op{{isend(1, 100, 3, 0), wait(0)}, {isend(0, 100, 4, 0), wait(0)}},
			[]string{"rank 0 waits for its message with tag 3 to be received by rank 1, which waits for its message with tag 4 to be " +
				"received by rank 0: a cycle"}},
		{"a rank that has ended",
			[][]programs.Op{{irecv(1, 7, 0), wait(0)}, {}},
			[]string{"rank 0 waits for a message with tag 7 from rank 1, which has ended"}},
		{"any source",
			[][]programs.Op{{irecv(programs.AnySource, programs.AnyTag, 0), wait(0)}, {}},
			[]string{"rank 0 waits for a message with any tag from any rank"}},
		{"a wrong tag",
			[][]programs.Op{{irecv(1, 7, 0), wait(0)}, {isend(0, 1, 8, 0)}},
			[]string{"rank 0 waits for a message with tag 7 from rank 1, which has ended"}},
		{"a barrier",
			[][]programs.Op{{barrierOp()}, {irecv(2, programs.AnyTag, 0), wait(0)}, {barrierOp()}},
			[]string{"rank 0 waits in a barrier that 2 of 3 ranks have come to"}},
		{"somebody who waits for a barrier",
			[][]programs.Op{{irecv(1, programs.AnyTag, 0), wait(0)}, {barrierOp()}},
			[]string{"rank 0 waits for a message with any tag from rank 1, which waits in a barrier that 1 of 2 ranks have come to"}},
		{"a receive of a signal, after a get",
			[][]programs.Op{{get(1, 5, 1), wait(1), irecv(1, 7, 0), wait(0)}, {signal(0, 1, 8, 0), wait(0)}},
			[]string{"rank 0 waits for a message with tag 7 from rank 1, which has ended"}},
		{"a signal that nobody receives",
			[][]programs.Op{{signal(1, 1, 5, 0), wait(0)}, {}},
			[]string{"rank 1 never receives the message with tag 5 from rank 0"}},
		{"a message that nobody receives",
			[][]programs.Op{{isend(1, 1, 5, 0), isend(1, 1, 6, 0)}, {}},
			[]string{"rank 1 never receives the message with tag 5 from rank 0", "1 more"}},
		{"a receive that no message comes for",
			[][]programs.Op{{irecv(1, 5, 0)}, {}},
			[]string{"rank 0 posts a receive of a message with tag 5 from rank 1 that no message comes for"}},
		{"a receive of anything",
			[][]programs.Op{{irecv(programs.AnySource, programs.AnyTag, 0)}, {}},
			[]string{"rank 0 posts a receive of a message with any tag from any rank that no message comes for"}},
	} {
		m := &machines.Machine{Name: "m", Cores: 1, Processes: 1, Network: network.LogGOPS{Rendezvous: 10}}
		_, err := Run(m, &script{1, c.ops, 1}, 1, Options{})
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		if strings.Contains(err.Error(), " 0 more") {
			t.Errorf("%s: %s", c.name, err)
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s:\n got %s\nwant %s", c.name, err, want)
			}
		}
	}
}
