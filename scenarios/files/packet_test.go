package files

import (
	"fmt"
	"strings"
	"testing"

	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/sim/must"
)

// The machine's file has the routers that the fit found.
func TestIntrepidIsTheFittedTorus(t *testing.T) {
	m := must.Get(LoadMachine("intrepid"))(t)
	p := must.Get(m.packetParams())(t)
	if want := packet.BlueGeneP(); p != want {
		t.Errorf("got %+v, want %+v", p, want)
	}
	if g := m.grid(); fmt.Sprint(g.Sizes) != "[8 8 8]" || g.Tie != topology.TieParity {
		t.Errorf("the torus is %+v, not that of the measurements", g)
	}
}

// If ranks is omitted, the number of ranks is what the topology has room for.
func TestRanksOfTheTopology(t *testing.T) {
	const text = "machine: intrepid\nworkload: {name: halo, iterations: 1}\n"
	for set, want := range map[string]int{"processes_per_node=4": 2048, "topology.dims=[4,2,1]": 32, "ranks=5": 5} {
		study := must.Get(loadText(text, []string{set}))(t)
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
		{"bgp-diagonal", "fabric.slots=1", "--set fabric.slots=1: must be at least 2, got 1"},
		{"bgp-diagonal", "fabric.slots=0", "must be positive, got 0"},
		{"bgp-diagonal", "fabric.packet=239B", "packet bytes: must be at least 240, got 239"},
		{"bgp-diagonal", "fabric.injection_fifos=60", "at most 64 FIFOs per router, got 78"},
		{"bgp-diagonal", "fabric.bandwidth=-1MB/s", "must not be negative, got -1MB/s"},
		{"bgp-diagonal", "fabric.fifos=3", "unknown key"},
		{"bgp-diagonal", "fabric.kind=flow", "must be packet: contention-diagonal is an experiment on that fabric; got flow"},
		{"bgp-diagonal", "ranks=100", "must be the 512 nodes of the torus 8x8x8 for an experiment, got 100; it may be omitted"},
		{"bgp-diagonal", "processes_per_node=2", "must be 1 for an experiment, got 2"},
		{"bgp-diagonal", "mapping=XYZT", "must be block"},
		{"bgp-diagonal", "topology.dims=[8,0,8]", "must be positive, got 0"},
		{"bgp-diagonal", "topology={kind: dragonfly, groups: 2, routers: 2, global: 1}", "must be a torus or mesh, or a topology whose routes"},
		{"bgp-diagonal", "topology={kind: fat-tree, levels: 2, arity: 4}", "must be torus for an experiment, got fat-tree"},
		{"ft-slabs-jacquard", "fabric.kind=packet", "packet needs the routers: the keys payload, packet and slots at least"},
		{"ft-slabs-jacquard", "fabric={kind: packet, payload: 1KiB, packet: 1100B, slots: 0}", "must be positive, got 0"},
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
