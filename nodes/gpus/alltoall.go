package gpus

// Pairs: every GPU sends a block to all others at the same time. The bytes that stay in its
// domain use its link, and the others use its share of the NICs. A GPU reads what it sends from the user's buffer.
func pairsCost(g *group, op *Operation, p *Protocol, bytes int64) parts {
	if op == SendReceive {
		return sendCost(g, p, bytes)
	}
	near, far := g.blocksOf(bytes)
	c := parts{channels: g.blocks(), egress: near, network: far * float64(g.per), memory: (1 + p.touched) * (near + far)}
	c.transfer = max(near/g.port(), c.network/g.nics())
	c.start, c.latency = g.fit.Start.Seconds(), g.hop(Pairs, p)
	if g.domains > 1 {
		c.latency = g.fit.Far * (g.farHop(Pairs, p) + float64(g.n-g.per)*g.posting(LL))
	}
	return c
}

// Rails: blocks for other domains first go to the GPU of the own domain that is on the same rail
// as the target. From there they go over the network together, as one message for each domain
// instead of each GPU.
func railsCost(g *group, op *Operation, p *Protocol, bytes int64) parts {
	near, far := g.blocksOf(bytes)
	moved := far * float64(g.per-1) / float64(g.per)
	c := parts{channels: g.blocks(), egress: near + moved, network: far * float64(g.per),
		memory: (1 + p.touched) * (near + moved + far)}
	c.transfer = max((near+moved)/g.port(), c.network/g.nics())
	c.start = g.fit.Start.Seconds()
	c.latency = g.hop(Rails, p) + g.fit.Far*(g.farHop(Rails, p)+float64(g.domains-1)*g.posting(LL))
	c.outside = "both stages overlap here; as messages the second one follows the first"
	return c
}

// blocksOf splits the bytes that leave a GPU into those for its domain and those for others.
func (g *group) blocksOf(bytes int64) (near, far float64) {
	block := float64(bytes) / float64(g.n)
	return block * float64(g.per-1), block * float64(g.n-g.per)
}

// port is the most that a GPU sends within its domain.
func (g *group) port() float64 {
	if g.node.Switch == nil && g.per > 1 && g.ways.count() == 0 {
		return g.node.PCIe.Bandwidth
	}
	return g.rings()
}

// sendCost is a message from one GPU to another.
func sendCost(g *group, p *Protocol, bytes int64) parts {
	size := float64(bytes)
	c := parts{start: g.fit.Send.Seconds(), transfer: size / g.port(), channels: g.blocks(), egress: size, memory: p.touched * size}
	if g.domains > 1 {
		c.start, c.latency, c.transfer = 0, g.fit.Far*g.farHop(Pairs, p), size/g.nics()
		c.network = size
	}
	return c
}

// pairsEstimate and railsEstimate return the time itself, because NCCL makes no choice here.
func pairsEstimate(g *group, op *Operation, p *Protocol, bytes int64) float64 {
	c := pairsCost(g, op, p, bytes)
	return c.total()
}

func railsEstimate(g *group, op *Operation, p *Protocol, bytes int64) float64 {
	c := railsCost(g, op, p, bytes)
	return c.total()
}
