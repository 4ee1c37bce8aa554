package dumpi

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/traces"
)

// listing writes a record as the decoded listings of the samples do, without its status.
func listing(r *rawCall) (row []string) {
	var arguments []string
	for _, v := range r.Values {
		switch v.Form {
		case formStatuses:
		case formTexts:
			arguments = append(arguments, v.Name+"=['"+strings.Join(v.Texts, "', '")+"']")
		default:
			arguments = append(arguments, fmt.Sprint(v.Name, "=", v.Number))
		}
	}
	second := func(t sim.Time) string { return strconv.FormatFloat(t.Seconds(), 'f', 6, 64) }
	return []string{fmt.Sprint(r.Offset), r.Function.Name, second(r.Wall[0]), second(r.Wall[1]), strings.Join(arguments, " ")}
}

// The samples decode to the listings next to them, to the last call.
func TestListings(t *testing.T) {
	for _, name := range []string{"testtrace-0000", "testtrace-0001", "testtrace-0002"} {
		file := must.Get(os.Open(filepath.Join("testdata", name+".decoded.csv")))(t)
		defer file.Close()
		want := must.Get(csv.NewReader(file).ReadAll())(t)
		f := must.Get(openFrame(filepath.Join("testdata", name+".bin")))(t)
		in, row := newReader(f), 1
		var r rawCall
		for ; in.next(&r) == nil; row++ {
			if got := listing(&r); row >= len(want) || !reflect.DeepEqual(got, want[row]) {
				t.Errorf("%s: call %d:\n got %q\nwant %q", name, row, got, want[row])
			}
		}
		if err := in.next(&r); err != io.EOF || row != len(want) {
			t.Errorf("%s: %d calls, want %d; error %v", name, row-1, len(want)-1, err)
		}
	}
}

// ring returns the metafile of the sample, whose fourth rank is missing: it is made of the
// third one, by its rank and the ranks that it sends to and receives from.
func ring(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	for rank := range 3 {
		stored(t, folder, fmt.Sprintf("testtrace-%04d.bin", rank), nil)
	}
	text := must.Get(os.ReadFile("testdata/testtrace-0002.bin"))(t)
	for offset, was := range map[int]byte{92: 2, 197: 3, 246: 1} {
		if text[offset] != was {
			t.Fatalf("the byte at %d is %d", offset, text[offset])
		}
		text[offset] = byte((int(was) + 1) % 4)
	}
	stored(t, folder, "testtrace-0003.bin", text)
	stored(t, folder, "testtrace.meta", nil)
	return filepath.Join(folder, "testtrace.meta")
}

// stored writes a file into a folder; nil: as it is in testdata.
func stored(t testing.TB, folder, name string, text []byte) {
	t.Helper()
	if text == nil {
		var err error
		if text, err = os.ReadFile(filepath.Join("testdata", name)); err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, name), text, 0o666))
}

// calls returns all calls of a rank, as text.
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

// What rank 1 of the sample does, with the times of its listing.
func TestRing(t *testing.T) {
	of := must.Get(traces.Open(ring(t), traces.Reading{}))(t)
	if h := of.Header(); h.Ranks != 4 || !h.Timed || len(h.Comms) != 1 || len(h.Missing) > 0 {
		t.Errorf("header %+v", h)
	}
	us := func(n int) sim.Time { return sim.Time(n) * sim.Microsecond }
	want := []struct {
		kind         traces.CallKind
		peer         int32
		before, took sim.Time // to the microsecond of the listing
	}{
		{traces.Barrier, 0, us(739594 - 739563), us(140)}, {traces.Isend, 2, us(10), us(11)}, {traces.Recv, 0, us(7), us(11)},
		{traces.Wait, 0, us(9), us(9)}, {traces.Allreduce, 0, us(19), us(185)}, {traces.End, 0, us(7), 0},
	}
	got := calls(t, of, 1)
	if len(got) != len(want) {
		t.Fatalf("%d calls, want %d", len(got), len(want))
	}
	near := func(a, b sim.Time) bool { return max(a-b, b-a) <= us(2) }
	for i, w := range want {
		if g := got[i]; g.Kind != w.kind || g.Peer != w.peer || !near(g.Before, w.before) || !near(g.Took, w.took) {
			t.Errorf("call %d is %+v, want %+v", i, g, w)
		}
	}
	if s := got[1]; s.Bytes != 4 || s.Tag != 1337 || s.Request != 0 || !reflect.DeepEqual(got[3].Requests, []int32{0}) || got[4].Bytes != 4 {
		t.Errorf("%+v", got)
	}
}

// As one file the trace has the same calls.
func TestWhole(t *testing.T) {
	path := ring(t)
	of := must.Get(traces.Open(path, traces.Reading{}))(t)
	all := must.Get(traces.Whole(path))(t)
	stored(t, filepath.Dir(path), "whole", all)
	other := must.Get(traces.Open(filepath.Join(filepath.Dir(path), "whole"), traces.Reading{}))(t)
	for rank := range 4 {
		a, b := calls(t, of, rank), calls(t, other, rank)
		for i := range b {
			if b[i].Kind != traces.Isend { // others start no request
				b[i].Request = traces.NoRequest
			}
		}
		if a, b := fmt.Sprint(a), fmt.Sprint(b); a != b {
			t.Errorf("rank %d:\n%s\n%s", rank, a, b)
		}
	}
}
