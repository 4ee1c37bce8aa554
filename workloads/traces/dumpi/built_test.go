package dumpi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"overlapsim/sim/must"
	"overlapsim/workloads/traces"
)

// builder writes the file of a rank, by the same table of functions.
type builder struct {
	bytes.Buffer
	seconds int64
}

func (b *builder) number(bytes int, n int64) {
	var word [8]byte
	binary.BigEndian.PutUint64(word[:], uint64(n))
	b.Write(word[8-bytes:])
}

// call appends a call of a microsecond, a second after the one before. Arguments are numbers,
// lists of them, and statuses of a source and a tag each.
func (b *builder) call(name string, arguments ...any) {
	for number, f := range functions() {
		if f.Name == "MPI_"+name {
			b.seconds++
			b.number(2, int64(number))
			b.number(1, maskWall|maskStatuses)
			for _, ns := range []int64{0, 1000} {
				b.number(2, b.seconds)
				b.number(4, ns)
			}
			b.arguments(&f, arguments)
			return
		}
	}
	panic(name)
}

func (b *builder) arguments(f *function, arguments []any) {
	for _, a := range f.Arguments {
		if a.Form == formAtRoot {
			continue
		}
		if len(arguments) == 0 { // the rest is for the root
			return
		}
		bytes := map[form]int{formInt32: 4, formInt16: 2, formInt8: 1, formList32: 4, formList16: 2}[a.Form]
		switch v := arguments[0].(type) {
		case int:
			b.number(bytes, int64(v))
		case []int:
			b.number(4, int64(len(v)))
			for _, n := range v {
				b.number(bytes, int64(n))
			}
		case status:
			b.number(4, 1)
			b.number(4, int64(v.Bytes))
			b.number(4, int64(v.Source))
			b.number(2, 0)
			b.number(4, int64(v.Tag))
		case string: // no status, or no arguments of the program
			b.number(4, 0)
		}
		arguments = arguments[1:]
	}
}

// file returns the whole file.
func (b *builder) file(sizes ...int64) []byte {
	var all builder
	all.number(8, magic&(1<<63-1)|-1<<63)
	all.number(8, 0)
	all.Write(b.Bytes())
	all.number(2, 0x0125)
	header := int64(all.Len())
	all.Write([]byte{1, 0, 0})
	at := int64(0)
	if len(sizes) > 0 {
		at = int64(all.Len())
		all.number(4, int64(len(sizes)))
		for _, size := range sizes {
			all.number(4, size)
		}
	}
	all.number(8, magic&(1<<63-1)|-1<<63)
	for _, offset := range []int64{at, 0, 0, header, begin, 0, 0} {
		all.number(8, offset)
	}
	return all.Bytes()
}

// built writes a trace and returns its metafile.
func built(t testing.TB, files ...[]byte) string {
	t.Helper()
	folder := t.TempDir()
	for rank, text := range files {
		stored(t, folder, fmt.Sprintf("built-%04d.bin", rank), text)
	}
	meta := filepath.Join(folder, "built.meta")
	must.Do(t, os.WriteFile(meta, fmt.Appendf(nil, "hostname=h\nnumprocs=%d\nfileprefix=built\n", len(files)), 0o666))
	return meta
}

// ranked writes the file of each rank.
func ranked(ranks int, write func(rank int, b *builder)) (files [][]byte) {
	for rank := range ranks {
		var b builder
		b.call("Init", "")
		write(rank, &b)
		b.call("Finalize")
		files = append(files, b.file())
	}
	return files
}

// told writes what is of interest in a call.
func told(c *traces.Call) string {
	text := fmt.Sprint(c.Kind)
	for _, one := range []struct {
		name string
		is   bool
		what any
	}{
		{"comm", c.Comm > 0, c.Comm}, {"peer", c.Peer != 0, c.Peer}, {"tag", c.Tag != 0, c.Tag}, {"bytes", c.Bytes > 0, c.Bytes},
		{"from", c.From != 0, c.From}, {"in", c.In > 0, c.In}, {"request", c.Request != traces.NoRequest, c.Request},
		{"ends", len(c.Requests) > 0, c.Requests}, {"among", c.Among > 0, c.Among}, {"tries", c.Tries > 0, c.Tries},
		{"out", c.Out != nil, c.Out}, {"into", c.Into != nil, c.Into}, {"sync", c.Sync, ""}, {"copied", c.Copied, ""}, {"strided", c.Strided, ""},
	} {
		if one.is {
			text += strings.TrimRight(fmt.Sprint(" ", one.name, " ", one.what), " ")
		}
	}
	return text
}

// tell writes all calls of a rank of a trace.
func tell(t testing.TB, ranks, rank int, write func(rank int, b *builder)) string {
	t.Helper()
	of := must.Get(traces.Open(built(t, ranked(ranks, write)...), traces.Reading{}))(t)
	var all []string
	for _, c := range calls(t, of, rank) {
		if c.Kind != traces.End {
			all = append(all, told(&c))
		}
	}
	return strings.Join(all, "; ")
}

const integer, real, wild = 9, 14, -1

// What calls come to, one by one, on rank 1 of 4.
func TestCalls(t *testing.T) {
	for _, c := range []struct {
		want  string
		write func(rank int, b *builder)
	}{
		{"send peer 2 tag 5 bytes 24", func(_ int, b *builder) { b.call("Send", 3, real, 2, 5, 2) }},
		{"send peer 2 bytes 24 sync", func(_ int, b *builder) { b.call("Ssend", 3, real, 2, 0, 2) }},
		{"isend peer 2 bytes 24 request 0 copied; wait ends [0]", func(_ int, b *builder) {
			b.call("Ibsend", 3, real, 2, 0, 2, 7)
			b.call("Wait", 7, "")
		}},
		{"recv peer 3 tag 8 bytes 4", func(_ int, b *builder) { b.call("Recv", 1, integer, wild, wild, 2, status{4, 3, 8, 0, 0}) }},
		{"recv peer -1 tag -1 bytes 4", func(_ int, b *builder) { b.call("Recv", 1, integer, wild, wild, 2, status{4, 99, 8, 0, 0}) }},
		{"send peer -2 bytes 4", func(_ int, b *builder) { b.call("Send", 1, integer, -7, 0, 2) }},
		{"send peer 1 bytes 4", func(_ int, b *builder) { b.call("Send", 1, integer, 0, 0, 3) }},
		{"irecv request 0; irecv request 1; waitany ends [1] among 2; irecv request 1; waitsome ends [1 0] among 2", func(_ int, b *builder) {
			b.call("Irecv", 0, integer, 0, 0, 2, 5)
			b.call("Irecv", 0, integer, 0, 0, 2, 6)
			b.call("Waitany", 2, []int{5, 6}, 1, "")
			b.call("Irecv", 0, integer, 0, 0, 2, 9)
			b.call("Waitsome", 2, []int{5, 9}, 2, []int{1, 0}, "")
		}},
		{"irecv request 0; test among 1 tries 1; test ends [0] among 1; test tries 1; probe peer 3 tag 8", func(_ int, b *builder) {
			b.call("Irecv", 0, integer, 0, 0, 2, 5)
			b.call("Test", 5, 0, "")
			b.call("Test", 5, 1, "")
			b.call("Iprobe", 0, 0, 2, 0, "")
			b.call("Iprobe", -1, -1, 2, 1, status{4, 3, 8, 0, 0})
		}},
		{"isend peer 2 bytes 4 request 0; irecv peer 3 bytes 8 request 1; wait ends [0 1]; isend peer 2 bytes 4 request 1; wait ends [1]; wait",
			func(_ int, b *builder) {
				b.call("Send_init", 1, integer, 2, 0, 2, 5)
				b.call("Recv_init", 2, integer, 3, 0, 2, 6)
				b.call("Startall", 2, []int{5, 6})
				b.call("Waitall", 2, []int{5, 6}, "")
				b.call("Start", 5)
				b.call("Wait", 5, "")
				b.call("Wait", 6, "")
				b.call("Request_free", 6)
			}},
		{"sendrecv peer 2 bytes 4 from 3 in 16", func(_ int, b *builder) { b.call("Sendrecv", 1, integer, 2, 0, 2, real, 3, 0, 2, "") }},
		{"bcast peer 2 bytes 16; reduce peer 2 bytes 16; allreduce bytes 16; scan bytes 16; barrier", func(_ int, b *builder) {
			b.call("Bcast", 2, real, 2, 2)
			b.call("Reduce", 2, real, 3, 2, 2)
			b.call("Allreduce", 2, real, 3, 2)
			b.call("Scan", 2, real, 3, 2)
			b.call("Barrier", 2)
		}},
		{"gather peer 1 bytes 96; gather peer 2 bytes 64; scatter peer 1 bytes 96", func(rank int, b *builder) {
			gather := []any{rank, 2, real, 1, 2}
			if rank == 1 {
				gather = append(gather, 3, real)
			}
			b.call("Gather", gather...)
			b.call("Gather", append([]any{rank, 2, real, 2, 2}, onlyAt(2, rank, 3, real)...)...)
			b.call("Scatter", append([]any{rank, 2, real, 1, 2}, onlyAt(1, rank, 3, real)...)...)
		}},
		{"gather peer 1 bytes 80 into [8 16 24 32]; gather peer 2 bytes 16", func(rank int, b *builder) {
			counts, places := []int{1, 2, 3, 4}, []int{0, 0, 0, 0}
			for root := 1; root <= 2; root++ {
				if rank == root {
					b.call("Gatherv", rank, 4, 2, real, root, 2, counts, places, real)
				} else {
					gathers(b, rank, root)
				}
			}
		}},
		{"allgather bytes 80 into [8 16 24 32]; alltoall bytes 40 out [4 8 12 16] into [8 16 24 32]; alltoall bytes 64; reduce-scatter bytes 80 " +
			"out [8 16 24 32]", func(_ int, b *builder) {
			counts, places := []int{1, 2, 3, 4}, []int{0, 0, 0, 0}
			b.call("Allgatherv", 4, 2, real, counts, places, real, 2)
			b.call("Alltoallv", 4, counts, places, integer, counts, places, real, 2)
			b.call("Alltoall", 2, real, 2, real, 2)
			b.call("Reduce_scatter", 4, counts, real, 3, 2)
		}},
		{"send bytes 48; send bytes 72 strided; send bytes 28 strided", func(_ int, b *builder) {
			b.call("Type_contiguous", 3, real, 40)
			b.call("Type_vector", 3, 1, 5, 40, 41)
			b.call("Type_struct", 2, []int{3, 2}, []int{0, 0}, []int{integer, real}, 42)
			b.call("Send", 2, 40, 0, 0, 2)
			b.call("Send", 1, 41, 0, 0, 2)
			b.call("Send", 1, 42, 0, 0, 2)
		}},
	} {
		if got := tell(t, 4, 1, c.write); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func onlyAt(root, rank int, arguments ...any) []any {
	if rank == root {
		return arguments
	}
	return nil
}

// gathers writes the arguments of a rank that is not the root: the type behind the lists is
// there all the same.
func gathers(b *builder, rank, root int) {
	b.call("Gatherv", rank, 4, 2, real, root, 2)
	b.number(2, real)
}

// Communicators of all ranks are put together: split by color and key, duplicated, cut to a
// grid, numbered by each rank for itself.
func TestCommunicators(t *testing.T) {
	files := ranked(6, func(rank int, b *builder) {
		b.call("Comm_split", 2, rank%2, -rank, 10+rank) // {4 2 0}, {5 3 1}
		b.call("Comm_dup", 10+rank, 20+rank)
		b.call("Comm_dup", 3, 30)
		if rank%2 == 1 {
			b.call("Comm_split", 20+rank, 0, 0, 1) // nobody
			b.call("Comm_split", 20+rank, rank/5, 0, 40)
			b.call("Barrier", 40) // {5}, {3 1}
		}
		b.call("Send", 1, integer, 0, 0, 20+rank)
		made := 50
		if rank >= 4 {
			made = 1
		}
		b.call("Cart_create", 2, 2, []int{2, 2}, []int{0, 0}, 0, made)
		if rank < 4 {
			b.call("Allreduce", 1, integer, 3, 50)
			b.call("Send", 1, integer, 3, 0, 50)
		}
	})
	of := must.Get(traces.Open(built(t, files...), traces.Reading{}))(t)
	var got []string
	for _, c := range of.Header().Comms {
		got = append(got, fmt.Sprint(c.Ranks))
	}
	want := "[] [4 2 0] [5 3 1] [4 2 0] [5 3 1] [0 1 2 3] [3 1] [5]"
	if len(got) != 8 || !sameSet(strings.Join(got, ","), strings.ReplaceAll(want, "] [", "],[")) {
		t.Fatalf("%v, want %v", got, want)
	}
	last := calls(t, of, 3)
	var all []string
	for _, c := range last {
		switch c.Kind {
		case traces.Send:
			all = append(all, fmt.Sprint("to ", c.Peer, " in ", of.Header().Comms[c.Comm].Ranks))
		case traces.Barrier, traces.Allreduce:
			all = append(all, fmt.Sprint(c.Kind, " in ", of.Header().Comms[c.Comm].Ranks))
		}
	}
	const does = "barrier in [3 1]; to 5 in [5 3 1]; allreduce in [0 1 2 3]; to 3 in [0 1 2 3]"
	if text := strings.Join(all, "; "); text != does {
		t.Errorf("rank 3: %s\nwant    %s", text, does)
	}
}

func sameSet(a, b string) bool {
	count := func(text string) map[string]int {
		m := map[string]int{}
		for _, one := range strings.Split(text, ",") {
			m[one]++
		}
		return m
	}
	return reflect.DeepEqual(count(a), count(b))
}

// Sizes of the file count for types that no call made.
func TestSizes(t *testing.T) {
	var b builder
	b.call("Init", "")
	b.call("Send", 2, 29, 0, 0, 2)
	b.call("Finalize")
	sizes := make([]int64, 30)
	sizes[29] = 77
	of, err := traces.Open(built(t, b.file(sizes...)), traces.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if got := calls(t, of, 0)[0].Bytes; got != 154 {
		t.Errorf("%d bytes, want 154", got)
	}
	_, err = traces.Open(built(t, b.file()), traces.Reading{})
	if err == nil || !strings.Contains(err.Error(), "the size of datatype 29 is not known") {
		t.Errorf("error %v", err)
	}
}

// Seconds of wall time begin again after 65,535.
func TestLongRuns(t *testing.T) {
	var b builder
	b.call("Init", "")
	b.seconds = 65_535
	b.call("Barrier", 2)
	b.seconds = 65_536 + 9
	b.call("Finalize")
	var second builder
	second.call("Init", "")
	second.seconds = 65_535
	second.call("Barrier", 2)
	second.seconds = 9 // as it is written
	second.call("Finalize")
	of := must.Get(traces.Open(built(t, b.file(), second.file()), traces.Reading{}))(t)
	if a, b := calls(t, of, 0), calls(t, of, 1); !reflect.DeepEqual(a, b) || a[1].Before.Seconds() < 9 || a[1].Before.Seconds() > 11 {
		t.Errorf("%+v\n%+v", a, b)
	}
}

var update = flag.Bool("update", false, "write the trace that commands read damaged, testdata/mixed.meta")

// The trace that commands read damaged (TestDamagedFiles) has calls of many kinds, as they are built here.
func TestMixed(t *testing.T) {
	files := ranked(3, func(rank int, b *builder) {
		right, left := (rank+1)%3, (rank+2)%3
		counts, places := []int{1, 2, 3}, []int{0, 1, 3}
		b.call("Comm_dup", 2, 10)
		b.call("Comm_split", 2, rank/2, -rank, 11)
		b.call("Type_vector", 3, 1, 5, real, 40)
		b.call("Type_indexed", 2, []int{1, 2}, []int{0, 9}, integer, 41)
		b.call("Irecv", 2, 40, left, 7, 10, 5)
		b.call("Isend", 2, 40, right, 7, 10, 6)
		b.call("Waitall", 2, []int{5, 6}, "")
		b.call("Recv_init", 1, real, left, 3, 2, 8)
		b.call("Send_init", 1, real, right, 3, 2, 9)
		b.call("Startall", 2, []int{8, 9})
		b.call("Wait", 9, "")
		b.call("Wait", 8, "")
		b.call("Isend", 1, real, right, 4, 2, 6)
		b.call("Recv", 1, real, wild, wild, 2, status{8, int32(left), 4, 0, 0})
		b.call("Wait", 6, "")
		b.call("Sendrecv", 9, integer, right, 0, 4, 41, left, 0, 2, "")
		b.call("Irecv", 1, integer, left, 1, 2, 5)
		b.call("Test", 5, 0, "")
		b.call("Send", 1, integer, right, 1, 2)
		b.call("Waitany", 1, []int{5}, 0, "")
		b.call("Bcast", 2, real, 1, 10)
		b.call("Allreduce", 2, real, 3, 10)
		b.call("Alltoallv", 3, counts, places, integer, []int{rank + 1, rank + 1, rank + 1}, places, integer, 2)
		b.call("Reduce_scatter", 3, counts, real, 3, 2)
		b.call("Barrier", 11)
	})
	for rank, want := range files {
		name := fmt.Sprintf("testdata/mixed-%04d.bin", rank)
		if *update {
			must.Do(t, os.WriteFile(name, want, 0o666))
		}
		if got := must.Get(os.ReadFile(name))(t); !bytes.Equal(got, want) {
			t.Errorf("%s is not as it is built; -update writes it", name)
		}
	}
	must.Get(traces.Open("testdata/mixed.meta", traces.Reading{}))(t)
}

// Mistakes are named with file and offset.
func TestMistakes(t *testing.T) {
	good := ranked(2, func(_ int, b *builder) { b.call("Barrier", 2) })
	one := func(write func(b *builder)) [][]byte {
		return [][]byte{ranked(1, func(_ int, b *builder) { write(b) })[0]}
	}
	for _, c := range []struct {
		files [][]byte
		want  string
	}{
		{[][]byte{good[0], good[1][:200]}, "built-0001.bin: offset 200: the file is cut off: want an index after the magic number at its end"},
		{[][]byte{good[0], good[1][:20]}, "built-0001.bin: offset 20: the file is cut off: want an index of offsets at its end"},
		{one(func(b *builder) { b.Write([]byte{1, 200, 0}) }),
			"built-0000.bin: offset 35: function 456 is not one of MPI-1, 0 to 127, and how long its arguments are is not known"},
		{one(func(b *builder) { b.call("Waitall", 5, []int{1, 1}, ""); b.Truncate(b.Len() - 14) }), "offset 35: MPI_Waitall: "},
		{one(func(b *builder) { b.call("Wait", 5, "") }), "offset 35: MPI_Wait: request 5 is waited for and has not begun"},
		{one(func(b *builder) { b.call("Send", 1, integer, 9, 0, 2) }), "offset 35: MPI_Send: dest 9 is not a member of the communicator"},
		{one(func(b *builder) { b.call("Send", 1, integer, 0, 0, 7) }),
			"offset 35: MPI_Send: communicator 7 is not one of this rank's, or it comes from a function that is not followed"},
		{one(func(b *builder) { b.call("Send", -1, integer, 0, 0, 2) }), "offset 35: MPI_Send: -1 elements of 4 bytes are not possible"},
		{one(func(b *builder) { b.call("Start", 5) }), "offset 35: MPI_Start: request 5 is started and not persistent"},
		{ranked(2, func(rank int, b *builder) {
			if rank == 1 {
				b.call("Comm_dup", 2, 10)
			}
		}), "built-0001.bin: offset 35: makes a communicator, which not all members of the old one do"},
		{good[:1], ""},
	} {
		path := built(t, c.files...)
		_, err := traces.Open(path, traces.Reading{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	must.Refuse(traces.Open("testdata/testtrace.meta", traces.Reading{}))(t, "testtrace-0003.bin is missing")
	must.Refuse(traces.Open("testdata/testtrace-0000.bin", traces.Reading{}))(t, "want the metafile")
}

// What is not followed is counted by name.
func TestMissing(t *testing.T) {
	of, err := traces.Open(built(t, ranked(2, func(_ int, b *builder) { b.call("Cancel", 5); b.call("Cancel", 6) })...), traces.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if got := of.Header().Missing; !reflect.DeepEqual(got, []traces.Count{{Name: "MPI_Cancel", Calls: 4}}) {
		t.Errorf("%v", got)
	}
}

// FuzzRead: for any bytes of a rank's file reading ends, with a problem that has an offset in
// the file, or with calls whose ranks and sizes are possible.
func FuzzRead(f *testing.F) {
	sample := must.Get(os.ReadFile("testdata/testtrace-0001.bin"))(f)
	f.Add(sample)
	f.Add(ranked(1, func(_ int, b *builder) {
		b.call("Comm_split", 2, 0, 0, 10)
		b.call("Type_indexed", 2, []int{1, 2}, []int{0, 9}, real, 40)
		b.call("Isend", 1, 40, 0, 0, 10, 7)
		b.call("Recv_init", 1, real, -1, -1, 2, 8)
		b.call("Startall", 1, []int{8})
		b.call("Waitall", 2, []int{7, 8}, "")
		b.call("Alltoallv", 1, []int{1}, []int{0}, real, []int{1}, []int{0}, real, 2)
	})[0])
	f.Fuzz(func(t *testing.T, data []byte) {
		of, err := open(built(t, data), traces.Reading{})
		if err != nil {
			var all traces.Problems
			if !errors.As(err, &all) || len(all) == 0 || all[0].Offset < 0 || all[0].Offset > int64(len(data)) {
				t.Fatalf("%v", err)
			}
			return
		}
		for _, c := range calls(t, of, 0) {
			if c.Before < 0 || c.Took < 0 || c.Bytes < 0 || c.In < 0 || c.Peer >= 1 || int(c.Comm) >= len(of.Header().Comms) {
				t.Fatalf("%+v", c)
			}
		}
	})
}
