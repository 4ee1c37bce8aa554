package files

import (
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
)

// socketsFile holds the content of a machine file on the sockets and the NICs of a node.
type socketsFile struct {
	hasSockets, hasNICs, hasAcross keys.Group
	sockets                        machines.Sockets
	nics                           machines.NICs
	across                         machines.Across
}

// rows is the key table of sockets and nics.
func (f *socketsFile) rows() keys.Table {
	return keys.Table{
		{Path: "intra_node.across", To: &f.hasAcross, Doc: "messages inside a node between processes on two sockets; if omitted: as all others",
			Use: oneSocket},
		{Path: "intra_node.across.latency", To: &f.across.Latency, Is: keys.Time, Needs: keys.Required,
			Doc: "from the end of the copy until the target sees the message", Use: unsentInside},
		{Path: "intra_node.across.per_byte", To: &f.across.Copy, Is: keys.PerByte, Needs: keys.Required, Doc: "the sender's CPU copies",
			Use: unsentInside},
		{Path: "sockets", To: &f.hasSockets, Doc: "sockets, or NUMA domains, of a node, each with as many neighbouring cores; if omitted: one",
			Use: alikeSockets},
		{Path: "sockets.number", To: &f.sockets.Number, Is: keys.Count, Needs: keys.Required, Range: keys.Positive, Doc: "sockets of a node"},
		{Path: "sockets.placement", To: keys.OneOf(&f.sockets.Cyclic), Choices: []string{"block", "cyclic"},
			Doc: "block: the processes of a node fill one socket before the next; cyclic: they go to one after the other"},
		{Path: "nics", To: &f.hasNICs, Doc: "network interfaces of a node, of which network describes one; if omitted: one",
			Use: noEnds(ownNICs(unsentByNIC).or(calibratedNICs))},
		{Path: "nics.number", To: &f.nics.Number, Is: keys.Count, Needs: keys.Required, Range: keys.Positive,
			Doc: "NICs of a node; the sockets have as many each, in order"},
		{Path: "nics.use", To: keys.OneOf(&f.nics.Use), Choices: machines.Uses,
			Doc: "which NIC a process uses. block: as many neighbouring processes each; round-robin: one process after the other; nearest: that of " +
				"its core; striped: all, each carries an equal part of every message", Use: oneNIC},
		{Path: "nics.routers", To: keys.OneOf(&f.nics.Routers), Choices: []string{"one", "own"},
			Doc: "end points of the topology are NICs: those of a node follow each other, or each is on a separate router", Use: pointless},
		{Path: "nics.far", To: &f.nics.Far, Is: keys.Time,
			Doc: "extra latency to or from a NIC on another socket than the process", Use: oneSocket},
	}
}

// apply gives a machine the values of the file, if it has any.
func (f *socketsFile) apply(m *machines.Machine) {
	if f.hasSockets.Given {
		m.Sockets = new(f.sockets)
	}
	if f.hasNICs.Given {
		m.NICs = new(f.nics)
	}
	if f.hasAcross.Given && m.IntraNode != nil {
		m.IntraNode.Across = new(f.across)
	}
}

// noEnds is the idle of NICs where they are no end points of a fabric, which counts their links.
func noEnds(inside idle) idle {
	return func(o *ran) string {
		if o.Contention != nil {
			return ""
		}
		return inside(o)
	}
}

// Reasons that depend on sockets and NICs.
var (
	oneSocket = because("a node has one socket", func(o *ran) bool {
		return o.Machine.Sockets == nil || o.Machine.Sockets.Number == 1
	})
	alikeSockets = because("nothing differs by socket: neither intra_node.across, nor nics.far or use nearest, nor memory.cores",
		func(o *ran) bool {
			m := o.Machine
			across, near := m.IntraNode != nil && m.IntraNode.Across != nil, m.NICs != nil && (m.NICs.Far > 0 || m.NICs.Use == machines.Nearest)
			return !across && !near && (m.Sharing == nil || m.Sharing.PerMemory == 0)
		})
	oneNIC         = because("a node has one NIC", func(o *ran) bool { return o.Machine.Rails() == 1 })
	calibratedNICs = because(privateNICs, func(o *ran) bool { return o.kind.Calibrated })
	pointless      = oneNIC.or(func(o *ran) string {
		if o.Contention == nil {
			return "the fabric is " + o.Fabric
		}
		return ""
	})
)
