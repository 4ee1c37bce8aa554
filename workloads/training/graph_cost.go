package training

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// kernel finds the blocks of a kernel and their time from what is given of it.
func (g *graphWriter) kernel(i int, p *part) {
	o := &g.keys.Operations[i]
	precision := named(&g.wrong, precisions, "precision", g.keys.Precision)
	switch {
	case o.Product != nil && (o.Time != 0 || o.Blocks != 0 || o.Flops != 0 || o.Bytes != 0):
		g.wrong.add(at(i, "product"), "says time, blocks, flops and bytes already; omit them")
	case o.Time != 0 && o.Flops != 0:
		g.wrong.add(at(i, "flops"), "say how long it takes, as time does; give one of them")
	case o.Blocks > math.MaxInt32/2:
		g.wrong.add(at(i, "blocks"), "must be at most %d, got %d", math.MaxInt32/2, o.Blocks)
	case o.Time != 0:
		g.timed(i, p)
	case o.Product == nil && o.Flops == 0 && o.Bytes == 0:
		g.wrong.add(at(i, "name"), "%s does not say how long it takes; give time, flops, bytes, product or collective", o.Name)
	case g.machine.Kernels.Products == 0:
		g.wrong.add(at(i, "name"), "%s needs the speed of kernels, which the machine does not have; give machine.gpu_kernels, or time", o.Name)
	case (o.Product != nil || o.Flops != 0) && g.machine.GPU.Peak[precision] == 0:
		g.wrong.add("precision", "the speed of %s is not known for %s (gpu.peak)", precision, g.machine.GPU.Title)
	case o.Product != nil:
		if len(o.Product) != 3 || slices.Min(o.Product) < 1 || slices.Max(o.Product) > mostWidth {
			g.wrong.add(at(i, "product"), "must be rows, columns and depth, each 1 to %d; got %v", mostWidth, o.Product)
			return
		}
		p.work = g.machine.Product(precision, 1, o.Product[0], o.Product[1], o.Product[2])
	case o.Flops > mostFlops || o.Bytes > mostMoved:
		g.wrong.add(at(i, "name"), "%s must have at most %g flops and %g bytes", o.Name, mostFlops, mostMoved)
	default:
		p.work = g.machine.Kernel(precision, float64(o.Blocks), o.Flops, float64(o.Bytes))
	}
}

// Most arithmetic and bytes of a kernel.
const (
	mostFlops = 1e21
	mostMoved = 1e15
)

// timed is a kernel whose time alone is given: of all its waves, if it has blocks.
func (g *graphWriter) timed(i int, p *part) {
	o := &g.keys.Operations[i]
	switch {
	case o.Time > machines.Longest/8:
		g.wrong.add(at(i, "time"), "must be at most %v, got %v", machines.Longest/8, o.Time)
	case o.Blocks == 0 && o.Bytes != 0:
		g.wrong.add(at(i, "bytes"), "are moved by blocks; give blocks too")
	case o.Blocks == 0:
		p.alone = o.Time
	case float64(o.Bytes)/o.Time.Seconds() > g.memory():
		g.wrong.add(at(i, "bytes"), "%d in %v are more than the memory moves, %.4g GB/s", o.Bytes, o.Time, g.memory()/1e9)
	default:
		waves := (o.Blocks + int64(g.machine.GPU.SMs) - 1) / int64(g.machine.GPU.SMs)
		block := max(1, o.Time/sim.Time(waves))
		p.work = gpus.Work{Blocks: int32(o.Blocks), Block: block,
			Demand: int64(float64(o.Bytes) / float64(o.Blocks) / block.Seconds())}
	}
}

// collective finds the groups of a collective, and its time.
func (g *graphWriter) collective(i int, p *part) {
	o := &g.keys.Operations[i]
	for key, given := range map[string]bool{"blocks": o.Blocks != 0, "flops": o.Flops != 0, "product": o.Product != nil} {
		if given {
			g.wrong.add(at(i, key), "is of a kernel, and %s is a collective; omit it", o.Name)
		}
	}
	before := len(g.wrong)
	if p.groups = g.groups(i); len(g.wrong) > before {
		return
	}
	if o.Channels > int64(min(g.machine.GPU.SMs, mostChannels)) {
		g.wrong.add(at(i, "channels"), "must be at most %d, got %d", min(g.machine.GPU.SMs, mostChannels), o.Channels)
	}
	switch {
	case o.Time > machines.Longest/8:
		g.wrong.add(at(i, "time"), "must be at most %v, got %v", machines.Longest/8, o.Time)
	case o.Time != 0 && (o.Bytes != 0 || o.Algorithm != "" || o.Protocol != ""):
		g.wrong.add(at(i, "time"), "says how long it takes already; omit bytes, algorithm and protocol")
	case o.Time != 0:
		p.work.Blocks, p.cost = int32(o.Channels), streams.Collective{Transfer: o.Time, Whole: true}
	case o.Bytes == 0 || o.Bytes > mostMoved/8:
		g.wrong.add(at(i, "bytes"), "must be 1 to %g, got %d; time is the other way to say how long it takes", mostMoved/8, o.Bytes)
	default:
		g.modelled(i, p)
	}
	if o.Collective == gpus.SendReceive.Name {
		p.cost.Way = streams.Stage
	}
}

// mostChannels is NCCL's limit.
const mostChannels = 64

// groups returns the GPUs that do a collective together; of groups that are equal the first one is
// enough where one GPU stands for all.
func (g *graphWriter) groups(i int) [][]int {
	o := &g.keys.Operations[i]
	among := o.GPUs
	if among == nil {
		among = upTo(g.place.Ranks)
	}
	each, apart := int(o.Group), int(max(1, o.Apart))
	if each == 0 {
		if o.Apart != 0 {
			g.wrong.add(at(i, "apart"), "is of groups; give group too")
		}
		return [][]int{among}
	}
	if o.GPUs != nil {
		g.wrong.add(at(i, "group"), "makes groups of all GPUs; omit it with gpus, which are one group")
		return nil
	}
	if n := each * apart; g.place.Ranks%n != 0 {
		g.wrong.add(at(i, "group"), "groups of %d GPUs that are %d apart need ranks that are a multiple of %d; there are %d", each, apart, n,
			g.place.Ranks)
		return nil
	}
	var all [][]int
	for first := range among {
		if first/apart%each == 0 {
			group := make([]int, each)
			for j := range group {
				group[j] = first + j*apart
			}
			all = append(all, group)
		}
	}
	return all
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// modelled is a collective that takes what docs/reference/gpus.md says.
func (g *graphWriter) modelled(i int, p *part) {
	o := &g.keys.Operations[i]
	op, err := gpus.Named(gpus.Operations, "collective", o.Collective)
	algorithm, wrongAlgorithm := gpus.Chosen(gpus.Algorithms, "algorithm", o.Algorithm, "")
	protocol, wrongProtocol := gpus.Chosen(gpus.Protocols, "protocol", o.Protocol, "")
	for _, wrong := range []error{err, wrongAlgorithm, wrongProtocol} {
		g.refuse(i, wrong)
	}
	if err != nil || wrongAlgorithm != nil || wrongProtocol != nil {
		return
	}
	if op == gpus.SendReceive && len(p.groups[0]) != 2 {
		g.wrong.add(at(i, "collective"), "send-receive is between 2 GPUs, got %d", len(p.groups[0]))
		return
	}
	for n, group := range p.groups {
		c := gpus.Communicator{Machine: g.machine, Members: g.placed(group), Algorithm: algorithm, Protocol: protocol, Channels: int(o.Channels)}
		if domains, _ := c.Domains(); domains > 1 {
			c.Machine = shared(g.machine, &c, int(max(1, o.Apart)))
		}
		cost, err := c.Time(op, o.Bytes)
		if err != nil {
			g.refuse(i, err)
			return
		}
		now := streams.Collective{Latency: cost.Before(), Transfer: sim.Later(cost.Bubble, cost.Transfer), Link: 1}
		if n > 0 && (now.Latency != p.cost.Latency || now.Transfer != p.cost.Transfer) {
			g.wrong.add(at(i, "group"), "its groups are not equal: GPUs %v take %v, GPUs %v %v; give each group an operation with gpus", p.groups[0],
				p.cost.Latency+p.cost.Transfer, group, cost.Total())
			return
		}
		g.graph.Beyond = cmp.Or(g.graph.Beyond, cost.Beyond)
		p.cost, p.egress, p.flows = now, cost.Egress, append(p.flows, g.place.Flows(&cost, &c, 1))
		if cost.Total() > 0 {
			p.work.Blocks = channelsOf(cost, g.machine)
			p.work.Demand, p.incoming = cost.Demand(p.work.Blocks)
		}
	}
}

// placed returns GPUs of the run as GPUs of the machine.
func (g *graphWriter) placed(group []int) []int {
	all := make([]int, len(group))
	for i, gpu := range group {
		all[i] = gpu/g.place.PerNode*g.machine.Node.GPUs + gpu%g.place.PerNode
	}
	return all
}

// refuse notes an error at a key of an operation.
func (g *graphWriter) refuse(i int, err error) {
	var choice *gpus.ChoiceError
	switch {
	case errors.As(err, &choice):
		g.wrong.add(at(i, choice.Key), "%s", choice.Message)
	case err != nil:
		g.wrong.add(at(i, "collective"), "%s", err)
	}
}
