package gpus

import "math"

// Ring: every GPU sends to the next one, step by step. A step moves a chunk of each channel.
//
// Inside a domain with a switch, protocol Simple, with chunks c = min(512 KiB, S/(nC)) and L = ceil(S/(nC 512 KiB))
// rounds of all chunks:
//
//	t0 + steps a sqrt(c/512 KiB) + L (c/2)/(W/C) + (bus factor) S/W
//
// The root is empirical, and so is the rule that later rounds hide the latency of their steps. At
// the end of a round a channel waits for half a chunk. Without a switch the links are slower than
// channels, and another channel uses them meanwhile.
func ringCost(g *group, op *Operation, p *Protocol, bytes int64) parts {
	if g.domains > 1 {
		return farRing(g, op, p, bytes)
	}
	size, steps := float64(bytes)*op.Bus(g.n), float64(op.steps(g.n))
	c := parts{start: g.fit.Start.Seconds(), channels: g.blocks()}
	switch p {
	case LL:
		c.latency, c.transfer = steps*g.fit.Low*g.hop(Ring, LL), size/g.lowBus()
	case LL128:
		c.latency, c.transfer = steps*g.fit.Low*g.hop(Ring, LL128), size/g.midBus()
	default:
		chunk, rounds := g.chunks(bytes, g.blocks())
		c.latency = steps * g.fit.Step.Seconds() * math.Sqrt(chunk/mostChunk)
		c.transfer = size / g.rings()
		if g.node.Switch != nil {
			c.bubble = rounds * chunk / 2 * float64(g.blocks()) / g.rings()
		}
	}
	c.egress, c.memory = size, p.touched*size
	return c
}

// chunks returns the size of a chunk and the number of rounds, for a buffer cut into a block for
// each GPU and channel.
func (g *group) chunks(bytes int64, channels int) (chunk, rounds float64) {
	whole := float64(bytes) / float64(g.n*channels)
	return min(mostChunk, whole), math.Ceil(whole / mostChunk)
}

// lowBus and midBus are the bus bandwidths of LL and LL128.
func (g *group) lowBus() float64 {
	return min(g.generation.lowOver(g.domains, g.node.AMD), g.bus()/2)
}

func (g *group) midBus() float64 {
	return min(0.92*g.bus(), float64(g.blocks())*g.generation.ringLL128)
}

// farRing is a ring over several domains: NCCL's latencies times a measured factor.
func farRing(g *group, op *Operation, p *Protocol, bytes int64) parts {
	size := float64(bytes) * op.Bus(g.n)
	bandwidth := map[*Protocol]float64{LL: g.lowBus(), LL128: g.midBus(), Simple: g.bus()}[p]
	return parts{latency: g.fit.Far * g.ringLatency(op, p), transfer: size / bandwidth, channels: g.blocks(), egress: size,
		network: size, memory: p.touched * size, outside: "links inside and between domains differ: messages need longer to fill the ring"}
}

// ringLatency is NCCL's latency, in seconds.
func (g *group) ringLatency(op *Operation, p *Protocol) float64 {
	steps, far := op.steps(g.n), 0
	if g.domains > 1 {
		far = (g.domains - 1) * max(1, op.steps(g.n)/max(1, g.n-1))
	}
	near := g.hop(Ring, p)
	if far > 0 {
		near = max(near, g.posting(p))
	}
	return Ring.base[p.index]*micro + float64(steps-far)*near + float64(far)*g.farHop(Ring, p)
}

// ringEstimate is the time that NCCL expects, in seconds.
func ringEstimate(g *group, op *Operation, p *Protocol, bytes int64) float64 {
	b := g.expected()
	switch p {
	case LL:
		b = min(g.generation.lowOver(g.domains, g.node.AMD), b/2)
	case LL128:
		b = min(0.92*b, float64(g.blocks())*g.generation.ringLL128)
	}
	latency := g.ringLatency(op, p)
	if g.domains > 1 && p == Simple && op == AllReduce && float64(bytes) >= 64*float64(g.n*g.blocks()) {
		latency *= g.generation.factor
	}
	return latency + float64(bytes)*op.Bus(g.n)/b
}

// expected is the bandwidth of all ring channels that NCCL's search finds, in bytes per second.
func (g *group) expected() float64 {
	near := g.rings()
	if g.fit.Searched > 0 {
		near = g.fit.Searched
	} else if g.node.Switch != nil {
		near = g.generation.searched(g.node.Switch.Bandwidth)
	}
	if g.domains > 1 {
		return min(near, g.network)
	}
	return near
}

// noRing returns a message if no ring of links goes through the group.
func noRing(g *group) string {
	if g.domains == 1 && len(g.ways.chains) > 0 {
		return "needs a cycle of links through all GPUs of the group; there are only chains"
	}
	return ""
}
