package answer

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/outcomes"
)

// five is a machine of a few numbers, whose links are as fast as its NIC, with a topology.
func five(topology string) string {
	return "machine: {cores: 8, network: {latency: 1us, send_overhead: 0.3us, receive_overhead: 0.3us, gap: 0.1us, bandwidth: 10GB/s}}\n" +
		"changes: {topology: " + topology + "}\nfabric: {kind: flow}\nprocesses_per_node: 1\n"
}

// savedBy is what a change of an answer saves; 0: it is not among them.
func savedBy(a *outcomes.Answer, set ...string) float64 {
	for _, h := range a.Help {
		if slices.Equal(h.Set, set) {
			return h.Saves
		}
	}
	return 0
}

// Half-way round a ring of eight, all messages take the same direction, 1 MiB from four nodes on each link; by the parity of their start,
// half of them take each. Routes that load all links alike are not tried again.
func TestRoutesOfCrowdedLinks(t *testing.T) {
	const set = "machine.topology.tie=parity"
	text := five("{kind: torus, dims: [8]}") + "ranks: 8\nworkload: {name: shift, bytes: 1MiB, distance: 4, repeat: 4}\n"
	said := confirm(t, written(t, text))
	if saves := savedBy(said, set); math.Abs(saves-0.5) > 0.01 {
		t.Errorf("%s saves %g, want half: %+v", set, saves, said.Help)
	}
	dragonfly := written(t, five("{kind: dragonfly, groups: 5, routers: 4, nodes_per_router: 2, global: 1}")+
		"ranks: 40\nworkload: {name: shift, bytes: 1MiB, distance: 8, repeat: 4}\n")
	if saves := savedBy(confirm(t, dragonfly), "machine.topology.routing=adaptive"); saves < 0.1 {
		t.Errorf("adaptive routing saves %g of a shift from group to group", saves)
	}
	for topology, c := range map[string]struct{ more, set string }{
		"{kind: dragonfly, groups: 4, routers: 4, nodes_per_router: 2, cables: 1, routing: valiant}": {"ranks: 32\nworkload: {name: alltoall-linear, bytes: 16KiB}\n",
			"machine.topology.routing=minimal"},
		"{kind: fat-tree, children: [4, 8], parents: [4], multipath: ecmp}": {"ranks: 32\nworkload: {name: shift, bytes: 1MiB, distance: 4}\n",
			"machine.topology.multipath=d-mod-k"},
	} {
		said := confirm(t, written(t, five(topology)+c.more, "fabric.kind=backlog"))
		if savedBy(said, c.set) < 0.2 {
			t.Errorf("%s: %s is not told: %+v", topology, c.set, said.Help)
		}
	}
	even := written(t, text, set)
	if s := newSubject(even.outcome(t), even.load); s.crowded() {
		t.Error("links that carry the same are crowded")
	}
}

// Bytes that wait before the NICs for traffic shapers, one of each NIC, are told as theirs, in the answer and in comparisons. Two NICs send
// at twice the rate.
func TestShapers(t *testing.T) {
	text := strings.Replace(five("{kind: fat-tree, levels: 2, arity: 4}"), "changes: {", "changes: {bucket: {rate: 1GB/s, depth: 1KiB}, ", 1) +
		"ranks: 8\nworkload: {name: shift, bytes: 1MiB, distance: 4, repeat: 4}\n"
	slow, two := written(t, text), written(t, text, "machine.nics={number: 2, use: striped}")
	said := confirm(t, slow)
	if !strings.Contains(said.Sentence, "ytes in the NICs and their traffic shapers cost ") {
		t.Errorf("%s", said.Sentence)
	}
	one, both := slow.outcome(t), two.outcome(t)
	if twice := one.Result.Makespan().Seconds() / both.Result.Makespan().Seconds(); math.Abs(twice-2) > 0.01 {
		t.Errorf("two NICs are %g times as fast as one", twice)
	}
	a, b := one.Record(), both.Record()
	a.Answer, b.Answer = said, confirm(t, two)
	if among := Among([]*outcomes.RunRecord{a, b}); !strings.Contains(among, "(bytes in the NICs and their traffic shapers cost ") {
		t.Errorf("%s", among)
	}
}

// Where links are as fast as the NIC, neither alone costs anything: both do, as the sentence says, and what doubles both is the best change.
// Two causes of which neither hides the other are not told together.
func TestLinksAsFastAsNICs(t *testing.T) {
	for _, runtime := range []string{"none", "openmpi-5"} {
		said := confirm(t, written(t, five("{kind: fat-tree, levels: 2, arity: 4}")+"ranks: 16\nworkload: {name: shift, bytes: 1MiB, distance: 8, repeat: 4}\n",
			"machine.runtime="+runtime))
		if most := said.Without[0]; most.Cause != "links and bandwidth" && most.Cause != "bandwidth and links" || most.Saves < 0.9 {
			t.Errorf("%s: %+v", runtime, said.Without)
		}
		if !strings.Contains(said.Sentence, "Best change: links and NICs of twice the bandwidth, 4") {
			t.Errorf("%s: %s", runtime, said.Sentence)
		}
		for _, c := range said.Without {
			first, second, both := strings.Cut(c.Cause, and)
			if both && c.Saves < said.Absence(first).Saves+said.Absence(second).Saves+0.01 {
				t.Errorf("%s: %s save %g, and alone %g and %g", runtime, c.Cause, c.Saves, said.Absence(first).Saves, said.Absence(second).Saves)
			}
		}
	}
}

// A ring of 15 steps in which each sends 62.5 kB over links as fast as the NIC: 6.25 us of each step's 9.25 us are bytes, which links and NICs
// hide from each other. Latency, which costs 2 us of each, does not hide that.
func TestLinksAndNICsAlongsideLatency(t *testing.T) {
	said := confirm(t, written(t, five("{kind: dragonfly, groups: 4, routers: 4, nodes_per_router: 1}")+
		"ranks: 16\nworkload: {name: collective, operation: allgather, algorithm: ring, bytes: 1MB}\n", "machine.network.latency=2us",
		"machine.network.send_overhead=0.5us", "machine.network.receive_overhead=0.5us"))
	latency := said.Absence("latency")
	if both := said.Without[0]; latency == nil || math.Abs(latency.Saves-2/9.25) > 1e-3 || both.Cause != "links and bandwidth" ||
		math.Abs(both.Saves-6.25/9.25) > 1e-3 {
		t.Errorf("%+v", said.Without)
	}
	if !strings.Contains(said.Sentence, "Best change: links and NICs of twice the bandwidth, 34 % shorter") {
		t.Errorf("%s", said.Sentence)
	}
}

// Limits of both directions together are of a NIC in the model, and of its host in a measurement: two NICs are not advised. Where they bind,
// a faster NIC helps only with a larger limit, and then halves the run.
func TestNICsOfAHost(t *testing.T) {
	text := five("{kind: crossbar}") + "ranks: 4\nworkload: {name: saturation, partners: same, bytes: 4MB, repeat: 5}\n"
	for setting, advised := range map[string]bool{"ranks=4": true, "machine.links.duplex=12GB/s": false, "machine.links.exchange=12GB/s": false} {
		one := written(t, text, setting)
		if s := newSubject(one.outcome(t), one.load); (len(moreNICs(s)) > 0) != advised {
			t.Errorf("%s: advised are %+v", setting, moreNICs(s))
		}
		if limit, _, of := strings.Cut(setting, "=12"); of {
			if saves := savedBy(confirm(t, one), "machine.network.bandwidth=x2", limit+"=x2"); math.Abs(saves-0.5) > 0.02 {
				t.Errorf("%s: twice the NICs save %g, want half", setting, saves)
			}
		}
	}
}

// Without links, backlog has no FIFOs in front of links either: an all-to-all is no longer than on a full tree.
func TestNoLinksOnBacklog(t *testing.T) {
	said := confirm(t, written(t, five("{kind: fat-tree, children: [4, 4], parents: [1]}")+
		"ranks: 16\nworkload: {name: alltoall-linear, bytes: 1MB}\n", "fabric.kind=backlog"))
	links, full := said.Absence("links"), savedBy(said, "topology.parents=[4]")
	if full < 0.5 || links == nil || links.Saves < full-0.001 {
		t.Errorf("without links %+v, a full tree saves %g", links, full)
	}
}

// Where the gap of a NIC binds, two of them in a node send twice as many messages, which a NIC of twice the bandwidth does not.
func TestTwoNICs(t *testing.T) {
	text := "machine: {cores: 8, network: {latency: 1us, send_overhead: 0.1us, receive_overhead: 0.1us, gap: 2us, bandwidth: 10GB/s}}\n" +
		"processes_per_node: 8\nranks: 64\nworkload: {name: alltoall-linear, bytes: 8B}\n"
	if saves := savedBy(confirm(t, written(t, text)), "machine.nics={number: 2}"); math.Abs(saves-0.5) > 0.02 {
		t.Errorf("two NICs save %g, want half", saves)
	}
	if saves := savedBy(confirm(t, written(t, text, "machine.nics={number: 2}")), "machine.nics.number=4"); math.Abs(saves-0.5) > 0.04 {
		t.Errorf("four NICs save %g of a run with two, want half", saves)
	}
	one := written(t, text, "processes_per_node=1", "ranks=8", "workload.bytes=1MiB")
	s := newSubject(one.outcome(t), one.load)
	if set := moreNICs(s)[0].set[0]; set != "machine.nics={number: 2, use: striped}" {
		t.Errorf("a process of its own node has %s", set)
	}
}

// A number of a machine that costs much and for which its file found no source is said to have none; one that the user gives is not, nor one that
// costs little: the start of a collective is no launch, and kernels of long steps are launched ahead.
func TestNumbersWithoutSource(t *testing.T) {
	const text = "machine: hdr-infiniband\nprocesses_per_node: 8\nranks: 32\nworkload: {name: halo, bytes: 64B, compute: 0s, iterations: 5}\n"
	for setting, want := range map[string]bool{"ranks=32": true, "machine.network.gap=0.2us": false} {
		said := confirm(t, written(t, text, setting))
		if gap := said.Absence("gap"); gap == nil || gap.Saves < 0.4 {
			t.Fatalf("%s: the gap costs %+v", setting, gap)
		}
		if has := strings.Contains(strings.Join(said.Notes, "\n"), "network.gap of hdr-infiniband has no source"); has != want {
			t.Errorf("%s: %q", setting, said.Notes)
		}
	}
	for workload, want := range map[string]bool{"{name: transformer, hidden: 512, sequence: 128}": true,
		"{name: transformer, hidden: 512, sequence: 128}\nchanges: {gpu_kernels.launch: 5us}": false,
		"{name: transformer, hidden: 4096, sequence: 4096, flash: true, layers: 4}":           false,
		"{name: gpu-collective, bytes: 8KiB}":                                                 false} {
		a := written(t, "machine: h800\nranks: 8\nworkload: "+workload+"\n")
		said := For(a.outcome(t), a.load, Whole, func(string, float64) {})
		if has := strings.Contains(strings.Join(said.Notes, "\n"), "gpu_kernels.launch of h800 has no source"); has != want {
			t.Errorf("%s: %q, %+v", workload, said.Notes, said.Without)
		}
	}
}

// Where the switches of a tree have fewer ways up than down, as many as down are tried: a shift then shares no links, as d-mod-k routes say.
func TestTaperedTree(t *testing.T) {
	said := confirm(t, written(t, five("{kind: fat-tree, children: [8, 4, 4], parents: [4, 2]}")+
		"ranks: 128\nworkload: {name: shift, bytes: 1MiB, distance: 64, repeat: 2}\n"))
	links := said.Absence("links")
	if saves := savedBy(said, "topology.parents=[8, 4]"); links == nil || links.Saves < 0.7 || math.Abs(saves-links.Saves) > 0.01 {
		t.Errorf("a full tree saves %g, no shared links %+v", saves, links)
	}
}

// Libraries copy messages that they send at once. Where the machine charges no copy, pieces that are eager, unlike the whole
// message, are charged the same copy as whole messages that are sent at once.
func TestEagerIsCopied(t *testing.T) {
	const text = "machine: {cores: 4, runtime: openmpi-5, intra_node: {latency: 0.3us, per_byte: 8GB/s}, network: {latency: 1us, " +
		"send_overhead: 0.25us, receive_overhead: 0.25us, gap: 0.1us, bandwidth: 25GB/s}}\nprocesses_per_node: 2\nranks: 64\nworkload: {name: halo, bytes: 128KiB, compute: 1ms, iterations: 3}\n"
	rates := func(settings ...string) (all []string) {
		a := written(t, text, settings...)
		s := newSubject(a.outcome(t), a.load)
		for _, c := range append(s.reshaped(), eager(s)...) {
			for _, set := range c.set {
				if strings.Contains(set, "_overhead=") {
					rate := regexp.MustCompile(`per_byte: ([^}]*)}]`).FindStringSubmatch(set)
					all = append(all, rate[1])
				}
			}
		}
		return all
	}
	if all := rates(); len(all) < 4 || len(slices.Compact(all)) != 1 {
		t.Errorf("copies are charged at %q", all)
	}
	const charged = "=[{from: 0B, time: 250ns, per_byte: 10GB/s}]"
	if all := rates("machine.network.send_overhead"+charged, "machine.network.receive_overhead"+charged); all != nil {
		t.Errorf("copies that the machine charges are charged again, at %q", all)
	}
}
