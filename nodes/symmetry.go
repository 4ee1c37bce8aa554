package nodes

import (
	"errors"
	"math"
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
)

// The ranks of a symmetric program on equal nodes do the same at the same time, so two nodes
// represent all. What a rank of one node sends to any other node, a rank of the second node
// receives. The message appears to come from the node that would send such a message. If symmetry
// cannot be shown during the run, all ranks are simulated after all (docs/contributing/internals.md has the
// proof).

// fewestNodes is the number of nodes from which two nodes are simulated for all.
const fewestNodes = 8

// halves is the number of nodes that are simulated.
const halves = 2

// Few returns the number of ranks that may represent all, or false if all must run. Only the run
// itself shows whether they do.
func Few(m *machines.Machine, p programs.Program, perNode int, o Options) (ranks int, ok bool) {
	_, unit, ok := nodesOf(m, p, perNode, o)
	return halves * unit, ok
}

// runSymmetric runs two nodes in place of all. It returns false in ok if all must run.
func runSymmetric(m *machines.Machine, p programs.Program, perNode int, o Options) (result *results.Result, ok bool, err error) {
	grid, unit, ok := nodesOf(m, p, perNode, o)
	if !ok || fits(m, p.Ranks(), perNode) != nil {
		return nil, false, nil
	}
	f := newSymmetricProgram(p, unit, grid)
	f.free = m.IsFree()
	few := Options{MostEvents: o.MostEvents, Calibration: o.Calibration}
	result, err = run(f.machine(m, onNodes(p.Ranks(), perNode, o.Nodes)), f, unit, few, f.follow)
	switch {
	case f.refused:
		return nil, false, nil
	case errors.Is(err, ErrMostEvents):
		return nil, true, err
	case err != nil: // a run of all ranks finds the same error, and names the right rank
		return nil, false, nil
	}
	result, ok = f.expand(result)
	return result, ok, nil
}

// nodesOf returns the grid of nodes on which a program looks the same from every node, and the
// number of ranks on a node. It returns false if there is no grid, if there are too few nodes, if
// the nodes are not equal, or if the times of single ranks are asked for. On a calibrated fabric,
// a rank that shares neither core nor memory counts as a node, because the other ranks on its
// node make no difference.
func nodesOf(m *machines.Machine, p programs.Program, perNode int, o Options) (grid programs.Grid, unit int, ok bool) {
	if o.NoSymmetry || o.Timeline || o.Critical || o.Fabric != nil || o.Background != 0 || m.Noise.Takes() {
		return nil, 0, false
	}
	if o.Calibration != nil && m.Sharing == nil && programs.Threads(p) == 1 {
		perNode, o.Nodes = 1, nil
	}
	if m.Copying != nil && (m.Copying.Window > 0 || m.Copying.Protocols > 0) { // what a rank may do depends on other ranks
		return nil, 0, false
	}
	if m.Runtime != nil && m.Runtime.Progress.Chains() { // a read takes in what comes next from the same rank, and one rank represents many
		return nil, 0, false
	}
	if m.Sharing != nil && m.Sharing.Scheduler != nil { // the order of simultaneous wake-ups counts
		return nil, 0, false
	}
	n := p.Ranks()
	if perNode < 1 || n%perNode != 0 || n/perNode < fewestNodes || n > math.MaxInt32 {
		return nil, 0, false
	}
	if ranks := programs.Symmetry(p); ranks != nil && ranks.Places() == n {
		grid = ranks.Blocks(perNode)
	}
	return grid, perNode, grid != nil && inBlocks(o.Nodes, perNode)
}

// onNodes is the number of nodes that ranks take.
func onNodes(ranks, perNode int, placed []int32) int {
	if placed == nil {
		return (ranks + perNode - 1) / perNode
	}
	return len(slices.Compact(slices.Sorted(slices.Values(placed))))
}

// inBlocks tells whether each node has this number of neighbouring ranks. Which node they are on
// does not matter, because all pairs of nodes are equal.
func inBlocks(placed []int32, perNode int) bool {
	seen := map[int32]bool{}
	for r, node := range placed {
		first := r%perNode == 0
		if first && seen[node] || !first && node != placed[r-1] {
			return false
		}
		seen[node] = true
	}
	return true
}

// symmetricProgram runs a symmetric program on two nodes. The ranks of the second node do what the ranks of the
// first node do. Where all ranks are simulated (nil), nothing is followed.
type symmetricProgram struct {
	programs.Program
	perNode int
	grid    programs.Grid // of the nodes
	tags    map[label]int32
	labels  []label
	sample  programs.Ops // of a rank that is being compared
	refused bool         // the program is not symmetric, or nothing shows that it is
	free    bool         // the order of what happens at the same moment changes nothing
	order
}

// label is the sender of a message, as seen from the receiving node, and its tag.
type label struct{ source, tag int32 }

func newSymmetricProgram(p programs.Program, perNode int, grid programs.Grid) *symmetricProgram {
	return &symmetricProgram{Program: p, perNode: perNode, grid: grid, tags: map[label]int32{}}
}

// machine returns the machine on which two nodes have the times of all nodes.
func (f *symmetricProgram) machine(m *machines.Machine, nodes int) *machines.Machine {
	few, n := *m, f.Program.Ranks()
	few.Network.Outstanding, few.Network.PerPeer = m.Network.Limit(n), 0
	few.Barrier = machines.Barrier{Base: m.Barrier.Cost(n, nodes), Threads: m.Barrier.Threads}
	return &few
}

// Ranks implements programs.Program.
func (f *symmetricProgram) Ranks() int { return halves * f.perNode }

// ranksOf returns the number of ranks of a program, or of the program that a symmetric one
// represents.
func ranksOf(p programs.Program) int {
	if f, ok := p.(*symmetricProgram); ok {
		p = f.Program
	}
	return p.Ranks()
}

// Threads implements programs.Threaded.
func (f *symmetricProgram) Threads() int { return programs.Threads(f.Program) }

// Step implements programs.Program. It returns the step of the rank of node 0, with the peers and
// tags of the two nodes.
func (f *symmetricProgram) Step(rank, step int, do *programs.Ops) bool {
	half, local := rank/f.perNode, rank%f.perNode
	more := f.Program.Step(local, step, do)
	ops := do.List()
	if half == 0 && !f.looksAlike(local, step, ops, more) {
		f.refused = true
	}
	for i := range ops {
		f.translate(half, local, &ops[i])
	}
	if f.refused {
		do.Reset()
	}
	return more && !f.refused
}

// translate gives an operation of a rank of node 0 the peer and the tag that it has on one of the two
// nodes.
func (f *symmetricProgram) translate(half, local int, op *programs.Op) {
	switch op.Kind {
	case programs.OpPut, programs.OpGet, programs.OpSignal, programs.OpSend:
		if ranks, _ := op.Combined(); ranks > 0 {
			f.refused = true
			return
		}
		if f.known(op) {
			node, there := int(op.Peer)/f.perNode, int(op.Peer)%f.perNode
			op.Tag = f.tag(label{int32(f.grid.Back(node)*f.perNode + local), op.Tag})
			op.Peer = f.on(half, node, there)
		}
	case programs.OpReceive:
		if f.known(op) {
			op.Tag = f.tag(label{op.Peer, op.Tag})
			op.Peer = f.on(half, int(op.Peer)/f.perNode, int(op.Peer)%f.perNode)
		}
	case programs.OpMeet:
		f.refused = f.refused || op.Peer < 0 || int(op.Peer) >= f.perNode
		op.Peer += int32(half * f.perNode)
	case programs.OpWaitAny, programs.OpAwait, programs.OpStart:
		f.refused = true
	}
}

// known tells whether an operation names one rank and one tag. If it does not, the program is
// refused.
func (f *symmetricProgram) known(op *programs.Op) bool {
	ok := op.Peer >= 0 && int(op.Peer) < f.Program.Ranks() && op.Tag != programs.AnyTag
	f.refused = f.refused || !ok
	return ok
}

// on returns the rank that represents a rank of a node, seen from one of the halves.
func (f *symmetricProgram) on(half, node, local int) int32 {
	if node != 0 {
		half = halves - 1 - half
	}
	return int32(half*f.perNode + local)
}

// tag returns the tag that represents a label.
func (f *symmetricProgram) tag(l label) int32 {
	tag, known := f.tags[l]
	if !known {
		tag = int32(len(f.labels))
		f.tags[l] = tag
		f.labels = append(f.labels, l)
	}
	return tag
}

// The number of nodes that are compared with node 0. It is larger for their first steps than for
// later ones.
const (
	comparedAtFirst = 32
	comparedLater   = 2
)

// looksAlike compares a step of a rank of node 0 with the same step on some other nodes. This finds
// programs that wrongly claim to be symmetric.
func (f *symmetricProgram) looksAlike(local, step int, ops []programs.Op, more bool) bool {
	compared := comparedLater
	if step == 0 {
		compared = comparedAtFirst
	}
	nodes := uint64(f.grid.Places())
	for i := range compared {
		const golden = 0x9e3779b97f4a7c15
		node := int(1 + (uint64(step*comparedAtFirst+i+1)*golden>>32)%(nodes-1))
		f.sample.Reset()
		if f.Program.Step(node*f.perNode+local, step, &f.sample) != more || !f.moved(ops, f.sample.List(), node) {
			return false
		}
	}
	return true
}

// moved tells whether operations are the operations of node 0, moved to another node.
func (f *symmetricProgram) moved(ops, there []programs.Op, node int) bool {
	return slices.EqualFunc(ops, there, func(a, b programs.Op) bool {
		switch a.Kind {
		case programs.OpPut, programs.OpGet, programs.OpSignal, programs.OpSend, programs.OpReceive, programs.OpMeet:
			if a.Peer >= 0 {
				a.Peer = int32(f.grid.Move(int(a.Peer)/f.perNode, node)*f.perNode + int(a.Peer)%f.perNode)
			}
		}
		return a == b
	})
}

// expand makes the result of all nodes from the result of two. It returns false if the two differ, or
// if a sum is too large.
func (f *symmetricProgram) expand(few *results.Result) (all *results.Result, ok bool) {
	k, nodes := f.perNode, f.grid.Places()
	equal := slices.EqualFunc(few.Ledgers[:k], few.Ledgers[k:], func(a, b []results.Ledger) bool { return slices.Equal(a, b) })
	if !equal || !slices.Equal(few.Finish[:k], few.Finish[k:]) || !slices.Equal(few.Hidden[:k], few.Hidden[k:]) ||
		f.nodes[0].events != f.nodes[1].events && !f.free || few.Bytes/halves > math.MaxInt64/int64(nodes) {
		return nil, false
	}
	r := *few
	r.Ranks = k * nodes
	r.Folded = r.Events / halves * uint64(nodes-halves)
	r.Events, r.Messages, r.Bytes = r.Events/halves*uint64(nodes), r.Messages/halves*uint64(nodes), r.Bytes/halves*int64(nodes)
	r.Finish, r.Hidden = slices.Repeat(few.Finish[:k], nodes), slices.Repeat(few.Hidden[:k], nodes)
	r.Ledgers = slices.Repeat(few.Ledgers[:k], nodes)
	return &r, true
}
