package nodes

import (
	"reflect"
	"testing"

	"overlapsim/network"
	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// onFabric returns the maker of a kind of fabric whose links need so long for a byte, with nothing said about their ends.
func onFabric(t *testing.T, kind string, m *machines.Machine, shape topology.Topology, links float64) network.Maker {
	t.Helper()
	k := must.Get(fabrics.Lookup(kind))(t)
	keys := k.New()
	if routers, ok := keys.(*fabrics.PacketKeys); ok {
		routers.Payload, routers.Packet, routers.Slots = 100, 100, 8
	}
	bandwidth := reflect.ValueOf(keys).Elem().FieldByName("Bandwidth")
	bandwidth.Set(reflect.ValueOf([]sim.Rate{sim.RateOfGap(links)}))
	return must.Get(keys.Maker(&m.Network, shape))(t)
}

// fast returns a machine whose NIC takes G for a byte, and whose processor takes nothing.
func fast(perByte float64, channels int) *machines.Machine {
	return &machines.Machine{Name: "fast", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: 1000, Transfer: network.PerByte(perByte), Channels: channels}}
}

func crossbar(t *testing.T, nodes int) topology.Topology {
	t.Helper()
	return must.Get(topology.NewCrossbar(nodes))(t)
}

// However many messages a NIC serves at once, k of them take k times as long as one: into a NIC, and
// out of it, whether they stay inside the node or not. On the ideal fabric puts queue only where they leave.
func TestChannelsShareTheNIC(t *testing.T) {
	const k, bytes, perByte = 7, 1000, 50
	in, out := make([][]programs.Op, k+1), make([][]programs.Op, k+1)
	for i := range int32(k) {
		in[i] = []programs.Op{put(k, bytes, 0), wait(0)}
		out[k] = append(out[k], put(i, bytes, i))
	}
	for i := range int32(k) {
		out[k] = append(out[k], wait(i))
	}
	ways := []struct {
		name string
		ops  [][]programs.Op
	}{{"out", out}, {"in", in}}
	for _, kind := range []string{"ideal", "flow", "backlog", "packet"} {
		for _, channels := range []int{0, 1, 2, 64} {
			for _, perNode := range []int{1, 2, 4, k + 1} {
				m, o := fast(perByte, channels), Options{Critical: true}
				m.Cores, m.Processes = perNode, perNode
				from := ways
				if kind == "ideal" {
					m.Network.Channels, from = 0, ways[:1]
				} else {
					o.Fabric = onFabric(t, kind, m, crossbar(t, (k+1)/perNode), 1)
				}
				for _, way := range from {
					r := must.Get(Run(m, &script{1, way.ops, 1}, perNode, o))(t)
					if got, want := r.Makespan(), k*bytes*perByte+2*m.Network.Latency; got != want {
						t.Errorf("%s, %d channels, %d a node, %s: %v, want %v", kind, channels, perNode, way.name, got, want)
					}
				}
			}
		}
	}
}

// Messages from a process to another one leave one after the other, so the first one is there when
// its own bytes are, while those to other processes share the NIC with it.
func TestOneMessageToEachProcess(t *testing.T) {
	const bytes, perByte = 1000, 50
	const one = bytes * perByte
	m := fast(perByte, 0)
	ops := [][]programs.Op{{put(1, bytes, 0), put(1, bytes, 1), put(2, bytes, 2), wait(0), wait(1), wait(2)}, {}, {}}
	r, err := Run(m, &script{1, ops, 1}, 1, Options{Fabric: onFabric(t, "flow", m, crossbar(t, 3), 1), Timeline: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []sim.Time{2 * one, 3 * one, 2 * one} { // the first and the third share the NIC
		if got := r.Timeline.Messages[i].Delivered - m.Network.Latency; got != want {
			t.Errorf("message %d has left at %v, want %v", i, got, want)
		}
	}
}

// An all-to-all over links of one speed is no slower with a faster NIC. Routers with small buffers hold
// messages up once the NICs fill the links, so for them the comparison begins there.
func TestFasterNICIsNotSlower(t *testing.T) {
	shape := must.Get(topology.NewFatTree(topology.Tree{Down: []int{8, 4}, Up: []int{4}}))(t)
	const n, bytes = 32, 2000
	all := make([][]programs.Op, n)
	for r := range int32(n) {
		for i := range int32(n - 1) {
			all[r] = append(all[r], irecv((r+n-1-i)%n, 0, i), isend((r+1+i)%n, bytes, 0, n+i))
		}
		for i := range int32(n - 1) {
			all[r] = append(all[r], wait(i))
		}
	}
	for _, kind := range []string{"flow", "backlog", "packet"} {
		before := sim.Forever
		for _, perByte := range []float64{40, 21, 20, 19.5, 19, 15, 10, 5, 2} {
			m := fast(perByte, 0)
			r := must.Get(Run(m, &script{1, all, 1}, 1, Options{Fabric: onFabric(t, kind, m, shape, 20)}))(t)
			if perByte == 40 && kind == "packet" {
				continue
			}
			if r.Makespan() > before {
				t.Errorf("%s, G %v: %v, with a slower NIC %v", kind, perByte, r.Makespan(), before)
			}
			before = r.Makespan()
		}
	}
}
