package training

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
)

// costKey is what the cost of a collective depends on.
type costKey struct {
	kind            uint8
	first, n, apart int // members
	op              *gpus.Operation
	bytes           int64
}

// joint is a collective of a group: the n-th of its kind.
type joint struct {
	kind  uint8
	first int
	n     int
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
	return b.member(stream, s.name, s.kind, b.join(s.kind, members, c), c, after...)
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

// collective writes the member of a collective whose other members do the same at the same time.
func (b *builder) collective(stream int32, name string, kind uint8, members []int, op *gpus.Operation, bytes float64,
	after ...int32) int32 {
	c := b.cost(kind, members, op, bytes)
	b.sent += c.Egress
	return b.member(stream, name, kind, b.join(kind, members, c), c, after...)
}

// link is the number of the link that collectives of a kind share: with zero 3, parameters and gradients travel at the
// same time. Experts have groups and their own links, if GPUs share them.
func (b *builder) link(kind uint8, first, apart int) int32 {
	if kind != dataComm || !b.gathers() {
		return 0
	}
	name := fmt.Sprint(b.job, " ", first, " ", apart)
	n := slices.Index(b.graph.Links, name)
	if n < 0 {
		n = len(b.graph.Links)
		b.graph.Links = append(b.graph.Links, name)
	}
	return int32(n + 1)
}

// join returns the collective that this GPU's group does now.
func (b *builder) join(kind uint8, members []int, c gpus.Cost) int32 {
	return b.noted(call{kind: kind, members: members, cost: c, number: b.joins(kind, members, c)})
}

func (b *builder) joins(kind uint8, members []int, c gpus.Cost) int32 {
	if kind == dataComm && b.schedule.mirrored {
		return b.joinMirrored(kind, members, c)
	}
	apart := 1
	if len(members) > 1 {
		apart = members[1] - members[0]
	}
	if !b.whole {
		return b.start(c, b.link(kind, members[0], apart), nil)
	}
	first := b.gpu(int(b.stage)) + b.replica - b.replica/apart%len(members)*apart
	key := joint{kind, first, b.count[kind]}
	b.count[kind]++
	n, ok := b.joint[key]
	if !ok {
		n = b.start(c, b.link(kind, first, apart), b.flowsOf(c, shifted(members, first-members[0])))
		b.joint[key] = n
	}
	return n
}

// start adds a collective to the graph.
func (b *builder) start(c gpus.Cost, link int32, flows []streams.Flow) int32 {
	b.graph.Collectives = append(b.graph.Collectives, streams.Collective{Latency: c.Before(), Transfer: c.Moving(),
		Link: link, Flows: flows})
	return int32(len(b.graph.Collectives))
}

// member writes a member of a collective. Its channels hold SMs, and move bytes in memory.
func (b *builder) member(stream int32, name string, kind uint8, collective int32, c gpus.Cost, after ...int32) int32 {
	blocks := int32(max(1, c.Channels)) // more than there are SMs are refused
	own, incoming := c.Demand(blocks)
	return b.add(streams.Op{Name: name, Kind: kind, Stream: stream, Collective: collective, Blocks: blocks, Demand: own, Incoming: incoming,
		After: after})
}

// channelsOf is how many SMs a member of a collective holds.
func channelsOf(c gpus.Cost, m *gpus.Machine) int32 { return int32(min(max(1, c.Channels), m.GPU.SMs)) }

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
		b.beyond = cmp.Or(b.beyond, c.Beyond)
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
