package scenarios

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"overlapsim/network/packet"
	"overlapsim/network/packet/ospri"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// metrics runs the only run of a scenario.
func metrics(t *testing.T, name string, settings ...string) map[string]float64 {
	t.Helper()
	study, err := Load(name, settings)
	if err != nil {
		t.Fatal(err)
	}
	o, err := study.Runs[0].Run(nodes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{"makespan_s": o.Result.Makespan().Seconds()}
	for _, m := range o.Metrics {
		all[m.Name] = m.Value
	}
	return all
}

var allRows = flag.Bool("rows", false, "TestContentionScenarios: every row up to 64 KiB, not only quick ones")

// The scenarios give the results of the experiment, row by row of the fit's results.
func TestContentionScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	text, err := os.ReadFile("../network/packet/fit/rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[2:] {
		row := strings.Split(line, ",") // experiment, operation, bytes, measured, simulated
		bytes, err := strconv.Atoi(row[2])
		if err != nil {
			t.Fatal(err)
		}
		quick := bytes == 1 || bytes == 512 || bytes == 16384 && row[0] == "3 3 1"
		if !quick && (!*allRows || bytes > 65536) {
			continue
		}
		done++
		set := []string{"topology.dims=[8,8,8]", "workload.op=" + row[1], "workload.bytes=" + row[2] + "B"}
		scenario, metric := "bgp-displacement", "bandwidth_MiBps"
		if percent, routing, ok := strings.Cut(row[0], "% "); ok {
			scenario, metric = "bgp-diagonal", "avg_us"
			set = append(set, "workload.percent="+percent, "fabric.routing="+routing)
		} else {
			set = append(set, "workload.displacement=["+strings.ReplaceAll(row[0], " ", ", ")+"]")
		}
		if got := fmt.Sprintf("%.2f", metrics(t, scenario, set...)[metric]); got != row[4] {
			t.Errorf("%s: got %s, the experiment has %s", line, got, row[4])
		}
	}
	if want := map[bool]int{false: 3*2 + 1, true: 2*8 + 3*17}[*allRows]; done != want {
		t.Errorf("%d rows, want %d", done, want)
	}
}

// The same holds on another torus, with other routers and seeds. Puts have the routing of the
// scenario unless they are ordered.
func TestContentionElsewhere(t *testing.T) {
	b := ospri.BlueGeneP()
	b.Grid = topology.Grid{Sizes: []int{4, 6, 2}, Open: []bool{true, false, false}, Tie: topology.TieParity}
	b.Slots, b.Seed = 3, 7
	set := []string{"topology.dims=[4,6,2]", "topology.wrap=[false,true,true]", "fabric.slots=3", "seed=7", "workload.bytes=5KB"}
	for _, ordered := range []bool{true, false} {
		for _, routing := range []string{"dynamic", "adaptive", "static", "dimension-order"} {
			want := b
			if !ordered {
				want.Put = map[string]packet.Routing{"dynamic": packet.Adaptive, "adaptive": packet.Adaptive}[routing]
			}
			l, err := want.Diagonal(ospri.Put, 50, 5000, packet.Static)
			if err != nil {
				t.Fatal(err)
			}
			got := metrics(t, "bgp-diagonal", append(set, "workload.percent=50", "fabric.routing="+routing,
				fmt.Sprint("workload.ordered=", ordered))...)
			if got["avg_us"] != l.Mean || got["min_us"] != l.Min || got["max_us"] != l.Max || got["pairs"] != 24 {
				t.Errorf("%s, ordered %v: got %v, want %+v", routing, ordered, got, l)
			}
		}
	}
}

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
	study, err := studyText(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := study.Runs[0]
	o, err := s.Run(nodes.Options{Timeline: true})
	if err != nil {
		t.Fatal(err)
	}
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
