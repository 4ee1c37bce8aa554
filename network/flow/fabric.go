package flow

import (
	"errors"
	"fmt"

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
	HopLatency sim.Time  // of every link on its route
	// LatencyFirst: see Network.
	LatencyFirst bool
}

// Fabric carries flows between the nodes of a topology. A flow takes the
// topology's route, and the injection and ejection of its nodes if they are
// limited. A flow from a node to itself passes none of these.
type Fabric struct {
	*Network
	params    Params
	topology  topology.Topology
	injection int32 // link of node 0, none: not limited
	ejection  int32
	path      []int32
}

// New returns an idle fabric.
func New(k *sim.Kernel, sink Sink, t topology.Topology, p Params) (*Fabric, error) {
	if err := p.check(t); err != nil {
		return nil, err
	}
	f := &Fabric{params: p, topology: t, injection: none, ejection: none}
	capacity := make([]float64, t.Links())
	for i := range capacity {
		capacity[i] = p.Capacity[t.Link(i).Class]
	}
	for _, end := range []struct {
		limit float64
		first *int32
	}{{p.Injection, &f.injection}, {p.Ejection, &f.ejection}} {
		if end.limit > 0 {
			*end.first = int32(len(capacity))
			for range t.Nodes() {
				capacity = append(capacity, end.limit)
			}
		}
	}
	var err error
	f.Network, err = NewNetwork(k, sink, capacity)
	f.LatencyFirst = p.LatencyFirst
	return f, err
}

// check returns all that is wrong with the parameters.
func (p *Params) check(t topology.Topology) error {
	var wrong []error
	classes := t.Classes()
	if len(p.Capacity) != len(classes) {
		wrong = append(wrong, fmt.Errorf("bandwidth: %v needs %d, for its links %v; got %d", t, len(classes), classes, len(p.Capacity)))
	}
	for i, c := range p.Capacity {
		if !(c > 0) && i < len(classes) {
			wrong = append(wrong, fmt.Errorf("bandwidth of links %s: must be positive, got %v B/s", classes[i], c))
		}
	}
	for _, limit := range []struct {
		name  string
		value float64
	}{{"injection", p.Injection}, {"ejection", p.Ejection}, {"limit per flow", p.Limit}} {
		if !(limit.value >= 0) {
			wrong = append(wrong, fmt.Errorf("%s: must not be negative, got %v B/s", limit.name, limit.value))
		}
	}
	for _, delay := range []struct {
		name  string
		value sim.Time
	}{{"latency", p.Latency}, {"latency per hop", p.HopLatency}} {
		if delay.value < 0 {
			wrong = append(wrong, fmt.Errorf("%s: must not be negative, got %v", delay.name, delay.value))
		}
	}
	return errors.Join(wrong...)
}

// Start lets a flow begin now.
func (f *Fabric) Start(id uint32, from, to int32, bytes int64) {
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
	f.Network.Start(Flow{ID: id, Route: f.path, Bytes: float64(bytes), Limit: f.params.Limit, Latency: latency})
}
