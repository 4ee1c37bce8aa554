package training

import "overlapsim/nodes/gpus"

// Kinds of operations.
const (
	product = iota
	attend
	element
	tensorComm
	pipelineComm
	dataComm
	optimizer
	expertComm
	contextComm
	numKinds
)

var kindNames = []string{"product", "attention", "element_wise", "tensor_parallel", "pipeline", "data_parallel", "optimizer",
	"expert_parallel",
	"context_parallel"}

// step is an operation of a layer: a kernel, or a collective of the group of its kind.
type step struct {
	name   string
	kind   uint8
	work   gpus.Work
	op     *gpus.Operation // of a collective; nil: a kernel
	bytes  float64
	tokens *gpus.Exchange        // in place of the collective: tokens of experts
	load   float64               // of the GPU that is written, by the mean of all that do it; 0: all have as much
	first  *step                 // before it, and before the host launches it: what tells how many tokens come
	parts  func(*builder, *step) // writes the kernel for each part of keys and values, and their ways; nil: there is one part

	merge     gpus.Work // of what a part gives with what was there
	gradients float64   // bytes that go round, of keys and values

	piece func(parts float64) gpus.Work // one of that many parts of the rows of a product

	shuffle float64 // bytes that are moved to change the order of what a collective moves

	weights bool // it gives gradients of weights, for which no other step waits
}

// pass is a list of steps being written.
type pass struct {
	*model
	machine  *gpus.Machine
	spread   *plan
	tp       float64
	sequence bool // sequence parallel: what is between tensor-parallel parts is split too
	tokens   float64
	micro    float64 // sequences
	scaling  bool    // operands are scaled and cast by kernels
	first    bool    // activations have the batch first
	cast     bool    // what the next product reads is cast already
	steps    []step
}

func (p *pass) product(name string, rows, columns, k float64) {
	if p.casts() && !p.cast {
		p.move(name+", cast", castBytes*rows*k)
	}
	p.cast = false
	p.steps = append(p.steps, step{name: name, kind: product, work: p.machine.Product(p.precision, 1, rows, columns, k),
		piece: func(parts float64) gpus.Work { return p.machine.Product(p.precision, 1, rows/parts, columns, k) }})
}

// gradient is a product that gives gradients of weights.
func (p *pass) gradient(name string, rows, columns, k float64) {
	first := len(p.steps)
	p.product(name, rows, columns, k)
	for i := range p.steps[first:] {
		p.steps[first+i].weights = true
	}
}

// casts tells whether their own kernels scale and cast what products read.
func (p *pass) casts() bool { return p.scaling && p.precision == gpus.FP8 }

// castBytes is the number of bytes that scaling and casting move for a number: it is read in 2 bytes for the maximum,
// read again, and written in 1 byte.
const castBytes = 5

func (p *pass) scores(name string, batch, rows, columns, k float64) {
	p.steps = append(p.steps, step{name: name, kind: attend, work: p.machine.Product(p.scored(), batch, rows, columns, k)})
}

// scored is the precision of attention, which is not computed in 8 bits.
func (p *pass) scored() gpus.Precision {
	if p.precision == gpus.FP8 {
		return gpus.BF16
	}
	return p.precision
}

func (p *pass) move(name string, bytes float64) {
	p.steps = append(p.steps, step{name: name, kind: element, work: p.machine.Move(bytes)})
}

// elsewhere is a move between tensor-parallel parts: every rank does all of it, unless it is split
// too.
func (p *pass) elsewhere(name string, bytes float64) {
	if p.sequence {
		bytes /= p.tp
	}
	p.move(name, bytes)
}

// gather and scatter join and split the activations at the ends of a tensor-parallel part; without
// sequence parallelism one all-reduce at one end does both.
func (p *pass) gather(name string) {
	if !p.sequence {
		return
	}
	bytes := 2 * p.tokens * p.hidden
	if p.casts() { // each rank its part, which is then sent in 1 byte
		p.elsewhere("cast", castBytes*p.tokens*p.hidden)
		bytes, p.cast = bytes/2, true
	}
	p.comm(name, gpus.AllGather, bytes)
}

func (p *pass) scatter(name string) {
	if p.sequence {
		p.comm(name, gpus.ReduceScatter, 2*p.tokens*p.hidden)
	} else {
		p.comm(name, gpus.AllReduce, 2*p.tokens*p.hidden)
	}
}

func (p *pass) comm(name string, op *gpus.Operation, bytes float64) {
	if p.tp > 1 {
		s := step{name: name, kind: tensorComm, op: op, bytes: bytes}
		if p.first && p.micro > 1 && op != gpus.AllReduce {
			s.shuffle = 2 * bytes // read and written
		}
		p.steps = append(p.steps, s)
	}
}

// forward writes the forward pass of a layer. Activations have 2 bytes; the factors before bsh are
// bytes that are read and written.
func (p *pass) forward() {
	bsh := p.tokens * p.hidden
	p.elsewhere("norm", 4*bsh)
	p.gather("gather")
	p.product("qkv", p.tokens, p.qkv()/p.tp, p.hidden)
	p.move("split", 6*p.tokens*p.qkv()/p.tp)
	p.attention()
	p.product("projection", p.tokens, p.hidden, p.inner()/p.tp)
	p.scatter("reduce")
	p.elsewhere("add", 7*bsh)
	p.elsewhere("norm", 4*bsh)
	if p.mixed() {
		p.toExperts()
	} else {
		p.feedForward(p.ffn)
	}
	p.elsewhere("add", 7*bsh)
}

// feedForward writes the forward pass of a feed-forward network of some width that tensor-parallel ranks split;
// feedBack writes its backward pass.
func (p *pass) feedForward(width float64) {
	if width == 0 {
		return
	}
	width /= p.tp
	p.gather("gather")
	p.product("up", p.tokens, p.up(width), p.hidden)
	p.move("activation", 2*p.tokens*(2*p.up(width)+width))
	p.product("down", p.tokens, p.hidden, width)
	p.scatter("reduce")
}

func (p *pass) feedBack(width float64) {
	if width == 0 {
		return
	}
	width /= p.tp
	p.gather("gather")
	p.product("down, input", p.tokens, width, p.hidden)
	p.gradient("down, weights", p.hidden, width, p.tokens)
	p.move("activation", 2*p.tokens*(2*p.up(width)+width))
	p.product("up, input", p.tokens, p.hidden, p.up(width))
	p.scatter("reduce")
	p.gradient("up, weights", p.up(width), p.hidden, p.tokens)
}

// forwardAlternate is the part of a forward pass that is computed again if a GPU keeps every second product (queries,
// values, the first of two matrices up, down), the results of attention, and the sums of tensor-parallel parts:
// torchtitan's selective recomputation by operation.
func (p *pass) forwardAlternate() {
	bsh := p.tokens * p.hidden
	p.elsewhere("norm", 4*bsh)
	p.gather("gather")
	p.product("keys", p.tokens, p.size()*p.groups/p.tp, p.hidden)
	p.move("split", 6*p.tokens*p.qkv()/p.tp)
	p.product("projection", p.tokens, p.hidden, p.inner()/p.tp)
	p.elsewhere("add", 7*bsh)
	p.elsewhere("norm", 4*bsh)
	p.gather("gather")
	if p.gated {
		p.product("up", p.tokens, p.ffn/p.tp, p.hidden)
	}
	p.move("activation", 2*p.tokens*(2*p.up(p.ffn/p.tp)+p.ffn/p.tp))
}

// up is the width of the first product of a feed-forward network of some width.
func (m *model) up(width float64) float64 {
	if m.gated {
		return 2 * width
	}
	return width
}

// fused is attention without a matrix of scores, of words by words: two products forward and five backward, of which
// half is omitted, as a word does not see what comes after it.
func (p *pass) fused(name string, pairs, batch, rows, columns, d float64) {
	w := p.machine.Attend(p.scored(), batch, rows, pairs*columns, d)
	w.Demand = int64(8 * pairs * batch * rows * d / float64(w.Blocks) / w.Block.Seconds())
	p.steps = append(p.steps, step{name: name, kind: attend, work: w})
}

// matrix is the size of the matrices of scores of a rank.
func (p *pass) matrix() float64 { return p.batch() * p.model.sequence * p.model.sequence }

// attention writes attention: scores, softmax, dropout and the sum of values; in one kernel that
// computes half of the scores and writes none with flash.
func (p *pass) attention() {
	batch, s, d := p.batch(), p.model.sequence, p.size()
	p.toHeads()
	defer p.toTokens()
	switch {
	case p.spread.inParts():
		p.spread.context.parts(p, "attention", 1, false)
		return
	case p.flash:
		p.fused("attention", 1, batch, s, s, d)
		return
	}
	p.scores("scores", batch, s, s, d)
	p.move("softmax", 4*p.matrix())
	p.move("dropout", 5*p.matrix())
	p.scores("values", batch, s, d, s)
	p.move("merge", 4*p.tokens*p.inner()/p.tp)
}

// backward writes the backward pass of a layer, without recomputation.
func (p *pass) backward() {
	bsh := p.tokens * p.hidden
	p.elsewhere("add", 5*bsh)
	if p.mixed() {
		p.fromExperts()
	} else {
		p.feedBack(p.ffn)
	}
	p.elsewhere("norm", 8*bsh)
	p.elsewhere("add", 5*bsh)
	p.gather("gather")
	p.product("projection, input", p.tokens, p.inner()/p.tp, p.hidden)
	p.gradient("projection, weights", p.hidden, p.inner()/p.tp, p.tokens)
	p.attentionBack()
	p.move("split", 6*p.tokens*p.qkv()/p.tp)
	p.product("qkv, input", p.tokens, p.hidden, p.qkv()/p.tp)
	p.scatter("reduce")
	p.gradient("qkv, weights", p.qkv()/p.tp, p.hidden, p.tokens)
	p.elsewhere("norm", 8*bsh)
}

func (p *pass) attentionBack() {
	batch, s, d := p.batch(), p.model.sequence, p.size()
	p.toTokens()
	defer p.toHeads()
	switch {
	case p.spread.inParts():
		p.spread.context.parts(p, "attention, backward", 2.5, true)
		return
	case p.flash:
		p.fused("attention, backward", 2.5, batch, s, s, d)
		return
	}
	p.scores("values, scores", batch, s, s, d)
	p.scores("values, values", batch, s, d, s)
	p.move("dropout", 5*p.matrix())
	p.move("softmax", 6*p.matrix())
	p.scores("scores, queries", batch, s, d, s)
	p.scores("scores, keys", batch, s, d, s)
}

// head writes the end of the model: the product with the table of words and the loss, forward.
// Losses are computed in 4 bytes.
func (p *pass) head() {
	p.elsewhere("norm", 4*p.tokens*p.hidden)
	p.gather("gather")
	p.product("words", p.tokens, p.vocabulary/p.tp, p.hidden)
	p.move("loss", 18*p.tokens*p.vocabulary/p.tp)
}

// headBack writes its backward pass.
func (p *pass) headBack() {
	p.move("loss", 10*p.tokens*p.vocabulary/p.tp)
	p.product("words, input", p.tokens, p.hidden, p.vocabulary/p.tp)
	p.scatter("reduce")
	p.gradient("words, weights", p.vocabulary/p.tp, p.hidden, p.tokens)
	p.elsewhere("norm", 8*p.tokens*p.hidden)
}

// embed writes the lookup of words.
func (p *pass) embed() {
	p.move("embedding", 6*p.tokens*p.hidden)
	p.scatter("reduce")
}

func (p *pass) embedBack() { p.move("embedding", 6*p.tokens*p.hidden) }

// take returns the steps written, and begins anew.
func (p *pass) take(write func()) []step {
	p.steps = nil
	write()
	return p.steps
}
