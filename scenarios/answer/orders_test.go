package answer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/sim/must"
)

const symmetric = `
machine:
  cores: 16
  processes_per_node: 1
  network: {latency: 2us, send_overhead: 1us, receive_overhead: 1us, gap: 0.2us, bandwidth: 10GB/s, rendezvous_threshold: 16KiB}
workload: {name: halo, x: 4, y: 4, z: 4, bytes: 128KiB, iterations: 20, compute: 50us}
fabric: {kind: flow}
ranks: 64
`

// In the order of its text all ranks of this run do the same at the same time; in any other it takes half as long again. What each order
// agrees on is told all the same, and what they disagree on has a range.
func TestInOrders(t *testing.T) {
	a := confirm(t, written(t, symmetric))
	if *a.Noise < 0.4 || a.MakespanIn == nil || a.MakespanIn[1]-a.MakespanIn[0] > 0.05*a.MakespanIn[0] {
		t.Errorf("noise %g, %v in other orders", *a.Noise, a.MakespanIn)
	}
	if a.ExposedIn == nil || a.ExposedIn[0] != *a.Exposed || a.ExposedIn[1] < 2**a.Exposed || !strings.Contains(a.Sentence, "Best change: NICs of twice the bandwidth") {
		t.Errorf("%g s exposed, %v in several orders: %s", *a.Exposed, a.ExposedIn, a.Sentence)
	}
	of := func(set string) *outcomes.Change {
		i := slices.IndexFunc(a.Help, func(c outcomes.Change) bool { return c.Set[0] == set })
		if i < 0 {
			t.Fatalf("%s is not listed: %+v", set, a.Help)
		}
		return &a.Help[i]
	}
	if c := of("machine.network.bandwidth=x2"); c.SavesIn == nil || c.SavesIn[0] != c.Saves || c.SavesIn[1] < 0.25 || report.Saving(c) != "15 to 27 %" {
		t.Errorf("%+v: %s", c, report.Saving(c))
	}
}

const fourRanks = `
machine:
  cores: 8
  processes_per_node: 4
  network: {latency: 1.5us, send_overhead: 0.3us, receive_overhead: 0.3us, gap: 0.1us, bandwidth: 12GB/s, rendezvous_threshold: 8KiB}
  intra_node: {latency: 0.4us, per_byte: 6GB/s}
  runtime: openmpi-5
workload: {name: halo, bytes: 256KiB, iterations: 20, compute: 300us}
ranks: 64
`

// A number that gains is followed: pieces down to eager messages, whose copies this machine charges, and tests as often as
// that gains.
func TestFurther(t *testing.T) {
	const charged = "=[{from: 0B, time: 0.3us, per_byte: 100GB/s}]"
	a := confirm(t, written(t, fourRanks, "processes_per_node=1", "machine.network.send_overhead"+charged,
		"machine.network.receive_overhead"+charged))
	for change, saves := range map[string]float64{"pieces 8 instead of 1": 0.17, "an MPI_Test every 70us of computation": 0.28} {
		if !slices.ContainsFunc(a.Help, func(c outcomes.Change) bool { return c.Change == change && c.Saves >= saves }) {
			t.Errorf("%+v, and %s saves %g", a.Help, change, saves)
		}
	}
}

// The fewest pieces that are eager are tried, and fewer tests than four in a computation where fewer gain more.
func TestNearer(t *testing.T) {
	const charged = "[{from: 0B, time: 2us, per_byte: 100GB/s}]"
	for size, want := range map[string]string{
		"bytes: 64KiB, compute: 20us":   "workload.pieces=2",
		"bytes: 128KiB, compute: 100us": "machine.runtime.progress={by: waits-test, every: 40us, test: 0.3us}",
	} {
		a := confirm(t, written(t, "machine: {cores: 1, runtime: openmpi-4.1, network: {latency: 2us, send_overhead: "+charged+", receive_overhead: "+
			charged+", gap: 0.2us, bandwidth: 10GB/s}}\nranks: 27\nworkload: {name: halo, iterations: 5, "+size+"}\n"))
		if !slices.ContainsFunc(a.Help, func(c outcomes.Change) bool { return c.Set[0] == want }) {
			t.Errorf("%s is not listed: %+v", want, a.Help)
		}
	}
}

const oversubscribed = `
machine:
  nodes: 32
  cores: 8
  processes_per_node: 2
  network: {latency: 1us, send_overhead: 0.4us, receive_overhead: 0.4us, gap: 0.1us, bandwidth: 12.5GB/s, rendezvous_threshold: 16KiB}
  intra_node: {latency: 0.4us, per_byte: 8GB/s}
  topology: {kind: fat-tree, children: [8, 4], parents: [2]}
  links: {latency: 100ns}
  runtime: mvapich2-2.2
fabric: {kind: flow}
workload: {name: collective, operation: alltoall, bytes: 4MiB, repeat: 2}
ranks: 64
`

// Causes have tries in proportion to what they cost, and changes that are not tried are counted.
func TestInProportion(t *testing.T) {
	must.Long(t)
	a := written(t, oversubscribed)
	said := confirm(t, a)
	best := said.Help[0]
	for _, c := range said.Help {
		if c.Saves > best.Saves {
			best = c
		}
	}
	if best.Change != "a fabric without oversubscription" || best.Saves < 0.55 {
		t.Errorf("%+v", said.Help)
	}
	if !slices.ContainsFunc(said.Notes, func(note string) bool { return strings.Contains(note, " not tried, or not to the end") }) {
		t.Errorf("%q", said.Notes)
	}
	if all := For(a.outcome(t), a.load, Patient, func(string, float64) {}); all.Runs <= said.Runs || strings.Contains(fmt.Sprint(all.Notes), "not tried") {
		t.Errorf("who waits has %d re-runs, others %d: %q", all.Runs, said.Runs, all.Notes)
	}
}

// Tests that the engine does not model are not left out without a word.
func TestTestsBesideSiblings(t *testing.T) {
	const said = "MPI_Test during computation was not tried"
	for text, want := range map[string]bool{"smt: {contexts: 2}": true, "cores: 8": false} {
		a := confirm(t, written(t, "machine: loggp\nchanges: {runtime: openmpi-5, "+text+"}\nranks: 8\n"+
			"workload: {name: halo, bytes: 512KiB, compute: 3ms, iterations: 2}\n"))
		if got := slices.ContainsFunc(a.Notes, func(note string) bool { return strings.Contains(note, said) }); got != want {
			t.Errorf("%s: %q", text, a.Notes)
		}
	}
}

// Ranks of an all-to-all by pairs fall out of step, so that two messages share a NIC and both are late. Without latency they stay in step: that
// saves more than latency takes.
func TestBeyondPath(t *testing.T) {
	for repeat, want := range map[string]bool{"1": false, "4": true} {
		a := confirm(t, written(t, "machine: {cores: 1, network: {latency: 2us, send_overhead: 0.5us, receive_overhead: 0.5us, gap: 0.2us, bandwidth: 10GB/s},\n"+
			" topology: {kind: dragonfly, groups: 4, routers: 4, nodes_per_router: 1, cables: 1}, links: {latency: 1us, bandwidth: 1000GB/s}}\n"+
			"ranks: 16\nfabric: {kind: flow}\nworkload: {name: collective, operation: alltoall, algorithm: pairwise, bytes: 8MB, repeat: "+repeat+"}\n"))
		if got := slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "of the critical path, and its absence saves") }); got != want {
			t.Errorf("%s times: %q, %+v", repeat, a.Notes, a.Without)
		}
	}
}

// An eager message of 8 bytes waits in the NIC of the ideal network for 4 MiB that go to another rank, and ranks that share a NIC take turns
// there, so that one computes while the other sends. Both are said; without them, nothing is.
func TestInTurns(t *testing.T) {
	const machine = "machine: {cores: 1, network: {latency: 1us, send_overhead: 0.2us, receive_overhead: 0.2us, gap: 0.1us, bandwidth: 10GB/s}}\n"
	const late, early = "so that a late rank can hold up others", "its NICs send one message after another. Where messages share the rate of both"
	const ports = "where those of this machine send several at 50GB/s (links.injection)"
	said := func(text, want string) {
		t.Helper()
		a := confirm(t, written(t, text))
		for _, note := range []string{late, early, ports} {
			if got := slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, note) }); got != (note == want) {
				t.Errorf("want %q: %q", want, a.Notes)
			}
		}
	}
	for bytes, want := range map[string]string{"4194304": late, "8": ""} {
		file := filepath.Join(t.TempDir(), "token.goal")
		must.Do(t, os.WriteFile(file, []byte("num_ranks 4\nrank 0 {\na: send "+bytes+"b to 1\nc: calc 1000\nb: send 8b to 2\nb requires c\n}\n"+
			"rank 1 {\na: recv "+bytes+"b from 0\n}\nrank 2 {\na: recv 8b from 0\nb: send 4194304b to 3\nb requires a\n}\n"+
			"rank 3 {\na: recv 4194304b from 2\n}\n"), 0o666))
		said(machine+"ranks: 4\nworkload: {name: goal, file: "+file+"}\n", want)
	}
	for perNode, want := range map[string]string{"4": early, "1": ""} {
		said("machine: hdr-infiniband\nranks: 8\nprocesses_per_node: "+perNode+
			"\nworkload: {name: halo, bytes: 1MiB, compute: 2ms, iterations: 4}\n", want)
	}
	// ranks of a pipeline only wait for messages in flight, several of which can leave at once
	said("machine: leonardo\nranks: 8\nprocesses_per_node: 1\nworkload: {name: collective, operation: broadcast, algorithm: pipeline, segment: 8KiB, bytes: 1MiB}\n", ports)
}
