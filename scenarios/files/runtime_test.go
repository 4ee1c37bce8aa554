package files

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// allRuntimeKeys is a runtime with every key.
const allRuntimeKeys = `
name: all
title: All keys
progress: {by: thread, every: 0s, test: 0s, delay: 3us, cost: 4us, ahead: 5KiB, takes: read}
send_overhead: [{time: 1us}, {from: 4KiB, time: 2us, per_byte: 1GB/s}]
isend_overhead: 2ns
receive_overhead: 5us
copy_limit: 4KB
matching: 6ns
search: 9ns
unexpected: 7ns
handler: 8us
dispatch: 9us
rendezvous: {threshold: 12KiB, kind: pipelined, chunk: 64KiB, first: 4KiB, depth: 3, complete: acknowledged, in: 2GB/s, out: 4GB/s}
strided: {pack: 1ns/B, unpack: 2ns/B, chunk: 32KiB, first: 2KiB, depth: 2, complete: copied, in: 3ns/B, out: 4ns/B}
waiting: {by: block, wakeup: 9us}
threads: {binding: core}
partitioned: whole
offload: {fan_in: 18, level: 1us, segment: 256B, per_segment: 2us, up_to: 4KiB, nodes: 4}
collectives: openmpi-4
`

func TestRuntimeKeys(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "all.yaml", allRuntimeKeys)
	study := must.Get(Load("ft-slabs-jacquard", []string{"machine.runtime=all.yaml"}))(t)
	m := study.Runs[0].Machine
	want := &machines.Runtime{
		Name:      "all",
		Progress:  machines.Progression{By: machines.Thread, Delay: 3 * sim.Microsecond, Cost: 4 * sim.Microsecond, Ahead: 5 << 10, OneRead: true},
		CopyLimit: 4000, Matching: 6 * sim.Nanosecond, Search: 9 * sim.Nanosecond,
		Unexpected: network.Constant(7 * sim.Nanosecond), Handler: 8 * sim.Microsecond, Dispatch: 9 * sim.Microsecond,
		Request:    network.Constant(2 * sim.Nanosecond),
		Rendezvous: machines.Pipelined,
		Pipeline:   machines.Pipeline{Chunk: 64 << 10, First: 4 << 10, Depth: 3, In: 500, Out: 250, Acknowledged: true},
		Strided: machines.Strided{Pack: 1000, Unpack: 2000,
			Pipeline: machines.Pipeline{Chunk: 32 << 10, First: 2 << 10, Depth: 2, In: 3000, Out: 4000}},
		Waiting: machines.Block, Wakeup: 9 * sim.Microsecond, Bound: true, Partitioned: machines.WholeMessage, Collectives: "openmpi-4",
		Offload: machines.Combining{FanIn: 18, Level: sim.Microsecond, Segment: 256, PerSegment: 2 * sim.Microsecond, Limit: 4096, Least: 4},
	}
	if !reflect.DeepEqual(m.Runtime, want) {
		t.Errorf("got %+v, want %+v", m.Runtime, want)
	}
	net := m.Network
	if send := (network.Cost{{Base: sim.Microsecond}, {From: 4096, Base: 2 * sim.Microsecond, PerByte: 1000}}); net.Rendezvous != 12<<10 ||
		!reflect.DeepEqual(net.SendOverhead, send) || !reflect.DeepEqual(net.ReceiveOverhead, network.Constant(5*sim.Microsecond)) {
		t.Errorf("the network has %+v", net)
	}
	for _, row := range new(runtimeFile).rows("") {
		if _, key := keys.Split(row.Path); key != "base" && !strings.Contains(allRuntimeKeys, key+":") {
			t.Errorf("the key %s is not tested", row.Path)
		}
	}
}

// Every runtime of the library loads, states the origin of its numbers, and says what was
// not found.
func TestRuntimeOrigins(t *testing.T) {
	for _, name := range Runtimes() {
		r, err := LoadRuntime(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Name != name || r.Title == name {
			t.Errorf("%s: called %s, %s", name, r.Name, r.Title)
		}
		for _, f := range r.Facts {
			if f.Quantity && (f.Origin == "" || f.Source == "") {
				t.Errorf("%s: %s has no origin or no source", name, f.Path)
			}
			checkChosen(t, name, r.Title, f)
		}
	}
}

// There are several ways to give a machine a runtime. A part of it can be changed;
// another runtime replaces it entirely.
func TestRuntimeSwap(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.yaml", "base: openmpi-1.10\nrendezvous: {threshold: 20KiB}\n")
	write(t, "own.yaml", "base: jacquard\nruntime: mvapich2-2.2\n")
	write(t, "over.yaml", "base: own.yaml\nruntime: {rendezvous: {threshold: 20KiB}}\n")
	for _, c := range []struct {
		machine   string
		set       []string
		name      string
		kind      machines.Protocol
		threshold int64
	}{
		{"own.yaml", nil, "mvapich2-2.2", machines.Write, 17 << 10},
		{"over.yaml", nil, "mvapich2-2.2", machines.Write, 20 << 10},
		{"own.yaml", []string{"machine.runtime=openmpi-1.10"}, "openmpi-1.10", machines.Read, 12 << 10},
		{"own.yaml", []string{"machine.runtime=mine.yaml"}, "mine", machines.Read, 20 << 10},
		{"own.yaml", []string{"machine.runtime={base: openmpi-1.10, matching: 1us}"}, "", machines.Read, 12 << 10},
		{"own.yaml", []string{"machine.runtime=mine.yaml", "machine.runtime.rendezvous.kind=write"}, "mine", machines.Write, 20 << 10},
		{"own.yaml", []string{"machine.runtime.rendezvous.threshold=1KiB"}, "mvapich2-2.2", machines.Write, 1 << 10},
		{"jacquard", []string{"machine.runtime.rendezvous.kind=write"}, "gasnet-vapi", machines.Write, 12 << 10},
		{"own.yaml", []string{"machine.runtime=none"}, "no runtime", 0, 12 << 10},
	} {
		study, err := Load("ft-slabs-jacquard", append([]string{"machine=" + c.machine}, c.set...))
		if err != nil {
			t.Errorf("%s %s: %v", c.machine, c.set, err)
			continue
		}
		m := study.Runs[0].Machine
		r := m.Runtime
		if r == nil {
			r = &machines.Runtime{Name: "no runtime"}
		}
		if first := r.Strided.First; m.Network.Rendezvous > 0 && first > m.Network.Rendezvous {
			t.Errorf("%s %s: %d B travel with a request, %d are eager", c.machine, c.set, first, m.Network.Rendezvous)
		}
		if r.Name != c.name || r.Rendezvous != c.kind || m.Network.Rendezvous != c.threshold {
			t.Errorf("%s %s: got %s, protocol %d, threshold %d", c.machine, c.set, r.Name, r.Rendezvous, m.Network.Rendezvous)
		}
	}
}

// Any agent can take the place of a runtime's own: keys of progress and waiting that mean nothing with it go with the base. What the
// user gave beside it does not.
func TestAgentOverBase(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "over.yaml", "base: madmpi\nprogress: {by: nic}\n")
	write(t, "blocks.yaml", "base: madmpi\nwaiting: {by: block, wakeup: 5us}\n")
	load := func(set ...string) (*machines.Runtime, error) {
		study, err := Load("ft-slabs-jacquard", append([]string{"machine=hdr-infiniband"}, set...))
		if err != nil {
			return nil, err
		}
		return study.Runs[0].Machine.Runtime, nil
	}
	for _, name := range append(Runtimes(), "over.yaml") {
		for by, agent := range agents {
			set := []string{"machine.runtime=" + name, "machine.runtime.progress.by=" + agent}
			if machines.Agent(by).Tests() {
				set = append(set, "machine.runtime.progress.every=1ms")
			}
			r, err := load(set...)
			if err != nil || r.Progress.By != machines.Agent(by) {
				t.Errorf("%s by %s: %v", name, agent, err)
			}
		}
	}
	if r, err := load("machine.runtime=madmpi", "machine.runtime.progress.by=nic-thread"); err != nil || r.Progress.Delay != 500*sim.Nanosecond {
		t.Errorf("a delay that still means something: %+v, %v", r, err)
	}
	if r, err := load("machine.runtime=blocks.yaml", "machine.runtime.waiting.by=poll"); err != nil || r.Wakeup != 0 {
		t.Errorf("a process that polls: %+v, %v", r, err)
	}
	const wrong = "--set machine.runtime.progress.delay=1us: means nothing by nic; it is for by: thread or nic-thread (--set machine.runtime.progress.by=thread)"
	delay, by := "machine.runtime.progress.delay=1us", "machine.runtime.progress.by=nic"
	for _, set := range [][]string{{delay, by}, {by, delay}} {
		if _, err := load(append([]string{"machine.runtime=madmpi"}, set...)...); err == nil || err.Error() != wrong {
			t.Errorf("%s: %v", set, err)
		}
	}
}

func TestRuntimeMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string]string{
		"progress: {by: magic}\n": "r.yaml:1:12: runtime.progress.by: must be one of calls, test, interrupts, thread, nic, waits, triggered, nic-thread, waits-test, got magic",
		"progress: {by: test}\n": "r.yaml:1:12: runtime.progress.every: is missing; by test needs a time such as 100us " +
			"(computation between two Tests)",
		"progress: {every: 1us}\nrendezvous: {chunk: 0B, knd: read}\n": "r.yaml:2:14: runtime.rendezvous.chunk: must be positive, got 0B\n" +
			"r.yaml:2:25: runtime.rendezvous.knd: unknown key, did you mean kind?",
		"progress: {every: 1us}\n": "r.yaml:1:12: runtime.progress.every: means nothing by calls; it is for by: test or waits-test " +
			"(--set machine.runtime.progress.by=test)",
		"progress: {by: waits, every: 1us}\n": "r.yaml:1:23: runtime.progress.every: means nothing by waits; it is for by: test or waits-test " +
			"(--set machine.runtime.progress.by=waits-test)",
		"progress: {by: test, every: 1us, cost: 1us}\n": "r.yaml:1:34: runtime.progress.cost: means nothing by test; it is for by: " +
			"interrupts or thread or nic-thread (--set machine.runtime.progress.by=interrupts)",
		"waiting: {wakeup: 1us}\n": "r.yaml:1:11: runtime.waiting.wakeup: means nothing by poll; it is for by: block",
		"base: r.yaml\n":           "r.yaml:1:1: base: is based on 16 other runtimes, or on itself",
		"base: openmpi-1.11\n":     "r.yaml:1:1: base: no runtime is called openmpi-1.11; did you mean openmpi-1.10?",
	} {
		write(t, "r.yaml", text)
		_, err := Load("ft-slabs-jacquard", []string{"machine.runtime=r.yaml"})
		var problems keys.Problems
		if !errors.As(err, &problems) || problems.Error() != want {
			t.Errorf("%s: got\n%v\nwant\n%s", text, err, want)
		}
	}
}

// Threads next to the processes of a run require that the machine says how processes wait, and how
// long another thread may hold a core.
func TestBackgroundThreads(t *testing.T) {
	for want, set := range map[string][]string{
		"--set background_threads=3: need a runtime, which says how processes wait; tukey has none, give machine.runtime": {"machine=tukey"},
		"--set background_threads=3: need the time slice of the operating system; give machine.time_slice, such as 4ms": {
			"machine=jacquard", "machine.runtime=madmpi"},
	} {
		_, err := Load("overlap", append(set, "background_threads=3"))
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
