package answer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

// A large all-reduce takes the time of its bytes: what carries them at twice the bandwidth halves it, in each machine, inside a host and between
// hosts. A change is not told when a part of it does as much, so links of GPUs that PCIe joins are none.
func TestWhatBinds(t *testing.T) {
	hosts := 0
	for _, machine := range files.Machines() {
		for _, ranks := range []int{2, 8, 32} {
			a := written(t, fmt.Sprintf("machine: %s\nranks: %d\nworkload: {name: gpu-collective, bytes: 16GiB}\n", machine, ranks))
			s, err := a.load(nil)
			if err != nil { // no GPUs, or no NICs
				continue
			}
			if s.NodesTaken() > 1 {
				hosts++
			}
			o := must.Get(a.again(nil))(t)
			said := For(o, a.load, Whole, func(string, float64) {})
			said.Help = slices.DeleteFunc(said.Help, func(c outcomes.Change) bool { return c.Of == library.String() })
			if len(said.Help) == 0 || said.Help[0].Saves < 0.45 || said.Help[0].Saves > 0.55 {
				t.Errorf("%s, %d GPUs: %+v", machine, ranks, said.Help)
			}
			for i, h := range said.Help {
				if flags := strings.Join(h.Set, " "); i > 0 && len(h.Set) > len(said.Help[0].Set) || strings.Contains(flags, "ring") && !s.Machine.GPUs.Node.Joined() {
					t.Errorf("%s, %d GPUs: %s saves %.3f, after %+v", machine, ranks, flags, h.Saves, said.Help[0])
				}
			}
			if said.Noise == nil || *said.Noise != 0 || said.NoNoise != "" {
				t.Errorf("%s: the noise of a formula is %v, %q", machine, said.Noise, said.NoNoise)
			}
		}
	}
	if hosts < 5 {
		t.Errorf("%d machines with several hosts", hosts)
	}
}

// Changes that runs are told, and what they save. What kernels that exchange tokens, and switches that sum up, take has keys of its own: twice the
// links halve a large exchange, and half the start and the steps of a switch a small sum. Faces that go through the host are copied over PCIe. Of the ways to compute less of the forward pass again
// it is the shortest that fits into memory, from each of them. Layers go from the stage with the head of the model to others, unless the head is
// short. A collective has algorithms other than the one that NCCL's estimate chooses.
func TestTold(t *testing.T) {
	step := func(more string) string {
		return "machine: dgx-h100\nranks: 8\nworkload: {name: transformer, hidden: 4096, heads: 32, sequence: 2048, flash: true, " + more + "}\n"
	}
	for text, want := range map[string]struct {
		change      string
		least, most float64
	}{
		"machine: h800\nranks: 8\nworkload: {name: expert-exchange}\n":                                       {"links between GPUs of twice the bandwidth", 0.45, 0.5},
		"machine: gb200-nvl72\nranks: 16\nworkload: {name: gradient-update, numbers: 100000, fused: true}\n": {"half the latency of steps", 0.45, 0.5},
		"machine: gb200-nvl72\nranks: 8\nworkload: {name: gpu-collective, bytes: 32MiB}\n":                   {"algorithm ring (NCCL_ALGO)", 0.4, 0.5},
		"machine: gb200-nvl72\nranks: 8\nworkload: {name: gradient-update, numbers: 16000000}\n":             {"algorithm ring (NCCL_ALGO)", 0.25, 0.35},
		"machine: dgx-1v\nranks: 16\nworkload: {name: gpu-collective, bytes: 256MiB}\n":                      {"algorithm tree (NCCL_ALGO)", 0.4, 0.5},
		"machine: dgx-h100\nranks: 8\nworkload: {name: halo-gpus, by: staged, steps: 2}\n":                   {"PCIe of twice the bandwidth", 0.1, 0.5},

		step("layers: 4, experts: 32, top_k: 8, expert_ffn: 1024, ep: 8, global_batch: 32"): {
			"tokens of experts exchanged while another micro-batch computes", 0.02, 0.3},
		step("layers: 8, micro_batch: 2, recompute: full"):                {"nothing computed again", 0.15, 0.25},
		step("layers: 8, micro_batch: 2, recompute: alternate"):           {"nothing computed again", 0.03, 0.1},
		step("layers: 8, micro_batch: 2, recompute: selective"):           {"nothing computed again", 0.01, 0.05},
		step("layers: 32, micro_batch: 8, recompute: full, zero: 3"):      {"all but attention and every second product computed again", 0.1, 0.2},
		step("layers: 16, vocabulary: 131072, pp: 4, global_batch: 16"):   {"layers divided 4,5,5,2 over the stages", 0.1, 0.2},
		step("layers: 16, pp: 2, stage_layers: '4,12', global_batch: 16"): {"layers divided 9,7 over the stages", 0.1, 0.3},
		step("layers: 14, vocabulary: 131072, pp: 4, ends_as_layers: true, " +
			"global_batch: 16"): {"layers divided 4,4,4,2 over the stages", 0.05, 0.2},
	} {
		a := written(t, text)
		said := For(a.outcome(t), a.load, Whole, func(string, float64) {})
		if !slices.ContainsFunc(said.Help, func(h outcomes.Change) bool {
			return strings.HasPrefix(h.Change, want.change) && want.least <= h.Saves && h.Saves <= want.most
		}) {
			t.Errorf("%s: %+v, want %+v", text, said.Help, want)
		}
	}
}

// A change whose operations never end is named: with twice the channels two collectives hold more than all SMs, and wait for each other.
func TestFailedChange(t *testing.T) {
	a := written(t, "machine: {base: dgx-h100, gpu: {sms: 100}}\nranks: 2\nworkload: {name: graph, operations: [{name: a, stream: x, gpus: [0], time: 10us}, "+
		"{name: b, stream: y, gpus: [1], time: 10us}, {name: c, stream: x, collective: all-reduce, bytes: 1MiB, channels: 30}, "+
		"{name: d, stream: y, collective: all-reduce, bytes: 1MiB, channels: 30}, {name: e, stream: z, flops: 1e10}]}\n")
	said := For(a.outcome(t), a.load, Whole, func(string, float64) {})
	if !slices.ContainsFunc(said.Notes, func(n string) bool {
		return strings.HasPrefix(n, "1 re-run failed, such as 60 instead of 30 channels: ") && strings.Contains(n, "never end")
	}) {
		t.Errorf("%q", said.Notes)
	}
}

// A halo whose interior another stream computes has no efficiency by the ledgers, which lack that stream. Copies to and from hosts are
// communication: without it, a step takes as long as one whose messages leave the GPU by the NIC.
func TestEfficiencyOfStreams(t *testing.T) {
	var computes []float64
	for _, c := range []struct {
		set   string
		whole bool
	}{{"workload.overlap=false", true}, {"workload.overlap=true", false}, {"workload.by=staged", true}} {
		a := written(t, "machine: dgx-h100\nranks: 8\nworkload: {name: halo-gpus, steps: 2}\n", c.set)
		said := For(a.outcome(t), a.load, Exposed, func(string, float64) {})
		if (said.Efficiency != nil) != c.whole {
			t.Errorf("%s: %+v", c.set, said.Efficiency)
		}
		computes = append(computes, *said.Computation)
	}
	if computes[0] != computes[2] {
		t.Errorf("without communication %g s, and %g s with copies to and from hosts", computes[0], computes[2])
	}
}

// Communication slows kernels down where these do not slow each other down without it: not two products on two streams, with a collective or
// without.
func TestSlowing(t *testing.T) {
	const graph = "machine: dgx-h100\nranks: 8\nworkload: {name: graph, operations: [{name: a, stream: x, kind: product, blocks: 132, time: 200us}, "
	for more, want := range map[string]string{
		"{name: b, stream: y, kind: product, blocks: 132, time: 200us}": "kernels that slow each other down cost 49 %",
		"{name: b, stream: y, kind: product, blocks: 132, time: 200us}, {name: c, stream: x, after: [b], collective: all-reduce, bytes: 64MiB}": "" +
			"kernels that slow each other down cost",
		"{name: c, stream: y, collective: all-reduce, bytes: 64MiB}": "kernels that communication slows down cost",
	} {
		a := written(t, graph+more+"]}\n")
		if said := For(a.outcome(t), a.load, Causes, func(string, float64) {}); !strings.Contains(strings.ToLower(said.Sentence), want) {
			t.Errorf("%s: %s", more, said.Sentence)
		}
	}
}

// NICs of twice the bandwidth leave cables as they are, whether the machine gives these a bandwidth or they have that of the NICs: the change is
// the re-run at cables that are stated. Where switches have a quarter of the ways up, it gains nothing, and twice the cables halve the time.
func TestCablesOfNICs(t *testing.T) {
	const text = "machine: {base: dgx-h100, gpu.nics.rails: [0, 0, 0, 0, 0, 0, 0, 0]}\nranks: 64\ntopology: {kind: fat-tree, children: [16, 4], " +
		"parents: [4]}\nfabric: {kind: flow}\nworkload: {name: gpu-collective, operation: all-to-all, bytes: 64MiB}\n"
	for _, set := range [][]string{nil, {"machine.links.bandwidth=48.25GB/s"}} { // 50 GB/s x gpu_calibration.network
		a := written(t, text, set...)
		s := newSubject(a.outcome(t), a.load)
		nics, cables := outwardsTwice(s), widerLinks(s)
		stated := append(slices.Clone(set), "machine.links.bandwidth=48.25GB/s", widerNIC)
		if len(nics) != 2-len(set) || len(cables) != 1 || len(cables[0].set) != 1 {
			t.Fatalf("%v: %+v, %+v", set, nics, cables)
		}
		makespan := func(set []string) float64 { return must.Get(a.again(set))(t).Result.Makespan().Seconds() }
		now, wider := makespan(nil), makespan(nics[0].set)
		if other := makespan(stated); wider != other || wider < 0.95*now {
			t.Errorf("%v: %g s, with wider NICs %g s, with cables stated %g s", set, now, wider, other)
		}
		if half := makespan(cables[0].set); half > 0.52*now {
			t.Errorf("%v: %g s, with wider cables %g s", set, now, half)
		}
	}
}
