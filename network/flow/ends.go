package flow

import "overlapsim/sim"

// Kinds of limits that each node has. The first limits all flows from the node, the second all
// flows to it, and the third both together.
const (
	injection = iota
	ejection
	duplex
	limits
)

func (p *Params) limits() [limits]sim.Rate {
	return [limits]sim.Rate{p.Injection, p.Ejection, p.Duplex}
}

// pass appends the links that stand for the limits of two nodes to the path of a flow, each once.
func (f *Fabric) pass(from, to int32) {
	add := func(kind int, node int32) {
		if first := f.ends[kind]; first != none {
			f.path = append(f.path, first+node)
		}
	}
	add(injection, from)
	add(ejection, to)
	add(duplex, from)
	if from == to {
		return
	}
	add(duplex, to)
	if f.params.Exchange > 0 {
		f.path = append(f.path, f.pair(min(from, to), max(from, to)))
	}
}

// pair returns the link that stands for the limit between two nodes. It makes one for each pair
// that exchanges something, because all pairs would be too many.
func (f *Fabric) pair(a, b int32) int32 {
	l, ok := f.pairs[[2]int32{a, b}]
	if !ok {
		l = f.network.sharing.addLink(f.params.Exchange.PerPicosecond())
		f.pairs[[2]int32{a, b}] = l
		f.network.sharing.classify(l, f.exchanges())
	}
	return l
}

// exchanges is the class of the limits between two nodes, for derivatives. The classes before it
// are the links of the topology, then the limits of a node.
func (f *Fabric) exchanges() int32 { return int32(len(f.topology.Classes()) + limits) }
