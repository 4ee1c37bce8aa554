package gpuhalo

import (
	"cmp"
	"fmt"
	"slices"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/without"
	"overlapsim/sim"
	"overlapsim/workloads/experiments"
)

// Kinds of operations.
const (
	cellKind = iota
	packKind
	messageKind
	stagingKind
)

var kindNames = []string{"cells", "pack", "message", "staging"}

// The streams of a GPU. Messages in each direction have their own.
const (
	faces = iota
	interior
	staging
	firstMessage
)

var streamNames = []string{"faces", "interior", "staging", "x+", "x-", "y+", "y-", "z+", "z-"}

// builder makes the graph of all steps.
type builder struct {
	*halo
	machine *machines.Machine
	place   experiments.Place
	dims    [3]int
	graph   streams.Graph
	sent    float64
	pairs   map[pair]int32
	last    []int32 // by GPU: what the next step comes after
	also    []int32 // by GPU: the kernel of the interior; -1: none
	device  int32
	held    bool // messages wait for a call of the host
}

// pair is a message in both directions: of a step, between a GPU and the next one along a dimension; or the requests of a rendezvous.
type pair struct {
	step, gpu, dim int
	request        bool
}

func newBuilder(w *halo, m *machines.Machine, p experiments.Place, dims [3]int) *builder {
	return &builder{halo: w, machine: m, place: p, dims: dims, graph: streams.Graph{Kinds: kindNames}, pairs: map[pair]int32{},
		held: w.holds(m) && !without.Progress.In(p.Without)}
}

// write writes the graph.
func (b *builder) write() {
	for gpu := range b.place.Ranks {
		d := streams.Device{Name: fmt.Sprint(gpu), SMs: int32(b.machine.GPUs.GPU.SMs), Bandwidth: int64(b.machine.GPUs.Memory()), Ahead: ahead}
		for i, name := range streamNames {
			priority := 1
			if i == interior {
				priority = 0
			}
			d.Streams = append(d.Streams, streams.Stream{Name: name, Priority: priority})
		}
		b.graph.Devices = append(b.graph.Devices, d)
		b.last, b.also = append(b.last, -1), append(b.also, -1)
	}
	for step := range int(b.Steps) {
		for gpu := range b.place.Ranks {
			b.device = int32(gpu)
			b.step(step, gpu)
		}
	}
}

// ahead is how many launches a host may be ahead of a stream.
const ahead = 1000

// add adds an operation of the GPU that is written.
func (b *builder) add(o streams.Op) int32 {
	o.Device = b.device
	b.graph.Ops = append(b.graph.Ops, o)
	return int32(len(b.graph.Ops) - 1)
}

// kernel adds a kernel that moves bytes.
func (b *builder) kernel(name string, kind uint8, stream int32, bytes float64, launch sim.Time, after []int32) int32 {
	w := b.machine.GPUs.Move(bytes)
	return b.add(streams.Op{Name: name, Kind: kind, Stream: stream, Blocks: w.Blocks, Work: w.Block, Demand: w.Demand, Launch: launch, After: after})
}

// step writes what a GPU does in a step.
func (b *builder) step(step, gpu int) {
	at, launch := b.at(gpu), b.machine.GPUs.Kernels.Launch
	before := known(b.last[gpu], b.also[gpu])
	ready := before // what messages wait for
	all := 2 * b.faceBytes() * float64(b.neighbours())
	if b.neighbours() > 0 && b.Pack != packings[packNone] {
		ready = []int32{b.kernel("pack", packKind, faces, all, b.packing(), before)}
	}
	if b.By == ways[staged] && b.neighbours() > 0 {
		ready = []int32{b.copyOver("to host", ready)}
	}
	inner := b.cellsInside()
	b.also[gpu] = -1
	if b.Overlap && b.Moved > 0 {
		b.also[gpu] = b.kernel("interior", cellKind, interior, b.moved(inner), launch, before)
	}
	came := b.exchange(step, gpu, at, ready)
	if b.InteriorFirst && len(came) > 0 {
		b.add(streams.Op{Name: "host", Kind: messageKind, Stream: staging, Wait: known(b.also[gpu]), Launch: b.Synchronise})
	}
	done := ready
	if len(came) > 0 {
		if done = came; b.By == ways[staged] {
			in := b.copyOver("from host", nil)
			b.graph.Ops[in].Wait = came
			done = []int32{in}
		}
		if b.Pack != packings[packNone] {
			n := b.kernel("unpack", packKind, faces, all, b.packing(), done)
			if b.By == ways[mpi] { // the host waits for all messages
				b.graph.Ops[n].Wait = came
			}
			done = []int32{n}
		}
	}
	rest := b.all()
	if b.Overlap {
		rest -= inner
	}
	if b.Moved > 0 {
		n := b.kernel("cells", cellKind, faces, b.moved(rest), launch, done)
		if b.By == ways[mpi] && b.Pack == packings[packNone] {
			b.graph.Ops[n].Wait = came
		}
		done = []int32{n}
	}
	b.last[gpu] = -1
	if len(done) > 0 {
		b.last[gpu] = done[len(done)-1]
	}
}

// known are those operations that there are.
func known(all ...int32) (some []int32) {
	for _, n := range all {
		if n >= 0 {
			some = append(some, n)
		}
	}
	return some
}

// copyOver copies all faces between the GPU and its host, as a part of their messages.
func (b *builder) copyOver(name string, after []int32) int32 {
	g := b.machine.GPUs
	b.graph.Collectives = append(b.graph.Collectives, streams.Collective{Latency: g.Kernels.Start,
		Transfer: sim.Seconds(b.faceBytes() * float64(b.neighbours()) / g.Node.PCIe.Bandwidth), Way: streams.Message})
	return b.add(streams.Op{Name: name, Kind: stagingKind, Stream: staging, Collective: int32(len(b.graph.Collectives)),
		Launch: g.Kernels.Launch, After: after})
}

// exchange writes the messages with all neighbours, which begin after something.
func (b *builder) exchange(step, gpu int, at [3]int, ready []int32) (came []int32) {
	for dim := range 3 {
		n := b.dims[dim]
		if n == 1 {
			continue
		}
		previous := at
		previous[dim] = (at[dim] + n - 1) % n
		for side, p := range []pair{{step, gpu, dim, false}, {step, b.number(previous), dim, false}} {
			came = append(came, b.message(p, int32(firstMessage+2*dim+side), ready, len(came) == 0))
		}
	}
	return came
}

// pair returns the collective of a message in both directions.
func (b *builder) pair(p pair) int32 {
	k, ok := b.pairs[p]
	if !ok {
		k = b.meet(p)
		b.pairs[p] = k
	}
	return k
}

// message writes the end of a message in both directions.
func (b *builder) message(p pair, stream int32, ready []int32, first bool) int32 {
	o := streams.Op{Name: "message", Kind: messageKind, Stream: stream}
	if !b.held {
		o.Collective = b.pair(p)
	}
	network := &b.machine.Network
	bytes := int64(b.faceBytes()) / b.Messages
	post := sim.Time(b.Messages) * (network.SendOverhead.Of(bytes) + network.ReceiveOverhead.Of(bytes))
	switch b.By {
	case ways[nccl]:
		if o.After, o.Blocks = ready, int32(b.Held); first {
			o.Launch = b.machine.GPUs.Kernels.Join
		}
	case ways[triggered]:
		o.After, o.Launch = ready, post
	default:
		if o.Wait, o.Launch = ready, post; first {
			o.Launch += b.Synchronise
		}
		if b.held { // what follows the request is done in calls, and the host calls when the interior has ended
			o.Name, o.Collective = "request", b.pair(pair{p.step, p.gpu, p.dim, true})
			b.add(o)
			o = streams.Op{Name: "message", Kind: messageKind, Stream: stream, Collective: b.pair(p), After: known(b.also[b.device])}
		}
	}
	return b.add(o)
}

// meet adds a message in both directions, and returns its number.
func (b *builder) meet(p pair) int32 {
	from := b.at(p.gpu)
	to := from
	to[p.dim] = (from[p.dim] + 1) % b.dims[p.dim]
	cost, far := b.cost(p.gpu, b.number(to))
	if p.request {
		b.graph.Collectives = append(b.graph.Collectives, streams.Collective{Latency: b.machine.Network.Latency, Way: streams.Message})
		return int32(len(b.graph.Collectives))
	}
	c := streams.Collective{Latency: cost.Before(), Transfer: cost.Moving(), Way: streams.Message}
	bytes := b.faceBytes()
	if c.Transfer > 1 {
		if !far { // a link of a GPU is as many times as fast as a NIC
			bytes *= b.nic() / b.link(&cost)
		}
		a, z := b.end(p.gpu, far), b.end(b.number(to), far)
		c.Flows = []streams.Flow{{From: a, To: z, Bytes: int64(bytes)}, {From: z, To: a, Bytes: int64(bytes)}}
	}
	b.sent += 2 * b.faceBytes()
	b.graph.Collectives = append(b.graph.Collectives, c)
	return int32(len(b.graph.Collectives))
}

// cost is the time of a message between two GPUs, alone. far tells whether it goes over the network.
func (b *builder) cost(a, z int) (gpus.Cost, bool) {
	g := b.machine.GPUs
	group := gpus.Communicator{Machine: g, Members: []int{b.gpu(a), b.gpu(z)}}
	domains, _ := group.Domains()
	cost, err := group.Time(gpus.SendReceive, int64(b.faceBytes()))
	if err != nil {
		return gpus.Cost{}, domains > 1 // CheckGPUs has asked
	}
	if b.By == ways[nccl] {
		b.graph.Beyond = cmp.Or(b.graph.Beyond, cost.Beyond)
		return cost, domains > 1
	}
	cost.Start, cost.Latency = 0, b.machine.Network.Latency
	if gap := sim.Time(b.Messages) * b.machine.Network.Gap; cost.Transfer < gap {
		cost.Transfer = gap
	}
	switch {
	case b.By == ways[triggered]:
		cost.Latency += 2 * b.Trigger
	case b.held:
		cost.Latency = handshake*b.machine.Network.Latency + b.Synchronise
	case b.rendezvous(b.machine):
		cost.Latency += handshake * b.machine.Network.Latency
	}
	if b.By == ways[staged] && domains == 1 { // by the memory of the host
		cost.Transfer = sim.Seconds(b.faceBytes() / g.Node.PCIe.Bandwidth)
	}
	return cost, domains > 1
}

// handshake is how many latencies a rendezvous takes in addition to its bytes and the first one: the target hears of it (request), asks for
// the bytes or lets the sender send them, and the sender learns that they have come.
const handshake = 3

// rendezvous tells whether the library sends faces with a handshake.
func (w *halo) rendezvous(m *machines.Machine) bool {
	s := m.Network.Rendezvous
	return (w.By == ways[mpi] || w.By == ways[staged]) && s > 0 && int64(w.faceBytes())/w.Messages > s
}

// holds tells whether the handshake waits for a call of the host, which waits for the interior first. A host that waits for its GPU makes no
// tests.
func (w *halo) holds(m *machines.Machine) bool {
	calls := !m.Offloaded
	if rt := m.Runtime; rt != nil {
		calls = slices.Contains([]machines.Agent{machines.InCalls, machines.InWaits, machines.Testing, machines.TestingInWaits}, rt.Progress.By)
	}
	return w.InteriorFirst && calls && w.rendezvous(m)
}

// reaches returns why a GPU cannot send to another one.
func (b *builder) reaches() error {
	g := b.machine.GPUs
	_, err := (&gpus.Communicator{Machine: g, Members: []int{b.gpu(0), b.gpu(b.place.Ranks - 1)}}).Time(gpus.SendReceive, 1)
	if b.place.Ranks == 1 {
		return nil
	}
	return err
}

// nic is the bandwidth of a NIC that messages reach; 1 if there is none, so that all is relative.
func (b *builder) nic() float64 {
	if g := b.machine.GPUs; len(g.Node.NICs) > 0 {
		return g.Node.NICs[0].Bandwidth * g.Fit.Network
	}
	return 1e9
}

// link is the bandwidth of a message inside a domain.
func (b *builder) link(c *gpus.Cost) float64 { return b.faceBytes() / c.Moving().Seconds() }

// end is an end of a message on the network of the run: the NIC of a GPU, or its links inside the domain.
func (b *builder) end(rank int, far bool) int32 {
	gpu, node := b.gpu(rank), &b.machine.GPUs.Node
	host, nic := gpu/node.GPUs, node.NICOf(gpu%node.GPUs)
	switch {
	case !far:
		return int32(inside + rank)
	case b.place.Point != nil:
		return int32(b.place.Point(host, nic))
	}
	return int32(host*len(node.NICs) + nic)
}

// inside is the first of the ends inside domains: beyond all NICs.
const inside = 1 << 30

// shared is the network of the run: the fabric between NICs, or none that delays what they send, and links inside domains.
func (b *builder) shared() network.Maker {
	between := b.place.Fabric
	hosts := (b.place.Ranks + b.place.PerNode - 1) / b.place.PerNode
	if nics := hosts * len(b.machine.GPUs.Node.NICs); between == nil {
		between = b.ends(max(1, nics))
	}
	return func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		far, err := between(k, sink)
		if err != nil {
			return nil, err
		}
		near, err := b.ends(b.place.Ranks)(k, sink)
		return &both{far, near}, err
	}
}

// ends are ends each of which sends and takes in as much as a NIC.
func (b *builder) ends(n int) network.Maker {
	rate := sim.Rate(b.nic())
	return func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		shape, err := topology.NewCrossbar(n)
		if err != nil {
			return nil, err
		}
		return flow.New(k, sink, shape, flow.Params{Injection: rate, Ejection: rate})
	}
}

// both is the network between NICs, and the links inside domains.
type both struct {
	network.Contended
	near network.Contended
}

// Start implements network.Contended.
func (n *both) Start(t network.Transfer) {
	if t.From < inside {
		n.Contended.Start(t)
		return
	}
	t.From, t.To = t.From-inside, t.To-inside
	n.near.Start(t)
}

// gpu is the GPU of the machine that a rank has.
func (b *builder) gpu(rank int) int {
	return rank/b.place.PerNode*b.machine.GPUs.Node.GPUs + rank%b.place.PerNode
}

// at is where a GPU is on the grid, number the other way round.
func (b *builder) at(gpu int) [3]int {
	return [3]int{gpu % b.dims[0], gpu / b.dims[0] % b.dims[1], gpu / b.dims[0] / b.dims[1]}
}

func (b *builder) number(at [3]int) int { return at[0] + b.dims[0]*(at[1]+b.dims[1]*at[2]) }

// neighbours is how many faces are exchanged.
func (b *builder) neighbours() (n int) {
	for _, d := range b.dims {
		if d > 1 {
			n += 2
		}
	}
	return n
}

// faceBytes are the bytes of a face.
func (w *halo) faceBytes() float64 {
	return float64(w.Cells) * float64(w.Cells) * float64(w.Width) * float64(w.Variables) * float64(w.Number)
}

func (w *halo) all() float64 { return float64(w.Cells) * float64(w.Cells) * float64(w.Cells) }

// cellsInside are the cells that need no halo.
func (w *halo) cellsInside() float64 {
	n := float64(max(0, w.Cells-2*w.Width))
	return n * n * n
}

// moved are the bytes that the kernel of some cells moves.
func (w *halo) moved(cells float64) float64 {
	return cells * float64(w.Variables) * float64(w.Moved)
}

// packing is the time of the host to pack or unpack all faces: of one launch, or of a copy for each piece of memory. Cells along x lie
// together, then those along y.
func (b *builder) packing() sim.Time {
	launch := b.machine.GPUs.Kernels.Launch
	if b.Pack != packings[packCopies] {
		return launch
	}
	pieces, n := 0.0, float64(b.Cells)
	for dim, each := range []float64{n * n, n, 1} {
		if b.dims[dim] > 1 {
			pieces += 2 * each * float64(b.Variables)
		}
	}
	return sim.Time(min(pieces*float64(launch), float64(machines.Longest)))
}
