package training

import (
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
)

// contextWay is how GPUs that split sequences compute attention.
type contextWay struct {
	name string
	// ring tells that keys and values go round, a part of the sequence each time; else an all-to-all gives each GPU whole sequences of some
	// heads.
	ring bool
}

var contextWays = []*contextWay{{"ring", true}, {"all-to-all", false}}

func (c *contextWay) String() string { return c.name }

// inRing is attention in a ring (Liu et al., arXiv 2310.01889): a GPU computes with the keys and values that it has while it sends them on
// and gets the next ones. Parts of sequences are dealt out so that all GPUs compute as much. factor is how often keys and values are sent.
func (p *pass) inRing(name string, pairs, factor, batch, d float64) {
	cp := float64(p.spread.cp)
	part := p.model.sequence / cp
	p.fused(name, pairs, batch, part, part, d)
	s := &p.steps[len(p.steps)-1]
	s.ring, s.op, s.bytes = p.spread.cp, gpus.SendReceive, factor*4*p.tokens*p.groups*p.size()/p.tp
}

// toHeads and toTokens are the all-to-alls before and after attention (Jacobs et al., arXiv 2309.14509).
func (p *pass) toHeads()  { p.turn("to heads", p.qkv()) }
func (p *pass) toTokens() { p.turn("to tokens", p.inner()) }

func (p *pass) turn(name string, width float64) {
	if p.spread.cp > 1 && !p.spread.context.ring {
		p.steps = append(p.steps, step{name: name, kind: contextComm, op: gpus.AllToAll, bytes: 2 * p.tokens * width / p.tp})
	}
}

// heads is the batch of attention: sequences times heads of a GPU.
func (p *pass) batch() float64 {
	batch := p.micro * p.model.heads / p.tp
	if p.spread.cp > 1 && !p.spread.context.ring {
		batch /= float64(p.spread.cp)
	}
	return batch
}

// round writes attention in a ring: each part of keys and values has come before it is used, on a stream of its own.
func (b *builder) round(s *step) {
	after := b.previous()
	var parts []int32
	for range s.ring - 1 {
		parts = append(parts, b.passOn(s, after))
		after = nil // the stream keeps the order
	}
	for i := range s.ring {
		if i > 0 {
			b.waitFor(parts[i-1])
		}
		b.kernel(s.name, s.kind, s.work)
	}
}

// passOn sends a part to the next GPU of the ring. It takes as long as the slowest of the ring.
func (b *builder) passOn(s *step, after []int32) int32 {
	members := b.contextGroup(int(b.stage))
	var slowest gpus.Cost
	for i, first := range members {
		c := b.between(first, members[(i+1)%len(members)], s.bytes)
		if c.Total() > slowest.Total() {
			slowest = c
		}
	}
	b.sent += slowest.Egress
	return b.add(streams.Op{Name: "pass on", Kind: contextComm, Stream: contextStream, Blocks: messageBlocks, After: after,
		Collective: b.join(contextComm, members, slowest)})
}
