package record

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
	"overlapsim/workloads/traces"
)

// library is an MPI library of the tests.
type library struct {
	name, compiler, fortran string
	launch                  []string
}

// The libraries by the names that Debian gives their commands.
var libraries = []library{
	{"Open MPI", "mpicc.openmpi", "mpif90.openmpi",
		[]string{"mpirun.openmpi", "--oversubscribe", "--mca", "btl", "vader,self", "-n"}},
	{"MPICH", "mpicc.mpich", "mpif90.mpich", []string{"mpirun.mpich", "-n"}},
}

// cache is where the tests keep the compiled recorders.
var cache string

func TestMain(m *testing.M) {
	var err error
	if cache, err = os.MkdirTemp("", "overlapsim-record-test-"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(cache)
	os.Exit(status)
}

// each runs a test with every library, or skips it.
func each(t *testing.T, do func(t *testing.T, l library)) {
	t.Helper()
	must.Long(t)
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
	t.Setenv("XDG_CACHE_HOME", cache)
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			for _, command := range []string{l.compiler, l.launch[0]} {
				if _, err := exec.LookPath(command); err != nil {
					t.Skip("MPI is not installed:", err)
				}
			}
			header := limited.Command(t, l.compiler, "-E", "-include", "mpi.h", "-x", "c", os.DevNull)
			if err := header.Run(); err != nil {
				t.Skip("MPI is not installed: no mpi.h:", err)
			}
			do(t, l)
		})
	}
}

// recorded compiles a program, runs it with that many ranks and merges its trace.
func recorded(t *testing.T, l library, source string, ranks int, args ...string) *traces.Raw {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if said, err := limited.Command(t, l.compiler, "-O2", "-w", "-o", program, source, "-lm", "-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", l.compiler, err, said)
	}
	return run(t, l, ranks, program, args...)
}

// run runs a program with that many ranks and merges its trace.
func run(t *testing.T, l library, ranks int, program string, args ...string) *traces.Raw {
	t.Helper()
	recorder := must.Get(Library(l.compiler))(t)
	p := &Program{Library: recorder, Folder: t.TempDir()}
	p.Command = append([]string{"timeout", "-s", "KILL", "60"}, slices.Concat(l.launch, []string{fmt.Sprint(ranks), program}, args)...)
	ran := p.Run()
	raw, err := p.Merge()
	if err != nil {
		t.Fatalf("%v: %v; the program: %v", p.Command, err, ran)
	}
	if ran != nil {
		t.Logf("the trace is whole, but the program ended so: %v", ran)
	}
	return raw
}

// calls are the calls of a rank.
func calls(t *testing.T, trace traces.Trace, rank int) (all []traces.Call) {
	t.Helper()
	for s := trace.Calls(rank); ; {
		var c traces.Call
		switch err := s.Next(&c); err {
		case nil:
			c.Requests = slices.Clone(c.Requests)
			all = append(all, c)
		case io.EOF:
			return all
		default:
			t.Fatal(err)
		}
	}
}

// The number of calls of each kind by each rank of testdata/calls.c, except for polling.
func wantKinds(rank int) map[traces.CallKind]int {
	want := map[traces.CallKind]int{
		traces.Isend: 1 + 1 + 3 + 2 + 1 + 1, traces.Irecv: 1 + 1 + 3 + 2 + 1, traces.Sendrecv: 3, traces.Send: 1, traces.Recv: 2,
		traces.Make: 3, traces.NeighbourExchange: 1, traces.NeighbourGather: 1, traces.WaitAny: 9, traces.End: 1,
		traces.Barrier: 2, traces.Broadcast: 2, traces.Reduce: 2, traces.Allreduce: 5, traces.Scan: 2, traces.Allgather: 4,
		traces.Alltoall: 6, traces.Gather: 4, traces.Scatter: 4, traces.ReduceScatter: 4,
	}
	if rank == 0 {
		want[traces.Send]++
	}
	if rank == 1 {
		want[traces.Recv]++
	}
	return want
}

// A program that makes every call that the recorder knows gives a trace with exactly these calls.
// Each rank receives what the others send to it, with the sizes that came, and the trace can be
// simulated.
func TestCalls(t *testing.T) {
	each(t, func(t *testing.T, l library) {
		const n = 4
		raw := recorded(t, l, "testdata/calls.c", n)
		if h := raw.Header(); h.Ranks != n || len(h.Missing) > 0 || !strings.Contains(h.Where, l.name) {
			t.Errorf("header %+v", h)
		}
		sent, came := map[string]int64{}, map[string]int64{}
		for rank := range n {
			kinds := map[traces.CallKind]int{}
			for _, c := range calls(t, raw, rank) {
				kinds[c.Kind]++
				follow(&c, int32(rank), sent, came)
			}
			for kind, want := range wantKinds(rank) {
				if kinds[kind] != want {
					t.Errorf("rank %d: %d calls of %s, should be %d", rank, kinds[kind], kind, want)
				}
			}
		}
		if !maps.Equal(sent, came) || len(sent) < 4*8 {
			t.Errorf("sent\n%v, received\n%v", sent, came)
		}
		checkCalls(t, calls(t, raw, 1), n)
		checkComms(t, raw.Header())
		var file bytes.Buffer
		must.Do(t, traces.Write(&file, raw))
		again := must.Get(traces.Read(bytes.NewReader(file.Bytes()), int64(file.Len()), "x"))(t)
		if _, err := traces.Look(again); err != nil {
			t.Error(err)
		}
	})
}

// follow adds up the bytes of messages by sender, receiver, communicator and tag.
func follow(c *traces.Call, me int32, sent, came map[string]int64) {
	name := func(from, to, tag int32) string { return fmt.Sprint(from, " to ", to, " tag ", tag, " comm ", c.Comm) }
	switch {
	case c.Peer == traces.Nobody:
	case c.Kind == traces.Send || c.Kind == traces.Isend:
		sent[name(me, c.Peer, c.Tag)] += c.Bytes
	case c.Kind == traces.Recv || c.Kind == traces.Irecv:
		came[name(c.Peer, me, c.Tag)] += c.Bytes
	case c.Kind == traces.Sendrecv:
		sent[name(me, c.Peer, c.Tag)] += c.Bytes
		came[name(c.From, me, c.FromTag)] += c.In
	}
}

// checkCalls looks at some calls of rank 1.
func checkCalls(t *testing.T, all []traces.Call, n int) {
	t.Helper()
	find := func(kind traces.CallKind, tag int32) *traces.Call {
		i := slices.IndexFunc(all, func(c traces.Call) bool { return c.Kind == kind && c.Tag == tag })
		if i < 0 {
			t.Fatalf("there is no %s with tag %d", kind, tag)
		}
		return &all[i]
	}
	for _, c := range []struct {
		what string
		got  any
		want any
	}{
		{"a receive from any source", *find(traces.Recv, 1), traces.Call{Bytes: 100}},
		{"a late known receive", *find(traces.Irecv, 2), traces.Call{Bytes: 2000}},
		{"a persistent send", *find(traces.Isend, 6), traces.Call{Peer: 2, Bytes: 60}},
	} {
		got, want := c.got.(traces.Call), c.want.(traces.Call)
		if got.Bytes != want.Bytes || got.Peer != want.Peer {
			t.Errorf("%s: %+v", c.what, got)
		}
	}
	if c := find(traces.Sendrecv, 10); !c.Strided || c.Bytes != 80 || c.In != 80 {
		t.Errorf("a column is sent: %+v", c)
	}
	if i := slices.IndexFunc(all, func(c traces.Call) bool { return c.Kind == traces.Irecv && c.Tag == 99 }); all[i].Peer != traces.Nobody {
		t.Errorf("a cancelled receive: %+v", all[i])
	}
	last := all[len(all)-1]
	if last.Kind != traces.End || last.Phase != 1 {
		t.Errorf("the last call is %+v", last)
	}
	for _, c := range all {
		if c.Kind == traces.Gather && c.Uneven && c.Comm == 0 && c.Bytes != 11 {
			t.Errorf("a gather of unequal blocks: %+v", c)
		}
		if c.Kind == traces.NeighbourExchange && (!slices.Equal(c.Sinks, []int32{0, 2}) || !slices.Equal(c.Out, []int64{8, 8})) {
			t.Errorf("a neighbourhood: %+v", c)
		}
	}
}

// checkComms looks for the communicators of testdata/calls.c among those of four ranks.
func checkComms(t *testing.T, h *traces.Header) {
	t.Helper()
	var lists []string
	for _, c := range h.Comms[1:] {
		lists = append(lists, fmt.Sprint(c.Ranks))
	}
	slices.Sort(lists)
	if want := []string{"[0 1 2 3]", "[0 1 2 3]", "[0]", "[1]", "[2 0]", "[2]", "[3 1]", "[3]"}; !slices.Equal(lists, want) {
		t.Errorf("communicators %v, should be %v", lists, want)
	}
}

// The computation of a trace is the CPU time that the program itself measured, regardless of what else
// runs on the host.
func TestComputation(t *testing.T) {
	each(t, func(t *testing.T, l library) {
		raw := recorded(t, l, "testdata/busy.c", 2)
		for rank := range 2 {
			computed, said := 0.0, 0.0
			for _, c := range calls(t, raw, rank) {
				if c.Kind == traces.Barrier {
					computed += c.Before.Seconds()
				}
				if c.Kind == traces.Send {
					said = float64(c.Bytes) * 1e-6
				}
			}
			if said == 0 || computed < 0.97*said || computed > 1.03*said+0.001 {
				t.Errorf("rank %d computed for %.4f s, and the trace has %.4f s", rank, said, computed)
			}
		}
	})
}

// A collective with a persistent request is recorded each time that it is started, as a non-blocking one is.
func TestPersistentCollectives(t *testing.T) {
	each(t, func(t *testing.T, l library) {
		raw := recorded(t, l, "testdata/planned.c", 4)
		if m := raw.Header().Missing; len(m) > 0 {
			t.Errorf("not recorded: %v", m)
		}
		for rank := range 4 {
			open, started := map[int32]traces.CallKind{}, []traces.CallKind{}
			for _, c := range calls(t, raw, rank) {
				for _, request := range c.Requests {
					delete(open, request)
				}
				if c.Kind.Collective() == nil {
					continue
				}
				if _, used := open[c.Request]; used || !c.Start {
					t.Errorf("rank %d: %s, request %d: %v", rank, c.Kind, c.Request, open)
				}
				open[c.Request], started = c.Kind, append(started, c.Kind)
				switch {
				case c.Kind == traces.Allreduce && c.Bytes == 800 || c.Kind == traces.Broadcast && c.Bytes == 400 && c.Peer == 1:
				case c.Kind == traces.Allgather && c.Uneven && c.Bytes == 800 && slices.Equal(c.Into, []int64{80, 160, 240, 320}):
				default:
					t.Errorf("rank %d: %+v", rank, c)
				}
			}
			want := slices.Repeat([]traces.CallKind{traces.Allreduce, traces.Broadcast, traces.Allgather}, 5)
			if len(open) > 0 || !slices.Equal(started, want) {
				t.Errorf("rank %d: started %v, open %v", rank, started, open)
			}
		}
		if s, err := traces.Look(raw); err != nil {
			t.Errorf("%v %v", s, err)
		}
	})
}

// A message in partitions is recorded: its starts, what is ready and what has arrived, and the trace runs. Open MPI 4 has none.
func TestPartitions(t *testing.T) {
	each(t, func(t *testing.T, l library) {
		raw := recorded(t, l, "testdata/parts.c", 2)
		if m := raw.Header().Missing; len(m) > 0 {
			t.Errorf("not recorded: %v", m)
		}
		var got []string
		for rank := range 2 {
			for _, c := range calls(t, raw, rank) {
				switch c.Kind {
				case traces.Psend, traces.Precv:
					got = append(got, fmt.Sprintf("%s %d of %d B with %d", c.Kind, c.Among, c.Bytes, c.Peer))
				case traces.Pready:
					got = append(got, fmt.Sprintf("%s %d from %d", c.Kind, c.Among, c.Tag))
				case traces.Parrived:
					got = append(got, fmt.Sprintf("%s %d", c.Kind, c.Tag))
				}
			}
		}
		one := []string{"psend 8 of 8000 B with 1", "pready 1 from 3", "pready 3 from 0", "pready 2 from 4", "pready 1 from 7",
			"pready 1 from 6"}
		other := []string{"precv 4 of 16000 B with 0", "parrived 1"}
		want := slices.Concat(one, one, other, other)
		if none := len(got) == 0 && l.name == "Open MPI"; !none && !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if s, err := traces.Look(raw); err != nil {
			t.Errorf("%v %v", s, err)
		}
	})
}

// Parts of testdata/odd.c; the last one has a second thread.
var odd = []string{"persistent", "cancelled", "nothing", "wild", "groups", "types", "uneven", "neighbours", "order", "buffered",
	"onesided", "threads"}

// A program with unusual calls is recorded: each rank receives what the others send to it, the
// trace runs on several machines, and calls that cannot be simulated are refused by name.
func TestOdd(t *testing.T) {
	each(t, func(t *testing.T, l library) {
		raw := recorded(t, l, "testdata/odd.c", 4, odd...)
		if m := raw.Header().Missing; len(m) != 1 || m[0] != (traces.Count{Name: "MPI calls of other threads", Calls: 4}) {
			t.Errorf("not recorded: %v", m)
		}
		sent, came := map[string]int64{}, map[string]int64{}
		for rank := range 4 {
			kinds := map[traces.CallKind]int{}
			for _, c := range calls(t, raw, rank) {
				kinds[c.Kind]++
				follow(&c, int32(rank), sent, came)
			}
			if kinds[traces.Put] != 5 || kinds[traces.Get] != 2 {
				t.Errorf("rank %d: %d puts and %d gets, should be 5 and 2", rank, kinds[traces.Put], kinds[traces.Get])
			}
		}
		if !maps.Equal(sent, came) || len(sent) < 4*20 {
			t.Errorf("sent\n%v, received\n%v", sent, came)
		}
		folder := t.TempDir()
		var file bytes.Buffer
		must.Do(t, traces.Write(&file, raw))
		for name, text := range map[string]string{"odd.trace": file.String(), "odd.yaml": "workload: {name: trace, file: odd.trace}\n"} {
			must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
		}
		runOdd(t, filepath.Join(folder, "odd.yaml"))
	})
}

func runOdd(t *testing.T, file string) {
	t.Helper()
	_, err := scenarios.LoadRun(file, 0, []string{"machine=hopper"})
	for _, want := range []string{"a synchronous send (MPI_Ssend, MPI_Issend) (20 calls)", "MPI calls of other threads (4 calls)",
		"'incomplete: true' leaves out"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say: %s", err, want)
		}
	}
	for _, machine := range []string{"hopper", "loopback-openmpi", "hdr-infiniband", "bassi", "jacquard"} {
		s, err := scenarios.LoadRun(file, 0, []string{"machine=" + machine, "workload.incomplete=true", "workload.library=openmpi-4"})
		if err != nil {
			t.Errorf("%s: %v", machine, err)
			continue
		}
		if o, err := s.Run(nodes.Options{}); err != nil {
			t.Errorf("%s: %v", machine, err)
		} else if o.Result.Bytes < 4<<20 {
			t.Errorf("%s: %d bytes", machine, o.Result.Bytes)
		}
	}
}

// The number of calls of each kind by each rank of the programs in Fortran, except for polling
// and MPI_Waitsome.
var wantFortran = map[string]map[traces.CallKind]int{
	"calls.f90": {traces.Irecv: 2, traces.Isend: 2, traces.Wait: 1, traces.WaitAny: 2, traces.Sendrecv: 1, traces.Allreduce: 1,
		traces.Make: 1, traces.Broadcast: 1, traces.Barrier: 1, traces.End: 1},
	"calls08.f90": {traces.Irecv: 5, traces.Isend: 6, traces.Send: 1, traces.Recv: 1, traces.Probe: 1, traces.Wait: 3, traces.WaitAny: 2,
		traces.Sendrecv: 1, traces.Allreduce: 1, traces.Make: 1, traces.Broadcast: 1, traces.Barrier: 2, traces.End: 1},
}

// Programs in Fortran, by the modules mpi and mpi_f08, give the same traces as programs in C.
func TestFortran(t *testing.T) {
	each(t, func(t *testing.T, l library) {
		if _, err := exec.LookPath(l.fortran); err != nil {
			t.Skip("MPI is not installed for Fortran:", err)
		}
		for source, want := range wantFortran {
			program := filepath.Join(t.TempDir(), "program")
			if said, err := limited.Command(t, l.fortran, "-o", program, "testdata/"+source).CombinedOutput(); err != nil {
				t.Skipf("MPI is not installed for Fortran: %v\n%s", err, said)
			}
			raw := run(t, l, 4, program)
			for rank := range 4 {
				checkFortran(t, source, rank, want, calls(t, raw, rank))
			}
		}
	})
}

func checkFortran(t *testing.T, source string, rank int, want map[traces.CallKind]int, all []traces.Call) {
	t.Helper()
	kinds := map[traces.CallKind]int{}
	for _, c := range all {
		kinds[c.Kind]++
		if c.Kind == traces.Irecv && c.Tag == 1 && (c.Bytes != 200 || int(c.Peer) != (rank+3)%4) {
			t.Errorf("%s: rank %d: %+v", source, rank, c)
		}
	}
	for kind, n := range want {
		if kinds[kind] != n {
			t.Errorf("%s: rank %d: %d calls of %s, should be %d", source, rank, kinds[kind], kind, n)
		}
	}
}

// The compiler that belongs to a launcher.
func TestCompiler(t *testing.T) {
	for launcher, want := range map[string]string{
		"mpirun": "mpicc", "mpiexec.mpich": "mpicc.mpich", "/opt/x/bin/orterun": "/opt/x/bin/mpicc", "./mpirun": "./mpicc", "srun": "mpicc",
	} {
		if got := Compiler(launcher); got != want {
			t.Errorf("%s: %s, should be %s", launcher, got, want)
		}
	}
}

// An incomplete file of a rank is refused, with the place.
func TestMerge(t *testing.T) {
	folder := t.TempDir()
	if _, err := (&Program{Folder: folder}).Merge(); err != ErrNothing {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"":                     "rank-0: at byte 0: the program ended before MPI_Finalize",
		"\x01":                 "rank-0: at byte 0: ends within a call",
		"\x01\x00\x02\x69":     "set TMPDIR and XDG_CACHE_HOME to folders that all hosts see",
		"\x01\x00\x01":         "rank-0: at byte 3: the program ended before MPI_Finalize",
		"\x01\x00\x01\x05\x00": "rank-0: at byte 3: ends within a call",
		"\x01\x00\x01\x7f":     "rank-0: at byte 3: a number is too large",
		"\x02\x00\x01":         "rank-0: at byte 0: this is not a rank's file of this version",
		"\x01\x01\x02":         "rank-0: at byte 0: this is rank 1 of 2",
	} {
		must.Do(t, os.WriteFile(filepath.Join(folder, "rank-0"), []byte(text), 0o666))
		must.Refuse((&Program{Folder: folder}).Merge())(t, want)
	}
}
