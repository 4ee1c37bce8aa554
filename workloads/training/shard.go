package training

import (
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
)

// units are the layers of a stage in the order in which a step uses them, if their parameters are gathered (FSDP: Zhao et al., VLDB 2023).
type units struct {
	skip     bool // the parameters are there
	all      int  // uses for which they are gathered
	gathered int
	used     int
	gathers  []int32 // the all-gather of each use
	head     []int32 // the all-gather of the table of the output, if it is another one than that of the input, until it is used
}

// everyPass tells whether parameters are gathered, and gradients summed up, in each pass. With a pipeline both happen once a
// step, for all its micro-batches, as in torchtitan: its default for reshard_after_forward keeps parameters with a pipeline, and only
// the last micro-batch sums gradients up.
func (p *plan) everyPass() bool { return p.zero >= 2 && p.pp == 1 }

// gatherFirst gathers a table of words and the first layers.
func (b *builder) gatherFirst(order []task) {
	b.units = units{}
	if !b.gathers() {
		return
	}
	layers := b.stageLayers()
	if b.units.all = layers; b.everyPass() {
		b.units.all = len(order)*layers - len(order)/2
	}
	if b.tables() > 0 {
		b.copyWords(b.gatherWords())
	}
	for range min(b.prefetch, b.units.all) {
		b.gather()
	}
}

// gatherWords gathers a table of words, once a step.
func (b *builder) gatherWords() int32 {
	return b.collective(gatherStream, "words", dataComm, b.dataGroup(int(b.stage)), gpus.AllGather, 2*b.embeddingParameters())
}

func (b *builder) copyWords(gathered int32) {
	b.kernelAfter("words, copy out", 4*b.embeddingParameters(), gathered)
}

// unshardHead waits for the table of the output.
func (b *builder) unshardHead() {
	for _, n := range b.units.head {
		b.copyWords(n)
	}
	b.units.head = nil
}

// gather gathers the parameters of the next use of a layer.
func (b *builder) gather() {
	u := &b.units
	u.gathered++
	u.gathers = append(u.gathers, b.gatherLayer(b.previous()))
}

// gatherLayer gathers the parameters of a layer. The parameters of shared experts come from the GPUs that have the same experts.
func (b *builder) gatherLayer(after []int32) int32 {
	all := func(name string, group []int, parameters float64) int32 {
		return b.collective(gatherStream, name, dataComm, group, gpus.AllGather, 2*parameters, after...)
	}
	if b.ep == 1 {
		return all("parameters", b.dataGroup(int(b.stage)), b.layerParameters())
	}
	n := all("parameters", b.dataGroup(int(b.stage)), b.dense()/float64(b.tp))
	if b.expertReplicas() > 1 {
		n = all("expert parameters", b.expertDataGroup(int(b.stage)), b.expertParameters()/float64(b.ep))
	}
	return n // the stream keeps the order
}

// unshard waits for the parameters of a layer, copies them to where kernels read them, and gathers the parameters of a later
// layer, after the last layer of the first forward pass those of the output.
func (b *builder) unshard() {
	u := &b.units
	if !b.gathers() || u.skip {
		return
	}
	if u.gathered == u.used {
		b.gather()
	}
	b.kernelAfter("copy out", 4*b.layerParameters(), u.gathers[u.used])
	if u.used++; u.used == b.stageLayers() && b.tables() > 1 {
		u.head = append(u.head, b.gatherWords())
	}
	if u.gathered < min(u.all, u.used+b.prefetch) {
		b.gather()
	}
}

// kernelAfter moves bytes on the compute stream after an operation of another one.
func (b *builder) kernelAfter(name string, bytes float64, after int32) {
	b.waitFor(after)
	b.kernel(name, dataComm, b.machine.Move(bytes))
}

// waitFor lets the next operation of the compute stream come after one of another stream, without making the host wait.
func (b *builder) waitFor(after int32) { b.events = append(b.events, after) }

// copyIn casts the gradients of n parameters and copies them, on their stream, to where they are sent from.
func (b *builder) copyIn(parameters float64) int32 {
	w := b.machine.Move((2 + b.gradientBytes) * parameters)
	return b.add(streams.Op{Name: "copy in", Kind: dataComm, Stream: dataStream, Blocks: w.Blocks, Work: w.Block, Demand: w.Demand,
		After: b.previous()})
}

// inPieces writes a product and the collective before or after it in pieces, one for each tensor-parallel rank. While a GPU
// computes one piece, the next one is copied from or to another GPU, without SMs (Wang et al., ASPLOS 2023). It tells whether the
// steps are such a pair.
func (b *builder) inPieces(first, second *step) bool {
	switch {
	case first.op == gpus.AllGather && second.piece != nil:
		b.gatherPieces(first, second)
	case first.piece != nil && second.op == gpus.ReduceScatter:
		b.scatterPieces(first, second)
	default:
		return false
	}
	return true
}

// gatherPieces computes with what the GPU has, then with each piece that comes.
func (b *builder) gatherPieces(gather, by *step) {
	before := b.previous()
	var pieces []int32
	for range b.tp - 1 {
		pieces = append(pieces, b.copyPiece(gather, before...))
	}
	for i := range b.tp {
		if i > 0 {
			b.waitFor(pieces[i-1])
		}
		b.kernel(by.name, by.kind, by.piece(float64(b.tp)))
	}
	b.shuffle(gather, gpus.AllGather)
}

// scatterPieces computes pieces for the others, each of which is sent, then its own, and adds up what has come.
func (b *builder) scatterPieces(by, scatter *step) {
	b.shuffle(scatter, gpus.ReduceScatter)
	for i := range b.tp {
		b.kernel(by.name, by.kind, by.piece(float64(b.tp)))
		if i < b.tp-1 {
			b.later = append(b.later, b.copyPiece(scatter, b.last))
		}
	}
	b.events, b.later = append(b.events, b.later...), nil
	b.kernel("sum of pieces", tensorComm, b.machine.Move(scatter.bytes*(1+1/float64(b.tp))))
}

// copyPiece copies a piece of what a collective moves from or to another GPU.
func (b *builder) copyPiece(s *step, after ...int32) int32 {
	members := b.tensorGroup(int(b.stage))
	c := b.cost(pieceComm, members[:2], gpus.SendReceive, s.bytes/float64(b.tp))
	b.sent += c.Egress
	return b.add(streams.Op{Name: s.name, Kind: tensorComm, Stream: pieceStream, Collective: b.join(tensorComm, members, c), After: after})
}

// pieceComm stands for tensor-parallel messages in the costs that are kept.
const pieceComm = numKinds + 1

// So do exchangeComm for tokens, and messageComm for messages.
const (
	exchangeComm = numKinds + 2
	messageComm  = numKinds + 3
)

// layerParameters are those that a GPU has of a layer.
func (b *builder) layerParameters() float64 {
	return b.dense()/float64(b.tp) + b.expertParameters()/float64(b.ep)
}
