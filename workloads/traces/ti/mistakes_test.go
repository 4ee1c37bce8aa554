package ti

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"overlapsim/sim/must"
	"overlapsim/workloads/traces"
)

// Mistakes are named with line and column, all at once.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"9 init", `3:1: rank 9 has lines, and rank 2 has none; a trace in files of its ranks is read from a list of their names, a line each`},
		{"0", `3:1: want an action after the rank, such as 0 compute 1e6`},
		{"x barrier", `3:1: must be the rank: a rank, 0 to 1`},
		{"0 jump", `3:3: "jump" is not a known action; want one such as send, irecv, wait, compute or allreduce`},
		{"0 send 2 0 8", `3:8: send "2" must be the destination: a rank, 0 to 1; its arguments are: destination tag count [type]`},
		{"0 send 1 8", `3:11: send ends before its count; its arguments are: destination tag count [type]`},
		{"0 send 1 0 8 25", `3:14: send "25" must be type: a whole number from 0 to 24; its arguments are: destination tag count [type]`},
		{"0 send 1 0 8 6 6", `3:16: send "6" is too much; its arguments are: destination tag count [type]`},
		{"0 isend 1 0 1.5", `3:13: isend "1.5" must be count: a whole number of elements; its arguments are: destination tag count [type]`},
		{"0 send 1 0 1e16 0", `3:12: send "1e16" must be count: a whole number of elements`},
		{"0 recv 1 0 -2", `3:12: recv "-2" must be count: a number that is not negative`},
		{"0 compute nan", `3:11: compute "nan" must be flops: a number that is not negative; its arguments are: flops`},
		{"0 compute -1", `3:11: compute "-1" must be flops: a number that is not negative; its arguments are: flops`},
		{"0 compute 1e300", `3:3: compute: the computation before it takes longer than a run may`},
		{"0 wait 1 0 7", `3:3: wait: no request of rank 0 is open for a message from 1 to 0 with tag 7`},
		{"0 wait 1 1 7", `3:8: wait "1" and 1 are both not rank 0, whose request it waits for`},
		{"0 bcast 8 2", `3:11: bcast "2" must be the root: a rank, 0 to 1; its arguments are: count [root [type]]`},
		{"0 reducescatter 1 1", `3:20: reducescatter ends before its flops; its arguments are: receive_counts flops [type]`},
	} {
		path := written(t, "bad.ti", "0 init\n1 init\n"+c.line+"\n")
		_, err := traces.Open(path, traces.Reading{FlopRate: rate})
		if err == nil || !strings.HasPrefix(err.Error(), path+":"+c.want) && !strings.Contains(err.Error(), "\n"+path+":"+c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.line, err, c.want)
		}
	}
	if _, err := traces.Open(written(t, "bad.ti", "0 init\n0 wait\n0 hop\n"), traces.Reading{}); strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two mistakes are reported as %v", err)
	}
	many := written(t, "bad.ti", "0 init\n"+strings.Repeat("0 hop\n", 100))
	if _, err := traces.Open(many, traces.Reading{}); strings.Count(err.Error(), "\n")+1 != traces.MostProblems {
		t.Errorf("a hundred mistakes are reported as %v", err)
	}
}

// The bytes of all ranks together can be counted.
func TestTooManyBytes(t *testing.T) {
	l := line{ranks: 1 << 9}
	if l.bytes(most, 1); l.wrong != "" {
		t.Errorf("%s", l.wrong)
	}
	if l.bytes(most, 2); l.wrong == "" {
		t.Error("2^64 bytes are counted")
	}
}

// Flops need a rate; a trace without them needs none.
func TestFlopRate(t *testing.T) {
	if _, err := traces.Open("testdata/mixed_2ranks.txt", traces.Reading{}); !errors.Is(err, traces.ErrFlopRate) {
		t.Errorf("error %v, want %v", err, traces.ErrFlopRate)
	}
	if _, err := traces.Open(written(t, "a.ti", "0 init\n0 compute 0\n0 allreduce 8 -1\n"), traces.Reading{}); err != nil {
		t.Error(err)
	}
}

// Lists of files that are not there, of other ranks, and rank files without a list.
func TestFilesOfRanks(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"r0", "0 init\n", "list", "r0\nr1\n"}, `list:2:1: "r1" cannot be read; a list names the file of rank 0, then that of rank 1, and so on`},
		{[]string{"r0", "0 init\n", "r1", "0 init\n", "list", "r0\nr1\n"}, "r1:1:1: the file is for rank 1: want its lines only"},
		{[]string{"r1", "1 init\n"}, "r1:1:1: rank 1 has lines, and rank 0 has none"},
		{[]string{"text", "hello world\n"}, "is not a trace; known formats: "},
	} {
		must.Refuse(traces.Open(written(t, c.files...), traces.Reading{}))(t, c.want)
	}
}

// What the actions that the samples do not have come to, on rank 1 of 3.
func TestActions(t *testing.T) {
	for _, c := range []struct {
		line string
		want traces.Call
	}{
		{"alltoallv 100 1 7 10 100 1 70 10", call(traces.Alltoall, func(c *traces.Call) {
			c.Uneven, c.Out, c.Into, c.Bytes = true, []int64{1, 7, 10}, []int64{1, 70, 10}, 18
		})},
		{"alltoallv 1 1 7 10 1 1 70 10 1 3", call(traces.Alltoall, func(c *traces.Call) {
			c.Uneven, c.Out, c.Into, c.Bytes = true, []int64{4, 28, 40}, []int64{2, 140, 20}, 72
		})},
		{"gatherv 5 4 5 6 2 1 1", call(traces.Gather, func(c *traces.Call) { c.Uneven, c.Into, c.Bytes, c.Peer = true, []int64{16, 20, 24}, 60, 2 })},
		{"allgatherv 5 4 5 6", call(traces.Allgather, func(c *traces.Call) { c.Uneven, c.Into, c.Bytes = true, []int64{4, 5, 6}, 15 })},
		{"allgatherv 5 4 5 6 1", call(traces.Allgather, func(c *traces.Call) { c.Uneven, c.Into, c.Bytes = true, []int64{16, 20, 24}, 60 })},
		{"allgatherv 5 4 5 6 0 0 0", call(traces.Allgather, func(c *traces.Call) { c.Uneven, c.Into, c.Bytes = true, []int64{4, 5, 6}, 15 })},
		{"allgatherv 5 4 5 6 1 0 0 0", call(traces.Allgather, func(c *traces.Call) { c.Uneven, c.Into, c.Bytes = true, []int64{16, 20, 24}, 60 })},
		{"scatterv 4 5 6 5 2 1 1", call(traces.Scatter, func(c *traces.Call) { c.Uneven, c.Out, c.Bytes, c.Peer = true, []int64{16, 20, 24}, 60, 2 })},
		{"gather 4 0 2 1 1", call(traces.Gather, func(c *traces.Call) { c.Bytes, c.Peer = 48, 2 })},
		{"scatter 4 5 1 1 1", call(traces.Scatter, func(c *traces.Call) { c.Bytes, c.Peer = 48, 1 })},
		{"scatter 4 5 0 1 1", call(traces.Scatter, func(c *traces.Call) { c.Bytes = 60 })},
		{"exscan 4 -1 0", call(traces.Scan, func(c *traces.Call) { c.Bytes = 32 })},
		{"recv -1 -1 -1", call(traces.Recv, func(c *traces.Call) { c.Peer, c.Tag = traces.AnySource, traces.AnyTag })},
		{"SENDRECV 8 0 4 2", call(traces.Sendrecv, func(c *traces.Call) { c.Bytes, c.From, c.In = 8, 2, 4 })},
	} {
		of, err := traces.Open(written(t, "a.ti", "0 init\n1 init\n2 init\n1 "+c.line+"\n"), traces.Reading{})
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if got := clean(calls(t, of, 1))[0]; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.line, got, c.want)
		}
	}
}

// A request is the oldest that is open for a message. One that was completed is used again.
func TestRequests(t *testing.T) {
	of := must.Get(traces.Open(written(t, "a.ti", "1 init\n0 init\n"+`
0 isend 1 5 8
0 isend 1 6 8
0 isend 1 5 9
0 wait 0 1 5
0 irecv 1 5 8
0 wait 0 1 5
0 test 1 0 5
0 waitall
0 waitall
`), traces.Reading{}))(t)
	var got []string
	for _, c := range calls(t, of, 0) {
		got = append(got, fmt.Sprint(c.Kind, " ", c.Request, c.Requests))
	}
	const want = "isend 0 [] isend 1 [] isend 2 [] wait -1 [0] irecv 0 [] wait -1 [2] test -1 [] wait -1 [1 0] wait -1 [] end -1 []"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// FuzzRead: for any bytes reading ends, with problems that have a place, or with calls whose
// ranks, sizes and requests are in range; and what opens can be read rank by rank.
func FuzzRead(f *testing.F) {
	f.Add([]byte("0 init\n1 init 1\n0 isend 1 5 8\n0 wait 0 1 5\n1 recv 0 5 -1\n0 allreduce 4 1e3 3\n1 allreduce 4 1e3 3\n"))
	f.Add([]byte("0 init\n0 alltoallv 1 1 1 1\n0 reducescatter 5 1 0\n0 sendRecv 1 0 1 0 0 0\n0 allgatherv 1 1 0\n0 scatterv 1 1 0 0 0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := written(t, "fuzzed", string(data))
		of, err := open(path, traces.Reading{FlopRate: rate})
		if err != nil {
			if p := (traces.Problems)(nil); errors.As(err, &p) && (len(p) == 0 || len(p) > traces.MostProblems || p[0].Line < 1) {
				t.Fatalf("%v", err)
			}
			return
		}
		read := 0
		for rank := range of.Header().Ranks {
			for _, c := range calls(t, of, rank) {
				read++
				if c.Before < 0 || c.Bytes < 0 || c.In < -1 || int(c.Peer) >= of.Header().Ranks {
					t.Fatalf("%+v", c)
				}
			}
		}
		if lines := bytes.Count(data, []byte("\n")) + 1 + of.Header().Ranks; read > lines {
			t.Fatalf("%d calls in %d lines", read, lines)
		}
	})
}

// Reading the ranks of a file side by side needs memory for buffers only.
func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	for i := range 1000 {
		for rank := range 8 {
			if i == 0 {
				fmt.Fprintf(&text, "%d init\n", rank)
			}
			fmt.Fprintf(&text, "%[1]d compute %[2]d\n%[1]d isend %[3]d 1 %[2]d\n%[1]d irecv %[4]d 1 %[2]d\n%[1]d waitall\n", rank, i, (rank+1)%8, (rank+7)%8)
		}
	}
	path := written(b, "bench", text.String())
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		of := must.Get(traces.Open(path, traces.Reading{FlopRate: rate}))(b)
		n := 0
		var c traces.Call
		for rank := range 8 {
			for s := of.Calls(rank); s.Next(&c) != io.EOF; n++ {
			}
		}
		if n != 8*3001 {
			b.Fatal(n, "calls")
		}
	}
}
