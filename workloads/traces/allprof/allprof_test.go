package allprof

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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

// written writes the files of ranks into a folder.
func written(t testing.TB, ranks ...string) string {
	t.Helper()
	folder := t.TempDir()
	for rank, text := range ranks {
		must.Do(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("pmpi-trace-rank-%d.txt", rank)), []byte(text), 0o666))
	}
	return folder
}

// program puts lines between the beginning and the end of a rank.
func program(lines string) string {
	return "# htor's PMPI Tracer 0.2 Output File\n\nMPI_Init:-:140737488343500:140737488344604:1000.000000\n" + lines + "MPI_Finalize:9000:-\n"
}

// calls returns all calls of a rank.
func calls(t testing.TB, of traces.Trace, rank int) (all []traces.Call) {
	t.Helper()
	for s := of.Calls(rank); ; {
		var c traces.Call
		switch err := s.Next(&c); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		c.Requests = slices.Clone(c.Requests)
		all = append(all, c)
	}
}

func opened(t testing.TB, path string) traces.Trace {
	t.Helper()
	return must.Get(traces.Open(path, traces.Reading{}))(t)
}

// What lines come to, on rank 1 of 3, 1.5 us after MPI_Init and for 2 us.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		line string
		want traces.Call
	}{
		{"MPI_Send:@:11287888:4500:11,8,8:2:7000:0,1,3:&", traces.Call{Kind: traces.Send, Peer: 2, Tag: 7000, Bytes: 36000}},
		{"MPI_Ssend:@:1:2:99,8,64:0:1:94853248035456,1,3:&", traces.Call{Kind: traces.Send, Peer: 0, Tag: 1, Bytes: 16, Sync: true, Strided: true}},
		{"MPI_Bsend:@:1:2:99,8,8:-2:1:0,1,3:&", traces.Call{Kind: traces.Send, Peer: traces.Nobody, Tag: 1, Bytes: 16, Copied: true}},
		{"MPI_Bsend:@:1:2:99,8,8:-1:1:1140850688,1,3:&", traces.Call{Kind: traces.Send, Peer: traces.Nobody, Tag: 1, Bytes: 16, Copied: true}},
		{"MPI_Recv:@:1:2:99,8,8:-1:-1:0,1,3:5:&", traces.Call{Kind: traces.Recv, Peer: traces.AnySource, Tag: traces.AnyTag, Bytes: 16}},
		{"MPI_Recv:@:1:2:99,8,8:-2:3:1140850688,1,3:5:&", traces.Call{Kind: traces.Recv, Peer: traces.AnySource, Tag: 3, Bytes: 16}},
		{"MPI_Recv:@:1:2:99,8,8:0:3:77,0,1:5:&", traces.Call{Kind: traces.Recv, Peer: 1, Tag: 3, Bytes: 16}},
		{"MPI_Isend:@:1:2:99,8,8:0:3:0,1,3:5:&", traces.Call{Kind: traces.Isend, Peer: 0, Tag: 3, Bytes: 16}},
		{"MPI_Irecv:@:1:2:99,8,8:0:3:0,1,3:5:&", traces.Call{Kind: traces.Irecv, Peer: 0, Tag: 3, Bytes: 16}},
		{"MPI_Sendrecv:@:1:2:1,4,4:2:8:1:3:1,4,4:0:9:0,1,3:7:&", traces.Call{Kind: traces.Sendrecv, Peer: 2, From: 0, Tag: 8, FromTag: 9, Bytes: 8, In: 12}},
		{"MPI_Sendrecv_replace:@:1:2:1,4,4:2:8:0:9:0,1,3:7:&", traces.Call{Kind: traces.Sendrecv, Peer: 2, From: 0, Tag: 8, FromTag: 9, Bytes: 8, In: 8}},
		{"MPI_Probe:@:2:4:0,1,3:7:&", traces.Call{Kind: traces.Probe, Peer: 2, Tag: 4}},
		{"MPI_Iprobe:@:-1:4:0,1,3:7:8:&", traces.Call{Kind: traces.Test, Tries: 1}},
		{"MPI_Test:@:1:4:7:&", traces.Call{Kind: traces.Test, Tries: 1, Among: 1}},
		{"MPI_Wait:@:1:4:&", traces.Call{Kind: traces.Wait}},
		{"MPI_Barrier:@:3,1,3:&", traces.Call{Kind: traces.Barrier}},
		{"MPI_Bcast:@:1:3:21,1,1:2:0,1,3:&", traces.Call{Kind: traces.Broadcast, Peer: 2, Bytes: 3}},
		{"MPI_Reduce:@:1:2:10:11,8,8:3:0:0,1,3:&", traces.Call{Kind: traces.Reduce, Bytes: 80}},
		{"MPI_Allreduce:@:1:2:10:11,8,8:3:0,1,3:&", traces.Call{Kind: traces.Allreduce, Bytes: 80}},
		{"MPI_Iallreduce:@:1:2:10:11,8,8:3:0,1,3:64:&", traces.Call{Kind: traces.Allreduce, Bytes: 80, Start: true}},
		{"MPI_Exscan:@:1:2:10:11,8,8:3:0,1,3:&", traces.Call{Kind: traces.Scan, Bytes: 80}},
		{"MPI_Gather:@:1:10:1,4,4:5:0:1,4,4:2:0,1,3:&", traces.Call{Kind: traces.Gather, Peer: 2, Bytes: 120}},
		{"MPI_Scatter:@:1:10:1,4,4:5:20:1,4,4:1:0,1,3:&", traces.Call{Kind: traces.Scatter, Peer: 1, Bytes: 120}},
		{"MPI_Allgather:@:1:10:1,4,4:5:20:1,4,4:0,1,3:&", traces.Call{Kind: traces.Allgather, Bytes: 240}},
		{"MPI_Alltoall:@:1:10:1,4,4:5:20:1,4,4:0,1,3:&", traces.Call{Kind: traces.Alltoall, Bytes: 240}},
		{"MPI_Allgatherv:@:1:10:1,4,4:5:6:1,2,3:7:0,1,3:1,4,4:0,1,3:&",
			traces.Call{Kind: traces.Allgather, Uneven: true, Into: []int64{4, 8, 12}, Bytes: 24}},
		{"MPI_Gatherv:@:1:10:1,4,4:5:6:1,2,3:7:0,1,3:1,4,4:1:0,1,3:&",
			traces.Call{Kind: traces.Gather, Peer: 1, Uneven: true, Into: []int64{4, 8, 12}, Bytes: 24}},
		{"MPI_Scatterv:@:5:6:1,2,3:7:0,1,3:1,4,4:1:10:1,4,4:0:0,1,3:&", traces.Call{Kind: traces.Scatter, Uneven: true, Bytes: 40}},
		{"MPI_Alltoallv:@:5:6:1,2,3:7:0,1,3:1,4,4:8:6:3,2,1:7:0,1,3:1,4,4:0,1,3:&",
			traces.Call{Kind: traces.Alltoall, Uneven: true, Out: []int64{4, 8, 12}, Into: []int64{12, 8, 4}, Bytes: 24}},
		{"MPI_Comm_dup:@:0,1,3:123:&", traces.Call{Kind: traces.Make}},
	} {
		line := strings.NewReplacer("@", "1001.5", "&", "1003.500000").Replace(c.line)
		of := opened(t, written(t, program(""), program("MPI_Comm_rank:1000:0,1,3:9:1001\n"+line+"\n"), program("")))
		got := calls(t, of, 1)[0]
		if !got.Start && got.Kind != traces.Isend && got.Kind != traces.Irecv {
			c.want.Request = traces.NoRequest
		}
		c.want.Before, c.want.Took = 1500*sim.Nanosecond, 2*sim.Microsecond
		if len(got.Requests) == 0 {
			got.Requests = nil
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.line, got, c.want)
		}
	}
}

// author writes a random program as calls and as text.
type author struct {
	r     *rand.Rand
	apart uint64
	want  [][]traces.Call
	text  []strings.Builder
	now   []int64            // in microseconds
	open  []map[uint64]int32 // requests of each rank, by place
}

// add adds a call and its line.
func (a *author) add(rank int, c traces.Call, name, arguments string) {
	begins := a.now[rank] + a.r.Int64N(50)
	ends := begins + a.r.Int64N(9)
	c.Before, c.Took = sim.Time(begins-a.now[rank])*sim.Microsecond, sim.Time(ends-begins)*sim.Microsecond
	a.want[rank] = append(a.want[rank], c)
	fmt.Fprintf(&a.text[rank], "MPI_%s:%d:%s:%d\n", name, begins, arguments, ends)
	a.now[rank] = ends
}

// start adds a call that starts a request in a place that is free.
func (a *author) start(rank int, c traces.Call, name, arguments string) {
	place := uint64(140737488340000)
	for a.open[rank][place] != 0 {
		place += a.apart
	}
	a.open[rank][place] = int32(len(a.want[rank])) + 1
	a.add(rank, c, name, fmt.Sprint(arguments, ":", place))
}

func (a *author) world(rank int) string { return fmt.Sprintf("%d,%d,%d", 5000+rank, rank, len(a.want)) }

// A random program reads as it was written: calls, times, and which calls each wait is for.
func TestRandom(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 2 + r.IntN(4)
		a := &author{r: r, apart: 4 + 4*(seed%2), want: make([][]traces.Call, n), text: make([]strings.Builder, n), now: make([]int64, n)}
		for rank := range n {
			a.open = append(a.open, map[uint64]int32{})
			a.now[rank] = 1237666053021692 + r.Int64N(1000)
			fmt.Fprintf(&a.text[rank], "MPI_Init:-:1:2:%d\n", a.now[rank])
		}
		for range 40 {
			order, tag, count := r.Perm(n), r.Int32N(9), r.Int64N(1000)
			from, to := order[0], order[1]
			c := traces.Call{Tag: tag, Bytes: 8 * count, Request: traces.NoRequest}
			args := fmt.Sprintf("123:%d:11,8,8:%%d:%d:", count, tag)
			switch r.IntN(3) {
			case 0:
				c.Kind, c.Peer = traces.Send, int32(to)
				a.add(from, c, "Send", fmt.Sprintf(args, to)+a.world(from))
				c.Kind, c.Peer = traces.Recv, int32(from)
				a.add(to, c, "Recv", fmt.Sprintf(args, from)+a.world(to)+":7")
			case 1:
				c.Kind, c.Peer = traces.Isend, int32(to)
				a.start(from, c, "Isend", fmt.Sprintf(args, to)+a.world(from))
				c.Kind, c.Peer = traces.Irecv, int32(from)
				a.start(to, c, "Irecv", fmt.Sprintf(args, from)+a.world(to))
			default:
				all := a.r.IntN(n)
				for rank := range n {
					if rank == all && len(a.open[rank]) > 0 {
						a.wait(rank)
					}
					a.add(rank, traces.Call{Kind: traces.Allreduce, Bytes: 8 * count, Request: traces.NoRequest}, "Allreduce",
						fmt.Sprintf("1:2:%d:11,8,8:3:%s", count, a.world(rank)))
				}
			}
		}
		var texts []string
		for rank := range n {
			if len(a.open[rank]) > 0 {
				a.wait(rank)
			}
			fmt.Fprintf(&a.text[rank], "MPI_Finalize:%d:-\n", a.now[rank]+5)
			a.want[rank] = append(a.want[rank], traces.Call{Kind: traces.End, Before: 5 * sim.Microsecond, Request: traces.NoRequest})
			texts = append(texts, a.text[rank].String())
		}
		of := opened(t, written(t, texts...))
		if _, err := traces.Look(of); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for rank := range n {
			got := calls(t, of, rank)
			started := map[int32]int32{} // call that started a request
			for i := range got {
				c := &got[i]
				if c.Kind == traces.Isend || c.Kind == traces.Irecv {
					started[c.Request] = int32(i)
					c.Request = traces.NoRequest
				}
				for k, request := range c.Requests {
					c.Requests[k] = started[request]
				}
				if len(c.Requests) == 0 {
					c.Requests = nil
				}
			}
			if !reflect.DeepEqual(got, a.want[rank]) {
				t.Fatalf("seed %d, rank %d:\n got %+v\nwant %+v", seed, rank, got, a.want[rank])
			}
		}
	}
}

// wait waits for all requests of a rank: the places are in a row.
func (a *author) wait(rank int) {
	c := traces.Call{Kind: traces.Wait, Request: traces.NoRequest}
	most := uint64(0)
	for place := range a.open[rank] {
		most = max(most, place)
	}
	for place := uint64(140737488340000); place <= most; place += a.apart {
		if at, ok := a.open[rank][place]; ok {
			c.Requests = append(c.Requests, at-1)
		}
	}
	clear(a.open[rank])
	a.add(rank, c, "Waitall", fmt.Sprintf("%d:140737488340000:9", (most-140737488340000)/a.apart+1))
}

// A request that is started again in its place was completed by the test before; persistent requests are started again as often as
// one likes.
func TestRequests(t *testing.T) {
	of := opened(t, written(t, program(`MPI_Isend:1:1:2:1,8,8:0:3:0,0,1:64:2
MPI_Test:3:64:1:2:4
MPI_Isend:5:1:2:1,8,8:0:3:0,0,1:64:6
MPI_Send_init:7:1:2:1,8,8:0:3:0,0,1:72:8
MPI_Startall:9:1:72:10
MPI_Waitall:11:2:64:1:12
MPI_Start:13:72:14
MPI_Wait:15:72:1:16
MPI_Wait:17:72:1:18
`)))
	var got []string
	for _, c := range calls(t, of, 0) {
		got = append(got, fmt.Sprint(c.Kind, " ", c.Request, c.Requests))
	}
	const want = "isend 0 [] test -1 [] test -1 [0] isend 0 [] isend 1 [] wait -1 [0 1] isend 1 [] wait -1 [1] wait -1 [] end -1 []"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if h := of.Header(); len(h.Missing) > 0 {
		t.Errorf("missing: %v", h.Missing)
	}
}

// Communicators that all ranks split off are known by the rank's number in them.
func TestCommunicators(t *testing.T) {
	var texts []string
	for rank, key := range []int{5, 4, 3, 2} {
		member := 1 - rank/2
		texts = append(texts, program(fmt.Sprintf("MPI_Comm_split:1:0,%d,4:%d:%d:99:2\nMPI_Bcast:3:1:8:1,1,1:0:%d,%d,2:4\n", rank, rank%2, key, 700+rank, member)))
	}
	of := opened(t, written(t, texts...))
	s := must.Get(traces.Look(of))(t)
	for i, want := range [][]int32{nil, {2, 0}, {3, 1}} {
		if got := s.Header().Comms[i].Ranks; !slices.Equal(got, want) {
			t.Errorf("communicator %d has the ranks %v, want %v", i, got, want)
		}
	}
	if c := calls(t, of, 3)[1]; c.Comm != 2 || c.Peer != 3 {
		t.Errorf("%+v", c)
	}
}

// Mistakes have their file and line, and what cannot be followed is counted.
func TestMistakes(t *testing.T) {
	ok := program("")
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{ok, strings.TrimSuffix(ok, "MPI_Finalize:9000:-\n")}, "rank-1.txt:3:1: the file ends without MPI_Finalize: the program did not end, or the file is cut"},
		{[]string{program("MPI_Barrier:5:0,0,2:6\n")}, "rank-0.txt:4:1: MPI_Barrier: a communicator has 2 ranks, and there are the files of 1; give the folder"},
		{[]string{program("MPI_Ba"), ok}, "rank-0.txt:4:1: the file ends without MPI_Finalize"},
		{[]string{program("MPI_Barrier:5\n"), ok}, `rank-0.txt:4:1: "MPI_Barrier:5" is not a call: want its name`},
		{[]string{program("MPI_Barrier:x:0,0,2:6\n"), ok}, `rank-0.txt:4:1: MPI_Barrier: "x" must be a time in microseconds`},
		{[]string{program("MPI_Barrier:5:0,0,2:7:6\n"), ok}, "rank-0.txt:4:1: MPI_Barrier: has 2 arguments, want 1: comm"},
		{[]string{program("MPI_Barrier:5:0,0:6\n"), ok}, `rank-0.txt:4:1: MPI_Barrier: comm must be three numbers, got "0,0"`},
		{[]string{program("MPI_Send:5:1:x:1,8,8:1:0:0,0,2:6\n"), ok}, `rank-0.txt:4:1: MPI_Send: count must be a whole number, got "x"`},
		{[]string{program("MPI_Send:5:1:2:1,8,8:2:0:0,0,2:6\n"), ok}, `rank-0.txt:4:1: MPI_Send: dest 2 is not a member of the communicator of 2 ranks`},
		{[]string{program("MPI_Start:5:64:6\n"), ok}, `rank-0.txt:4:1: MPI_Start: a request is started that none of the calls made that are followed`},
		{[]string{program("MPI_Barrier:5:7,0,2:6\n"), ok, ok}, "rank-0.txt:4:1: MPI_Barrier: the trace does not tell the members of this communicator of 2 ranks"},
		{[]string{program("MPI_Comm_split:5:0,0,2:1:2:3:6\n"), ok}, "rank-0.txt:4:1: MPI_Comm_split 1 of all ranks, which rank 1 does not call"},
	} {
		must.Refuse(traces.Open(written(t, c.files...), traces.Reading{}))(t, c.want)
	}
	folder := written(t, ok, ok, ok)
	must.Do(t, os.Remove(filepath.Join(folder, "pmpi-trace-rank-1.txt")))
	must.Refuse(traces.Open(folder, traces.Reading{}))(t, "is the file of rank 2, and the file of rank 1 is missing")
	of := opened(t, written(t, program("MPI_Cancel:5:64:6\nMPI_Waitany:7:2:64:1:2:8\nMPI_Isend:8:1:2:1,8,8:0:3:0,0,1:64:9\nMPI_Wait:9:80:1:10\n")))
	const want = "[{MPI_Cancel 1} {MPI_Waitany 1} {a request that the program moved to another place 1}]"
	if got := fmt.Sprint(of.Header().Missing); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// FuzzRead: for any bytes reading ends, with problems that have a place or with calls that are possible.
func FuzzRead(f *testing.F) {
	f.Add(program("MPI_Isend:1:1:2:1,8,8:0:3:0,0,1:64:2\nMPI_Waitall:3:2:60:1:12\n"))
	f.Add(program("MPI_Alltoallv:1:5:6:1:7:0:1,4,4:8:6:3:7:0:1,4,4:0,0,1:2\nMPI_Comm_split:1:0,0,1:1:2:3:4\n"))
	f.Fuzz(func(t *testing.T, text string) {
		of, err := open(written(t, text), traces.Reading{})
		if err != nil {
			if p := (traces.Problems)(nil); errors.As(err, &p) && (len(p) == 0 || p[0].Line < 1) {
				t.Fatalf("%v", err)
			}
			return
		}
		for _, c := range calls(t, of, 0) {
			if err := of.Header().Check(&c); err != nil {
				t.Fatalf("%v: %+v", err, c)
			}
		}
	})
}
