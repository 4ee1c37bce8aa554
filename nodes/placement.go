package nodes

import (
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// placement says where the ranks are. Nodes are numbered from 0 in the order in which ranks first
// use them. The fabric has its own numbers for them.
type placement struct {
	home   []int32    // node of each rank
	slot   []int32    // number of each rank on its node
	count  []int32    // ranks of each node
	fabric []int32    // the fabric's number of each node
	socket []int32    // of each rank; nil: the sockets of a node are alike
	nic    []int32    // NIC of each rank; the first of its node if messages are split over all
	extra  []sim.Time // by rank: additional time to its NIC; nil: none
	user   []int32    // number of each rank among the users of its NIC
	users  []int32    // number of users of each NIC
	own    bool       // each rank has its own NIC, and none is next to it
	copied bool       // messages inside a node are copied by CPUs
	across bool       // those between sockets have their own costs
}

// block fills one node after another.
func block(ranks, perNode int) *placement {
	p := &placement{home: make([]int32, ranks), slot: make([]int32, ranks)}
	for r := range ranks {
		p.home[r], p.slot[r] = int32(r/perNode), int32(r%perNode)
	}
	p.fabric, p.count = make([]int32, 0, ranks/perNode+1), make([]int32, 0, ranks/perNode+1)
	for first := 0; first < ranks; first += perNode {
		p.fabric = append(p.fabric, int32(len(p.count)))
		p.count = append(p.count, int32(min(perNode, ranks-first)))
	}
	p.nic, p.user, p.users = p.home, p.slot, p.count
	return p
}

// placed puts each rank on the fabric's node with the given number, with at most perNode ranks on
// a node.
func placed(on []int32, perNode int) (*placement, error) {
	p := &placement{home: make([]int32, len(on)), slot: make([]int32, len(on))}
	number := map[int32]int32{}
	for r, node := range on {
		n, seen := number[node]
		if !seen {
			n = int32(len(p.count))
			number[node] = n
			p.count, p.fabric = append(p.count, 0), append(p.fabric, node)
		}
		p.home[r], p.slot[r] = n, p.count[n]
		if p.count[n]++; int(p.count[n]) > perNode {
			return nil, fmt.Errorf("node %d gets more than the %d ranks that it may have", node, perNode)
		}
	}
	p.nic, p.user, p.users = p.home, p.slot, p.count
	return p, nil
}

// assignNICs gives the ranks their sockets and NICs. Each process has this number of threads.
func (p *placement) assignNICs(m *machines.Machine, threads int) {
	p.copied, p.across = m.IntraNode != nil, m.IntraNode != nil && m.IntraNode.Across != nil && m.Sockets != nil
	if m.Sockets == nil && m.NICs == nil {
		return
	}
	n, each := len(p.home), m.Rails()/m.Stripes()
	p.socket, p.nic, p.user, p.extra = make([]int32, n), make([]int32, n), make([]int32, n), make([]sim.Time, n)
	p.users = make([]int32, len(p.count)*each)
	for r, node := range p.home {
		process, processes := int(p.slot[r])/threads, (int(p.count[node])+threads-1)/threads
		nic := int(node)*each + m.NIC(process, processes)
		p.socket[r], p.nic[r] = int32(m.Socket(m.Core(process))), int32(nic)
		p.user[r], p.extra[r] = p.users[nic], m.Far(process, processes)
		p.users[nic]++
	}
}

// far returns the additional time from or to a rank whose NIC is on another socket.
func (p *placement) far(r int32) sim.Time {
	if p.extra == nil {
		return 0
	}
	return p.extra[r]
}

// inside tells whether messages between two ranks bypass the NIC.
func (p *placement) inside(from, to int32) bool {
	return from == to || p.copied && p.home[from] == p.home[to]
}

// insideParts are the parts of a message inside a node.
type insideParts struct{ copy, latency results.Part }

// insideOf returns the parts of messages inside a node between two ranks.
func (p *placement) insideOf(from, to int32) insideParts {
	if p.across && p.socket[from] != p.socket[to] {
		return insideParts{parts.AcrossCopy, parts.AcrossLatency}
	}
	return insideParts{parts.IntraCopy, parts.IntraLatency}
}
