package scenarios

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

// acting is a run in which a key acts: its two values give different runs.
type acting struct {
	key, one, other string // "": the key is omitted
	with            string // settings, separated by blanks
}

const (
	twoSided  = "workload={name:shift,bytes:2KiB,repeat:3}"
	long      = "workload={name:shift,bytes:64KiB,repeat:3} processes_per_node=1"
	exchanged = "workload={name:trace,file:exchange.ti,flop_rate:1000000000} processes_per_node=1"
	openmpi   = "machine.runtime=openmpi-1.10"
	copied    = "machine.copying={send:2GB/s,receive:2GB/s,buffer:4KiB,chunk:1KiB}"
	torus     = "fabric.kind=flow topology={kind:torus,dims:[8]} processes_per_node=1"
	routers   = torus + " fabric.kind=packet fabric.payload=240B fabric.packet=272B fabric.slots=2"
)

var actingKeys = []acting{
	{"mapping", "block", "cyclic", ""},
	{"mapping_file", "one.map", "other.map", "mapping=file machine.intra_node={latency:1us,per_byte:1GB/s}"},
	{"mapping_first", "0", "3", torus + " mapping=consecutive ranks=4"},
	{"processes_per_node", "2", "1", ""},
	{"moves.receives", "as-written", "best", exchanged},
	{"moves.sends", "as-written", "best", exchanged},
	{"moves.waits", "as-written", "best", exchanged},
	{"moves.collectives", "as-written", "best", exchanged},
	{"moves.pieces", "1", "3", long},
	{"moves.least", "8KiB", "16KiB", long + " moves.pieces=6"},
	{"fabric.calibration", "hopper", "{c_avg:{distances:[1],factors:[3]}}", "fabric.kind=calibrated"},
	{"seed", "1", "2", "machine.noise={rate:50000Hz,length:2us}"},
	{"seed", "1", "2", "mapping=random"},
	{"machine.processes_per_node", "2", "1", ""},
	{"machine.network.queue_depth", "0", "1", ""},
	{"machine.network.outstanding", "0", "1", ""},
	{"machine.network.outstanding_per_peer", "0", "1", "ranks=2 processes_per_node=1"},
	{"machine.network.channels", "1", "2", "fabric.kind=flow"},
	{"machine.network.send_overhead", "500ns", "2us", ""},
	{"machine.network.receive_overhead", "500ns", "2us", twoSided},
	{"machine.network.rendezvous_threshold", "4KiB", "64B", twoSided},
	{"machine.copying.buffer", "4KiB", "1KiB", copied},
	{"machine.copying.chunk", "1KiB", "2KiB", copied},
	{"machine.copying.interrupt", "0s", "5us", copied + " machine.copying.interrupts=true"},
	{"machine.copying.interrupts", "false", "true", copied + " machine.copying.interrupt=1us"},
	{"machine.intra_node.latency", "1us", "90us", "machine.intra_node={latency:1us,per_byte:1GB/s}"},
	{"machine.intra_node.per_byte", "1GB/s", "2GB/s", "machine.intra_node={latency:1us,per_byte:1GB/s}"},
	{"machine.noise.rate", "50000Hz", "80000Hz", "machine.noise={rate:50000Hz,length:2us}"},
	{"machine.noise.length", "2us", "4us", "machine.noise={rate:50000Hz,length:2us}"},
	{"machine.barrier.base", "1us", "9us", "workload={name:ft-slabs,rows:16,row_length:16,computation:1}"},
	{"machine.kernels.fft.rates", "1GF/s", "2GF/s", "workload={name:ft-slabs,rows:16,row_length:16}"},
	{"machine.topology.taper", "1", "4", "fabric.kind=flow topology={kind:fat-tree,arity:4,levels:2} processes_per_node=1 " +
		"workload.bytes=64KiB"},
	{"machine.memory.bandwidth", "9GB/s", "900MB/s", "machine.kernels.fft.demand=1GB/s workload={name:ft-slabs,rows:16,row_length:16}"},
	{"topology.dims", "[8]", "[2,4]", torus},
	{"machine.links.bandwidth", "1GB/s", "100MB/s", torus},
	{"fabric.payload", "240B", "100B", routers},
	{"fabric.answer_latency", "0s", "9us", routers + " workload={name:round-trip,bytes:1KiB,call:get} ranks=2"},
	{"machine.runtime.progress.delay", "", "5us", openmpi + " machine.runtime.progress.by=thread " + long},
	{"machine.runtime.matching", "", "9us", openmpi + " " + twoSided},
	{"machine.runtime.rendezvous.kind", "read", "write", openmpi + " " + long},
	{"machine.runtime.rendezvous.chunk", "64KiB", "1KiB", openmpi + " machine.runtime.rendezvous.kind=pipelined " + long},
	{"machine.runtime.waiting.wakeup", "0s", "9us", openmpi + " machine.runtime.waiting.by=block " + twoSided},
	{"machine.smt.slow_down.stack.poll", "1", "3", "machine.smt={contexts:2} processes_per_node=8 " + twoSided},
}

// actingScenario is the scenario that the settings of acting keys change.
const actingScenario = `
machine:
  cores: 4
  processes_per_node: 2
  network: {latency: 1us, send_overhead: 500ns, receive_overhead: 300ns, gap: 200ns, bandwidth: 1GB/s, rendezvous_threshold: 4KiB}
  kernels: {fft: {rates: 1GF/s}, copy: {rates: 1GB/s}}
workload: WORKLOAD
ranks: 8
`

// actingRun runs the scenario of a folder with settings. A setting of the whole workload
// replaces that of the file.
func actingRun(t *testing.T, folder, with, key, value string) *outcomes.Outcome {
	t.Helper()
	workload := "{name: halo, bytes: 2KiB, iterations: 3, compute: 20us}"
	var settings []string
	spaced := strings.NewReplacer(":", ": ", ",", ", ")
	for _, s := range strings.Fields(with) {
		if own, ok := strings.CutPrefix(s, "workload="); ok {
			workload = spaced.Replace(own)
		} else {
			settings = append(settings, spaced.Replace(s))
		}
	}
	if value != "" {
		settings = append(settings, key+"="+spaced.Replace(value))
	}
	file := filepath.Join(folder, "acting.yaml")
	must.Do(t, os.WriteFile(file, []byte(strings.Replace(actingScenario, "WORKLOAD", workload, 1)), 0o666))
	study, err := Load(file, settings)
	if err != nil {
		t.Fatalf("%v: %v", settings, err)
	}
	o, err := study.Runs[0].Run(nodes.Options{})
	if err != nil {
		t.Fatalf("%v: %v", settings, err)
	}
	return o
}

// exchanges is a trace of pairs of ranks that compute and answer each other by blocking calls.
func exchanges() (text string) {
	for rank := range 8 {
		text += fmt.Sprintf("%d init\n", rank)
		for range 3 {
			if rank%2 == 0 {
				text += fmt.Sprintf("%d compute 2e4\n%[1]d send %[2]d 0 6000\n%[1]d compute 5e4\n%[1]d recv %[2]d 0 6000\n", rank, rank+1)
			} else {
				text += fmt.Sprintf("%d compute 1e4\n%[1]d recv %[2]d 0 6000\n%[1]d compute 3e4\n%[1]d send %[2]d 0 6000\n", rank, rank-1)
			}
		}
		text += fmt.Sprintf("%d allreduce 1000 0\n%[1]d compute 2e4\n", rank)
	}
	return text
}

// A key that acts is not listed as having no effect.
func TestKeysThatActAreNotNamed(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"exchange.ti": exchanges(),
		"one.map":     "0 0\n1 0\n2 1\n3 1\n4 2\n5 2\n6 3\n7 3\n", "other.map": "0 0\n7 0\n1 1\n6 1\n2 2\n5 2\n3 3\n4 3\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	for _, a := range actingKeys {
		one, other := actingRun(t, folder, a.with, a.key, a.one), actingRun(t, folder, a.with, a.key, a.other)
		before, _ := json.Marshal(one.Record())
		after, _ := json.Marshal(other.Record())
		if string(before) == string(after) {
			t.Errorf("%s does not act: %q and %q of it, with %s, give the same", a.key, a.one, a.other, a.with)
		}
		for _, o := range []*outcomes.Outcome{one, other} {
			if slices.ContainsFunc(o.NoEffect(), func(n files.NoEffect) bool { return n.Key == a.key }) {
				t.Errorf("%s acts with %s, and is said to have no effect: %v", a.key, a.with, o.NoEffect())
			}
		}
	}
}
