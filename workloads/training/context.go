package training

import (
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
)

// contextWay is how GPUs that split sequences compute attention.
type contextWay struct {
	name string
	// parts writes attention with one part of the keys and values after another; nil: an all-to-all gives each GPU
	// whole sequences of some heads.
	parts func(p *pass, name string, pairs float64, backward bool)
}

var contextWays = []*contextWay{{"ring", (*pass).inRing}, {"all-to-all", nil}, {"all-gather", (*pass).gathered},
	{"all-gather-repeated", (*pass).gatheredParts}}

func (c *contextWay) String() string { return c.name }

// contextDoubt says that measured steps with this kind of context parallelism are not as the model has them; "": they are.
func (w *transformer) contextDoubt() string {
	if w.ContextBy != "all-gather-repeated" || w.CP < openFrom {
		return ""
	}
	return "parts of attention in PyTorch as fast as the whole: measured steps with cp 4 and 8 take 1.3 to 1.4 times as long, and the cause is open, " +
		"so that this step is not predicted (validate torchtitan-cp)"
}

// openFrom is the number of GPUs of a sequence from which on PyTorch is not predicted.
const openFrom = 4

// part is attention with a part of keys and values. Sequences are divided so that all GPUs compute equally much.
func (p *pass) part(name string, pairs float64) *step {
	length := p.model.sequence / float64(p.spread.cp)
	p.fused(name, pairs, p.batch(), length, length, p.size())
	return &p.steps[len(p.steps)-1]
}

// inRing is attention in a ring (Liu et al., arXiv 2310.01889): a GPU computes with the keys and values that it has,
// while it passes them on and gets the next ones. In the backward pass their gradients go round, too.
func (p *pass) inRing(name string, pairs float64, backward bool) {
	s := p.part(name, pairs)
	s.op, s.bytes, s.parts = gpus.SendReceive, 4*p.tokens*p.groups*p.size()/p.tp, (*builder).round
	if backward {
		s.bytes *= 2
	}
}

// Bytes that PyTorch moves for a number of what attention gives, in 4 bytes: forward what a part gives is cast (6),
// and three kernels merge it with what was there (32); backward gradients of queries are added (10), and the gradients of
// keys and values added and copied for their way (42).
const (
	mergeBytes = 6 + 32
	addBytes   = 10 + 42
)

// gathered is attention as Llama 3 was trained (Grattafiori et al., arXiv 2407.21783, section 3.3.2): a GPU gathers the keys and values of
// its heads of keys before attention, and computes with all of them in one kernel. In the backward pass it gathers them again, and their
// gradients are summed up and scattered (as in Transformer Engine, which keeps no gathered ones). Groups of tensor-parallel ranks that are
// more than there are heads of keys have the same ones.
func (p *pass) gathered(name string, pairs float64, backward bool) {
	cp := float64(p.spread.cp)
	bytes := 4 * p.tokens * cp * max(1, p.groups/p.tp) * p.size()
	p.steps = append(p.steps, step{name: "gather keys", kind: contextComm, op: gpus.AllGather, bytes: bytes})
	p.fused(name, pairs, p.batch(), p.model.sequence/cp, p.model.sequence, p.size())
	if backward {
		p.steps = append(p.steps, step{name: "scatter keys", kind: contextComm, op: gpus.ReduceScatter, bytes: bytes})
	}
}

// gatheredParts is attention as PyTorch's context parallelism does it
// (torch/distributed/tensor/experimental/_attention.py): keys and values, one for each head of queries, are gathered
// from all GPUs while the own part is computed; what parts give is merged in 4 bytes. Backward gradients of keys and
// values go round in 4 bytes.
func (p *pass) gatheredParts(name string, pairs float64, backward bool) {
	s := p.part(name, pairs)
	numbers := p.tokens * p.inner() / p.tp
	s.op, s.bytes, s.parts, s.merge = gpus.AllGather, 4*numbers*float64(p.spread.cp), (*builder).gatherParts, p.machine.Move(mergeBytes*numbers)
	if backward {
		s.gradients, s.merge = 8*numbers, p.machine.Move(addBytes*numbers)
	}
}

// toHeads and toTokens are the all-to-alls before and after attention (Jacobs et al., arXiv 2309.14509).
func (p *pass) toHeads()  { p.turn("to heads", p.qkv()) }
func (p *pass) toTokens() { p.turn("to tokens", p.inner()) }

func (p *pass) turn(name string, width float64) {
	if p.spread.byHeads() {
		p.steps = append(p.steps, step{name: name, kind: contextComm, op: gpus.AllToAll, bytes: 2 * p.tokens * width / p.tp})
	}
}

// batch is the batch of attention: sequences times heads of a GPU.
func (p *pass) batch() float64 {
	batch := p.micro * p.model.heads / p.tp
	if p.spread.byHeads() {
		batch /= float64(p.spread.cp)
	}
	return batch
}

// round writes attention in a ring: parts of keys and values arrive on their own stream, each before it is used.
func (b *builder) round(s *step) {
	after := b.previous()
	var parts []int32
	for range b.cp - 1 {
		parts = append(parts, b.passOn(s.bytes, after))
		after = nil // the stream keeps the order
	}
	for i := range b.cp {
		if i > 0 {
			b.waitFor(parts[i-1])
		}
		b.kernel(s.name, s.kind, s.work)
	}
}

// gatherParts writes attention with what is gathered: the own part meanwhile, then the others.
func (b *builder) gatherParts(s *step) {
	all := b.collective(contextStream, "gather", contextComm, b.contextGroup(int(b.stage)), gpus.AllGather, s.bytes, b.previous()...)
	var sent []int32
	for i := range b.cp {
		if i == 1 {
			b.waitFor(all)
		}
		b.kernel(s.name, s.kind, s.work)
		b.events = append(b.events, sent...)
		if i > 0 || s.gradients > 0 {
			b.kernel("merge", element, s.merge)
		}
		if s.gradients > 0 {
			sent = []int32{b.passOn(s.gradients, b.previous())}
		}
	}
	b.events = append(b.events, sent...)
}

// passOn sends a part to the next GPU of the ring. It takes as long as the slowest of the ring.
func (b *builder) passOn(bytes float64, after []int32) int32 {
	members := b.contextGroup(int(b.stage))
	var slowest gpus.Cost
	for i, first := range members {
		c := b.between(first, members[(i+1)%len(members)], bytes)
		if c.Total() > slowest.Total() {
			slowest = c
		}
	}
	b.sent += slowest.Egress
	slowest = slowest.Passing()
	n := b.join(contextComm, members, slowest)
	b.graph.Collectives[n-1].Way = streams.Message
	own, incoming := slowest.Demand(messageBlocks)
	return b.add(streams.Op{Name: "pass on", Kind: contextComm, Stream: contextStream, Blocks: messageBlocks, Demand: own, Incoming: incoming,
		After: after, Collective: n})
}
