package scenarios

import (
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// The ledger of an experiment sums to its wall time. A node alone meets no contention.
func TestContentionLedger(t *testing.T) {
	study, err := Load("bgp-displacement", []string{"topology.dims=[4,4,2]", "workload.displacement=[1,2,-1]"})
	if err != nil {
		t.Fatal(err)
	}
	o, err := study.Runs[0].Run(nodes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, phases := range o.Result.Ledgers {
		if phases[0].Sum() != o.Result.Finish[i] || phases[0][results.Transfer] <= 0 || phases[0][results.Contention] < 0 {
			t.Errorf("node %d: ledger %v, finish %v", i, phases[0], o.Result.Finish[i])
		}
	}
	if study, err = Load("bgp-displacement", []string{"topology.dims=[8,1,1]", "workload.displacement=[1,0,0]",
		"workload.op=get"}); err != nil {
		t.Fatal(err)
	}
	if o, err = study.Runs[0].Run(nodes.Options{}); err != nil {
		t.Fatal(err)
	}
	ledger := o.Ledger()
	if !ledger[results.Contention].Zero() {
		t.Errorf("gets from the next node contend: %v", ledger)
	}
}

// On an idle torus a single message takes the time of its packets, one hop latency per
// link, and the latency after the last link.
func TestPacketFabricAlone(t *testing.T) {
	text := `machine: intrepid
changes: {runtime: none, network.rendezvous_threshold: 0B}
workload: {name: shift, bytes: 2400B, distance: 3, repeat: 1}
topology: {dims: [8]}
ranks: 4
processes_per_node: 1
fabric: {kind: packet}
`
	study := must.Get(studyText(text, nil))(t)
	s := study.Runs[0]
	o := must.Get(s.Run(nodes.Options{Timeline: true}))(t)
	n := s.Machine.Network
	for _, m := range o.Result.Timeline.Messages {
		if m.From != 0 {
			continue
		}
		if got, want := m.Delivered-m.Sent, n.Latency+3*100*sim.Nanosecond; got != want {
			t.Errorf("3 links take %v after the last byte, want %v", got, want)
		}
		if got, want := m.Sent-m.Start, 10*640*sim.Nanosecond; got != want {
			t.Errorf("10 packets take %v to leave, want %v", got, want)
		}
	}
}

// Non-blocking collectives compute as long as the collective alone takes, where links are shared and ranks are not placed in blocks, too.
func TestComputesAsLongAsAlone(t *testing.T) {
	const file = "machine: hdr-infiniband\nranks: 16\nprocesses_per_node: 4\nworkload: {name: osu-nbc, operation: alltoall, block: 64KiB}\n"
	for _, set := range [][]string{
		nil, {"mapping=cyclic"}, {"processes_per_node=1", "fabric.kind=flow", "topology={kind: fat-tree, children: [4, 4], parents: [1]}"},
	} {
		study := must.Get(studyText(file, set))(t)
		o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
		times := map[string]float64{}
		for _, m := range o.Metrics {
			times[m.Name] = m.Value
		}
		if alone := times["pure_comm_s"]; alone == 0 || math.Abs(times["compute_s"]/alone-1) > 1e-6 {
			t.Errorf("%v: computes %g s, alone %g", set, times["compute_s"], alone)
		}
	}
}
