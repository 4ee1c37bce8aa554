package training

import (
	"errors"
	"fmt"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/workloads"
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
	expertStream
	contextStream
	numStreams
)

var streamNames = [numStreams]string{"compute", "data parallel", "receive forward", "send forward", "receive backward", "send backward",
	"parameters", "pieces", "experts", "context"}

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
	buckets *buckets
	units   units
	cursor
	pause func() // lets the pass that is written at the same time go on; nil: there is none
}

type costKey struct {
	kind            uint8
	first, n, apart int // members
	op              *gpus.Operation
	bytes           int64
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
		replicas = b.each()
	}
	b.graph.Ops = make([]streams.Op, 0, replicas*int(b.load().Operations))
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

// program writes what a GPU of a stage does.
func (b *builder) program(stage int32, replica int) {
	b.stage, b.replica, b.device, b.cursor, b.count = stage, replica, int32(len(b.graph.Devices)), cursor{last: -1}, map[uint8]int{}
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
	order := b.order(int(stage))
	b.gatherFirst(order)
	for i := 0; i < len(order); i++ {
		t := order[i]
		if b.pairs(order, i) {
			i++
			b.buckets.final = b.completes(order[i]) && !hasLater(order[i+1:], order[i].chunk)
			b.together([2]func(){func() { b.pass(t) }, func() { b.pass(order[i]) }})
			continue
		}
		b.buckets.final = b.completes(t) && (b.everyPass() || !hasLater(order[i+1:], t.chunk))
		b.units.skip = !b.everyPass() && (t.back || hasEarlier(order[:i], t.chunk))
		b.pass(t)
	}
	b.finish()
}

// completes tells whether gradients of weights are complete after a pass.
func (b *builder) completes(t task) bool { return t.weights || t.whole || t.back && !b.schedule.split }

// pass writes a pass with its messages.
func (b *builder) pass(t task) {
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
	b.send(t)
}

// weights computes the gradients of weights that a backward pass has left out.
func (b *builder) weights(t task) {
	if b.final(t) {
		b.do(b.headWeights)
		b.buckets.add(b.embeddingParameters())
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
	if b.whole {
		return workloads.WholeBytes(b.sent)
	}
	return workloads.WholeBytes(b.sent * float64(b.each()))
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

// stageLayers is the number of layers of all chunks of the stage, those of the mirrored stage too.
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
		b.do(b.head)
	}
}

func (b *builder) backward(t task) {
	if b.final(t) {
		b.do(b.headBack)
		b.buckets.add(b.embeddingParameters())
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

func (b *builder) embeddingParameters() float64 { return b.model.embedding() / float64(b.tp) }

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

// shuffle reorders what an operation has gathered, or will scatter. If the batch comes first, one GPU has a part of the
// sequence of each batch, and these parts do not lie together.
func (b *builder) shuffle(s *step, op *gpus.Operation) {
	if s.shuffle > 0 && s.op == op {
		b.kernel("shuffle", tensorComm, b.machine.Move(s.shuffle))
	}
}

// communicate writes the collective of a step.
func (b *builder) communicate(stream int32, s *step, after ...int32) int32 {
	members := b.groupOf(s)
	c := b.costOf(s)
	b.sent += c.Egress / max(1, s.load)
	return b.member(stream, s.name, s.kind, b.join(s.kind, members, c), c.Channels, after...)
}

// groupOf is the group that does a step.
func (b *builder) groupOf(s *step) []int {
	switch s.kind {
	case expertComm:
		return b.expertGroup(int(b.stage))
	case contextComm:
		return b.contextGroup(int(b.stage))
	}
	return b.tensorGroup(int(b.stage))
}

// costOf is the time of a step's collective.
func (b *builder) costOf(s *step) gpus.Cost {
	members := b.groupOf(s)
	if s.tokens == nil {
		return b.cost(s.kind, members, s.op, s.bytes)
	}
	return b.known(keyOf(exchangeComm, members, nil, s.tokens.Tokens*s.tokens.Bytes), func() (gpus.Cost, error) {
		c, v, err := (&gpus.Communicator{Machine: b.machine, Members: members}).Exchange(s.tokens)
		c.Egress = v.Links + v.Network
		return c, err
	})
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

// link is the number of the link that collectives of a kind share: with zero 3, parameters and gradients travel at the
// same time. Experts have groups and links of their own, if GPUs share them.
func (b *builder) link(kind uint8, first, apart int) int32 {
	if kind != dataComm || !b.gathers() {
		return 0
	}
	name := fmt.Sprint(first, " ", apart)
	n := slices.Index(b.graph.Links, name)
	if n < 0 {
		n = len(b.graph.Links)
		b.graph.Links = append(b.graph.Links, name)
	}
	return int32(n + 1)
}

// join returns the collective that this GPU's group does now.
func (b *builder) join(kind uint8, members []int, c gpus.Cost) int32 {
	if kind == dataComm && b.schedule.mirrored {
		return b.joinMirrored(kind, members, c)
	}
	apart := 1
	if len(members) > 1 {
		apart = members[1] - members[0]
	}
	if !b.whole {
		return b.start(c, b.link(kind, members[0], apart))
	}
	first := b.gpu(int(b.stage)) + b.replica - b.replica/apart%len(members)*apart
	key := joint{kind, first, b.count[kind]}
	b.count[kind]++
	n, ok := b.joint[key]
	if !ok {
		n = b.start(c, b.link(kind, first, apart))
		b.joint[key] = n
	}
	return n
}

// start adds a collective to the graph.
func (b *builder) start(c gpus.Cost, link int32) int32 {
	b.graph.Collectives = append(b.graph.Collectives, streams.Collective{Latency: c.Before(), Transfer: c.Moving(),
		Link: link})
	return int32(len(b.graph.Collectives))
}

// member writes a member of a collective. Its channels read and write memory as fast as links are.
func (b *builder) member(stream int32, name string, kind uint8, collective int32, channels int, after ...int32) int32 {
	return b.add(streams.Op{Name: name, Kind: kind, Stream: stream, Collective: collective, Blocks: int32(max(1, channels)), After: after})
}

// cost is the time of a collective of a group, kept.
func (b *builder) cost(kind uint8, members []int, op *gpus.Operation, bytes float64) gpus.Cost {
	return b.known(keyOf(kind, members, op, bytes), func() (gpus.Cost, error) {
		return cost(b.machine, members, op, bytes, b.groups(members))
	})
}

func keyOf(kind uint8, members []int, op *gpus.Operation, bytes float64) costKey {
	key := costKey{kind: kind, first: members[0], n: len(members), op: op, bytes: int64(bytes)}
	if len(members) > 1 {
		key.apart = members[1] - members[0]
	}
	return key
}

// known is a time that has been computed, and is kept.
func (b *builder) known(key costKey, compute func() (gpus.Cost, error)) gpus.Cost {
	c, ok := b.costs[key]
	if !ok {
		var err error
		c, err = compute()
		b.err = errors.Join(b.err, err)
		b.costs[key] = c
	}
	return c
}

// groups is how many groups like this one are in a domain; the GPUs of a group are that far apart.
func (b *builder) groups(members []int) int {
	if len(members) == 1 {
		return 1
	}
	return min(max(members[1]-members[0], members[0]-members[1]), b.machine.Node.Domain)
}

// finish ends a step: the remaining gradients, and the optimizer.
func (b *builder) finish() {
	b.buckets.flush()
	b.tieEmbeddings()
	own, experts := b.ownParameters(), b.ownExperts()
	if b.sharded() {
		own /= float64(b.sharers())
		experts /= float64(b.expertSharers())
	}
	b.waits = append(b.waits, b.buckets.under...)
	b.kernel("optimizer", optimizer, b.machine.Move(optimizerBytes*(own+experts)))
	if !b.sharded() || b.zero == 3 {
		return
	}
	if b.sharers() > 1 {
		b.collective(computeStream, "parameters", dataComm, b.dataGroup(int(b.stage)), gpus.AllGather, 2*b.ownParameters())
	}
	if b.mixed() && b.expertSharers() > 1 {
		b.collective(computeStream, "expert parameters", dataComm, b.expertDataGroup(int(b.stage)), gpus.AllGather, 2*b.ownExperts())
	}
}

// optimizerBytes is what Adam with mixed precision moves for a parameter: gradients are read twice
// (their norm), the copy of the parameters and two moments in 4 bytes are read and written, the
// parameters in 2 bytes are written.
const optimizerBytes = 4 + 24 + 2

// ownExperts are the parameters of a GPU's experts.
func (b *builder) ownExperts() float64 {
	return float64(b.stageLayers()) * b.expertParameters() / float64(b.ep)
}

// ownParameters are all others of a GPU.
func (b *builder) ownParameters() float64 {
	own := float64(b.stageLayers()) * b.dense() / float64(b.tp)
	if b.stage == 0 || int(b.stage) == b.pp-1 {
		own += float64(b.copies()) * b.embeddingParameters()
	}
	return own
}

// tieEmbeddings sums up the gradients of the table of words, which the first and the last stage
// both have.
func (b *builder) tieEmbeddings() {
	if b.pp == 1 || b.schedule.mirrored || b.stage != 0 && int(b.stage) != b.pp-1 {
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

// from and to return the stage and the chunk before a pass, and those after it.
func (b *builder) from(t task) (stage int32, chunk int, ok bool) { return b.neighbour(t, -1) }
func (b *builder) to(t task) (stage int32, chunk int, ok bool)   { return b.neighbour(t, 1) }

func (b *builder) neighbour(t task, by int) (stage int32, chunk int, ok bool) {
	if t.back {
		by = -by
	}
	at := b.placeOf(t) + by
	switch {
	case at < 0 || at >= b.pp*b.chunks:
		return 0, 0, false
	case b.schedule.mirrored && t.chunk == 1:
		return int32(b.pp - 1 - at), 1, true
	case b.schedule.mirrored:
		return int32(at), 0, true
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
	b.waits = append(b.waits, b.end(stream, "receive", wire{task{micro: t.micro, chunk: t.chunk, back: t.back}, b.stage, b.replica}, c))
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

// end writes one end of a message. It takes SMs if the GPU computes nothing meanwhile. If the GPU computes, copies by
// the NIC or over NVLink take none.
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
	bytes := 2 * b.tokens() * b.hidden
	if b.plan.sequence {
		bytes /= float64(b.tp)
	}
	return b.between(b.gpu(int(from)), b.gpu(int(to)), bytes)
}

// between is the time of a message, while each tensor-parallel rank sends one.
func (b *builder) between(from, to int, bytes float64) gpus.Cost {
	members := []int{from, to}
	return b.known(keyOf(messageComm, members, gpus.SendReceive, bytes), func() (gpus.Cost, error) {
		return cost(b.machine, members, gpus.SendReceive, bytes, b.tp)
	})
}

// tokens is how many tokens of a micro-batch a GPU has.
func (b *builder) tokens() float64 { return float64(b.micro) * b.model.sequence / float64(b.cp) }

// buckets are gradients on their way to the other data-parallel ranks.
type buckets struct {
	*builder
	final   bool    // the pass is the last one: gradients are complete after each layer
	full    float64 // bytes that are ready
	experts float64 // of them of experts, which other GPUs sum up
	under   []int32 // operations under way
}

func (b *builder) newBuckets() *buckets { return &buckets{builder: b} }

// add adds the gradients of parameters.
func (k *buckets) add(parameters float64) {
	if !k.final {
		return
	}
	k.full += k.gradientBytes * parameters
	k.flushFull()
}

// addLayer adds the gradients of a layer.
func (k *buckets) addLayer() {
	if k.final {
		k.experts += k.gradientBytes * k.expertParameters() / float64(k.ep)
	}
	k.add(k.dense() / float64(k.tp))
}

func (k *buckets) flushFull() {
	if k.gathers() || k.bucket > 0 && k.full+k.experts >= float64(k.bucket) {
		k.flush()
	}
}

// flush sums up the gradients that are ready.
func (k *buckets) flush() {
	if k.full > 0 && k.sharers() > 1 {
		k.sum("gradients", k.dataGroup(int(k.stage)), k.full)
	}
	if k.experts > 0 && k.expertSharers() > 1 {
		k.sum("expert gradients", k.expertDataGroup(int(k.stage)), k.experts)
	}
	k.full, k.experts = 0, 0
}

// sum sums up gradients over a group.
func (k *buckets) sum(name string, members []int, bytes float64) {
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
		after = k.copyIn(bytes / k.gradientBytes)
	}
	n := k.collective(stream, name, dataComm, members, op, bytes, after)
	if stream != computeStream {
		k.under = append(k.under, n)
	}
}
