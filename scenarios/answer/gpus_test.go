package answer

import (
	"fmt"
	"strings"
	"testing"

	"overlapsim/scenarios/files"
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

// What kernels that exchange tokens, and switches that sum up, take has keys of its own: twice the links halve a large exchange, and half
// the start and the steps of a switch a small sum.
func TestKeysOfExchangesAndSwitches(t *testing.T) {
	for text, want := range map[string]string{
		"machine: h800\nranks: 8\nworkload: {name: expert-exchange}\n":                                       "links between GPUs of twice the bandwidth",
		"machine: gb200-nvl72\nranks: 16\nworkload: {name: gradient-update, numbers: 100000, fused: true}\n": "half the latency of steps",
	} {
		a := written(t, text)
		said := For(a.outcome(t), a.load, Whole, func(string, float64) {})
		if len(said.Help) == 0 || said.Help[0].Change != want || said.Help[0].Saves < 0.45 || said.Help[0].Saves > 0.5 {
			t.Errorf("%s: %+v", text, said.Help)
		}
	}
}

// Faces that go through the host are copied over PCIe.
func TestPCIeOfStagedHalos(t *testing.T) {
	a := written(t, "machine: dgx-h100\nranks: 8\nworkload: {name: halo-gpus, by: staged, steps: 2}\n")
	for _, h := range For(a.outcome(t), a.load, Whole, func(string, float64) {}).Help {
		if strings.HasPrefix(h.Change, "PCIe") && h.Saves > 0.1 {
			return
		}
	}
	t.Error("no change of PCIe")
}

// A halo whose interior another stream computes has no efficiency by the ledgers, which lack that stream. Otherwise the efficiency is the
// computation of the ledgers, which copies to and from hosts are no part of.
func TestEfficiencyOfStreams(t *testing.T) {
	for set, want := range map[string]bool{"workload.overlap=false": true, "workload.overlap=true": false, "workload.by=staged": false} {
		a := written(t, "machine: dgx-h100\nranks: 8\nworkload: {name: halo-gpus, steps: 2}\n", set)
		if got := For(a.outcome(t), a.load, Exposed, func(string, float64) {}).Efficiency; (got != nil) != want {
			t.Errorf("%s: %+v", set, got)
		}
	}
}
