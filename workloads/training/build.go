package training

import (
	"fmt"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// The streams of a GPU. Each direction of the pipeline has its own; in a mirrored one micro-batches go in both directions, and those from
// the last stage have the second four.
const (
	computeStream = iota
	dataStream
	receiveForward
	sendForward
	receiveBack
	sendBack
	gatherStream
	pieceStream
	expertStream
	contextStream
	mirroredReceiveForward
	mirroredSendForward
	mirroredReceiveBack
	mirroredSendBack
	numStreams
)

var streamNames = [numStreams]string{"compute", "gradients", "receive forward", "send forward", "receive backward", "send backward",
	"parameters", "pieces", "experts", "context", "receive forward, mirrored", "send forward, mirrored", "receive backward, mirrored",
	"send backward, mirrored"}

// streams is how many of them a GPU has.
func (p *plan) streams() int {
	if p.schedule.mirrored {
		return numStreams
	}
	return mirroredReceiveForward
}

// builder makes the graph of a step.
type builder struct {
	model
	plan
	machine *gpus.Machine
	graph   *streams.Graph

	layer, again, back                       []step
	embedding, embeddingBack, head, headBack []step
	weightsBack, headWeights                 []step // if they have their own passes

	whole  bool // every GPU is simulated, not one of each stage
	equal  bool // if so: those of a stage have the same kernels, and differ in what they share with others
	place  experiments.Place
	job    int
	flows  map[flowKey][]streams.Flow
	passOf []int32 // if every GPU is simulated and they are not equal, by operation: twice its micro-batch, plus one in a backward pass; -1: it is of none
	costs  map[costKey]gpus.Cost
	beyond string          // of the first of them that is of other groups than were measured
	wires  map[wire]int32  // collectives of the pipeline
	joint  map[joint]int32 // collectives of groups, if all members are simulated
	sent   float64         // bytes that the simulated GPUs send
	err    error

	// Of the GPU that is written.
	stage   int32
	device  int32
	replica int // of the stage
	count   map[uint8]int
	joined  []call // in this order
	buckets *buckets
	units   units
	cursor
	pause func() // lets the pass that is written at the same time go on; nil: there is none
}

// A graph gets room for more operations than its load says, by a part and by a few: what the load leaves out must not make it grow, as all
// of it would be copied.
const (
	moreOps = 20
	fewOps  = 1000
)

// build returns the graph of a step on one GPU of each stage: the tensor-parallel and the
// data-parallel ranks of a stage do the same at the same time, so that one stands for all.
func (b *builder) build() (*streams.Graph, error) {
	b.write()
	replicas := 1
	if b.whole {
		replicas = b.each()
	}
	told := int(b.load().Written)
	b.graph.Ops = make([]streams.Op, 0, told+told/moreOps+fewOps)
	models := make([]written, b.pp)
	for b.job = range b.jobs {
		b.wires, b.joint = map[wire]int32{}, map[joint]int32{}
		for stage := range b.pp {
			for replica := range replicas {
				b.begin(int32(stage), replica)
				if b.equal && b.job+replica > 0 {
					b.like(&models[stage])
					continue
				}
				first := len(b.graph.Ops)
				b.program()
				models[stage] = written{b.device, b.graph.Ops[first:], b.joined}
				b.room(stage + b.job)
			}
		}
	}
	b.wires, b.joint, b.flows, b.joined = nil, nil, nil, nil
	b.graph.Beyond = b.beyond
	return b.graph, b.err
}

func newBuilder(m model, p plan, machine *gpus.Machine) *builder {
	return &builder{model: m, plan: p, machine: machine, costs: map[costKey]gpus.Cost{}, wires: map[wire]int32{}, joint: map[joint]int32{},
		flows: map[flowKey][]streams.Flow{}, graph: &streams.Graph{Kinds: kindNames}}
}

// write writes the passes of a layer and of the ends of the model.
func (b *builder) write() {
	p := &pass{model: &b.model, machine: b.machine, spread: &b.plan, tp: float64(b.tp), sequence: b.plan.sequence && b.tp > 1,
		tokens: b.tokens(), micro: float64(b.micro), scaling: b.scaling, first: b.batchFirst}
	b.layer, b.again, b.back = p.take(p.forward), b.recompute.again(p), p.take(p.backward)
	b.embedding, b.embeddingBack = p.take(p.embed), p.take(p.embedBack)
	b.head, b.headBack = p.take(p.head), p.take(p.headBack)
	if b.schedule.split {
		b.back, b.weightsBack = apart(b.back)
		b.headBack, b.headWeights = apart(b.headBack)
	}
}

// apart removes the gradients of weights from a backward pass.
func apart(steps []step) (inputs, weights []step) {
	for _, s := range steps {
		if s.weights {
			weights = append(weights, s)
		} else {
			inputs = append(inputs, s)
		}
	}
	return inputs, weights
}

// room makes room for the collectives of all GPUs, when those of the first one are known.
func (b *builder) room(before int) {
	if before > 0 {
		return
	}
	all := 0
	for i := range b.joined {
		all += b.jobs*b.each()*b.pp/len(b.joined[i].members) + 1
	}
	b.graph.Collectives = slices.Grow(b.graph.Collectives, all)
}

// begin begins a GPU of a stage.
func (b *builder) begin(stage int32, replica int) {
	b.stage, b.replica, b.device, b.cursor, b.count = stage, replica, int32(len(b.graph.Devices)), cursor{last: -1, number: -1}, map[uint8]int{}
	b.joined = nil
	b.graph.Devices = append(b.graph.Devices, streams.Device{Name: fmt.Sprint(b.job*b.each()*b.pp + b.gpu(int(stage)) + replica), SMs: int32(b.machine.GPU.SMs), Bandwidth: int64(b.machine.Memory()),
		Ahead: launchesAhead})
}

// program writes what the GPU does.
func (b *builder) program() {
	d := &b.graph.Devices[b.device]
	for i, name := range streamNames[:b.streams()] {
		priority := 0
		if i != computeStream {
			priority = 1
		}
		d.Streams = append(d.Streams, streams.Stream{Name: name, Priority: priority})
	}
	b.buckets = b.newBuckets()
	order := b.order(int(b.stage))
	b.gatherFirst(order)
	for i := 0; i < len(order); i++ {
		t := order[i]
		if b.pairs(order, i) {
			i++
			b.buckets.final = b.completes(order[i]) && !hasLater(order[i+1:], order[i].chunk)
			b.pair(t, order[i])
			continue
		}
		b.buckets.final = b.completes(t) && (b.everyPass() || !hasLater(order[i+1:], t.chunk))
		b.units.skip = !b.everyPass() && (t.back || hasEarlier(order[:i], t.chunk))
		b.pass(t)
		b.send(t)
	}
	b.finish()
}

// pair writes a forward and a backward pass that are computed together. DualPipe sends what both give when both are done, as published.
func (b *builder) pair(forward, back task) {
	if forward.paired {
		b.together([2]func(){func() { b.pass(forward) }, func() { b.pass(back) }})
		b.send(forward)
		b.send(back)
		return
	}
	b.together([2]func(){func() { b.pass(forward); b.send(forward) }, func() { b.pass(back); b.send(back) }})
}

// completes tells whether gradients of weights are complete after a pass.
func (b *builder) completes(t task) bool { return t.weights || t.whole || t.back && !b.schedule.split }

// pass writes a pass with what it receives.
func (b *builder) pass(t task) {
	if b.cursor.number = 2 * b.sequencesOf(t); t.back || t.weights {
		b.cursor.number++
	}
	if t.weights {
		b.weights(t)
		b.endPass()
		return
	}
	b.receive(t)
	switch {
	case t.whole:
		final := b.buckets.final
		b.buckets.final = false
		b.backward(t)
		b.buckets.final = final
		b.weights(t)
		b.endPass()
	case t.back:
		b.backward(t)
		b.endPass()
	default:
		b.forward(t)
	}
}

// sequencesOf is the number of the micro-batch of a pass. The second half of them comes from the other end of a mirrored pipeline.
func (b *builder) sequencesOf(t task) int32 {
	if b.schedule.mirrored && t.chunk == 1 {
		return int32(b.plan.micros/2 + t.micro)
	}
	return int32(t.micro)
}

// weights computes the gradients of weights that a backward pass has not computed.
func (b *builder) weights(t task) {
	if b.final(t) {
		b.do(b.headWeights)
		b.buckets.addHead()
	}
	for range b.layersOf(t) {
		b.do(b.weightsBack)
		b.buckets.addLayer()
	}
	if b.first(t) {
		b.buckets.add(b.embeddingParameters())
	}
}

// endPass sums up the remaining gradients of a pass, if each pass sums up its own.
func (b *builder) endPass() {
	if b.everyPass() {
		b.buckets.flush()
	}
}

// hasLater tells whether backward passes of a chunk follow.
func hasLater(rest []task, chunk int) bool {
	for _, t := range rest {
		if (t.back || t.weights) && t.chunk == chunk {
			return true
		}
	}
	return false
}

// bytes is what all GPUs send.
func (b *builder) bytes() int64 {
	switch {
	case !b.whole:
		return workloads.WholeBytes(b.sent * float64(b.each()))
	case b.equal:
		return workloads.WholeBytes(b.sent * float64(b.jobs*b.each()))
	}
	return workloads.WholeBytes(b.sent)
}

// hasEarlier tells whether forward passes of a chunk came before.
func hasEarlier(done []task, chunk int) bool {
	return slices.ContainsFunc(done, func(t task) bool { return !t.back && t.chunk == chunk })
}

// layersOf is the number of layers of the chunk of a pass.
func (b *builder) layersOf(t task) int { return b.layersAt(int(b.layers), b.placeOf(t)) }

// first and final tell whether a chunk has an end of the model.
func (b *builder) first(t task) bool { return b.ends(t, 0) }
func (b *builder) final(t task) bool { return b.ends(t, b.pp*b.chunks-1) }

// stageLayers is the number of layers of all chunks of the stage, including the mirrored stage.
func (b *builder) stageLayers() (all int) {
	for chunk := range b.chunks * b.copies() {
		all += b.layersOf(task{chunk: chunk})
	}
	return all
}

// ends tells whether a pass is at a place in the order of chunks.
func (b *builder) ends(t task, place int) bool { return b.placeOf(t) == place }

// placeOf is the place of a pass among all chunks of layers.
func (b *builder) placeOf(t task) int {
	if b.schedule.mirrored && t.chunk == 1 {
		return b.pp - 1 - int(b.stage)
	}
	if b.schedule.mirrored {
		return int(b.stage)
	}
	return t.chunk*b.pp + int(b.stage)
}

func (b *builder) forward(t task) {
	if b.first(t) {
		b.do(b.embedding)
	}
	for range b.layersOf(t) {
		b.unshard()
		b.do(b.layer)
	}
	if b.final(t) {
		b.unshardHead()
		b.do(b.head)
	}
}

func (b *builder) backward(t task) {
	if b.final(t) {
		b.do(b.headBack)
		b.buckets.addHead()
	}
	for i := range b.layersOf(t) {
		if i > 0 || b.pp > 1 {
			b.unshard() // the last layer of the forward pass is still there
		}
		b.do(b.again)
		b.do(b.back)
		b.buckets.addLayer()
	}
	if b.first(t) {
		b.do(b.embeddingBack)
		b.buckets.add(b.embeddingParameters())
	}
}

// do writes steps into the compute stream.
func (b *builder) do(steps []step) {
	for i := 0; i < len(steps); i++ {
		s := &steps[i]
		if b.async && i+1 < len(steps) && b.inPieces(s, &steps[i+1]) {
			i++
			continue
		}
		switch {
		case s.parts != nil:
			s.parts(b, s)
		case s.op == nil:
			b.kernel(s.name, s.kind, s.work)
		case s.kind == expertComm:
			b.away(s)
		default:
			b.shuffle(s, gpus.ReduceScatter)
			b.communicate(computeStream, s)
			b.shuffle(s, gpus.AllGather)
		}
	}
}

// add writes an operation.
func (b *builder) add(o streams.Op) int32 {
	o.Device, o.Launch = b.device, b.machine.Kernels.Launch
	if o.Collective > 0 {
		o.Launch = b.machine.Kernels.Join
	}
	n := int32(len(b.graph.Ops))
	if o.Stream == computeStream {
		o.After = append(append(o.After, b.waits...), b.events...)
		o.Wait, b.waits, b.events = b.waits, nil, nil
		b.last = n
	}
	b.graph.Ops = append(b.graph.Ops, o)
	if b.whole && !b.equal {
		b.passOf = append(b.passOf, b.cursor.number)
	}
	return n
}

func (b *builder) kernel(name string, kind uint8, w gpus.Work) int32 {
	return b.add(streams.Op{Name: name, Kind: kind, Blocks: w.Blocks, Work: w.Block, Demand: w.Demand})
}
