package training

import (
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
)

// wire is a message of the pipeline: what a pass gives to the next chunk of layers.
type wire struct {
	task
	to      int32
	replica int
}

// wire returns the collective of a message, which both of its ends name.
func (b *builder) wire(w wire, c gpus.Cost, members ...int) int32 {
	return b.noted(call{members: members, cost: c, wire: &w, number: b.wired(w, c, members)})
}

func (b *builder) wired(w wire, c gpus.Cost, members []int) int32 {
	n, ok := b.wires[w]
	if !ok {
		n = b.start(c, 0, b.flowsOf(c, shifted(members, b.replica)))
		b.wires[w] = n
	}
	return n
}

// neighbour returns the stage and the chunk before a pass, -1, or after it, 1.
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

// streamOf is the stream of a message of a pass. Messages to and from different neighbours do not wait for each other.
func (b *builder) streamOf(t task, forward, back int32) int32 {
	stream := forward
	if t.back {
		stream = back
	}
	if b.schedule.mirrored && t.chunk == 1 {
		stream += mirroredReceiveForward - receiveForward
	}
	return stream
}

// receive waits for the input of a pass. As in Megatron, what a GPU sends and receives between two
// passes begins after the first and ends before the second, and the host waits for it; with several
// chunks it waits for what it receives only.
func (b *builder) receive(t task) {
	from, _, ok := b.neighbour(t, -1)
	if !ok || from == b.stage {
		return
	}
	stream := b.streamOf(t, receiveForward, receiveBack)
	c := b.message(from, b.stage)
	b.waits = append(b.waits, b.end(stream, "receive", wire{task{micro: t.micro, chunk: t.chunk, back: t.back}, b.stage, b.replica}, c, from, b.stage))
}

// send sends the output of a pass, if it has one for another stage.
func (b *builder) send(t task) {
	to, chunk, ok := b.neighbour(t, 1)
	if !ok || t.weights || to == b.stage {
		return
	}
	stream := b.streamOf(t, sendForward, sendBack)
	c := b.message(b.stage, to)
	b.sent += c.Egress
	n := b.end(stream, "send", wire{task{micro: t.micro, chunk: chunk, back: t.back}, to, b.replica}, c, b.stage, to)
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
func (b *builder) end(stream int32, name string, w wire, c gpus.Cost, from, to int32) int32 {
	o := streams.Op{Name: name, Kind: pipelineComm, Stream: stream, Collective: b.wire(w, c, b.gpu(int(from)), b.gpu(int(to))),
		After: b.previous()}
	b.graph.Collectives[o.Collective-1].Way = streams.Stage
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
