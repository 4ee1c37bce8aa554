package training

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
)

// The streams of a GPU. Each direction of the pipeline has its own.
const (
	computeStream = iota
	dataStream
	receiveForward
	sendForward
	receiveBack
	sendBack
	gatherStream
	pieceStream
	numStreams
)

var streamNames = [numStreams]string{"compute", "data parallel", "receive forward", "send forward", "receive backward", "send backward",
	"parameters", "pieces"}

// builder makes the graph of a step.
type builder struct {
	model
	plan
	machine *gpus.Machine
	graph   *streams.Graph

	layer, again, back                       []step
	embedding, embeddingBack, head, headBack []step
	weightsBack, headWeights                 []step // if they have passes of their own

	whole bool // every GPU is simulated, not one of each stage
	costs map[costKey]gpus.Cost
	wires map[wire]int32  // collectives of the pipeline
	joint map[joint]int32 // collectives of groups, if all members are simulated
	sent  float64         // bytes that the simulated GPUs send
	err   error

	// Of the GPU that is written.
	stage   int32
	device  int32
	replica int // of the stage
	count   map[uint8]int
	last    int32   // operation of the compute stream
	waits   []int32 // for which the host waits before the next operation of the compute stream
	events  []int32 // for which that operation waits
	later   []int32 // pieces that are on their way
	buckets *buckets
	units   units
}

type costKey struct {
	kind  uint8
	stage int32
	op    *gpus.Operation
	bytes int64
}

// wire is a message of the pipeline: what a pass gives to the next chunk of layers.
type wire struct {
	task
	to      int32
	replica int
}

// joint is a collective of a group: the n-th of its kind.
type joint struct {
	kind  uint8
	first int
	n     int
}

// build returns the graph of a step on one GPU of each stage: the tensor-parallel and the
// data-parallel ranks of a stage do the same at the same time, so that one stands for all.
func (b *builder) build() (*streams.Graph, error) {
	b.write()
	replicas := 1
	if b.whole {
		replicas = b.tp * b.dp
	}
	for stage := range b.pp {
		for replica := range replicas {
			b.program(int32(stage), replica)
		}
	}
	return b.graph, b.err
}

func newBuilder(m model, p plan, machine *gpus.Machine) *builder {
	return &builder{model: m, plan: p, machine: machine, costs: map[costKey]gpus.Cost{}, wires: map[wire]int32{}, joint: map[joint]int32{},
		graph: &streams.Graph{Kinds: kindNames}}
}

// write writes the passes of a layer and of the ends of the model.
func (b *builder) write() {
	p := &pass{model: &b.model, machine: b.machine, tp: float64(b.tp), sequence: b.plan.sequence && b.tp > 1,
		tokens: float64(b.micro) * b.model.sequence, micro: float64(b.micro), scaling: b.scaling}
	b.layer, b.again, b.back = p.take(p.forward), b.recompute.again(p), p.take(p.backward)
	b.embedding, b.embeddingBack = p.take(p.embed), p.take(p.embedBack)
	b.head, b.headBack = p.take(p.head), p.take(p.headBack)
	if b.schedule.split {
		b.back, b.weightsBack = apart(b.back)
		b.headBack, b.headWeights = apart(b.headBack)
	}
}

// apart takes the gradients of weights out of a backward pass.
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

// program writes what a GPU of a stage does.
func (b *builder) program(stage int32, replica int) {
	b.stage, b.replica, b.device, b.last, b.count = stage, replica, int32(len(b.graph.Devices)), -1, map[uint8]int{}
	d := streams.Device{Name: fmt.Sprint(b.gpu(int(stage)) + replica), SMs: int32(b.machine.GPU.SMs), Bandwidth: int64(b.machine.Memory()),
		Ahead: launchesAhead}
	for i, name := range streamNames {
		priority := 0
		if i != computeStream {
			priority = 1
		}
		d.Streams = append(d.Streams, streams.Stream{Name: name, Priority: priority})
	}
	b.graph.Devices = append(b.graph.Devices, d)
	b.buckets = b.newBuckets()
	order := b.schedule.order(int(stage), b.pp, b.micros, b.chunks)
	b.gatherFirst(order)
	for i, t := range order {
		b.buckets.final = b.completes(t) && (b.everyPass() || !hasLater(order[i+1:], t.chunk))
		b.units.skip = !b.everyPass() && (t.back || hasEarlier(order[:i], t.chunk))
		b.pass(t)
	}
	b.finish()
}

// completes tells whether gradients of weights are complete after a pass.
func (b *builder) completes(t task) bool { return t.weights || t.back && !b.schedule.split }

// pass writes a pass with its messages.
func (b *builder) pass(t task) {
	if t.weights {
		b.weights(t)
		b.endPass()
		return
	}
	b.receive(t)
	if t.back {
		b.backward(t)
		b.endPass()
	} else {
		b.forward(t)
	}
	b.send(t)
}

// weights computes the gradients of weights that a backward pass has left out.
func (b *builder) weights(t task) {
	if b.final(t) {
		b.do(b.headWeights)
		b.buckets.add(b.embeddingParameters())
	}
	for range b.layersOf() {
		b.do(b.weightsBack)
		b.buckets.add(b.model.layer() / float64(b.tp))
	}
	if b.first(t) {
		b.buckets.add(b.embeddingParameters())
	}
}

// endPass sums up what is left of the gradients of a pass, if each pass sums up its own.
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
	if b.whole {
		return int64(math.Round(b.sent))
	}
	return int64(math.Round(b.sent * float64(b.tp*b.dp)))
}

// hasEarlier tells whether forward passes of a chunk came before.
func hasEarlier(done []task, chunk int) bool {
	return slices.ContainsFunc(done, func(t task) bool { return !t.back && t.chunk == chunk })
}

// layersOf is the number of layers of a chunk.
func (b *builder) layersOf() int { return int(b.layers) / (b.pp * b.chunks) }

// first and final tell whether a chunk has an end of the model.
func (b *builder) first(t task) bool { return b.stage == 0 && t.chunk == 0 }
func (b *builder) final(t task) bool { return int(b.stage) == b.pp-1 && t.chunk == b.chunks-1 }

func (b *builder) forward(t task) {
	if b.first(t) {
		b.do(b.embedding)
	}
	for range b.layersOf() {
		b.unshard()
		b.do(b.layer)
	}
	if b.final(t) {
		b.do(b.head)
	}
}

func (b *builder) backward(t task) {
	if b.final(t) {
		b.do(b.headBack)
		b.buckets.add(b.embeddingParameters())
	}
	for i := range b.layersOf() {
		if i > 0 || b.pp > 1 {
			b.unshard() // the last layer of the forward pass is still there
		}
		b.do(b.again)
		b.do(b.back)
		b.buckets.add(b.model.layer() / float64(b.tp))
	}
	if b.first(t) {
		b.do(b.embeddingBack)
		b.buckets.add(b.embeddingParameters())
	}
}

func (b *builder) embeddingParameters() float64 { return b.model.embedding() / float64(b.tp) }

// do writes steps into the compute stream.
func (b *builder) do(steps []step) {
	for i := 0; i < len(steps); i++ {
		s := &steps[i]
		if b.async && i+1 < len(steps) && b.inPieces(s, &steps[i+1]) {
			i++
			continue
		}
		if s.op == nil {
			b.kernel(s.name, s.kind, s.work)
			continue
		}
		b.collective(computeStream, s.name, s.kind, b.tensorGroup(int(b.stage)), s.op, s.bytes)
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
	return n
}

func (b *builder) kernel(name string, kind uint8, w gpus.Work) int32 {
	return b.add(streams.Op{Name: name, Kind: kind, Blocks: w.Blocks, Work: w.Block, Demand: w.Demand})
}

// collective writes the member of a collective whose other members do the same at the same time.
func (b *builder) collective(stream int32, name string, kind uint8, members []int, op *gpus.Operation, bytes float64,
	after ...int32) int32 {
	c := b.cost(kind, members, op, bytes)
	b.sent += c.Egress
	return b.member(stream, name, kind, b.join(kind, members, c), c.Channels, after...)
}

// link is what the collectives of a kind share on the way of a group: with zero 3 parameters and gradients go on at the same time.
func (b *builder) link(kind uint8, first int) int32 {
	if kind != dataComm || !b.gathers() {
		return 0
	}
	name := fmt.Sprint(first)
	n := slices.Index(b.graph.Links, name)
	if n < 0 {
		n = len(b.graph.Links)
		b.graph.Links = append(b.graph.Links, name)
	}
	return int32(n + 1)
}

// join returns the collective that this GPU's group does now.
func (b *builder) join(kind uint8, members []int, c gpus.Cost) int32 {
	if !b.whole {
		return b.start(c, b.link(kind, members[0]))
	}
	apart := 1
	if len(members) > 1 {
		apart = members[1] - members[0]
	}
	first := b.gpu(int(b.stage)) + b.replica - b.replica/apart%len(members)*apart
	key := joint{kind, first, b.count[kind]}
	b.count[kind]++
	n, ok := b.joint[key]
	if !ok {
		n = b.start(c, b.link(kind, first))
		b.joint[key] = n
	}
	return n
}

// start adds a collective to the graph.
func (b *builder) start(c gpus.Cost, link int32) int32 {
	b.graph.Collectives = append(b.graph.Collectives, streams.Collective{Latency: c.Start + c.Latency, Transfer: max(1, c.Bubble+c.Transfer),
		Link: link})
	return int32(len(b.graph.Collectives))
}

// member writes a member of a collective. Its channels read and write memory as fast as links are.
func (b *builder) member(stream int32, name string, kind uint8, collective int32, channels int, after ...int32) int32 {
	return b.add(streams.Op{Name: name, Kind: kind, Stream: stream, Collective: collective, Blocks: int32(max(1, channels)), After: after})
}

// cost is the time of a collective of a group, kept.
func (b *builder) cost(kind uint8, members []int, op *gpus.Operation, bytes float64) gpus.Cost {
	key := costKey{kind, b.stage, op, int64(bytes)}
	c, ok := b.costs[key]
	if !ok {
		var err error
		c, err = cost(b.machine, members, op, bytes, b.groups(members))
		b.err = errors.Join(b.err, err)
		b.costs[key] = c
	}
	return c
}

// groups is how many groups like this one are in a domain: those of the other tensor-parallel ranks.
func (b *builder) groups(members []int) int {
	if len(members) > 1 && members[1] == members[0]+1 {
		return 1 // the tensor-parallel group, or that of all data-parallel ranks
	}
	return b.tp
}

// finish ends a step: what is left of the gradients, and the optimizer.
func (b *builder) finish() {
	b.buckets.flush()
	b.tieEmbeddings()
	own := b.ownParameters()
	if b.sharded() {
		own /= float64(b.dp)
	}
	b.waits = append(b.waits, b.buckets.under...)
	b.kernel("optimizer", optimizer, b.machine.Move(optimizerBytes*own))
	if b.sharded() && b.zero < 3 && b.dp > 1 {
		b.collective(computeStream, "parameters", dataComm, b.dataGroup(int(b.stage)), gpus.AllGather, 2*b.ownParameters())
	}
}

// optimizerBytes is what Adam with mixed precision moves for a parameter: gradients are read twice
// (their norm), the copy of the parameters and two moments in 4 bytes are read and written, the
// parameters in 2 bytes are written.
const optimizerBytes = 4 + 24 + 2

// ownParameters are those of a GPU.
func (b *builder) ownParameters() float64 {
	own := b.layers / float64(b.pp) * b.model.layer() / float64(b.tp)
	if b.stage == 0 || int(b.stage) == b.pp-1 {
		own += b.embeddingParameters()
	}
	return own
}

// tieEmbeddings sums up the gradients of the table of words, which the first and the last stage
// both have.
func (b *builder) tieEmbeddings() {
	if b.pp == 1 || b.stage != 0 && int(b.stage) != b.pp-1 {
		return
	}
	w := wire{task: task{micro: -1}, replica: b.replica}
	c := b.cost(pipelineComm, []int{b.gpu(0), b.gpu(b.pp - 1)}, gpus.AllReduce, b.gradientBytes*b.embeddingParameters())
	b.sent += c.Egress
	b.member(computeStream, "embedding", dataComm, b.wire(w, c), c.Channels)
}

// wire returns the collective of a message, which both of its ends name.
func (b *builder) wire(w wire, c gpus.Cost) int32 {
	n, ok := b.wires[w]
	if !ok {
		n = b.start(c, 0)
		b.wires[w] = n
	}
	return n
}

// from and to return the stage and the chunk that a pass follows on, and that it gives to.
func (b *builder) from(t task) (stage int32, chunk int, ok bool) { return b.neighbour(t, -1) }
func (b *builder) to(t task) (stage int32, chunk int, ok bool)   { return b.neighbour(t, 1) }

func (b *builder) neighbour(t task, by int) (stage int32, chunk int, ok bool) {
	if t.back {
		by = -by
	}
	at := t.chunk*b.pp + int(b.stage) + by
	if at < 0 || at >= b.pp*b.chunks {
		return 0, 0, false
	}
	return int32(at % b.pp), at / b.pp, true
}

// receive waits for the input of a pass. As in Megatron, what a GPU sends and receives between two
// passes begins after the first and ends before the second, and the host waits for it; with several
// chunks it waits for what it receives only.
func (b *builder) receive(t task) {
	from, _, ok := b.from(t)
	if !ok || from == b.stage {
		return
	}
	stream := int32(receiveForward)
	if t.back {
		stream = receiveBack
	}
	c := b.message(from, b.stage)
	b.waits = append(b.waits, b.end(stream, "receive", wire{t, b.stage, b.replica}, c))
}

// send sends the output of a pass.
func (b *builder) send(t task) {
	to, chunk, ok := b.to(t)
	if !ok || to == b.stage {
		return
	}
	stream := int32(sendForward)
	if t.back {
		stream = sendBack
	}
	c := b.message(b.stage, to)
	b.sent += c.Egress
	n := b.end(stream, "send", wire{task{micro: t.micro, chunk: chunk, back: t.back}, to, b.replica}, c)
	if !b.schedule.goesOn() {
		b.waits = append(b.waits, n)
	}
}

// previous is the operation before this one in the compute stream, if there is one.
func (b *builder) previous() []int32 {
	if b.last < 0 {
		return nil
	}
	return []int32{b.last}
}

// end writes an end of a message. It takes SMs where the GPU computes nothing meanwhile; where it goes
// on, copies by the NIC or over NVLink do not.
func (b *builder) end(stream int32, name string, w wire, c gpus.Cost) int32 {
	o := streams.Op{Name: name, Kind: pipelineComm, Stream: stream, Collective: b.wire(w, c), After: b.previous()}
	if !b.schedule.goesOn() {
		o.Blocks = messageBlocks
	}
	return b.add(o)
}

// messageBlocks is how many SMs an end of a message takes.
const messageBlocks = 2

// message is the time of the activations of a micro-batch between two stages.
func (b *builder) message(from, to int32) gpus.Cost {
	bytes := 2 * float64(b.micro) * b.model.sequence * b.hidden
	if b.plan.sequence {
		bytes /= float64(b.tp)
	}
	key := costKey{numKinds, from<<16 | to, gpus.SendReceive, int64(bytes)}
	c, ok := b.costs[key]
	if !ok {
		var err error
		c, err = cost(b.machine, []int{b.gpu(int(from)), b.gpu(int(to))}, gpus.SendReceive, bytes, b.tp)
		b.err = errors.Join(b.err, err)
		b.costs[key] = c
	}
	return c
}

// buckets are gradients on their way to the other data-parallel ranks.
type buckets struct {
	*builder
	final bool    // the pass is the last one: gradients are complete after each layer
	full  float64 // bytes that are ready
	under []int32 // operations under way
}

func (b *builder) newBuckets() *buckets { return &buckets{builder: b} }

// add adds the gradients of parameters.
func (k *buckets) add(parameters float64) {
	if !k.final {
		return
	}
	k.full += k.gradientBytes * parameters
	if k.gathers() || k.bucket > 0 && k.full >= float64(k.bucket) {
		k.flush()
	}
}

// flush sums up the gradients that are ready.
func (k *buckets) flush() {
	if k.full == 0 || k.dp == 1 {
		return
	}
	stream := int32(dataStream)
	if k.bucket == 0 && !k.gathers() {
		stream = computeStream
	}
	op := gpus.AllReduce
	if k.sharded() {
		op = gpus.ReduceScatter
	}
	after := k.last
	if k.gathers() {
		after = k.copyIn(k.full / k.gradientBytes)
	}
	n := k.collective(stream, "gradients", dataComm, k.dataGroup(int(k.stage)), op, k.full, after)
	k.full = 0
	if stream != computeStream {
		k.under = append(k.under, n)
	}
}
