package gpus

import "math"

// Tree: chunks go up a tree and the sums come back. Over domains these are two binary trees, each
// with half of the bytes. An inner node of one tree is a leaf of the other. Therefore a domain sends the
// bytes on its NICs once if there are two domains, and twice if there are more. Within a domain
// the tree is a chain.
func treeCost(g *group, op *Operation, p *Protocol, bytes int64) parts {
	size := float64(bytes)
	c := parts{transfer: size / g.treeBandwidth(p), channels: g.blocks(), egress: 2 * size, memory: p.touched * 2 * size,
		outside: "filling the tree's pipeline takes messages longer"}
	if g.domains > 1 {
		c.latency, c.network = g.fit.Far*g.treeLatency(Tree, p), size*g.sent()
		return c
	}
	c.start = g.fit.Start.Seconds()
	if p != Simple {
		c.latency = 2 * float64(g.n-1) * g.fit.Low * g.hop(Tree, p)
		return c
	}
	chunk, _ := g.chunks(bytes, g.blocks())
	c.latency = 2 * float64(g.n-1) * g.fit.Step.Seconds() * math.Sqrt(chunk/mostChunk)
	return c
}

// sent is the number of times that a domain sends all bytes on its NICs.
func (g *group) sent() float64 {
	if g.domains == 2 {
		return 1
	}
	return 2
}

// treeBandwidth is bytes divided by time. It is half of a ring's bandwidth within a domain,
// because all bytes go up and down, limited by what the NICs allow.
func (g *group) treeBandwidth(p *Protocol) float64 {
	b := min(g.rings()/2, g.nics()/g.sent())
	if g.per == 1 {
		b = g.nics() / g.sent()
	}
	switch p {
	case LL:
		return min(b/3.8, g.generation.lowOver(g.domains, g.node.AMD)/2)
	case LL128:
		if g.domains == 1 {
			return b * 7 / 9
		}
		return b * 120 / 128
	}
	return b
}

// treeLatency is NCCL's latency, in seconds, for trees with chains or a switch within domains.
func (g *group) treeLatency(a *Algorithm, p *Protocol) float64 {
	inside := 2 * float64(g.per-1) * g.hop(a, p)
	if a == NVLSTree {
		inside = a.near[p.index] * micro
	}
	return a.base[p.index]*micro + inside + 2*math.Floor(math.Log2(float64(g.domains)))*g.farHop(a, p)
}

// treeCorrection is NCCL's factor on the bandwidth, by protocol and log2(bytes/64).
var treeCorrection = [3][]float64{
	{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1},
	{1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1},
	{.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9},
}

func corrected(p *Protocol, bytes int64) float64 {
	row := treeCorrection[p.index]
	at := int(math.Log2(max(64, float64(bytes)) / 64))
	return row[min(at, len(row)-1)]
}

// treeEstimate is the time that NCCL expects, in seconds.
func treeEstimate(g *group, _ *Operation, p *Protocol, bytes int64) float64 {
	col, c := column(g.domains), float64(g.blocks())
	b := min(0.92*g.expected(), c*g.generation.treeSimple[col])
	switch p {
	case LL:
		b = min(b/3.8, g.generation.lowOver(g.domains, g.node.AMD))
	case LL128:
		part := 120.0 / 128
		if g.domains == 1 {
			part = 7.0 / 9
		}
		b = min(b*part, c*g.generation.treeLL128[col])
	}
	return g.treeLatency(Tree, p) + float64(bytes)/(b/2*corrected(p, bytes))
}
