package flow

import (
	"errors"
	"fmt"
	"math"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// Params are the capacities and delays of a Fabric.
type Params struct {
	Capacity   []sim.Rate // of each class of links of the topology
	Injection  sim.Rate   // from a node into its router, 0: no limit
	Ejection   sim.Rate   // from a router into a node, 0: no limit
	Duplex     sim.Rate   // of a node, both ways together, 0: no limit
	Exchange   sim.Rate   // between two nodes, both ways together, 0: no limit
	Others     float64    // mean share of the topology's links that other jobs take, at most 0.5
	Draw       uint64     // seed of the shares of single links
	Latency    sim.Time   // of every flow
	HopLatency sim.Time   // of each link of the topology on the way
	// LatencyFirst: a flow loads its links only after its latency (as in
	// SimGrid), and is sent when it arrives. Otherwise it loads them at once, and
	// arrives its latency after it is sent.
	LatencyFirst bool
	OfNIC        OfNIC
}

// OfNIC says which limits of a node follow from the machine's NIC.
type OfNIC struct{ Injection, Ejection bool }

// Fabric carries flows between the nodes of a topology along its routes. If machines have several NICs, these are its nodes. If
// injection and ejection are limited, all flows from or to a node share them, those from a
// node to itself too. A flow is never faster than its NIC.
type Fabric struct {
	network  *Network
	topology topology.Topology
	params   Params
	ends     [limits]int32 // for each kind the link of node 0, none if there is no limit
	pairs    map[[2]int32]int32
	path     []int32
	choosing *choosing // nil: routes are static
}

// New returns an idle fabric.
func New(k *sim.Kernel, sink network.Sink, t topology.Topology, p Params) (*Fabric, error) {
	if err := p.Check(t); err != nil {
		return nil, err
	}
	capacity := make([]sim.Rate, t.Links(), t.Links()+p.ends()*t.Nodes())
	for i := range capacity {
		capacity[i] = p.cable(t, i) * sim.Rate(1-p.taken(i))
	}
	f := &Fabric{topology: t, params: p, pairs: map[[2]int32]int32{}}
	for i, limit := range p.limits() {
		if f.ends[i] = none; limit > 0 {
			f.ends[i] = int32(len(capacity))
			for range t.Nodes() {
				capacity = append(capacity, limit)
			}
		}
	}
	if shape, ok := t.(*topology.Adaptive); ok {
		f.choosing = newChoosing(shape, sink)
		sink = f.choosing
	}
	var err error
	f.network, err = NewNetwork(k, sink, capacity, p.LatencyFirst)
	return f, err
}

// cable returns the capacity of a link of the topology, of all its cables together.
func (p *Params) cable(t topology.Topology, link int) sim.Rate {
	class := t.Link(link).Class
	if trunks, ok := t.(topology.Trunked); ok {
		return p.Capacity[class] * sim.Rate(trunks.Cables(int(class)))
	}
	return p.Capacity[class]
}

// ends returns the number of links that each node has in addition to the topology's.
func (p *Params) ends() (n int) {
	for _, limit := range p.limits() {
		if limit > 0 {
			n++
		}
	}
	return n
}

// taken returns the share of a link that other jobs take during the whole run. It is uniform
// between 0 and twice the mean.
func (p *Params) taken(link int) float64 {
	if p.Others == 0 {
		return 0
	}
	return 2 * p.Others * sim.NewStream(p.Draw, uint64(link)).Float64()
}

// Check returns all mistakes in the parameters for a topology. New finds no others.
func (p *Params) Check(t topology.Topology) error {
	var wrong []error
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	classes := t.Classes()
	if len(p.Capacity) != len(classes) {
		add("bandwidth: %v has %d kinds of links %v, got %d values", t, len(classes), classes, len(p.Capacity))
	}
	for i, c := range p.Capacity[:min(len(p.Capacity), len(classes))] {
		if !c.Positive() {
			add("bandwidth of links %s: must be positive, got %v B/s", classes[i], float64(c))
		}
	}
	limits := p.limits()
	for i, limit := range append(limits[:], p.Exchange) {
		if limit != 0 && !limit.Positive() {
			add("%s: must be positive, or 0 for none, got %v B/s", []string{"injection", "ejection", "duplex", "exchange"}[i], float64(limit))
		}
	}
	if !(p.Others >= 0 && p.Others <= 0.5) {
		add("others: must be from 0 to 0.5, as a link loses up to twice as much; got %v", p.Others)
	}
	if p.Latency < 0 {
		add("latency: must not be negative, got %v", p.Latency)
	}
	if p.HopLatency < 0 {
		add("latency per hop: must not be negative, got %v", p.HopLatency)
	}
	return errors.Join(wrong...)
}

// Latency implements network.Contended.
func (f *Fabric) Latency(from, to int32, _ network.TransferKind) sim.Time {
	return f.params.Latency + sim.Time(f.topology.Hops(int(from), int(to)))*f.params.HopLatency
}

// Start implements network.Contended.
func (f *Fabric) Start(t network.Transfer) {
	latency := f.route(t.From, t.To)
	if f.choosing != nil {
		latency = f.choose(t)
	}
	f.network.Start(Flow{ID: t.ID, Route: f.path, Bytes: t.Bytes, Least: t.Length, Latency: latency})
}

// Alone implements network.Contended.
func (f *Fabric) Alone(t network.Transfer) sim.Time {
	latency := f.route(t.From, t.To)
	if !f.params.LatencyFirst {
		latency = 0
	}
	took := float64(t.Length)
	for _, l := range f.path {
		took = max(took, math.Ceil(float64(t.Bytes)/f.network.sharing.links[l].capacity))
	}
	return latency + sim.Time(took)
}

// route leaves the links of a flow in path and returns its latency.
func (f *Fabric) route(from, to int32) sim.Time {
	f.path = f.topology.Route(int(from), int(to), f.path[:0])
	latency := f.params.Latency + sim.Time(len(f.path))*f.params.HopLatency
	f.pass(from, to)
	return latency
}

// Injection implements network.Contended.
func (f *Fabric) Injection() sim.Rate { return f.params.Injection }

// Ejection implements [network.Contended].
func (f *Fabric) Ejection() sim.Rate { return f.params.Ejection }

// Links implements network.Contended.
func (f *Fabric) Links() *network.Links {
	l := &network.Links{Shape: f.topology, Unit: "flows", Loads: make([]network.LinkLoad, 0, len(f.network.sharing.links))}
	for i := range f.topology.Links() {
		l.Loads = append(l.Loads, f.load(i, f.params.cable(f.topology, i)))
	}
	for kind, limit := range f.params.limits() {
		if limit == 0 {
			continue
		}
		l.Ends = append(l.Ends, []string{"injection", "ejection", "both ways"}[kind])
		for i := range f.topology.Nodes() {
			l.Loads = append(l.Loads, f.load(int(f.ends[kind])+i, limit))
		}
	}
	if len(l.Loads) == 0 {
		return nil
	}
	return l
}

func (f *Fabric) load(link int, capacity sim.Rate) network.LinkLoad {
	l := f.network.load(link)
	l.Capacity = capacity
	return l
}
