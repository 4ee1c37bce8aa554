package training

import "overlapsim/nodes/gpus"

func (b *builder) embeddingParameters() float64 { return b.model.embedding() / float64(b.tp) }

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
	return float64(b.stageLayers())*b.dense()/float64(b.tp) + b.tables()*b.embeddingParameters()
}

// bothEnds tells whether GPUs that have one end of the model have the other one too.
func (b *builder) bothEnds() bool { return b.pp == 1 || b.schedule.mirrored }

// tables is how many tables of words a GPU has: one for each end of the model, or if they are tied one for both.
func (b *builder) tables() float64 {
	switch {
	case b.stage != 0 && int(b.stage) != b.pp-1:
		return 0
	case b.bothEnds() && !b.tied:
		return 2
	}
	return 1
}

// tieEmbeddings sums up the gradients of a tied table of words that the first and the last stage both have, as Megatron-LM does.
func (b *builder) tieEmbeddings() {
	if !b.tied || b.bothEnds() || b.tables() == 0 {
		return
	}
	w := wire{task: task{micro: -1}, replica: b.replica}
	ends := []int{b.gpu(0), b.gpu(b.pp - 1)}
	c := b.cost(pipelineComm, ends, gpus.AllReduce, b.gradientBytes*b.embeddingParameters())
	b.sent += c.Egress
	b.member(computeStream, "embedding", dataComm, b.wire(w, c, ends...), c)
}

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

// addHead adds the gradients of the table of the output. Those of a table that serves the input too are complete with the input's.
func (k *buckets) addHead() {
	if !k.tied || !k.bothEnds() {
		k.add(k.embeddingParameters())
	}
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
