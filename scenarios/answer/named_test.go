package answer

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/traces"
)

// Where some cause costs enough to be attacked, so are those that the sentence names: the most expensive one of communication, and the most
// expensive one of the rest.
func TestNamedCausesAreAttacked(t *testing.T) {
	a := written(t, five("{kind: crossbar}")+"ranks: 2\nworkload: {name: halo, bytes: 1MB, iterations: 2, compute: 1ms}\n")
	s := newSubject(a.outcome(t), a.load)
	for _, c := range []struct {
		uneven float64
		want   []string
	}{
		{0.23, []string{"imbalance", "progress"}},
		{0.049, nil},
	} {
		said := outcomes.Answer{Without: []outcomes.Change{{Cause: "imbalance", Saves: c.uneven}, {Cause: "progress", Saves: 0.044},
			{Cause: "bandwidth", Saves: 0.037}}}
		var got []string
		for _, cause := range s.costly(&said) {
			got = append(got, cause.Cause)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("imbalance of %g: attacks %q, want %q", c.uneven, got, c.want)
		}
	}
}

// Copies inside a node are all faster, also those between sockets: each iteration of 3 ms has copies of 1 ms.
func TestCopiesBetweenSockets(t *testing.T) {
	const text = "machine: {cores: 8, sockets: {number: 2}, network: {latency: 1us, send_overhead: 0s, receive_overhead: 0s, bandwidth: 100GB/s}, " +
		"intra_node: {latency: 0s, per_byte: 4GB/s, across: {latency: 0s, per_byte: 2GB/s}}}\n" +
		"ranks: 2\nprocesses_per_node: 2\nmapping: block\nworkload: {name: halo, bytes: 1MB, compute: 1ms, iterations: 4}\n"
	said := confirm(t, written(t, text))
	overhead := said.Absence("overhead")
	saves := savedBy(said, "machine.intra_node.per_byte=x0.5", "machine.intra_node.across.per_byte=x0.5")
	if overhead == nil || overhead.Saves < 0.2 || math.Abs(saves-overhead.Saves/2) > 0.01 {
		t.Errorf("copies cost %+v, twice as fast they save %g", overhead, saves)
	}
}

// Of more processes than a node has cores, one for each core is tried first.
func TestOneProcessPerCore(t *testing.T) {
	const text = "machine: {cores: 8, smt: {contexts: 2, slow_down: {fp: {fp: 1.6}}}, kernels: {dgemm: {rates: 10GF/s}}, network: {latency: 1us, " +
		"send_overhead: 0s, receive_overhead: 0s, bandwidth: 100GB/s}}\n" +
		"ranks: 16\nprocesses_per_node: 16\nworkload: {name: halo, bytes: 1KB, iterations: 10, compute: 0s, kernel: dgemm, n: 300}\n"
	said := confirm(t, written(t, text))
	if saves := savedBy(said, "processes_per_node=8"); math.Abs(saves-(1-1/1.6)) > 0.01 {
		t.Errorf("one process for each core saves %g: %+v", saves, said.Help)
	}
}

// Of two ranks that compute 1 and 2 ms before each of 12 barriers, uneven computation may be noise of the recording if one did not run for a
// further 1 ms, a quarter of the 4 ms between calls, but not if for 50 us, 1.6 % of 3.05 ms. The medians have that noise, and say nothing of it.
func TestRanksThatDidNotRun(t *testing.T) {
	const note = "Uneven computation may be noise of the recording: between calls ranks did not run for 25.0 % of the time, as where they share cores."
	for _, c := range []struct {
		away sim.Time
		want bool
	}{{sim.Millisecond, true}, {50 * sim.Microsecond, false}} {
		calls := make([][]traces.Call, 2)
		for range 12 {
			calls[0] = append(calls[0], traces.Call{Kind: traces.Barrier, Peer: traces.Nobody, Request: traces.NoRequest, Before: sim.Millisecond})
			calls[1] = append(calls[1], traces.Call{Kind: traces.Barrier, Peer: traces.Nobody, Request: traces.NoRequest, Before: 2 * sim.Millisecond,
				Away: c.away})
		}
		for _, set := range []string{"workload.median=true", "workload.median=false"} {
			said := confirm(t, ofTrace(t, calls, set))
			if c := said.Absence(uneven); c == nil || c.Saves < leastCause {
				t.Fatalf("%s: uneven computation saves %+v", set, c)
			}
			if slices.Contains(said.Notes, note) != c.want {
				t.Errorf("away for %v, %s: %q", c.away, set, said.Notes)
			}
		}
	}
}

// Recordings of ranks that compute 2 and 2.1 ms before each barrier differ by computation alone, which may be noise if ranks did not run for a
// further 1 ms, 33 and 32 % of the time, but not if they ran, nor if one computes for 4 ms.
func TestRecordingsThatDidNotRun(t *testing.T) {
	record := func(name string, before, away sim.Time) *outcomes.RunRecord {
		calls := make([][]traces.Call, 2)
		for range 12 {
			for rank := range calls {
				calls[rank] = append(calls[rank], traces.Call{Kind: traces.Barrier, Peer: traces.Nobody, Request: traces.NoRequest, Before: before, Away: away})
			}
		}
		r := Record(ofTrace(t, calls, "workload.median=true").outcome(t))
		r.Scenario = name
		return r
	}
	const note = " That may be noise of the recordings: between calls ranks did not run for 33 % of the time in a, 32 % in b."
	for _, c := range []struct {
		before, away sim.Time
		want         bool
	}{{2_100_000_000, sim.Millisecond, true}, {2_100_000_000, 0, false}, {4_000_000_000, sim.Millisecond, false}} {
		if got := Among([]*outcomes.RunRecord{record("a", 2*sim.Millisecond, c.away), record("b", c.before, c.away)}); strings.Contains(got, note) != c.want {
			t.Errorf("%v, away %v: %s", c.before, c.away, got)
		}
	}
	one := record("a", 2*sim.Millisecond, sim.Millisecond) // with slower cores, as --set workload.compute_factor=1.1 has them
	other := *one
	other.Makespan += 2.4e-3
	if got := Among([]*outcomes.RunRecord{one, &other}); strings.Contains(got, "noise of the recordings") {
		t.Error(got)
	}
}

// ofTrace is a run of a trace of two ranks.
func ofTrace(t testing.TB, calls [][]traces.Call, set ...string) asked {
	t.Helper()
	var file bytes.Buffer
	must.Do(t, traces.Write(&file, &traces.Memory{Head: traces.Header{Ranks: 2, Comms: []traces.Comm{{}}}, Ranks: calls}))
	name := filepath.Join(t.TempDir(), "made.trace")
	must.Do(t, os.WriteFile(name, file.Bytes(), 0o666))
	return written(t, five("{kind: crossbar}")+"ranks: 2\nworkload: {name: trace, file: "+name+"}\n", set...)
}

// inPartitions is a run of two ranks, of which one sends a message in four partitions. Each takes 250 us in the NIC, which moves them, after
// 1 ms of computation.
func inPartitions(t testing.TB, sent string) asked {
	const parts, size = 4, 2_500_000
	send := []traces.Call{{Kind: traces.Psend, Peer: 1, Bytes: size, Among: parts}}
	for part := range int32(parts) {
		send = append(send, traces.Call{Kind: traces.Pready, Tag: part, Among: 1, Before: sim.Millisecond})
	}
	calls := [][]traces.Call{append(send, traces.Call{Kind: traces.Wait, Requests: []int32{0}}),
		{{Kind: traces.Precv, Peer: 0, Bytes: size, Among: parts}, {Kind: traces.Wait, Requests: []int32{0}}}}
	return ofTrace(t, calls, "machine.runtime={base: openmpi-5, partitioned: "+sent+", progress: {by: nic}}")
}

// A library that sends messages in partitions whole hides nothing of them, though the NIC moves them; one that sends each partition does.
func TestPartitionsWhenReady(t *testing.T) {
	for sent, gains := range map[string]bool{"whole": true, "each": false} {
		said := confirm(t, inPartitions(t, sent))
		if saves := savedBy(said, "machine.runtime.partitioned=each"); saves > 0.1 != gains {
			t.Errorf("%s: sending each partition saves %g: %+v", sent, saves, said.Help)
		}
	}
}
