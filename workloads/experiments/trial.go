package experiments

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// trial is one run of a contention experiment: it drives the packet fabric.
type trial struct {
	*contention
	get     bool
	seed    uint64
	torus   *topology.Torus
	kernel  *sim.Kernel
	fabric  *packet.Fabric
	me      sim.HandlerID
	nodes   []party
	asked   map[uint32]bool // gets whose request is under way
	traffic *network.Traffic
	waiting map[uint32]waits // transfers that have not left; nil: not recorded
}

// waits records since when a transfer has waited at a node.
type waits struct {
	node  int32
	since sim.Time
}

// party is the state of a node in a trial; nothing is posted by a node that takes no part.
type party struct {
	target     int32
	posted     int
	done       int
	ready      bool // the processor could issue an operation, but waits for room in the window
	start, end sim.Time
}

// acknowledgement marks the get that follows a put.
const acknowledgement = 1 << 31

func everyNode(int) bool { return true }

// alone returns how long a node takes if no other node takes part.
func (w *contention) alone(n Network, displacement []int, node int) (sim.Time, error) {
	t, err := w.try(n, displacement, 100, func(other int) bool { return other == node })
	if err != nil {
		return 0, err
	}
	return t.nodes[node].end - t.nodes[node].start, nil
}

// try lets a percentage of the nodes access the node at a displacement, but only those that among selects.
// They are the ones whose first coordinate is a multiple of 100/percent.
func (w *contention) try(n Network, displacement []int, percent int, among func(node int) bool) (*trial, error) {
	torus, err := topology.NewTorus(n.Grid)
	if err != nil {
		return nil, err
	}
	t := &trial{contention: w, get: w.Op == "get", seed: n.Seed, torus: torus, kernel: sim.NewKernel(), nodes: make([]party, torus.Nodes()),
		asked: map[uint32]bool{}}
	if w.Ordered {
		n.Packet.Put = packet.Static
	}
	if t.fabric, err = packet.New(t.kernel, t, torus, n.Packet); err != nil {
		return nil, err
	}
	if n.Traffic {
		t.traffic, t.waiting = network.Watch(t.fabric, torus.Nodes()), map[uint32]waits{}
	}
	t.me = t.kernel.Register(t)
	for node := range t.nodes {
		if among(node) {
			t.begin(node, displacement, 100/percent)
		}
	}
	t.kernel.Run()
	for node := range t.nodes {
		t.finish(node)
	}
	return t, nil
}

// begin lets a node leave the barrier if its plane is a multiple of step.
func (t *trial) begin(node int, displacement []int, step int) {
	at := t.torus.Coordinates(t.torus.Router(node), nil)
	if at[0]%step != 0 {
		return
	}
	for d := range at {
		size := t.torus.Size(d)
		at[d] = ((at[d]+displacement[d])%size + size) % size
	}
	p := &t.nodes[node]
	p.target = int32(t.torus.At(at...)*t.torus.PerRouter() + node%t.torus.PerRouter())
	p.start = sim.Time(float64(t.Skew) * sim.NewStream(t.seed, uint64(node)).Float64())
	t.kernel.Schedule(p.start+t.overhead(), t.me, 0, uint64(node))
}

// finish adds to the end of a node what its processor needs to notice.
func (t *trial) finish(node int) {
	p := &t.nodes[node]
	if p.posted == 0 {
		return
	}
	if p.done < int(t.Operations) {
		panic(fmt.Sprintf("experiments: node %d is stuck after %d of %d operations", node, p.done, t.Operations))
	}
	p.end += t.Completion
}

// Handle implements sim.Handler: a processor issues an operation.
func (t *trial) Handle(e sim.Event) {
	n := int32(e.Arg)
	p := &t.nodes[n]
	if p.ready = t.Window > 0 && int64(p.posted-p.done) >= t.Window; p.ready {
		return
	}
	id := uint32(int(n)*int(t.Operations) + p.posted)
	p.posted++
	if p.posted < int(t.Operations) {
		t.kernel.Schedule(e.At+t.overhead(), t.me, 0, e.Arg)
	}
	if t.get {
		t.request(id, n, p.target)
		return
	}
	t.start(network.Transfer{ID: id, From: n, To: p.target, Bytes: t.Bytes})
	t.request(id|acknowledgement, n, p.target)
}

// request sends the request for a get.
func (t *trial) request(id uint32, from, to int32) {
	t.asked[id] = true
	t.start(network.Transfer{ID: id, From: from, To: to, Kind: network.Request})
}

// answer sends the bytes that a get asks for; an acknowledgement has none.
func (t *trial) answer(id uint32) {
	delete(t.asked, id)
	n, bytes := t.poster(id), t.Bytes
	if !t.get {
		bytes = 0
	}
	t.start(network.Transfer{ID: id, From: t.nodes[n].target, To: n, Bytes: bytes, Kind: network.Answer})
}

// start gives a transfer to the fabric.
func (t *trial) start(transfer network.Transfer) {
	if t.waiting != nil {
		t.waiting[transfer.ID] = waits{transfer.From, t.kernel.Now()}
	}
	t.fabric.Start(transfer)
}

// poster returns the node that posted the operation.
func (t *trial) poster(id uint32) int32 {
	return int32(int(id&^acknowledgement) / int(t.Operations))
}

// Sent implements network.Sink.
func (t *trial) Sent(id uint32, now, _ sim.Time) {
	if w, ok := t.waiting[id]; ok {
		t.traffic.Waited(int(w.node), w.since, now)
		delete(t.waiting, id)
	}
}

// Arrived implements network.Sink.
func (t *trial) Arrived(id uint32, now sim.Time) {
	if t.asked[id] {
		t.answer(id)
		return
	}
	if !t.get && id < acknowledgement {
		return
	}
	n := t.poster(id)
	p := &t.nodes[n]
	p.done++
	p.end = now
	if p.ready {
		p.ready = false
		t.kernel.Schedule(now+t.overhead(), t.me, 0, uint64(n))
	}
}
