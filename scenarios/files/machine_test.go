package files

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// Every number of the library states its origin. Sizes at which a curve has a point
// belong to the curve.
func TestLibraryOrigins(t *testing.T) {
	for _, name := range Machines() {
		m, err := LoadMachine(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, f := range m.Facts {
			if f.Quantity && (f.Origin == "" || f.Source == "") {
				t.Errorf("%s: %s has no origin or no source", name, f.Path)
			}
			if name != "loggp" {
				checkChosen(t, name, m.Title, f)
			}
		}
	}
}

// checkChosen fails unless the source of a chosen number gives the reason.
func checkChosen(t *testing.T, name, title string, f keys.Fact) {
	t.Helper()
	imagined := strings.HasPrefix(title, "What if: ") && strings.HasPrefix(f.Source, "what if: ")
	if f.Origin == "chosen" && !imagined && !strings.Contains(f.Source, "nothing found") {
		t.Errorf("%s: %s is chosen: its source must have the words 'nothing found', or begin with 'what if: ' in a file whose title begins with "+
			"'What if: '; it is %q", name, f.Path, f.Source)
	}
}

// The published numbers of Jacquard and Bassi arrive in the machine.
func TestPublishedNumbers(t *testing.T) {
	for _, c := range []struct {
		name          string
		nodes, cores  int
		clock, flop   float64 // Hz, flop per cycle
		rdma          bool
		fewestPerByte float64 // ps/B, from the published bandwidth
	}{
		{"jacquard", 320, 2, 2.2e9, 2, true, 1e12 / 937.6e6},
		{"bassi", 111, 8, 1.9e9, 4, false, 1e12 / 4e9},
	} {
		m := must.Get(LoadMachine(c.name))(t)
		if m.Nodes != c.nodes || m.Cores != c.cores || m.Processes != c.cores {
			t.Errorf("%s: %d nodes of %d cores and %d processes, want %d, %d, %d", c.name, m.Nodes, m.Cores, m.Processes, c.nodes, c.cores, c.cores)
		}
		if m.Peak != c.clock*c.flop {
			t.Errorf("%s: peak %g, want %g", c.name, m.Peak, c.clock*c.flop)
		}
		if (m.Copying == nil) != c.rdma {
			t.Errorf("%s: copying is %v", c.name, m.Copying)
		}
		if got := m.Network.Transfer[0].PerByte; got < c.fewestPerByte {
			t.Errorf("%s: %g ps/B is faster than the published %g", c.name, got, c.fewestPerByte)
		}
		if rate := m.Kernels["fft"].At(1024); rate <= 0 || rate > m.Peak {
			t.Errorf("%s: FFT at %g flop/s, peak is %g", c.name, rate, m.Peak)
		}
	}
}

// A machine with every key is compared with the struct that it stands for.
func TestMachineKeys(t *testing.T) {
	text := `
title: All keys
historical: true
nodes: 7
cores: 4
processes_per_node: 3
time_slice: 4ms
peak: 2GF/s
network:
  latency: 5us
  send_overhead: [{time: 1us}, {from: 4KiB, time: 2us, per_byte: 0.5ns/B}]
  receive_overhead: {value: 3us, origin: derived, source: here}
  gap: 2us
  gap_per_byte: [{per_byte: 2GB/s}, {from: 1KB, time: 1ns, per_byte: 1GB/s}]
  startup: 4ns
  rendezvous_threshold: 12KiB
  request_delay: 6us
  delivery: [{from: 0B, time: 0us}, {from: 1000B, time: 7us, per_byte: 1ns/B}]
  early: true
  queue_depth: 16
  outstanding: 8
  outstanding_per_peer: 2
  channels: 4
copying: {send: 1ns/B, receive: 2ns/B, buffer: 64KiB, chunk: 16KiB, window: 96KiB, protocols: 3ns/B, served_by: 5, interrupt: 3us, interrupts: true}
intra_node: {latency: 300ns, per_byte: 4GB/s, across: {latency: 500ns, per_byte: [{per_byte: 2GB/s}, {from: 1KB, per_byte: 1GB/s}]}}
sockets: {number: 2, placement: cyclic}
nics: {number: 4, use: nearest, routers: own, far: 90ns}
noise: {rate: 100Hz, length: 5us}
barrier: {base: 1us, per_round: 2us, inside: 4us, threads: 3us}
smt:
  contexts: 2
  synchronizing: blocked
  helper: core
  scheduler: {wakes: first, balance: 5ms}
  slow_down: {fp: {fp: 1.5, memory: 1.25, copy: 2, poll: 1.1, stack: 3}, stack: {fp: 1.75}, poll: {}, memory: {}, copy: {}}
memory: {bandwidth: 6GB/s, cores: 2}
kernels:
  fft: {rates: [{n: 64, rate: 1GF/s}, {n: 1024, rate: 2GF/s}]}
  fft-strided: {rates: 0.5GF/s}
  copy: {rates: 3GB/s}
  combine: {rates: 9GB/s}
  touch: {rates: 1GB/s}
  transpose: {rates: 1.5GB/s}
  spmv-nonzero: {rates: 0.3GF/s}
  spmv-row: {rates: 0.4GF/s}
  spmv: {rates: 2GB/s}
  advection2d: {rates: 4GF/s, profile: memory, demand: [{n: 100, rate: 1MB/s}, {n: 1000, rate: 2GB/s}]}
  advection3d: {rates: 5GF/s}
  dgemm: {rates: 6GF/s}
  dtrsm: {rates: 7GF/s}
  dpotrf: {rates: 8GF/s}
`
	want := machines.Machine{
		Name: "m", Title: "All keys", Past: true, Nodes: 7, Cores: 4, Processes: 3, Slice: 4 * sim.Millisecond, Peak: 2e9,
		Network: network.LogGOPS{
			Latency:         5 * sim.Microsecond,
			SendOverhead:    network.Cost{{Base: sim.Microsecond}, {From: 4096, Base: 2 * sim.Microsecond, PerByte: 500}},
			ReceiveOverhead: network.Constant(3 * sim.Microsecond),
			Gap:             2 * sim.Microsecond,
			Transfer:        network.Cost{{PerByte: 500}, {From: 1000, Base: sim.Nanosecond, PerByte: 1000}},
			Startup:         4 * sim.Nanosecond,
			Rendezvous:      12 << 10, Asking: network.Constant(6 * sim.Microsecond),
			Delivery: network.Cost{{}, {From: 1000, Base: 7 * sim.Microsecond, PerByte: 1000}}, Early: true, QueueDepth: 16, Outstanding: 8, PerPeer: 2, Channels: 4,
		},
		Copying: &machines.Copying{SendPerByte: 1000, ReceivePerByte: 2000, Buffer: 64 << 10, Chunk: 16 << 10, Window: 96 << 10,
			Protocols: 3000, ServedBy: 5, Interrupt: 3 * sim.Microsecond, Interrupts: true},
		IntraNode: &machines.IntraNode{Latency: 300 * sim.Nanosecond, Copy: network.PerByte(250),
			Across: &machines.Across{Latency: 500 * sim.Nanosecond, Copy: network.Cost{{PerByte: 500}, {From: 1000, PerByte: 1000}}}},
		Sockets: &machines.Sockets{Number: 2, Cyclic: true},
		NICs:    &machines.NICs{Number: 4, Use: machines.Nearest, Routers: true, Far: 90 * sim.Nanosecond},
		Noise:   &machines.Noise{Rate: 100, Length: 5 * sim.Microsecond},
		Barrier: machines.Barrier{Base: sim.Microsecond, PerRound: 2 * sim.Microsecond, Inside: 4 * sim.Microsecond, Threads: 3 * sim.Microsecond},
	}
	want.Sharing = &machines.Sharing{Contexts: 2, PerMemory: 2, Bandwidth: 6e9, Synchronizing: cores.Blocked, OwnCore: true,
		Scheduler: &machines.Scheduler{First: true, Balance: 5 * sim.Millisecond}}
	want.Sharing.SlowDown[cores.FP] = [cores.NumProfiles]float64{0, 1.5, 1.25, 2, 1.1, 3}
	want.Sharing.SlowDown[cores.Stack][cores.FP] = 1.75
	rates := map[string][]machines.RatePoint{
		"fft": {{N: 64, Rate: 1e9}, {N: 1024, Rate: 2e9}}, "copy": {{N: 1, Rate: 3e9}},
		"fft-strided": {{N: 1, Rate: 5e8}}, "spmv": {{N: 1, Rate: 2e9}},
		"advection2d": {{N: 1, Rate: 4e9}}, "advection3d": {{N: 1, Rate: 5e9}},
		"spmv-nonzero": {{N: 1, Rate: 3e8}}, "spmv-row": {{N: 1, Rate: 4e8}},
		"combine": {{N: 1, Rate: 9e9}}, "touch": {{N: 1, Rate: 1e9}}, "transpose": {{N: 1, Rate: 1.5e9}},
		"dgemm": {{N: 1, Rate: 6e9}}, "dtrsm": {{N: 1, Rate: 7e9}}, "dpotrf": {{N: 1, Rate: 8e9}},
	}
	var problems keys.Problems
	m := decodeMachine(keys.ReadText("m.yaml", []byte(text), &problems), "m", "", &problems)
	if problems != nil {
		t.Fatal(problems)
	}
	for name, points := range rates {
		if got := m.Kernels[name].Rate; !slices.Equal(got, points) {
			t.Errorf("kernel %s: %v, want %v", name, got, points)
		}
	}
	if a := m.Kernels["advection2d"].Activity(1000); a != (cores.Activity{Profile: cores.Memory, Demand: 2e9}) {
		t.Errorf("advection2d is %+v", a)
	}
	if a := m.Kernels["copy"].Activity(1); a != (cores.Activity{Profile: cores.Copy}) {
		t.Errorf("copy is %+v", a)
	}
	got := *m.Machine
	got.Kernels = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	wiring := newWiringFile()
	elsewhere := wiring.rows() // TestWiringKeys
	for _, row := range new(machineFile).rows() {
		_, key := keys.Split(row.Path)
		if strings.HasPrefix(row.Path, "gpu") {
			continue // TestGPUKeys
		}
		if _, wired := elsewhere.Row(row.Path); !wired && key != "base" && key != "bandwidth" && !strings.HasPrefix(row.Path,
			"runtime") && !strings.Contains(text, key+":") {
			t.Errorf("the key %s is not tested", row.Path)
		}
	}
}

// withoutKernels makes machines comparable; functions are not comparable.
func withoutKernels(m *machines.Machine) machines.Machine {
	c := *m
	c.Kernels, c.Name, c.Title = nil, "", ""
	return c
}

// There are four ways to say that a machine differs from another in one value. They give
// the same machine.
func TestWaysToChange(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "faster.yaml", "base: jacquard\nnetwork: {latency: 3us, gap_per_byte: 0.5ns/B}\n")
	ways := map[string]func() (*File, error){
		"set": func() (*File, error) {
			return Load("ft-slabs-jacquard", []string{"machine.network.latency=3us", "machine.network.gap_per_byte=0.5ns/B"})
		},
		"changes": func() (*File, error) {
			return loadText(good+"changes: {network.latency: 3us, network: {bandwidth: 2GB/s}}\n", nil)
		},
		"file": func() (*File, error) {
			return Load("ft-slabs-jacquard", []string{"machine=faster.yaml"})
		},
		"inline": func() (*File, error) {
			return loadText("machine: {base: jacquard, network: {latency: 3us, bandwidth: 2GB/s}}\n"+goodMore, nil)
		},
		"variant": func() (*File, error) {
			return loadText(good+"runs: [{name: a, machine.network.latency: 3us, machine.network.bandwidth: 16Gbit/s}]\n", nil)
		},
	}
	jacquard := must.Get(LoadMachine("jacquard"))(t)
	want := withoutKernels(jacquard.Machine)
	want.Network.Latency, want.Network.Transfer = 3*sim.Microsecond, network.PerByte(500)
	for way, load := range ways {
		study, err := load()
		if err != nil {
			t.Errorf("%s: %v", way, err)
		} else if got := withoutKernels(study.Runs[0].Machine.Machine); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", way, got, want)
		}
	}
}

// A value that was set has no origin: it is not the published value.
func TestSetHasNoOrigin(t *testing.T) {
	study := must.Get(Load("ft-slabs-jacquard", []string{"machine.network.latency=3us"}))(t)
	for _, f := range study.Runs[0].Machine.Facts {
		if f.Path == "network.latency" && (f.Value != "3us" || f.Origin != "" || f.Source != "") {
			t.Errorf("got %+v", f)
		}
	}
}

// A machine with a base and no title gets a title that differs from that of its base.
func TestDerivedTitle(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"own.yaml": "base: jacquard\n", "chain.yaml": "base: own.yaml\nnetwork: {latency: x2}\n", "titled.yaml": "base: own.yaml\ntitle: mine\n",
	} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o666))
	}
	const base = "Jacquard (Opteron / InfiniBand)"
	for name, want := range map[string]string{"own.yaml": "own, from " + base, "chain.yaml": "chain, from " + base,
		"titled.yaml": "mine", "jacquard": base} {
		if m, err := LoadMachine(name); err != nil || m.Title != want {
			t.Errorf("%s: %v, %v, want %s", name, m.Title, err, want)
		}
	}
}

// A machine of the library is read once. No scenario sees what another one changes of it.
func TestStock(t *testing.T) {
	text := func(ranks int) []byte {
		return fmt.Appendf(nil, "machine: jacquard\nworkload: {name: token-ring}\nranks: %d\nprocesses_per_node: 1\n", ranks)
	}
	load := func(ranks int, settings ...string) *Scenario {
		f := must.Get(Read("s.yaml", text(ranks), settings))(t)
		return f.Runs[0]
	}
	numbers := func(s *Scenario) *machines.Machine {
		m := s.Machine.Clone()
		for name, k := range m.Kernels {
			k.Work = nil // functions cannot be compared
			m.Kernels[name] = k
		}
		return m
	}
	before := numbers(load(2))
	if m := load(2, "machine.network.latency=1s", "processes_per_node=2").Machine; m.Network.Latency != sim.Second || m.Processes != 2 {
		t.Fatalf("latency %v, %d processes", m.Network.Latency, m.Processes)
	}
	if scaled, err := load(2).Scaled("network.latency", 3); err != nil || scaled.Machine.Network.Latency != 3*before.Network.Latency {
		t.Fatal(err)
	}
	if after := numbers(load(4)); !reflect.DeepEqual(after, before) {
		t.Errorf("the machine has changed: %+v, was %+v", after, before)
	}
	allocated := func(settings ...string) float64 { return testing.AllocsPerRun(10, func() { load(2, settings...) }) }
	if plain, changed := allocated(), allocated("machine.network.latency=1us"); 2*plain > changed {
		t.Errorf("%g allocations for a machine as it is, %g for a changed one", plain, changed)
	}
}
