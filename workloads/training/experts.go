package training

import (
	"iter"
	"slices"

	"overlapsim/nodes/gpus"
)

// mixture is what replaces the feed-forward network of each layer: experts, of which each token goes to some.
type mixture struct {
	experts, topK float64
	width         float64 // of an expert
	shared        float64 // width of the experts that all tokens go to, together
	capacity      float64 // tokens that an expert computes by its even share, padded; 0: what comes
	skew          float64 // what comes to the GPU that gets most, by the even share
}

// matrices are the parameters of an expert.
func (m *model) matrices() float64 { return m.forward(m.moe.width) }

// mixed tells whether layers have experts.
func (m *model) mixed() bool { return m.moe.experts > 0 }

// expertParameters are the parameters of the experts of a layer.
func (m *model) expertParameters() float64 { return m.moe.experts * m.matrices() }

// dispatcher is how tokens come to GPUs with their experts.
type dispatcher struct {
	name   string
	stages *gpus.Stages // nil: an all-to-all of NCCL
}

var dispatchers = []*dispatcher{{"all-to-all", nil}, {"two-stage", gpus.TwoStage}, {"direct", gpus.Direct}}

func (d *dispatcher) String() string { return d.name }

// own is how many tokens a GPU has where tensor-parallel ranks split them.
func (p *pass) own() float64 {
	if p.sequence {
		return p.tokens / p.tp
	}
	return p.tokens
}

// rows is how many tokens the experts of a GPU compute: the tokens of the GPU that gets most, as all others wait for it.
func (p *pass) rows() float64 {
	rows := p.own() * p.moe.topK
	if p.moe.capacity > 0 {
		return rows * p.moe.capacity
	}
	return rows * p.moe.skew
}

// local is how many experts a GPU has.
func (p *pass) local() float64 { return p.moe.experts / float64(p.spread.ep) }

// grouped is a product for each expert of a GPU, in one kernel.
func (p *pass) grouped(name string, rows, columns, k float64) {
	if p.casts() {
		p.move(name+", cast", castBytes*p.local()*rows*k)
	}
	p.steps = append(p.steps, step{name: name, kind: product, work: p.machine.Product(p.precision, p.local(), rows, columns, k)})
}

// groupedGradient gives gradients of the weights of experts.
func (p *pass) groupedGradient(name string, rows, columns, k float64) {
	first := len(p.steps)
	p.grouped(name, rows, columns, k)
	for i := range p.steps[first:] {
		p.steps[first+i].weights = true
	}
}

// toExperts is the forward pass of a layer's experts: a router, sorting of tokens by expert, dispatch, and combine.
func (p *pass) toExperts() {
	each := p.rows() / p.local()
	p.feedForward(p.moe.shared)
	p.product("router", p.own(), p.moe.experts, p.hidden)
	p.move("route", 12*p.own()*p.moe.experts)
	p.move("permute", 2*(p.own()+p.rows())*p.hidden)
	p.exchange("dispatch", p.precision)
	p.count()
	p.grouped("expert, up", each, p.up(p.moe.width), p.hidden)
	p.move("activation", 2*p.rows()*(p.up(p.moe.width)+p.moe.width))
	p.grouped("expert, down", each, p.hidden, p.moe.width)
	p.exchange("combine", gpus.BF16)
	p.move("unpermute", 2*(p.own()+p.rows())*p.hidden)
}

// fromExperts is its backward pass: gradients go the same ways.
func (p *pass) fromExperts() {
	each := p.rows() / p.local()
	p.move("unpermute", 2*(p.own()+p.rows())*p.hidden)
	p.exchange("dispatch", gpus.BF16)
	p.grouped("expert, down, input", each, p.moe.width, p.hidden)
	p.groupedGradient("expert, down, weights", p.hidden, p.moe.width, each)
	p.move("activation", 2*p.rows()*(2*p.up(p.moe.width)+p.moe.width))
	p.grouped("expert, up, input", each, p.hidden, p.up(p.moe.width))
	p.groupedGradient("expert, up, weights", p.up(p.moe.width), p.hidden, each)
	p.exchange("combine", gpus.BF16)
	p.move("permute", 2*(p.own()+p.rows())*p.hidden)
	p.move("route", 12*p.own()*p.moe.experts)
	p.product("router, input", p.own(), p.hidden, p.moe.experts)
	p.gradient("router, weights", p.moe.experts, p.hidden, p.own())
	p.feedBack(p.moe.shared)
}

// exchange sends tokens to the GPUs of their experts, or back.
func (p *pass) exchange(name string, precision gpus.Precision) {
	if p.spread.ep == 1 {
		return
	}
	s := step{name: name, kind: expertComm, op: gpus.AllToAll, bytes: 2 * p.rows() * p.hidden, load: p.moe.skew}
	if stages := p.spread.dispatch.stages; stages != nil {
		s.tokens = &gpus.Exchange{Tokens: p.own() * p.moe.skew, Bytes: gpus.TokenBytes(p.hidden, precision), Experts: int(p.moe.experts),
			TopK: int(p.moe.topK), Domains: p.spread.domains, Stages: stages, SMs: p.spread.sms}
	}
	p.steps = append(p.steps, s)
}

// count puts a message before the exchange that was written last, in which every GPU tells the others where its tokens
// go: a byte for each token and expert, as in the map of HybridEP.
func (p *pass) count() {
	if p.spread.ep == 1 || !p.spread.counts {
		return
	}
	p.steps[len(p.steps)-1].first = &step{name: "routing", kind: expertComm, op: gpus.AllGather,
		bytes: p.own() * p.moe.experts * float64(p.spread.ep)}
}

// together writes two passes at once. Where one of them waits for tokens, the other one continues.
func (b *builder) together(passes [2]func()) {
	at, pauses, going := [2]cursor{b.cursor, b.cursor}, [2]func(){}, [2]bool{true, true}
	var resume [2]func() (struct{}, bool)
	for i, write := range passes {
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			pauses[i] = func() { yield(struct{}{}) }
			b.pause = pauses[i]
			write()
		})
		defer stop()
		resume[i] = next
	}
	for i := 0; going[0] || going[1]; i = 1 - i {
		if going[i] {
			b.cursor, b.pause = at[i], pauses[i]
			_, going[i] = resume[i]()
			at[i] = b.cursor
		}
	}
	b.pause = nil
	b.cursor = at[0].and(at[1])
}

// cursor is the end of the compute stream so far, and what its next operation waits for.
type cursor struct {
	last   int32   // operation of the compute stream
	waits  []int32 // for which the host waits before the next operation of the compute stream
	events []int32 // for which that operation waits
	later  []int32 // pieces that are on their way
	number int32   // of the micro-batch of the pass that is written
}

// and is where two passes that were written at once end.
func (c cursor) and(d cursor) cursor {
	return cursor{max(c.last, d.last), slices.Concat(c.waits, d.waits), slices.Concat(c.events, d.events), slices.Concat(c.later, d.later), -1}
}

// away sends tokens. If two passes are written together, the other one continues meanwhile.
func (b *builder) away(s *step) {
	if b.pause == nil {
		b.counted(computeStream, s)
		return
	}
	n := b.counted(expertStream, s, b.previous()...)
	b.pause()
	b.waitFor(n)
}

// counted writes an exchange, and before it the one that it needs, for which the host waits.
func (b *builder) counted(stream int32, s *step, after ...int32) int32 {
	if s.first == nil {
		return b.communicate(stream, s, after...)
	}
	routing := b.communicate(stream, s.first, after...)
	n := b.communicate(stream, s, after...)
	b.graph.Ops[n].Wait = append(b.graph.Ops[n].Wait, routing)
	return n
}

// pairs tells whether a pass and the next one are written together: a forward pass and a backward pass of another
// micro-batch.
func (b *builder) pairs(order []task, i int) bool {
	if order[i].paired {
		return true
	}
	if !b.plan.together || i+1 == len(order) || order[i].back || order[i].weights {
		return false
	}
	next := order[i+1]
	return next.back && (next.micro != order[i].micro || next.chunk != order[i].chunk)
}
