package gpus

import (
	"fmt"
	"math"
)

// NVLS: the switch adds what all GPUs send, and sends the sums to all. A GPU sends its bytes and
// 1/n of the sums on its link, so the algorithm bandwidth is W n/(n+1). A chunk of a channel is
// half as large as the chunk of a ring. At the end of a round a channel waits for a quarter of it. In the memory of a
// GPU its bytes are
// copied into the buffer of the switch, read by the switch, written by it, and copied back (src/device/all_reduce.h of NCCL: scatter,
// reduce and broadcast, gather; buffers that the user registers, which need no copies, are not modelled).
func nvlsCost(g *group, op *Operation, _ *Protocol, bytes int64) parts {
	channels := g.switchBlocks()
	chunk, rounds := g.switchChunks(bytes, channels)
	bandwidth := g.switchBandwidth()
	return parts{
		start: g.fit.SwitchStart.Seconds(), latency: g.switchSteps(chunk),
		bubble: rounds * chunk / 4 * float64(channels) / bandwidth, transfer: float64(bytes) / bandwidth,
		channels: channels, egress: float64(bytes) * float64(g.n+1) / float64(g.n), memory: 6 * float64(bytes), beyond: g.beyondSwitch(),
	}
}

// switchSteps is the time, in seconds, until the first chunks have gone through the switch. A GPU writes a chunk for each GPU of the domain
// before the switch has a whole round to add up (src/device/all_reduce.h of NCCL: a loop over all heads), so that it grows with the GPUs: the
// fits have 7.3 us for each of 8 H100, 8.3 of 8 B200, 6.5 of 72 GB200.
func (g *group) switchSteps(chunk float64) float64 {
	steps := g.fit.SwitchStep.Seconds() * math.Sqrt(chunk/switchChunk)
	if rows := g.fit.SwitchGPUs; rows > 0 {
		steps *= float64(g.per) / float64(rows)
	}
	return steps
}

// beyondSwitch says how many GPUs the numbers of NVLS were fitted to, if the group has less than half or more than twice as many.
func (g *group) beyondSwitch() string {
	if rows := g.fit.SwitchGPUs; rows > 0 && (2*g.per < rows || g.per > 2*rows) {
		return fmt.Sprintf("extrapolated: NVLS of %d GPUs, from rows of %d: the steps are in proportion to the GPUs, start and bandwidth are those of %[2]d", g.per, rows)
	}
	return ""
}

const switchChunk = mostChunk / 2

func (g *group) switchChunks(bytes int64, channels int) (chunk, rounds float64) {
	whole := float64(bytes) / float64(g.per*channels)
	return min(switchChunk, whole), math.Ceil(whole / switchChunk)
}

func (g *group) switchBandwidth() float64 { return g.fit.InSwitch * float64(g.per) / float64(g.per+1) }

func (g *group) switchBlocks() int {
	if g.channels > 0 {
		return g.channels
	}
	return max(1, g.fit.SwitchBlocks)
}

// nvlsTreeCost is the cost of NVLS within domains and trees between them.
func nvlsTreeCost(g *group, op *Operation, p *Protocol, bytes int64) parts {
	c := nvlsCost(g, op, p, bytes)
	c.latency += g.fit.Far * 2 * math.Floor(math.Log2(float64(g.domains))) * g.farHop(NVLSTree, p)
	size := float64(bytes)
	c.transfer = max(c.transfer, size*g.sent()/g.nics())
	c.network, c.memory = size*g.sent(), c.memory+p.touched*size*g.sent()/float64(g.per)
	c.outside = "filling the tree's pipeline takes messages longer"
	return c
}

// noSwitch returns what a group lacks for NVLS.
func noSwitch(g *group) string {
	switch {
	case g.node.Switch == nil || !g.node.Switch.Reduces || g.fit.InSwitch == 0 || g.generation.inSwitch == 0:
		return "needs a switch that multicasts and reduces (gpu.switch.reduces), and its bandwidth (gpu_calibration.in_switch)"
	case g.per < 2:
		return "needs at least two GPUs of a domain"
	case g.domains > 1:
		return "is for one domain; between several there is nvls-tree"
	}
	return ""
}

// noSwitchTree returns what a group lacks for NVLS within domains and trees between them.
func noSwitchTree(g *group) string {
	one := *g
	one.domains = 1
	if lack := noSwitch(&one); lack != "" {
		return lack
	}
	return noDomains(g)
}

// noDomains returns a message if all members are in one domain.
func noDomains(g *group) string {
	if g.domains == 1 {
		return "is for groups in several domains"
	}
	return ""
}

// nvlsEstimate is the time that NCCL expects, in seconds, with n channels at the highest speed.
func nvlsEstimate(g *group, op *Operation, p *Protocol, bytes int64) float64 {
	c := float64(g.per)
	near := g.generation.speeds[0] * g.generation.inSwitch * (c - 1) / c * 2
	if g.domains == 1 {
		return NVLS.near[p.index]*micro + float64(bytes)*op.Bus(g.n)/(c*near)
	}
	far := g.network / c
	if g.domains == 2 {
		far *= 2
	}
	b := c * min(near, far, g.generation.inTree[column(g.domains)])
	return g.treeLatency(NVLSTree, p) + float64(bytes)*op.Bus(g.n)/b
}
