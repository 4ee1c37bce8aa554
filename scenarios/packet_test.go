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

// The machine's file has the routers that the fit found.
func TestIntrepidIsTheFittedTorus(t *testing.T) {
	m, err := LoadMachine("intrepid")
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.packetParams()
	if err != nil {
		t.Fatal(err)
	}
	if want := packet.BlueGeneP(); p != want {
		t.Errorf("got %+v, want %+v", p, want)
	}
	b := ospri.BlueGeneP()
	if got := m.Network.SendOverhead.Of(8); got != b.PutOverhead {
		t.Errorf("send_overhead is %v, the experiment has %v", got, b.PutOverhead)
	}
	if g := m.grid(); fmt.Sprint(g.Sizes, g.Tie) != fmt.Sprint(b.Grid.Sizes, b.Grid.Tie) {
		t.Errorf("the torus is %+v, that of the experiment %+v", g, b.Grid)
	}
}

var allRows = flag.Bool("rows", false, "TestContentionScenarios: every row up to 64 KiB, not only quick ones")

// The scenarios give the results of the experiment, row by row of the fit's results.
func TestContentionScenarios(t *testing.T) {
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

// The same holds on another torus, with other routers and seeds. The routing that a
// scenario asks for is that of puts unless they are ordered.
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
			got := metrics(t, "bgp-diagonal", append(set, "workload.percent=50", "fabric.routing="+routing, fmt.Sprint("workload.ordered=", ordered))...)
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
	if study, err = Load("bgp-displacement", []string{"topology.dims=[8,1,1]", "workload.displacement=[1,0,0]", "workload.op=get"}); err != nil {
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
	study, err := loadText(text, nil)
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

// If ranks is left out, the number of ranks is what the topology has room for.
func TestRanksOfTheTopology(t *testing.T) {
	const text = "machine: intrepid\nworkload: {name: halo, iterations: 1}\n"
	for set, want := range map[string]int{"processes_per_node=4": 2048, "topology.dims=[4,2,1]": 32, "ranks=5": 5} {
		study, err := loadText(text, []string{set})
		if err != nil {
			t.Fatal(err)
		}
		if got := study.Runs[0].Ranks; got != want {
			t.Errorf("%s: %d ranks, want %d", set, got, want)
		}
	}
}

func TestMoreRanksThanTheTorusHas(t *testing.T) {
	const text = "machine: intrepid\nworkload: {name: halo, iterations: 1}\ntopology: {dims: [4, 4]}\nranks: 68\n"
	for _, fabric := range []string{"flow", "packet", "backlog"} {
		_, err := loadText(text, []string{"fabric.kind=" + fabric})
		if want := "68 do not fit on 16 nodes with 4 processes each"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", fabric, err, want)
		}
	}
}

func TestPacketMistakes(t *testing.T) {
	for _, c := range []struct{ scenario, set, want string }{
		{"bgp-displacement", "workload.displacement=[3,3]", "must have a number for each of the 3 dimensions [8 8 8], got [3 3]"},
		{"bgp-displacement", "workload.displacement=[3,3,x]", "must be a whole number such as 32, got x"},
		{"bgp-displacement", "workload.op=putt", "must be put or get, got putt"},
		{"bgp-displacement", "workload.bytes=0B", "must be at least 1"},
		{"bgp-displacement", "workload.operations=4194304", "must be 1 to 4194303 on 512 nodes, got 4194304"},
		{"bgp-displacement", "workload.percent=50", "unknown key"},
		{"bgp-diagonal", "workload.percent=200", "must be a divisor of 100, such as 100, 50 or 25, got 200"},
		{"bgp-diagonal", "workload.percent=0", "must be a divisor of 100"},
		{"bgp-diagonal", "fabric.routing=adaptve", "must be one of dimension-order, adaptive, static, dynamic, got adaptve"},
		{"bgp-diagonal", "fabric.slots=1", "slots: must be at least 2, got 1"},
		{"bgp-diagonal", "fabric.slots=0", "must be positive, got 0"},
		{"bgp-diagonal", "fabric.packet=239B", "packet bytes: must be at least 240, got 239"},
		{"bgp-diagonal", "fabric.injection_fifos=60", "at most 64 FIFOs per router, got 78"},
		{"bgp-diagonal", "fabric.bandwidth=-1MB/s", "must not be negative, got -1MB/s"},
		{"bgp-diagonal", "fabric.fifos=3", "unknown key"},
		{"bgp-diagonal", "fabric.kind=flow", "must be packet: contention-diagonal is an experiment on that fabric; got flow"},
		{"bgp-diagonal", "ranks=100", "must be the 512 nodes of the torus 8x8x8 for an experiment, got 100; it may be left out"},
		{"bgp-diagonal", "processes_per_node=2", "must be 1 for an experiment, got 2"},
		{"bgp-diagonal", "mapping=XYZT", "must be block"},
		{"bgp-diagonal", "topology.dims=[8,0,8]", "must be positive, got 0"},
		{"bgp-diagonal", "topology={kind: dragonfly, groups: 2, routers: 2, global: 1}", "must be a torus or mesh, got dragonfly"},
		{"ft-slabs-jacquard", "fabric.kind=packet", "packet needs the routers: the keys payload, packet and slots at least"},
		{"ft-slabs-jacquard", "fabric={kind: packet, payload: 1KiB, packet: 1100B, slots: 4}", "must be a torus or mesh, got crossbar"},
	} {
		_, err := Load(c.scenario, []string{c.set})
		if err == nil {
			t.Errorf("%s: no complaint", c.set)
			continue
		}
		if text := err.Error(); !strings.Contains(text, c.want) || strings.Contains(text, "\n") {
			t.Errorf("%s: got %s\nwant %s", c.set, text, c.want)
		}
	}
}
