package training

import (
	"fmt"

	"overlapsim/nodes/gpus"
)

// plan is how a model is spread over GPUs. GPU r has the tensor-parallel rank r mod tp, then the
// context-parallel one, then the data-parallel one, then the stage of the pipeline. ep neighbours of a stage share experts.
type plan struct {
	jobs          int // that run at the same time, each as what follows says
	tp, pp, dp    int
	cp, ep        int
	context       *contextWay
	dispatch      *dispatcher
	sms, domains  int   // of an exchange of tokens
	counts        bool  // the host learns how many tokens come before it sends them
	together      bool  // a forward and a backward pass at once
	chunks        int   // of layers, of a stage
	endsCount     bool  // the table of words and the head count as a layer each where layers are dealt out
	dealt         []int // layers of each chunk, in the order of chunks; nil: evenly
	micro         int   // sequences
	micros        int   // of a step, on each data-parallel rank
	schedule      *schedule
	sequence      bool // sequence parallel
	recompute     *recompute
	bucket        int64 // of gradients; 0: all at the end
	gradientBytes float64
	zero          int  // what data-parallel ranks split: nothing, the optimizer's state, gradients, parameters
	prefetch      int  // layers whose parameters are gathered ahead
	async         bool // tensor-parallel collectives in pieces
	batchFirst    bool // activations have the batch before the sequence
	scaling       bool // operands of products are scaled and cast by kernels
}

// recompute says what of the forward pass is done again in the backward pass.
type recompute struct {
	name string
	// again returns the steps of a layer that are done again.
	again func(p *pass) []step
	// keepsInput tells that a layer keeps nothing but its input, keepsScores that it keeps the scores.
	keepsInput, keepsScores bool
	// keeps is the number of bytes that a layer keeps of a token; nil: it keeps all, or its input.
	keeps func(b *builder) float64
	// dense tells that this is modelled only for layers without experts.
	dense bool
}

var recomputes = []*recompute{
	{"none", func(*pass) []step { return nil }, false, true, nil, false},
	{"selective", func(p *pass) []step { return p.take(p.attention) }, false, false, nil, false},
	{"alternate", func(p *pass) []step { return p.take(p.forwardAlternate) }, false, false, (*builder).alternate, true},
	{"full", func(p *pass) []step { return p.take(p.forward) }, true, false, nil, false},
}

func (r *recompute) String() string { return r.name }

// sharded tells whether the optimizer's state is split over data-parallel ranks.
func (p *plan) sharded() bool { return p.zero >= 1 }

// gathers tells whether parameters are gathered for the passes; with a pipeline once a step, for the first one.
func (p *plan) gathers() bool { return p.zero == 3 && p.replicas() > 1 }

// replicas is how many GPUs have the same parameters, and sum up their gradients; for parameters of experts it is expertReplicas.
func (p *plan) replicas() int       { return p.cp * p.dp }
func (p *plan) expertReplicas() int { return p.each() / p.ep }

// each is how many GPUs a stage has.
func (p *plan) each() int { return p.tp * p.cp * p.dp }

// inParts tells whether attention is computed with one part of keys and values after another, byHeads whether a GPU computes
// some of the heads with all of them.
func (p *plan) inParts() bool { return p.cp > 1 && p.context.parts != nil }
func (p *plan) byHeads() bool { return p.cp > 1 && p.context.parts == nil }

// tensorGroup, dataGroup and the stages of a pipeline are GPUs by their numbers.
func (p *plan) tensorGroup(stage int) []int { return p.members(stage, p.tp, 1) }

func (p *plan) dataGroup(stage int) []int {
	return p.withMirror(stage, func(s int) []int { return p.members(s, p.replicas(), p.tp) })
}

// The GPUs of expertGroup share experts, the GPUs of expertDataGroup have the same experts, the GPUs of contextGroup
// split sequences.
func (p *plan) expertGroup(stage int) []int  { return p.members(stage, p.ep, 1) }
func (p *plan) contextGroup(stage int) []int { return p.members(stage, p.cp, p.tp) }

func (p *plan) expertDataGroup(stage int) []int {
	return p.withMirror(stage, func(s int) []int { return p.members(s, p.expertReplicas(), p.ep) })
}

func (p *plan) members(stage, n, apart int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = p.gpu(stage) + i*apart
	}
	return all
}

// stageGPUs are all GPUs of a stage.
func (p *plan) stageGPUs(stage int) []int { return p.members(stage, p.each(), 1) }

// layersAt is how many layers the chunk at a place in the order of all chunks has.
func (p *plan) layersAt(layers, place int) int {
	n := p.pp * p.chunks
	if p.dealt != nil {
		return p.dealt[place]
	}
	if !p.endsCount {
		return layers / n
	}
	each := (layers + 2) / n
	if place == 0 {
		each--
	}
	if place == n-1 {
		each--
	}
	return each
}

// gpu is the first GPU of a stage.
func (p *plan) gpu(stage int) int { return stage * p.each() }

// cost is the time of a collective of a group of GPUs while all other such groups of its hosts do
// the same. Groups share the NICs that several of them use.
func cost(m *gpus.Machine, members []int, op *gpus.Operation, bytes float64, groups int) (gpus.Cost, error) {
	c := gpus.Communicator{Machine: m, Members: members}
	if domains, _ := c.Domains(); domains > 1 {
		c.Machine = shared(m, &c, groups)
	}
	t, err := c.Time(op, int64(bytes))
	if err != nil {
		err = fmt.Errorf("%s of %d GPUs: %w", op, len(members), err)
	}
	return t, err
}

// shared returns a machine whose NICs have the bandwidth that is left for one of several groups.
func shared(m *gpus.Machine, c *gpus.Communicator, groups int) *gpus.Machine {
	nics, _ := c.NICs()
	all := len(m.Node.NICs) * m.Node.Domain / m.Node.GPUs
	if nics == 0 || groups*nics <= all {
		return m
	}
	less := m.Clone()
	for i := range less.Node.NICs {
		less.Node.NICs[i].Bandwidth *= float64(all) / float64(groups*nics)
	}
	return less
}
