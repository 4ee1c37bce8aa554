package traces

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// rawFile is a rank's file: a receive that got another message than it asked for, one that was
// cancelled, waits for both, and a function that was called three times.
var rawFile = []byte{rawVersion, 0, 1, itemWhere, 2, 'h', 'o',
	byte(Irecv), 0, 0, 4, 0, 6, 1, 1, 10, 0, 0, // from anyone, any tag, 10 bytes, request 0
	byte(Irecv), 0, 0, 0, 0, 0, 1, 1, 10, 0, 2, // request 1
	itemCame, 0, 0, 14, 7, // the first one: from rank 0 with tag 7, 7 bytes
	itemCancelled, 1,
	byte(Wait), 0, 0, 0, 0, 8, 2, 0, 2,
	itemMissing, 3, 1, 'x', itemDone}

func merged(t *testing.T, data []byte) (*Raw, error) {
	t.Helper()
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "rank-0"), data, 0o666))
	return Merge(folder, "./a.out")
}

// FuzzMerge: for any bytes of a rank's file, merging ends with a trace or an error, and what
// is merged can be read.
func FuzzMerge(f *testing.F) {
	f.Add(rawFile)
	f.Add([]byte{rawVersion, 0, 1, byte(Alltoall), 0, 0, 2, 0, 2, 16, 1, 3, 2, 5, 2, 5, itemDone})
	f.Fuzz(func(t *testing.T, data []byte) {
		raw, err := merged(t, data)
		if err != nil {
			return
		}
		if again, err := calls(t, raw, 0); err == nil && int64(len(again)) != raw.ranks[0].calls {
			t.Fatalf("%d calls, first %d", len(again), raw.ranks[0].calls)
		}
	})
}

// Receives say what came, and those that were cancelled receive from no rank.
func TestMergedReceives(t *testing.T) {
	raw := must.Get(merged(t, rawFile))(t)
	all, err := calls(t, raw, 0)
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	if c := all[0]; c.Peer != 0 || c.Tag != 7 || c.Bytes != 7 || c.Before != 2*sim.Nanosecond || c.Took != 3*sim.Nanosecond {
		t.Errorf("the first receive is %+v", c)
	}
	if c := all[1]; c.Peer != Nobody || c.Request != 1 {
		t.Errorf("the cancelled receive is %+v", c)
	}
	if c := all[2]; !slices.Equal(c.Requests, []int32{0, 1}) {
		t.Errorf("the wait is %+v", c)
	}
	if h := raw.Header(); h.Where != "ho" || h.Program != "./a.out" || !slices.Equal(h.Missing, []Count{{"x", 3}}) {
		t.Errorf("the header is %+v", h)
	}
}
