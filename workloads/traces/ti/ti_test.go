package ti

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/traces"
)

// rate makes a flop a nanosecond.
const rate = 1e9

// calls returns all calls of a rank.
func calls(t testing.TB, of traces.Trace, rank int) (all []traces.Call) {
	t.Helper()
	s := of.Calls(rank)
	for {
		var c traces.Call
		switch err := s.Next(&c); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all = append(all, c)
	}
}

// opened opens a file of testdata.
func opened(t testing.TB, name string) traces.Trace {
	t.Helper()
	return must.Get(traces.Open(filepath.Join("testdata", name), traces.Reading{FlopRate: rate}))(t)
}

// call is a call without messages, for tables.
func call(kind traces.CallKind, change func(c *traces.Call)) traces.Call {
	c := traces.Call{Kind: kind, Request: traces.NoRequest}
	change(&c)
	return c
}

func before(t sim.Time) func(c *traces.Call) { return func(c *traces.Call) { c.Before = t } }

// The ring: float elements around a computation. What rank 1 does, call by call.
func TestRing(t *testing.T) {
	of := opened(t, "ring_overlap_4ranks.txt")
	if h := of.Header(); h.Ranks != 4 || h.Format != "ti" || h.Timed || len(h.Comms) != 1 {
		t.Errorf("header %+v", h)
	}
	want := []traces.Call{
		call(traces.Irecv, func(c *traces.Call) {
			c.Peer, c.Tag, c.Bytes, c.Request, c.Before = 0, 7, 1_000_000, 0, 2*sim.Second
		}),
		call(traces.Isend, func(c *traces.Call) { c.Peer, c.Tag, c.Bytes, c.Request = 2, 7, 1_000_000, 1 }),
		call(traces.Wait, func(c *traces.Call) { c.Requests, c.Before = []int32{0}, sim.Second }),
		call(traces.Wait, func(c *traces.Call) { c.Requests = []int32{1} }),
		call(traces.Allreduce, func(c *traces.Call) { c.Bytes = 4 * 262144 }),
		call(traces.Barrier, before(262144*sim.Nanosecond)),
		call(traces.End, before(0)),
	}
	same(t, calls(t, of, 1), want)
}

// The mixed trace: types are double, as init has an argument. What rank 1 does.
func TestMixed(t *testing.T) {
	want := []traces.Call{
		call(traces.Irecv, func(c *traces.Call) { c.Peer, c.Tag, c.Bytes, c.Request = 0, 3, 8*4096, 0 }),
		call(traces.Test, func(c *traces.Call) { c.Tries, c.Among, c.Before = 1, 1, sim.Second/2 }),
		call(traces.Wait, func(c *traces.Call) { c.Requests = []int32{0} }),
		call(traces.Broadcast, func(c *traces.Call) { c.Bytes = 8000 }),
		call(traces.Reduce, func(c *traces.Call) { c.Bytes, c.Peer = 8000, 1 }),
		call(traces.Alltoall, func(c *traces.Call) { c.Bytes, c.Before = 8000, sim.Microsecond }),
		call(traces.Allgather, func(c *traces.Call) { c.Bytes = 4000 }),
		call(traces.ReduceScatter, func(c *traces.Call) { c.Uneven, c.Bytes, c.Out = true, 3200, []int64{800, 2400} }),
		call(traces.Sendrecv, func(c *traces.Call) { c.Bytes, c.In, c.Before = 160, 80, sim.Millisecond/2 }),
		call(traces.End, before(0)),
	}
	of := opened(t, "mixed_2ranks.txt")
	same(t, calls(t, of, 1), want)
	first := calls(t, of, 0)
	if sent := first[0]; sent.Kind != traces.Send || sent.Bytes != 8*4096 || sent.Before != sim.Second/2 {
		t.Errorf("rank 0 begins with %+v", sent)
	}
	if slept := first[1].Before; slept != sim.Millisecond {
		t.Errorf("rank 0 slept %v", slept)
	}
}

// same compares calls one by one, so that a message shows the first that differs.
func same(t testing.TB, got, want []traces.Call) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		g := got[i]
		if len(g.Requests) == 0 {
			g.Requests = nil
		}
		if !reflect.DeepEqual(g, want[i]) {
			t.Fatalf("call %d:\n got %+v\nwant %+v", i, g, want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d calls, want %d", len(got), len(want))
	}
}

// written writes files into a folder and returns the path of the last.
func written(t testing.TB, files ...string) (path string) {
	t.Helper()
	folder := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path = filepath.Join(folder, files[i])
		must.Do(t, os.WriteFile(path, []byte(files[i+1]), 0o666))
	}
	return path
}

// split returns the lines of each rank.
func split(text string, ranks int) (of []string) {
	of = make([]string, ranks)
	for line := range strings.Lines(text) {
		for rank := range of {
			if strings.HasPrefix(line, fmt.Sprint(rank, " ")) {
				of[rank] += line
			}
		}
	}
	return of
}

// A trace gives the same calls whether its lines are in one file, rank by rank or mixed, or in
// files of ranks, with blanks, comments, empty lines and ends of lines of any kind.
func TestSameInAnyFiles(t *testing.T) {
	for name, ranks := range map[string]int{"ring_overlap_4ranks.txt": 4, "mixed_2ranks.txt": 2} {
		text := must.Get(os.ReadFile(filepath.Join("testdata", name)))(t)
		want := opened(t, name)
		parts := split(string(text), ranks)
		files, list := []string{}, "# a list\n\n"
		for rank, part := range parts {
			files = append(files, fmt.Sprint("rank", rank), part)
			list += fmt.Sprintf("  rank%d\n", rank)
		}
		for _, path := range []string{
			written(t, append(files, "list.txt", list)...),
			written(t, "one", strings.Join(parts, "")),
			written(t, "one", strings.TrimSuffix(strings.Join(parts, ""), "\n")),
			written(t, "one", "# SimGrid\n\n"+strings.ReplaceAll(strings.ReplaceAll(string(text), "\n", "\r\n\r\n# c\n"), " ", "\t  ")),
		} {
			got := must.Get(traces.Open(path, traces.Reading{FlopRate: rate}))(t)
			for rank := range ranks {
				same(t, calls(t, got, rank), clean(calls(t, want, rank)))
			}
			if all, err := traces.Whole(path); err != nil || (all == nil) == strings.HasSuffix(path, "list.txt") {
				t.Errorf("%s: %d bytes as one file, error %v", path, len(all), err)
			} else if all != nil && !reflect.DeepEqual(split(string(all), ranks), parts) {
				t.Errorf("as one file:\n%s", all)
			}
		}
	}
}

func clean(all []traces.Call) []traces.Call {
	for i := range all {
		if all[i].Requests = slices.Clone(all[i].Requests); len(all[i].Requests) == 0 {
			all[i].Requests = nil
		}
	}
	return all
}
