// Package ospri is the contention experiment of the OSPRI project (Argonne, 2010) on BlueGene/P.
// After a barrier, every node that takes part issues ten nonblocking operations to the node at
// some displacement and waits for all of them. A put is complete when its acknowledgement is
// back. The DCMF library gets the acknowledgement by a get of 0 bytes that follows the data.
package ospri

import (
	"fmt"
	"math"
	"slices"

	"overlapsim/network"
	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// Op is a one-sided operation.
type Op uint8

const (
	Put Op = iota
	Get
)

// OpOf returns the operation of that name.
func OpOf(name string) (op Op, known bool) {
	for op := Put; op <= Get; op++ {
		if op.String() == name {
			return op, true
		}
	}
	return Put, false
}

func (o Op) String() string { return [...]string{"put", "get"}[o] }

// Benchmark is the machine and the program of the experiment.
type Benchmark struct {
	packet.Params
	Grid topology.Grid

	PutOverhead sim.Time // processor time for one operation
	GetOverhead sim.Time
	Completion  sim.Time       // from the last arrival until the processor notices
	DynamicPut  packet.Routing // for puts if the program allows dynamic routing

	Operations     int
	Window         int  // most operations of a node under way; 0: no limit
	Unacknowledged bool // puts are complete when they are in the target's memory

	Skew sim.Time // nodes leave the barrier at random times within this interval
	Seed uint64

	Traffic bool // record what links carry when, and what waits at NICs
}

// BlueGeneP returns the experiment as it ran on an 8x8x8 torus. The origins of
// its parameters are in docs/validation/bluegene-packets.md.
func BlueGeneP() Benchmark {
	return Benchmark{
		Params:      packet.BlueGeneP(),
		Grid:        topology.Grid{Sizes: []int{8, 8, 8}, Tie: topology.TieParity},
		PutOverhead: 980 * sim.Nanosecond,
		GetOverhead: 1710 * sim.Nanosecond,
		Completion:  390 * sim.Nanosecond,
		DynamicPut:  packet.Static,
		Operations:  10,
		Skew:        sim.Microsecond,
		Seed:        1,
	}
}

// Displacement lets every node access the node at a displacement. It returns the mean bandwidth
// over the nodes in MiB/s.
func (b Benchmark) Displacement(op Op, displacement []int, bytes int64) (float64, error) {
	run, err := b.Run(op, displacement, bytes, 100)
	if err != nil {
		return 0, err
	}
	return b.Bandwidth(run.Times(), bytes), nil
}

// Bandwidth returns the mean bandwidth of nodes in MiB/s, given how long their operations took.
func (b *Benchmark) Bandwidth(times []sim.Time, bytes int64) float64 {
	sum := 0.0
	for _, t := range times {
		sum += float64(b.Operations) * float64(bytes) / t.Seconds()
	}
	return sum / float64(len(times)) / (1 << 20)
}

// Latency is the time per operation, over the nodes that took part, in us.
type Latency struct{ Mean, Min, Max float64 }

// Diagonal lets a percentage of the nodes access the node half-way round every dimension. Those
// nodes are the ones whose first coordinate is a multiple of 100/percent.
func (b Benchmark) Diagonal(op Op, percent int, bytes int64, routing packet.Routing) (Latency, error) {
	if routing == packet.Adaptive {
		b.Put = b.DynamicPut
	}
	run, err := b.Run(op, b.Halfway(), bytes, percent)
	if err != nil {
		return Latency{}, err
	}
	return b.Latency(run.Times()), nil
}

// Halfway returns the displacement half-way round every dimension.
func (b *Benchmark) Halfway() []int {
	half := make([]int, len(b.Grid.Sizes))
	for d, size := range b.Grid.Sizes {
		half[d] = size / 2
	}
	return half
}

// Latency returns the time per operation, given how long each node took for all; NaN if there are
// no nodes.
func (b *Benchmark) Latency(times []sim.Time) Latency {
	if len(times) == 0 {
		return Latency{math.NaN(), math.NaN(), math.NaN()}
	}
	us := func(t sim.Time) float64 { return t.Seconds() * 1e6 / float64(b.Operations) }
	mean := sim.TotalOf(times...).Seconds() * 1e6 / float64(b.Operations) / float64(len(times))
	return Latency{mean, us(slices.Min(times)), us(slices.Max(times))}
}

// Check returns an error if the experiment is not possible.
func (b *Benchmark) Check(displacement []int, bytes int64, percent int) error {
	switch {
	case b.Operations < 1:
		return fmt.Errorf("ospri: operations: must be at least 1, got %d", b.Operations)
	case b.Window < 0 || b.PutOverhead < 0 || b.GetOverhead < 0 || b.Completion < 0 || b.Skew < 0:
		return fmt.Errorf("ospri: window, overheads, completion and skew must not be negative")
	case len(displacement) != len(b.Grid.Sizes):
		return fmt.Errorf("ospri: displacement: must have %d dimensions, got %v", len(b.Grid.Sizes), displacement)
	case bytes < 1:
		return fmt.Errorf("ospri: bytes: must be at least 1, got %d", bytes)
	case percent < 1 || 100%percent != 0:
		return fmt.Errorf("ospri: percent: must divide 100, as 100, 50 and 25 do, got %d", percent)
	}
	return nil
}

// trial is one run of a benchmark.
type trial struct {
	Benchmark
	op       Op
	bytes    int64
	overhead sim.Time
	kernel   *sim.Kernel
	fabric   *packet.Fabric
	me       sim.HandlerID
	nodes    []party
	asked    map[uint32]bool // gets whose request is under way
	traffic  *network.Traffic
	waiting  map[uint32]waits // transfers that have not left; nil: not recorded
}

// waits records since when a transfer has waited at a node.
type waits struct {
	node  int32
	since sim.Time
}

// party is the state of a node in a trial.
type party struct {
	target     int32
	posted     int
	done       int
	ready      bool // the processor could issue an operation, but waits for room in the window
	start, end sim.Time
}

// acknowledgement marks the get that follows a put.
const acknowledgement = 1 << 31

// Run is the result of an experiment.
type Run struct {
	Torus  *topology.Torus
	Nodes  []Span // by node
	Events uint64
	Fabric *packet.Fabric // after the experiment

	Traffic *network.Traffic // nil: not recorded
}

// Span says when a node left the barrier and when all its operations with its partner were
// complete. All is 0 if the node took no part.
type Span struct {
	Partner    int32
	Start, End sim.Time
}

// Times returns how long each node that took part needed.
func (r *Run) Times() (times []sim.Time) {
	for _, s := range r.Nodes {
		if s.End > 0 {
			times = append(times, s.End-s.Start)
		}
	}
	return times
}

// Run lets a percentage of the nodes access the node at a displacement.
func (b Benchmark) Run(op Op, displacement []int, bytes int64, percent int) (*Run, error) {
	return b.run(op, displacement, bytes, percent, func(node int) bool { return true })
}

// Alone returns how long a node takes when no other node takes part.
func (b Benchmark) Alone(op Op, displacement []int, bytes int64, node int) (sim.Time, error) {
	b.Traffic = false
	run, err := b.run(op, displacement, bytes, 100, func(n int) bool { return n == node })
	if err != nil {
		return 0, err
	}
	return run.Nodes[node].End - run.Nodes[node].Start, nil
}

// run lets the given percentage of the nodes take part, but only those that among selects.
func (b Benchmark) run(op Op, displacement []int, bytes int64, percent int, among func(node int) bool) (*Run, error) {
	if err := b.Check(displacement, bytes, percent); err != nil {
		return nil, err
	}
	t, err := topology.NewTorus(b.Grid)
	if err != nil {
		return nil, err
	}
	r := &trial{Benchmark: b, op: op, bytes: bytes, overhead: b.PutOverhead, kernel: sim.NewKernel(), nodes: make([]party, t.Nodes()),
		asked: map[uint32]bool{}}
	if op == Get {
		r.overhead = b.GetOverhead
	}
	if r.fabric, err = packet.New(r.kernel, r, t, b.Params); err != nil {
		return nil, err
	}
	if b.Traffic {
		r.traffic, r.waiting = network.Watch(r.fabric, t.Nodes()), map[uint32]waits{}
	}
	r.me = r.kernel.Register(r)
	for n := range r.nodes {
		if among(n) {
			r.begin(t, n, displacement, 100/percent)
		}
	}
	r.kernel.Run()
	return &Run{t, r.spans(), r.kernel.Processed(), r.fabric, r.traffic}, nil
}

// begin lets a node leave the barrier if its plane is a multiple of step.
func (r *trial) begin(t *topology.Torus, n int, displacement []int, step int) {
	at := t.Coordinates(t.Router(n), nil)
	if at[0]%step != 0 {
		return
	}
	for d := range at {
		size := t.Size(d)
		at[d] = ((at[d]+displacement[d])%size + size) % size
	}
	p := &r.nodes[n]
	p.target = int32(t.At(at...)*t.PerRouter() + n%t.PerRouter())
	p.start = sim.Time(float64(r.Skew) * sim.NewStream(r.Seed, uint64(n)).Float64())
	r.kernel.Schedule(p.start+r.overhead, r.me, 0, uint64(n))
}

// spans returns when each node began and ended.
func (r *trial) spans() []Span {
	all := make([]Span, len(r.nodes))
	for n, p := range r.nodes {
		if p.posted == 0 {
			continue
		}
		if p.done < r.Operations {
			panic(fmt.Sprintf("ospri: node %d is stuck after %d of %d operations", n, p.done, r.Operations))
		}
		all[n] = Span{p.target, p.start, p.end + r.Completion}
	}
	return all
}

// Handle implements sim.Handler: a processor issues an operation.
func (r *trial) Handle(e sim.Event) {
	n := int32(e.Arg)
	p := &r.nodes[n]
	if p.ready = r.Window > 0 && p.posted-p.done >= r.Window; p.ready {
		return
	}
	id := uint32(int(n)*r.Operations + p.posted)
	p.posted++
	if p.posted < r.Operations {
		r.kernel.Schedule(e.At+r.overhead, r.me, 0, e.Arg)
	}
	if r.op == Get {
		r.get(id, n, p.target)
		return
	}
	r.start(network.Transfer{ID: id, From: n, To: p.target, Bytes: r.bytes})
	if !r.Unacknowledged {
		r.get(id|acknowledgement, n, p.target)
	}
}

// get sends the request for a get.
func (r *trial) get(id uint32, from, to int32) {
	r.asked[id] = true
	r.start(network.Transfer{ID: id, From: from, To: to, Kind: network.Request})
}

// answer sends the bytes that a get asks for; an acknowledgement has none.
func (r *trial) answer(id uint32) {
	delete(r.asked, id)
	n, bytes := r.poster(id), r.bytes
	if r.op == Put {
		bytes = 0
	}
	r.start(network.Transfer{ID: id, From: r.nodes[n].target, To: n, Bytes: bytes, Kind: network.Answer})
}

// start gives a transfer to the fabric.
func (r *trial) start(t network.Transfer) {
	if r.waiting != nil {
		r.waiting[t.ID] = waits{t.From, r.kernel.Now()}
	}
	r.fabric.Start(t)
}

// poster returns the node that posted the operation.
func (r *trial) poster(id uint32) int32 {
	return int32(int(id&^acknowledgement) / r.Operations)
}

// Sent implements network.Sink.
func (r *trial) Sent(id uint32, now, _ sim.Time) {
	if w, ok := r.waiting[id]; ok {
		r.traffic.Waited(int(w.node), w.since, now)
		delete(r.waiting, id)
	}
}

// Arrived implements network.Sink.
func (r *trial) Arrived(id uint32, now sim.Time) {
	if r.asked[id] {
		r.answer(id)
		return
	}
	if r.op == Put && !r.Unacknowledged && id < acknowledgement {
		return
	}
	n := r.poster(id)
	p := &r.nodes[n]
	p.done++
	p.end = now
	if p.ready {
		p.ready = false
		r.kernel.Schedule(now+r.overhead, r.me, 0, uint64(n))
	}
}
