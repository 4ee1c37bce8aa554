package packet

import (
	"fmt"
	"testing"

	"overlapsim/network/topology"
	"overlapsim/sim"
)

// twoLeaves is a tree of two switches with nodes, and of spines above them.
func twoLeaves(nodes, spines int) topology.Topology {
	return known(topology.NewFatTree(topology.Tree{Down: []int{nodes, 2}, Up: []int{spines}}))
}

// inSwitches are parameters with one injection FIFO, and links that serve in turn.
func inSwitches(slots int) Params {
	p := BlueGeneP()
	p.Slots, p.InjectionFIFOs, p.Arbitration, p.NetworkFirst = slots, 1, RoundRobin, false
	p.Put, p.Get = Static, Static
	return p
}

// With buffers of one packet and all routings, every message arrives once on every kind of switches, and
// the network is empty afterwards.
func TestAllArrivesOnSwitches(t *testing.T) {
	for i, shape := range switches {
		for _, pattern := range patterns {
			for variant := range 16 {
				p := inSwitches(1 + variant>>3)
				p.AdaptiveChannels = 1 + variant>>2&1
				p.Put, p.Get = Routing(variant&1), Routing(variant>>1&1)
				p.Arbitration, p.AdaptiveArbitration = Arbitration(variant%4), Arbitration(variant%3+1)
				t.Run(fmt.Sprint(pattern.name, " ", i, " ", variant), func(t *testing.T) {
					allArrives(t, shape(sim.NewStream(uint64(variant))), p, pattern.target)
				})
			}
		}
	}
}

// One message of n packets over h links between switches takes n packet times and h hop latencies. With one
// slot, a packet follows when the one before has left the next switch.
func TestOneFlowOnSwitches(t *testing.T) {
	const data, hop, packets = 640 * sim.Nanosecond, 100 * sim.Nanosecond, 50
	for _, shape := range []topology.Topology{
		known(topology.NewCrossbar(3)), twoLeaves(3, 2), known(topology.NewHyperX([]int{2, 3}, 1)),
		known(topology.NewFatTree(topology.Tree{Down: []int{2, 2, 2}, Up: []int{1, 2}})),
	} {
		for slots := range 3 {
			for to := 1; to < shape.Nodes(); to++ {
				sink := arrivals{}
				k, f := start(t, sink, shape, inSwitches(slots+1))
				f.Start(put(0, 0, int32(to), packets*240))
				k.Run()
				h := sim.Time(shape.Hops(0, to))
				want := packets*data + h*hop
				if slots == 0 && h > 0 {
					want += (packets - 1) * hop
				}
				if sink[0] != want {
					t.Errorf("%v, %d slots, to %d: %v, want %v", shape, slots+1, to, sink[0], want)
				}
			}
		}
	}
}

// Messages of n packets from k nodes to one share the cable to it: each takes its turn, and the last ends
// after k·n packet times.
func TestIncast(t *testing.T) {
	const data, packets = 640 * sim.Nanosecond, 200
	for k := range sim.Time(8) {
		k++
		sink := arrivals{}
		kernel, f := start(t, sink, known(topology.NewCrossbar(int(k)+1)), inSwitches(4))
		for n := range int32(k) {
			f.Start(put(uint32(n), n, int32(k), packets*240))
		}
		kernel.Run()
		for n := range uint32(k) {
			if want := (k*(packets-1) + sim.Time(n) + 1) * data; sink[n] != want {
				t.Errorf("message %d of %d ends at %v, want %v", n, k, sink[n], want)
			}
		}
	}
}

// Nodes 4 and 5 of a switch and node 0 of another send to node 3, whose cable gives each a third. Node 1 sends
// to node 4, whose cable is free. A fair share of the link up would be two thirds for it. But the packets
// of node 0 fill the buffers that they share, however deep, so it gets a third. With a second spine it has its way to itself.
func TestTreeSaturation(t *testing.T) {
	const data, hop, packets = 640 * sim.Nanosecond, 100 * sim.Nanosecond, 2000
	for _, c := range []struct {
		spines, slots int
		want, room    sim.Time
	}{
		{1, 2, 3 * packets * data, 2 * data},
		{1, 32, 3 * packets * data, 2 * data},
		{2, 2, packets*data + 2*hop, 0},
	} {
		sink := arrivals{}
		k, f := start(t, sink, twoLeaves(3, c.spines), inSwitches(c.slots))
		for id, ends := range [][2]int32{{4, 3}, {5, 3}, {0, 3}, {1, 4}} {
			f.Start(put(uint32(id), ends[0], ends[1], packets*240))
		}
		k.Run()
		if got := sink[3]; got < c.want-c.room || got > c.want+c.room {
			t.Errorf("%d spines, %d slots: the message to the free node ends at %v, want %v +- %v",
				c.spines, c.slots, got, c.want, c.room)
		}
		empty(t, f.Fabric)
	}
}

// Two messages whose static routes share a spine take twice as long as one; adaptive packets take both spines.
func TestAdaptiveOnTree(t *testing.T) {
	const data, packets = 640 * sim.Nanosecond, 200
	for _, c := range []struct {
		routing     Routing
		least, most sim.Time
	}{{Static, 2 * packets * data, (2*packets + 1) * data}, {Adaptive, packets * data, (packets + 8) * data}} {
		p := inSwitches(4)
		p.Put = c.routing
		sink := arrivals{}
		k, f := start(t, sink, twoLeaves(4, 2), p)
		f.Start(put(0, 0, 4, packets*240))
		f.Start(put(1, 1, 6, packets*240))
		k.Run()
		if got := max(sink[0], sink[1]); got < c.least || got > c.most {
			t.Errorf("%v: %v, want %v to %v", c.routing, got, c.least, c.most)
		}
	}
}
