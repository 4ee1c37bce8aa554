package points

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/sim/must"
)

// noiseOf runs a text and finds its noise.
func noiseOf(t *testing.T, text string) Noise {
	t.Helper()
	study := must.Get(scenarios.Read("text.yaml", []byte(text), nil))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	return NoiseOf(&Pool{Load: study.Runs[0].With}, o, nodes.Options{})
}

func TestNoiseOf(t *testing.T) {
	for text, want := range map[string]string{
		"machine: loggp\nworkload: {name: halo, bytes: 8B}\nranks: 8\n": "",

		"machine: loggp\nchanges: {nodes: 0}\nworkload: {name: halo, iterations: 100, bytes: 8B}\nranks: 1000000\n":// by symmetry
		"with simultaneous events in another order all 1000000 nodes would be simulated, in more than 5 million events",

		"machine: hopper\nworkload: {name: halo, bytes: 8B}\nranks: 8\nbackground_threads: 1\n" +
			"changes: {runtime: mvapich2-2.2, time_slice: 4ms}\n": "delays ranks by a computation, which background_threads do not allow",
	} {
		if n := noiseOf(t, text); n.Why != want || (n.Part == nil) != (want != "") {
			t.Errorf("%s%+v, want %q", text, n, want)
		}
	}
	n := noiseOf(t, "machine: hopper\nworkload: {name: halo, bytes: 64KiB, iterations: 5, compute: 50us}\nranks: 64\nprocesses_per_node: 4\n"+
		"fabric: {kind: flow}\n")
	if n.Part == nil || *n.Part < 0.005 || *n.Part > 0.1 {
		t.Errorf("%+v", n)
	}
}

// Whether two nodes stand for all is known from a run, and from a run of all ranks by another one.
func TestRepresented(t *testing.T) {
	for text, want := range map[string]bool{
		"machine: loggp\nworkload: {name: halo, bytes: 8B}\nranks: 64\n":                                               true,
		"machine: loggp\nworkload: {name: halo, bytes: 8B}\nranks: 4\n":                                                false, // too few nodes
		"machine: frontier\nworkload: {name: halo, bytes: 1MiB, iterations: 20}\nranks: 1024\nprocesses_per_node: 8\n": false, // two did not
	} {
		study := must.Get(scenarios.Read("text.yaml", []byte(text), nil))(t)
		for _, options := range []nodes.Options{{}, {Timeline: true}} {
			o := must.Get(study.Runs[0].Run(options))(t)
			if got := Represented(&Pool{Load: study.Runs[0].With}, o, nodes.Options{}); got != want {
				t.Errorf("%s%+v: %t, want %t", text, options, got, want)
			}
		}
	}
}

// Where the system pauses, a run that is shorter than the mean time between pauses of a rank differs by whole pauses from seed to seed,
// and is never shorter than without them.
func TestNoiseOfPauses(t *testing.T) {
	const pause = 50e-6
	run := func(noise string) Noise {
		return noiseOf(t, "machine: {base: loggp, noise: "+noise+"}\nworkload: {name: allreduce-doubling, bytes: 16KiB}\nranks: 16\n")
	}
	quiet, n := run("none"), run("{rate: 1000Hz, length: 50us}")
	if quiet.Paused || *quiet.Part > 0.005 {
		t.Errorf("without pauses: %+v", quiet)
	}
	if n.Part == nil || !n.Paused || n.Longest-n.Shortest < pause || n.Shortest < quiet.Shortest*0.999 {
		t.Errorf("%+v, without pauses %+v", n, quiet)
	}
}

func TestNoiseNote(t *testing.T) {
	none := "none: the makespan does not depend on the order of what happens at the same moment"
	for want, n := range map[string]Noise{
		"not known: a reason": {Why: "a reason"},
		none:                  {Part: new(0.0004), Shortest: 1, Longest: 1.0004},
		"40 % of the makespan depends on the order of what happens at the same moment: it is between 1.000 s and 1.400 s": {
			Part: new(0.4), Shortest: 1, Longest: 1.4},
		"40 % of the makespan depends on when noise of the system comes: it is between 1.000 s and 1.400 s": {Part: new(0.4), Shortest: 1, Longest: 1.4, Paused: true},
	} {
		if got := n.Note(); got != want {
			t.Errorf("%+v: %q, want %q", n, got, want)
		}
	}
}

// Two runs that differ by chance alone may be the shortest and the longest one.
func TestSpread(t *testing.T) {
	for want, others := range map[float64][]float64{0: {2 + 1e-9}, 0.05: {2 + 1e-9, 1.9, 1.95}, 0.075: {1.9, 2.05}} {
		if got := spread(2, others); math.Abs(got-want) > 1e-8 {
			t.Errorf("%v: %g, want %g", others, got, want)
		}
	}
}

// One other order may change little by chance where the next one changes a lot.
func TestNoiseOfSharedLinks(t *testing.T) {
	n := noiseOf(t, "machine: frontier\nworkload: {name: shift, distance: 128}\nranks: 256\nprocesses_per_node: 8\nfabric: {kind: flow}\n")
	if n.Part == nil || *n.Part < 0.05 {
		t.Errorf("%+v, want the 5.1 %% by which six other orders differ", n)
	}
}

// Ranks that do the same stay in step, and all wait for one dispatch of 5 ms less if bytes take 0.04 % longer: no other order shows that.
func TestNoiseOfBandwidth(t *testing.T) {
	n := noiseOf(t, "machine: bassi\nworkload: {name: spmv-scatter}\nranks: 32\nfabric: {kind: ideal}\n")
	if n.Part == nil || !n.Near || *n.Part < 5e-3/n.Longest || !strings.Contains(n.Note(), "0.04 % of the bandwidth: it is between") {
		t.Errorf("%+v", n)
	}
}

// A run bound by a NIC takes as much longer as its bytes do: that is no noise.
func TestNoNoiseOfBytes(t *testing.T) {
	n := noiseOf(t, "machine: loggp\nworkload: {name: halo, bytes: 8MB, compute: 0s}\nranks: 8\n")
	if n.Part == nil || *n.Part > 1e-9 || n.Longest < n.Shortest*1.0007 {
		t.Errorf("%+v", n)
	}
}

// Where a test hits or misses the message that lets the bytes leave, decides what overlaps: ranks that come as late as an empty message change
// the makespan, though the order of what happens at the same moment does not. The lateness is no noise by itself: messages that are sent at
// once, or that no test moves, have none.
func TestNoiseOfTests(t *testing.T) {
	const machine = "machine: {base: loopback-openmpi, network: {latency: 100ns, send_overhead: 2us, receive_overhead: 50ns, gap: 1.8us}, " +
		"bucket: {rate: 1Gbit/s, depth: 256KiB, payload: 1448B, header: 70B, shared: all}}\n" +
		"fabric: {kind: backlog}\nprocesses_per_node: 1\n"
	for _, c := range []struct {
		bytes  int
		tests  bool
		noises bool
	}{{200_000, true, true}, {200_000, false, false}, {8, true, false}} {
		text := ""
		for rank := range 2 {
			text += fmt.Sprintln(rank, "init")
			for range 50 {
				text += fmt.Sprintf("%d compute 4e6\n%[1]d irecv %d 0 %d\n%[1]d isend %[2]d 0 %[3]d\n%[1]d compute 1e6\n", rank, 1-rank, c.bytes)
				if c.tests {
					text += fmt.Sprintf("%d test %d %[1]d 0\n", rank, 1-rank)
				}
				text += fmt.Sprintf("%d compute 4e6\n%[1]d waitall\n%[1]d allreduce 8 0\n", rank)
			}
		}
		file := filepath.Join(t.TempDir(), "tests.ti")
		must.Do(t, os.WriteFile(file, []byte(text), 0o666))
		n := noiseOf(t, machine+"workload: {name: trace, flop_rate: 1e9, file: "+file+"}\n")
		if n.Part == nil || n.Late != c.tests || (*n.Part >= 0.01) != c.noises || !c.noises && *n.Part >= 0.0005 {
			t.Errorf("%+v: %+v", c, n)
		} else if t.Logf("%+v: %g", c, *n.Part); c.noises && !strings.Contains(n.Note(), "ranks come late") {
			t.Error(n.Note())
		}
	}
}
