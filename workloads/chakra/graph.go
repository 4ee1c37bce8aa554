package chakra

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/workloads/experiments"
)

// Kinds of nodes in ledgers.
const (
	kernels = iota
	hosts
	memory
	collectives
	messages
)

var kindNames = []string{"compute", "host", "memory", "collective", "message"}

// Streams of every rank. More follow, one for each peer and direction. The ledgers belong to
// the first stream.
const (
	gpuStream = iota
	hostStream
	groupStream
	firstPeer
)

// writer makes a graph of traces.
type writer struct {
	w        *replay
	machine  *gpus.Machine
	place    experiments.Place
	graph    streams.Graph
	met      map[meeting]int32 // collectives, counted from 1
	members  map[meeting]int
	sends    map[meeting]int32 // operations
	waiting  []waiting
	sent     float64
	mistakes []error
}

// meeting identifies a communication by what its ends have in common: the group, or peers and
// tag, and its number in their order.
type meeting struct {
	group    string
	from, to int64
	tag      int64
	n        int
}

// message tells whether it is a message: the two ends of one are different ranks.
func (m *meeting) message() bool { return m.from != m.to }

// waiting is a receive with the message that it waits for.
type waiting struct {
	operation int32
	message   meeting
	node      *node
	rank      *trace
}

// streamOf identifies a stream of a rank by peer.
type streamOf struct {
	kind uint64
	peer int64
}

// rank is a rank that is being written.
type rank struct {
	*writer
	*trace
	number  int
	streams map[streamOf]int32
	count   map[meeting]int
	written []int32 // by node
}

// write writes the graph.
func (w *replay) write(m *gpus.Machine, place experiments.Place) (*writer, error) {
	g := &writer{w: w, machine: m, place: place, met: map[meeting]int32{}, members: map[meeting]int{}, sends: map[meeting]int32{},
		graph: streams.Graph{Kinds: kindNames}}
	for i, t := range w.ranks {
		r := &rank{writer: g, trace: t, number: i, streams: map[streamOf]int32{}, count: map[meeting]int{}, written: make([]int32, len(t.nodes))}
		r.write()
	}
	g.receive()
	return g, errors.Join(g.mistakes...)
}

// complain notes a mistake.
func (g *writer) complain(err error) {
	if len(g.mistakes) < mostMistakes {
		g.mistakes = append(g.mistakes, err)
	}
}

func (r *rank) write() {
	d := streams.Device{Name: fmt.Sprint(r.number), SMs: 1,
		Streams: []streams.Stream{{Name: "compute"}, {Name: "host"}, {Name: "collectives"}}}
	r.graph.Devices = append(r.graph.Devices, d)
	for _, i := range r.order {
		n := &r.nodes[i]
		o := streams.Op{Name: n.name, Device: int32(r.number)}
		for _, other := range r.after[i] {
			o.After = append(o.After, r.written[other])
		}
		r.node(n, &o)
		r.written[i] = int32(len(r.graph.Ops))
		r.graph.Ops = append(r.graph.Ops, o)
	}
}

// node sets on which stream a node is, and how long it takes.
func (r *rank) node(n *node, o *streams.Op) {
	switch {
	case n.host || n.kind == metadata:
		o.Kind, o.Role, o.Stream, o.Work = hosts, streams.Hosts, hostStream, scaled(n.duration, r.w.Host)
	case n.kind == collective:
		o.Kind, o.Stream, o.Collective = collectives, groupStream, r.collective(n)
	case n.kind == send:
		o.Kind, o.Stream, o.Collective = messages, r.peer(n.kind, n.to), r.message(n, n.to, meeting{from: int64(r.number), to: n.to, tag: n.tag})
	case n.kind == receive:
		o.Kind, o.Stream, o.Collective = messages, r.peer(n.kind, n.from), r.message(n, n.from,
			meeting{from: n.from, to: int64(r.number), tag: n.tag})
	default:
		o.Kind, o.Stream, o.Work = kernels, gpuStream, r.kernel(n)
		if n.kind != compute {
			o.Kind = memory
		}
	}
}

// scaled returns us times a factor.
func scaled(us uint64, factor float64) sim.Time {
	return sim.Time(min(float64(machines.Longest), float64(us)*factor*float64(sim.Microsecond)))
}

// kernel returns the time of a computation or a memory access.
func (r *rank) kernel(n *node) sim.Time {
	if n.duration > 0 || !n.hasFlops && n.moved == 0 {
		return scaled(n.duration, r.w.Compute)
	}
	if r.machine.Kernels.Products == 0 {
		r.complain(r.wrong(n, "it has no duration, and the speed of kernels is not known; give machine.gpu_kernels"))
		return 0
	}
	alone := r.machine.Alone(r.machine.Kernel(gpus.BF16, 0, float64(n.flops), float64(n.moved)))
	return min(machines.Longest, sim.Seconds(alone*r.w.Compute))
}

// peer returns the stream of messages to or from a rank.
func (r *rank) peer(kind uint64, peer int64) int32 {
	key := streamOf{kind, peer}
	n, ok := r.streams[key]
	if !ok {
		d := &r.graph.Devices[r.number]
		way := "to"
		if kind == receive {
			way = "from"
		}
		n = int32(len(d.Streams))
		d.Streams = append(d.Streams, streams.Stream{Name: fmt.Sprint(way, " ", peer)})
		r.streams[key] = n
	}
	return n
}

// numbered returns the key with the number of this meeting among those with the same ends, as
// counted by this rank.
func (r *rank) numbered(key meeting) meeting {
	n := r.count[key]
	r.count[key]++
	key.n = n
	return key
}

// join returns the communication in which a node takes part. The first of its ends begins the
// communication.
func (r *rank) join(key meeting, time func() streams.Collective) int32 {
	number, ok := r.met[key]
	if !ok {
		number = r.begin(time())
		r.met[key] = number
	}
	r.members[key]++
	return number
}

// message returns the communication of a message's end. A send takes the time of the message; a
// receive takes no time after the message. Either is a collective of one rank, so that what waits
// for it books communication.
func (r *rank) message(n *node, peer int64, ends meeting) int32 {
	if peer < 0 || peer >= int64(len(r.w.ranks)) || peer == int64(r.number) {
		r.complain(r.wrong(n, "rank %d is not one of them; there are %d", peer, len(r.w.ranks)))
		return 0
	}
	ends.group = fmt.Sprint(n.kind) // each end counts separately
	key := r.numbered(ends)
	key.group = ""
	number := int32(len(r.graph.Ops))
	if n.kind == receive {
		r.waiting = append(r.waiting, waiting{number, key, n, r.trace})
		return r.begin(streams.Collective{Way: streams.Stage, Whole: true})
	}
	r.sent += float64(n.bytes)
	r.sends[key] = number
	c := r.time(n, gpus.SendReceive, n.bytes, []int{int(ends.from), int(ends.to)})
	c.Way = streams.Stage
	return r.begin(c)
}

// begin adds a communication.
func (g *writer) begin(c streams.Collective) int32 {
	g.graph.Collectives = append(g.graph.Collectives, c)
	return int32(len(g.graph.Collectives))
}

// receive makes receives wait for their messages.
func (g *writer) receive() {
	for _, w := range g.waiting {
		send, ok := g.sends[w.message]
		if !ok {
			g.complain(w.rank.wrong(w.node, "no rank sends this message (%s)", w.message.String()))
			continue
		}
		o := &g.graph.Ops[w.operation]
		o.After = append(o.After, send)
	}
}

// collective returns the communication of a collective of all ranks of its group.
func (r *rank) collective(n *node) int32 {
	members := r.w.groups[n.group]
	return r.join(r.numbered(meeting{group: n.group}), func() streams.Collective {
		if n.operation < 0 {
			return r.time(n, nil, 0, members)
		}
		op := operations[n.operation]
		bytes := n.bytes
		if op == gpus.AllGather { // comm_size is what each rank contributes
			bytes *= int64(len(members))
		}
		r.sent += float64(bytes) * op.Bus(len(members)) * float64(len(members))
		return r.time(n, op, bytes, members)
	})
}

// time returns the time of a communication: what the trace says, or what the machine needs.
func (r *rank) time(n *node, op *gpus.Operation, bytes int64, members []int) (none streams.Collective) {
	if n.duration > 0 && r.w.Collectives == traced {
		return streams.Collective{Transfer: scaled(n.duration, r.w.Communication), Whole: true}
	}
	if op == nil || !n.hasBytes {
		r.complain(r.wrong(n, "the machine's time needs comm_type and comm_size; workload.collectives=%s has that of the trace", traced))
		return none
	}
	if len(members) < 2 {
		r.complain(r.wrong(n, "one rank has no time for it on a machine; give the folder with the traces of all ranks, or workload.collectives=%s", traced))
		return none
	}
	c := gpus.Communicator{Machine: r.machine, Members: r.placed(members)}
	cost, err := c.Time(op, bytes)
	if err != nil {
		r.complain(r.wrong(n, "%s", err))
	}
	r.graph.Beyond = cmp.Or(r.graph.Beyond, cost.Beyond)
	all := min(machines.Longest, sim.Seconds(cost.Total().Seconds()*r.w.Communication))
	latency := min(all, sim.Seconds(cost.Before().Seconds()*r.w.Communication))
	return streams.Collective{Latency: latency, Transfer: all - latency, Flows: r.place.Flows(&cost, &c, r.w.Communication)}
}

// placed returns ranks as GPUs of the machine.
func (g *writer) placed(ranks []int) []int {
	all := slices.Clone(ranks)
	for i, rank := range ranks {
		all[i] = rank/g.place.PerNode*g.machine.Node.GPUs + rank%g.place.PerNode
	}
	return all
}
