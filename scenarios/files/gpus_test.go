package files

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes/gpus"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// gpuText is a machine with GPUs, with a change.
func gpuText(old, by string) string {
	const text = `cores: 8
network: {latency: 1us, send_overhead: 1us, gap: 1us, bandwidth: 1GB/s}
gpu:
  sms: 100
  memory: 80GB
  memory_bandwidth: 2TB/s
  per_node: 4
  switch: {bandwidth: 300GB/s}
  nics: {gpus: [0, 2], bandwidth: 25GB/s}
gpu_calibration: {rows: mine, start: 20us, ring: 200GB/s, channels: 24, network: 0.9}
`
	return strings.Replace(text, old, by, 1)
}

// A machine whose GPUs have every key is compared with the struct that it stands for.
func TestGPUKeys(t *testing.T) {
	const text = `cores: 8
network: {latency: 1us, send_overhead: 1us, gap: 1us, bandwidth: 1GB/s}
gpu:
  title: mine
  generation: hopper
  sms: 100
  memory: 80GB
  memory_bandwidth: 2TB/s
  launch: 4us
  peak: {fp64: 1TF/s, fp32: 2TF/s, tf32: 3TF/s, fp16: 4TF/s, bf16: 5TF/s, fp8: 6TF/s, fp4: 7TF/s}
  per_node: 4
  domain: 8
  switch: {bandwidth: 300GB/s, links: 12, reduces: true}
  pcie: {bandwidth: 32GB/s, gpus: 2}
  nics: {gpus: [0, 2], rails: [1, 0], bandwidth: 25GB/s, latency: 2us}
  amd_host: true
gpu_calibration: {rows: mine, start: 20us, step: 5us, send: 6us, ring: 200GB/s, channels: 24, searched: 150GB/s, low: 1.5, in_switch: 250GB/s,
  switch_start: 7us, switch_step: 8us, switch_gpus: 6, switch_channels: 16, network: 0.9, far: 1.6}
gpu_kernels: {rows: ours, products: 0.7, attention: 0.4, moves: 0.8, start: 3us, launch: 9us, join: 11us, signal: 17us}
gpu_exchange: {rows: theirs, links: 0.6, network: 0.5, start: 12us, direct_start: 13us}
`
	const us = sim.Microsecond
	want := &gpus.Machine{
		GPU: gpus.GPU{Title: "mine", Generation: gpus.Hopper, SMs: 100,
			Peak:   [gpus.NumPrecisions]float64{1e12, 2e12, 3e12, 4e12, 5e12, 6e12, 7e12},
			Memory: 80e9, Bandwidth: 2e12, Launch: 4 * us},
		Node: gpus.Node{GPUs: 4, Domain: 8, Switch: &gpus.Switch{Bandwidth: 300e9, Links: 12, Reduces: true},
			PCIe: gpus.PCIe{Bandwidth: 32e9, GPUs: 2},
			NICs: []gpus.NIC{{GPU: 0, Rail: 1, Bandwidth: 25e9}, {GPU: 2, Rail: 0, Bandwidth: 25e9}}, Latency: 2 * us, AMD: true},
		Fit: gpus.Calibration{Rows: "mine", Start: 20 * us, Step: 5 * us, Send: 6 * us, Ring: 200e9, Channels: 24, Searched: 150e9, Low: 1.5,
			InSwitch: 250e9, SwitchStart: 7 * us, SwitchStep: 8 * us, SwitchGPUs: 6, SwitchBlocks: 16, Network: 0.9, Far: 1.6},
		Kernels:   gpus.Rates{Rows: "ours", Products: 0.7, Attention: 0.4, Moves: 0.8, Start: 3 * us, Launch: 9 * us, Join: 11 * us, Signal: 17 * us},
		Exchanges: gpus.Exchanges{Rows: "theirs", Links: 0.6, Network: 0.5, Start: 12 * us, Direct: 13 * us},
	}
	m, err := ReadMachine("m.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(m.GPUs, want) || !reflect.DeepEqual(m.Machine.Clone().GPUs, want) {
		t.Errorf("got\n%+v\nwant\n%+v", m.GPUs, want)
	}
	for _, row := range new(gpuFile).rows() {
		if _, key := keys.Split(row.Path); !strings.Contains(text, key+":") && !strings.HasPrefix(key, "link") {
			t.Errorf("the key %s is not tested", row.Path)
		}
	}
	linked := gpuText("switch: {bandwidth: 300GB/s}", "links: [[0, 1, 2], [1, 3, 1]]\n  link_bandwidth: 20GB/s")
	if m, err = ReadMachine("m.yaml", []byte(linked)); err != nil {
		t.Fatal(err)
	}
	links := []gpus.Link{{A: 0, B: 1, Count: 2, Bandwidth: 20e9}, {A: 1, B: 3, Count: 1, Bandwidth: 20e9}}
	if !slices.Equal(m.GPUs.Node.Links, links) {
		t.Errorf("links are %v, want %v", m.GPUs.Node.Links, links)
	}
}

// An error names what is wrong with GPUs, or not modelled, and what would be right.
func TestGPUMistakes(t *testing.T) {
	for _, c := range []struct{ old, by, want string }{
		{"per_node: 4", "per_node: 4\n  domain: 2",
			"m.yaml:8:3: gpu.domain: must be a multiple of the 4 GPUs of a node, got 2; domains smaller than a node are not modelled"},
		{"switch: {bandwidth: 300GB/s}", "links: [[0, 1, 2]]\n  link_bandwidth: 20GB/s\n  domain: 8",
			"m.yaml:10:3: gpu.domain: is larger than a node, which needs gpu.switch; links between nodes are not modelled"},
		{"switch: {bandwidth: 300GB/s}", "sw: 1", "m.yaml:8:3: gpu.sw: unknown key, did you mean switch?"},
		{"  switch: {bandwidth: 300GB/s}\n", "", "m.yaml:3:1: gpu.switch: is missing; GPUs need a switch, links, or pcie"},
		{"switch: {bandwidth: 300GB/s}", "links: [[0, 4, 1]]\n  link_bandwidth: 20GB/s",
			"m.yaml:8:3: gpu.links: item 1 must be [GPU, GPU, links] with two of the GPUs 0 to 3, and at least one link"},
		{"switch: {bandwidth: 300GB/s}", "links: [[0, 1, 1]]", "m.yaml:3:1: gpu.link_bandwidth: is missing; links need it"},
		{"per_node: 4", "per_node: 4\n  links: [[0, 1, 1]]\n  link_bandwidth: 1GB/s",
			"m.yaml:8:3: gpu.links: cannot be given together with gpu.switch; machines with both are not modelled"},
		{"switch: {bandwidth: 300GB/s}", "switch: {bandwidth: 1GB/s}", "m.yaml:8:12: gpu.switch.bandwidth: must be at least 3GB/s, " +
			"the slowest ring that NCCL looks for on ampere GPUs, got 1GB/s; or give gpu_calibration.searched"},
		{"[0, 2]", "[0, 5]", "m.yaml:9:10: gpu.nics.gpus: must be ascending numbers of GPUs, 0 to 3, got [0 5]"},
		{"[0, 2]", "[1, 2]", "m.yaml:9:10: gpu.nics.gpus: must begin with 0, so that every GPU has a NIC; got [1 2]"},
		{", network: 0.9", "", "m.yaml:10:1: gpu_calibration.network: is missing; operations over the NICs need it"},
		{"gpu_calibration: {rows: mine, start: 20us, ring: 200GB/s, channels: 24, network: 0.9}", "",
			"m.yaml:3:1: gpu_calibration: is missing; it says how fast the operations of the GPUs are"},
	} {
		_, err := ReadMachine("m.yaml", []byte(gpuText(c.old, c.by)))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.by, err, c.want)
		}
	}
	if _, err := ReadMachine("m.yaml", []byte(gpuText("", ""))); err != nil {
		t.Error(err)
	}
}

// NCCL's choices where they were printed: ring for 4 and 5 B200 and NVLS for 6 to 8 (8 GiB), NVLS
// from 2 MiB for 8 H200 (stas00/ml-engineering). The expected bandwidth of B200's rings is
// bounded by the first.
func TestChoicesOfNCCL(t *testing.T) {
	for _, c := range []struct {
		machine string
		gpus    int
		bytes   int64
		want    *gpus.Algorithm
	}{
		{"b200", 4, 8 << 30, gpus.Ring}, {"b200", 5, 8 << 30, gpus.Ring}, {"b200", 6, 8 << 30, gpus.NVLS}, {"b200", 7, 8 << 30, gpus.NVLS},
		{"b200", 8, 8 << 30, gpus.NVLS}, {"h200-pytorch", 8, 16 << 30, gpus.NVLS}, {"h200-pytorch", 8, 2 << 20, gpus.NVLS}, {"h200-pytorch", 8, 256 << 10, gpus.Ring},
		{"dgx-a100", 8, 1 << 30, gpus.Ring}, {"dgx-1v", 8, 1 << 30, gpus.Ring}, {"dgx-1v", 5, 1 << 30, gpus.Tree},
	} {
		m := must.Get(LoadMachine(c.machine))(t)
		cost, err := gpus.First(m.GPUs, c.gpus, 8).Time(gpus.AllReduce, c.bytes)
		if err != nil || cost.Algorithm != c.want {
			t.Errorf("%s, %d GPUs, %d bytes: %v, %v; want %s", c.machine, c.gpus, c.bytes, cost.Algorithm, err, c.want)
		}
	}
}

// A product of the shape that ran fastest takes the time that it took alone, its start included,
// in bf16 (stas00/ml-engineering, compute/accelerator, MAMF); the products of these machines
// follow from it.
func TestFastestProducts(t *testing.T) {
	h100 := [3]float64{2048, 2048, 13312}
	for machine, c := range map[string]struct {
		shape   [3]float64
		teraops float64
	}{"dgx-h100": {h100, 794.5}, "h200": {h100, 794.5}, "b200": {[3]float64{1792, 16128, 3072}, 1745},
		"gb200-nvl72": {[3]float64{4096, 9728, 2048}, 1822}, "mi300x": {[3]float64{10240, 15360, 8192}, 668.4}} {
		m := must.Get(LoadMachine(machine))(t)
		work := m.GPUs.Product(gpus.BF16, 1, c.shape[0], c.shape[1], c.shape[2])
		waves := (int(work.Blocks) + m.GPUs.GPU.SMs - 1) / m.GPUs.GPU.SMs
		took := float64(waves) * work.Block.Seconds()
		if got := 2 * c.shape[0] * c.shape[1] * c.shape[2] / took / 1e12; math.Abs(got/c.teraops-1) > 0.002 {
			t.Errorf("%s: %.1f TF/s, measured %.1f", machine, got, c.teraops)
		}
	}
}

// Workloads on GPUs name what they require of a machine and a scenario.
func TestGPUWorkloadMistakes(t *testing.T) {
	const file = "machine: dgx-a100\nranks: 8\nworkload: {name: gpu-collective}\n"
	for _, c := range []struct{ set, want string }{
		{"machine=jack", "jack has no GPUs (gpu), and gpu-collective runs on them; take one such as dgx-a100"},
		{"processes_per_node=9", "must be at most the 8 GPUs of a node of dgx-a100, got 9"},
		{"mapping=random", "must be block: gpu-collective runs on GPUs; got random"},
		{"workload.operation=gather", `"gather" is not known; use one of all-reduce, all-gather, reduce-scatter, ` +
			"broadcast, reduce, all-to-all, send-receive"},
		{"workload.algorithm=nvls", "nvls needs a switch that multicasts and reduces (gpu.switch.reduces), and its bandwidth " +
			"(gpu_calibration.in_switch)"},
		{"workload.channels=65", "must be at most 64, got 65"},
		{"workload.kind=all-to-all", "unknown key, did you mean operation?"},
	} {
		_, err := Read("s.yaml", []byte(file), []string{c.set})
		if err == nil || err.Error() != "--set "+c.set+": "+c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.set, err, c.want)
		}
	}
}

// What a user gives is named, not another key that it does not fit to.
func TestGivenKeysAreNamed(t *testing.T) {
	const file = "machine: dgx-h100\nranks: 64\nworkload: {name: transformer, layers: 80, hidden: 8192, heads: 64, kv_heads: 8, sequence: 8192, flash: true, " +
		"tp: 8, pp: 4, zero: 1, sequence_parallel: true, recompute: selective, global_batch: 128}\n"
	for _, c := range []struct{ set, want string }{
		{"workload.kv_heads=7", "heads: 64 is not a multiple of kv_heads = 7"},
		{"workload.heads=63", "63 is not a multiple of tp = 8"},
		{"workload.sequence=8193", "8193 is not a multiple of tp x cp = 8"},
		{"workload.layout=tp8-pp3-mb1", "tp 8 x pp 3 x dp 2 = 48 GPUs, and the run has 64 ranks"},
		{"workload.sequence=131072", "stage 0 is out of memory: "},
		{"workload.micro_batch=16", "stage 0 is out of memory: "},
	} {
		_, err := Read("s.yaml", []byte(file), []string{c.set})
		if err == nil || !strings.HasPrefix(err.Error(), "--set "+c.set+": "+c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.set, err, c.want)
		}
	}
	if _, err := Read("s.yaml", []byte(strings.Replace(file, "kv_heads: 8", "kv_heads: 7", 1)), nil); err == nil ||
		err.Error() != "s.yaml:3:57: workload.heads: 64 is not a multiple of kv_heads = 7" {
		t.Errorf("without a flag: %v", err)
	}
}

// What a fabric between GPUs needs is named.
func TestGPUFabricMistakes(t *testing.T) {
	_, wrong := Read("s.yaml", []byte("machine: dgx-a100\nranks: 32\nfabric: {kind: flow}\nworkload: {name: gpu-collective, by: messages}\n"), nil)
	if want := "must be ideal: messages of gpu-collective use their own links; on a fabric give workload.by=formula; got flow"; wrong == nil ||
		!strings.Contains(wrong.Error(), want) {
		t.Errorf("got %v\nwant %s", wrong, want)
	}
	const file = "machine: dgx-a100\nranks: 32\nfabric: {kind: flow}\nworkload: {name: transformer, tp: 8}\n"
	const roomy = "topology={kind: fat-tree, children: [4, 8], parents: [4]}"
	for _, c := range []struct{ set, want string }{
		{"fabric.kind=calibrated", "calibrated has factors of messages of processes, none of GPUs; use flow"},
		{"machine.gpu.nics.rails=[0, 0, 1, 1, 2, 2, 3, 3]", "--set machine.gpu.nics.rails=[0, 0, 1, 1, 2, 2, 3, 3]: must be all different (each NIC of a node on a separate " +
			"switch) or all equal (one switch) where links are shared; the 8 NICs have 4 rails"},
		{"topology={kind: fat-tree, children: [2, 8], parents: [1]}", "fat tree 2,8 up 1 has room for 2 of the 4 nodes: each of the 8 NICs of a node " +
			"is on another switch (machine.gpu.nics.rails), such as machine." + roomy + ", with 4 nodes"},
		{"workload.jobs=3", "jobs 3 x tp 8 x pp 1 x dp 1 = 24 GPUs, and the run has 32 ranks"},
	} {
		must.Refuse(Read("s.yaml", []byte(file), []string{c.set}))(t, c.want)
	}
	if _, err := Read("s.yaml", []byte(file), []string{roomy}); err != nil {
		t.Errorf("the tree that a message gives: %v", err)
	}
	for word, meant := range map[string]string{"machine.oversubscription=4": "topology.taper", "machine.nvlink_domain=72": "gpu.domain",
		"topology={kind: fat-tree, oversubscription: 4}": "taper", "workload.gradient_accumulation=8": "global_batch or micro_batch",
		"workload.activation_checkpointing=true": "recompute", "workload.seq_len=4096": "sequence", "workload.moe=8": "experts"} {
		if _, err := Read("s.yaml", []byte(file), []string{word}); err == nil || !strings.HasSuffix(err.Error(), "did you mean "+meant+"?") {
			t.Errorf("%s\ngot  %v\nwant %s", word, err, meant)
		}
	}
	spray := []string{"fabric.kind=backlog", "topology={kind: fat-tree, children: [2, 16], parents: [1], multipath: spray}", "fabric.payload=1KiB",
		"fabric.packet=1KiB", "fabric.slots=8"}
	must.Refuse(Read("s.yaml", []byte(file), spray))(t, "spray is for the flow fabric")
}

// The changes of a fabric that are worth trying.
func TestFullerTrees(t *testing.T) {
	const file = "machine: dgx-a100\nranks: 32\nfabric: {kind: flow}\nworkload: {name: transformer, tp: 8}\n"
	for _, c := range []struct {
		topology, full string
		spray          bool
	}{
		{"{kind: fat-tree, children: [2, 16], parents: [1]}", "topology.parents=[2]", true},
		{"{kind: fat-tree, children: [2, 16], parents: [2], multipath: ecmp}", "", true},
		{"{kind: fat-tree, levels: 2, arity: 8, taper: 2}", "topology.taper=1", true},
		{"{kind: fat-tree, children: [2, 16], parents: [1], multipath: spray}", "topology.parents=[2]", false},
		{"{kind: crossbar}", "", false},
	} {
		s := must.Get(Read("s.yaml", []byte(file), []string{"topology=" + c.topology}))(t)
		if full, spray := s.Runs[0].Untapered(), s.Runs[0].Sprayable(); full != c.full || spray != c.spray {
			t.Errorf("%s: %q and %v, want %q and %v", c.topology, full, spray, c.full, c.spray)
		}
	}
}

// The links state their origin as numbers do; leaving it out changes nothing else.
func TestLinksOrigin(t *testing.T) {
	links := "{value: [[0, 1, 2]], origin: published, source: a page}\n  link_bandwidth: 20GB/s"
	m := must.Get(ReadMachine("m.yaml", []byte(gpuText("switch: {bandwidth: 300GB/s}", "links: "+links))))(t)
	if want := []gpus.Link{{A: 0, B: 1, Count: 2, Bandwidth: 20e9}}; !slices.Equal(m.GPUs.Node.Links, want) {
		t.Errorf("links are %v, want %v", m.GPUs.Node.Links, want)
	}
	i := slices.IndexFunc(m.Facts, func(f keys.Fact) bool { return f.Path == "gpu.links" })
	if i < 0 || m.Facts[i].Origin != "published" || m.Facts[i].Source != "a page" || !m.Facts[i].Quantity {
		t.Errorf("the facts are %+v", m.Facts)
	}
	wrong := strings.Replace(links, "published", "guessed", 1)
	if _, err := ReadMachine("m.yaml", []byte(gpuText("switch: {bandwidth: 300GB/s}", "links: "+wrong))); err == nil ||
		!strings.Contains(err.Error(), "gpu.links.origin: must be one of published") {
		t.Errorf("a wrong origin gives %v", err)
	}
}

// Links of another bandwidth keep the part of it that was measured, whichever way it is written and in whatever order. What is given together
// with them stays as it is given, and so does a machine whose links are those of its base.
func TestMeasuredPartOfLinks(t *testing.T) {
	const h100, v100 = "dgx-h100", "dgx-1v" // 380 and 315.3 of 450 GB/s; 22.63 of 25
	for _, c := range []struct {
		machine        string
		settings       []string
		ring, inSwitch float64
		says           string
	}{
		{h100, nil, 380, 315.3, ""},
		{h100, []string{"machine.gpu.switch.bandwidth=450GB/s"}, 380, 315.3, ""},
		{h100, []string{"machine.gpu.switch.bandwidth=90GB/s"}, 76, 63.06,
			"assumed: gpu_calibration.ring, gpu_calibration.in_switch in proportion to gpu.switch.bandwidth, measured with 450GB/s: "},
		{h100, []string{"machine.gpu.switch.bandwidth=x0.5", "machine.gpu.switch.bandwidth=x0.4"}, 76, 63.06, "measured with 450GB/s"},
		{h100, []string{"machine.gpu.switch.bandwidth=90GB/s", "machine.gpu_calibration.ring=50GB/s"}, 50, 63.06, "assumed: gpu_calibration.in_switch in "},
		{h100, []string{"machine.gpu_calibration.ring=50GB/s", "machine.gpu.switch.bandwidth=90GB/s"}, 50, 63.06, "assumed: gpu_calibration.in_switch in "},
		{h100, []string{"machine.gpu_calibration.ring=x0.5", "machine.gpu.switch.links=9"}, 190, 315.3, ""},
		{v100, []string{"machine.gpu.link_bandwidth=50GB/s"}, 45.26, 0, "assumed: gpu_calibration.ring in proportion to gpu.link_bandwidth, measured with 25GB/s: "},
		{"{base: dgx-h100, gpu: {switch: {bandwidth: 225GB/s}}}", nil, 190, 157.65, "measured with 450GB/s"},
		{"{base: dgx-h100, gpu: {switch: {bandwidth: 225GB/s}}}", []string{"machine.gpu.switch.bandwidth=90GB/s"}, 76, 63.06, "measured with 450GB/s"},
		{"{base: dgx-h100, gpu: {switch: {bandwidth: 225GB/s}}, gpu_calibration: {ring: 200GB/s}}", nil, 200, 157.65, "measured with 450GB/s"},
		{"{base: dgx-h800}", nil, 169, 140, ""},
	} {
		s := must.Get(Read("own.yaml", []byte("machine: "+c.machine+"\nranks: 8\nworkload: {name: gpu-collective}\n"), c.settings))(t).Runs[0]
		fit, says := &s.Machine.GPUs.Fit, strings.Join(s.keptParts(), "\n")
		near := func(got, want float64) bool { return math.Abs(got-want*1e9) <= 1 }
		if !near(fit.Ring, c.ring) || !near(fit.InSwitch, c.inSwitch) || !strings.Contains(says, c.says) || c.says == "" && says != "" {
			t.Errorf("%s, %q: ring %g, in the switch %g, %q; want %+v", c.machine, c.settings, fit.Ring, fit.InSwitch, says, c)
		}
	}
}

// A node of a machine whose file does not say how many processes it takes has one for each of its GPUs, not for each of its cores.
func TestProcessesOfGPUs(t *testing.T) {
	const machine = "cores: 64\n  network: {latency: 2us, send_overhead: 0.3us, receive_overhead: 0.3us, bandwidth: 50GB/s}\n" +
		"  gpu: {sms: 132, memory: 80GB, memory_bandwidth: 3.35TB/s, peak: {bf16: 989TF/s}, per_node: 8, switch: {bandwidth: 450GB/s},\n" +
		"    nics: {gpus: [0, 1, 2, 3, 4, 5, 6, 7], bandwidth: 50GB/s}}\n" +
		"  gpu_calibration: {rows: mine, start: 10us, step: 1us, ring: 360GB/s, channels: 24, network: 0.9}\n" +
		"  gpu_kernels: {rows: mine, products: 0.7, moves: 0.9}\n"
	for workload, want := range map[string]int{"gpu-collective, bytes: 1MiB": 8, "halo": 64} {
		study := must.Get(loadText("machine:\n  "+machine+"workload: {name: "+workload+"}\nranks: 16\n", nil))(t)
		if got := study.Runs[0].Processes; got != want {
			t.Errorf("%s: %d processes on a node, want %d", workload, got, want)
		}
	}
}
