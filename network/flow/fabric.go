package flow

import (
	"errors"
	"fmt"
	"math"

	"overlapsim/network/topology"
	"overlapsim/sim"
)

// Params are the capacities and delays of a Fabric.
type Params struct {
	Capacity   []float64 // bytes/s of each class of links of the topology
	Injection  float64   // bytes/s from a node into its router, 0: no limit
	Ejection   float64   // bytes/s from a router into a node, 0: no limit
	Limit      float64   // bytes/s of one flow, 0: no limit
	Latency    sim.Time  // of every flow
	HopLatency sim.Time  // of each link of the topology on the way
	// LatencyFirst: a flow loads its links only after its latency (as in
	// SimGrid), and is sent when it arrives. Otherwise it loads them at once, and
	// arrives its latency after it is sent.
	LatencyFirst bool
}

// Fabric carries flows between the nodes of a topology along its routes. If
// injection and ejection are limited, all flows from or to a node share them. A
// flow from a node to itself passes neither; if nothing limits a flow, it takes
// its latency only.
type Fabric struct {
	network   *Network
	topology  topology.Topology
	params    Params
	injection int32 // link of node 0, none if not limited
	ejection  int32
	path      []int32
}

// New returns an idle fabric.
func New(k *sim.Kernel, sink Sink, t topology.Topology, p Params) (*Fabric, error) {
	if err := p.check(t); err != nil {
		return nil, err
	}
	capacity := make([]float64, t.Links())
	for i := range capacity {
		capacity[i] = p.Capacity[t.Link(i).Class]
	}
	ends := func(limit float64) (first int32) {
		if limit == 0 {
			return none
		}
		first = int32(len(capacity))
		for range t.Nodes() {
			capacity = append(capacity, limit)
		}
		return first
	}
	f := &Fabric{topology: t, params: p, injection: ends(p.Injection), ejection: ends(p.Ejection)}
	var err error
	f.network, err = NewNetwork(k, sink, capacity, p.LatencyFirst)
	return f, err
}

// check returns all that is wrong with the parameters.
func (p *Params) check(t topology.Topology) error {
	var wrong []error
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	classes := t.Classes()
	if len(p.Capacity) != len(classes) {
		add("bandwidth: %v has %d kinds of links %v, got %d values", t, len(classes), classes, len(p.Capacity))
	}
	for i, c := range p.Capacity[:min(len(p.Capacity), len(classes))] {
		if !positive(c) {
			add("bandwidth of links %s: must be positive, got %v B/s", classes[i], c)
		}
	}
	limits := []float64{p.Injection, p.Ejection, p.Limit}
	for i, name := range []string{"injection", "ejection", "limit of a flow"} {
		if limits[i] != 0 && !positive(limits[i]) {
			add("%s: must be positive, or 0 for none, got %v B/s", name, limits[i])
		}
	}
	if t.Links() == 0 && p.Injection == 0 && p.Ejection == 0 && p.Limit == 0 {
		add("injection: nothing limits the flows on %v", t)
	}
	if p.Latency < 0 {
		add("latency: must not be negative, got %v", p.Latency)
	}
	if p.HopLatency < 0 {
		add("latency per hop: must not be negative, got %v", p.HopLatency)
	}
	return errors.Join(wrong...)
}

// Watch lets hear know of the rates of flows from the next one on, as they change:
// the rate in bytes per picosecond, and its derivatives by the logarithms of
// capacities, which are valid during the call and add up to the rate. The capacities
// are those of each class of links of the topology, injection, ejection, and the
// limit of a flow.
func (f *Fabric) Watch(hear func(id uint32, rate float64, by []float64)) {
	ends := int32(len(f.topology.Classes()))
	class := make([]int32, len(f.network.sharing.links))
	for l := range class {
		switch l := int32(l); {
		case l < int32(f.topology.Links()):
			class[l] = int32(f.topology.Link(int(l)).Class)
		case f.injection != none && l < f.injection+int32(f.topology.Nodes()):
			class[l] = ends
		default:
			class[l] = ends + 1
		}
	}
	f.network.sharing.differentiate(class, int(ends)+3, func(flow int32, rate float64, by []float64) {
		hear(f.network.slots[flow].id, rate, by)
	})
}

// Start lets a flow begin now.
func (f *Fabric) Start(id uint32, from, to int32, bytes int64) {
	latency := f.route(from, to)
	f.network.Start(Flow{ID: id, Route: f.path, Bytes: float64(bytes), Limit: f.params.Limit, Latency: latency})
}

// Alone implements network.Paced.
func (f *Fabric) Alone(from, to int32, bytes int64) sim.Time {
	latency := f.route(from, to)
	if !f.params.LatencyFirst {
		latency = 0
	}
	rate := f.params.Limit / 1e12
	for _, l := range f.path {
		if c := f.network.sharing.links[l].capacity; rate == 0 || c < rate {
			rate = c
		}
	}
	if rate == 0 {
		return latency
	}
	return latency + sim.Time(math.Ceil(float64(bytes)/rate))
}

// route leaves the links of a flow in path and returns its latency.
func (f *Fabric) route(from, to int32) sim.Time {
	f.path = f.topology.Route(int(from), int(to), f.path[:0])
	latency := f.params.Latency + sim.Time(len(f.path))*f.params.HopLatency
	if from != to {
		if f.injection != none {
			f.path = append(f.path, f.injection+from)
		}
		if f.ejection != none {
			f.path = append(f.path, f.ejection+to)
		}
	}
	return latency
}

// Load returns what a link of the topology has carried until now.
func (f *Fabric) Load(link int) Load { return f.network.Load(link) }

// Injected returns what a node has sent until now, nothing if injection is not
// limited.
func (f *Fabric) Injected(node int) Load { return f.end(f.injection, node) }

// Ejected returns what a node has received until now, nothing if ejection is
// not limited.
func (f *Fabric) Ejected(node int) Load { return f.end(f.ejection, node) }

func (f *Fabric) end(first int32, node int) Load {
	if first == none {
		return Load{}
	}
	return f.network.Load(int(first) + node)
}
