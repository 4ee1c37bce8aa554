package network

import (
	"cmp"
	"fmt"
	"slices"

	"overlapsim/network/topology"
	"overlapsim/sim"
)

// Links are the links of a network and what they carried in a run. The links of the topology come
// first, by their numbers; then one link per node for each kind of end.
type Links struct {
	Shape   topology.Topology
	Elapsed sim.Time // of the run
	For     int      // how many nodes each that carried something stands for; 0: one
	Unit    string   // of peaks: "flows", "packets" or "ns"
	Loads   []LinkLoad
	Ends    []string // links between nodes and routers: injection, ejection
}

// LinkLoad is what one link carried.
type LinkLoad struct {
	Capacity sim.Rate
	Bytes    float64  // with the overhead of their packets
	Busy     sim.Time // how long anything was on it
	Count    int64    // flows, packets or messages
	Peak     int      // most flows at a time, most packets in one FIFO at its far end, or longest backlog in ns
}

// Check returns an error if a link carried more than it can.
func (l *Links) Check() error {
	for i := range l.Loads {
		a := &l.Loads[i]
		need := a.Bytes * a.Capacity.Gap() // ps; each message is rounded
		if need > float64(a.Busy)*(1+1e-9)+float64(a.Count) || a.Busy > l.Elapsed {
			return fmt.Errorf("bug: %s carried %g bytes in %v of %v, at %g bytes/s", l.Name(i), a.Bytes, a.Busy, l.Elapsed, float64(a.Capacity))
		}
	}
	return nil
}

// Name says where a link is: "(3, 0, 1) +x", "router 4 to 9, local",
// "node 7 injection".
func (l *Links) Name(i int) string {
	if i < l.Shape.Links() {
		return l.Shape.LinkName(i)
	}
	i -= l.Shape.Links()
	n := l.Shape.Nodes()
	return fmt.Sprintf("node %d %s", i%n, l.Ends[i/n])
}

// Used is what a link carried, as a fraction of what it could have carried in the run.
func (l *Links) Used(i int) float64 {
	if l.Elapsed == 0 {
		return 0
	}
	return l.Loads[i].Bytes / float64(l.Loads[i].Capacity) / l.Elapsed.Seconds()
}

// BusyShare is the part of the run in which a link had anything to carry.
func (l *Links) BusyShare(i int) float64 {
	if l.Elapsed == 0 {
		return 0
	}
	return float64(l.Loads[i].Busy) / float64(l.Elapsed)
}

// Busiest returns the numbers of at most n links, the most used first. Links that carried nothing
// are omitted.
func (l *Links) Busiest(n int) []int {
	var used []int
	for i := range l.Loads {
		if l.Loads[i].Bytes > 0 {
			used = append(used, i)
		}
	}
	slices.SortStableFunc(used, func(a, b int) int { return cmp.Compare(l.Used(b), l.Used(a)) })
	return used[:min(n, len(used))]
}

// Mean is the mean of Used over the links of the topology that carried anything, without injection and ejection. A
// crossbar has no such links, so there it is the mean over injection and ejection.
func (l *Links) Mean() float64 {
	n := l.Shape.Links()
	if n == 0 {
		n = len(l.Loads)
	}
	sum, used := 0.0, 0.0
	for i := range n {
		if l.Loads[i].Bytes > 0 {
			sum, used = sum+l.Used(i), used+1
		}
	}
	return sum / max(1, used)
}

// AllToAll says what the links leave to all nodes that send to all: the part of their injection, or ejection, that gets through at most, at
// most 1, and the class of links that allows least. The class is -1 if it is not known, or if there are no links.
func (l *Links) AllToAll() (part float64, class int) {
	part, class = 1, -1
	shape, ok := l.Shape.(topology.Averaged)
	if !ok || len(l.Ends) == 0 || shape.Nodes() == 1 {
		return part, class
	}
	capacities := make([]float64, len(shape.Classes()))
	for i := range shape.Links() {
		capacities[shape.Link(i).Class] += float64(l.Loads[i].Capacity)
	}
	// A node has as much for each other one, and sends nothing to itself.
	n := float64(shape.Nodes())
	sent := float64(l.Loads[shape.Links()].Capacity) * n * n / (n - 1)
	skewed, uneven := l.Shape.(topology.Skewed)
	for c, hops := range shape.MeanHops() {
		if uneven {
			hops *= skewed.Skew()[c]
		}
		if through := capacities[c] / (sent * hops); hops > 0 && (class < 0 || through < part) {
			part, class = through, c
		}
	}
	return min(1, part), class
}

// ByteHops is the sum of what all links of the topology carried: each byte counts once for each
// link that it used.
func (l *Links) ByteHops() (sum float64) {
	for i := range l.Shape.Links() {
		sum += l.Loads[i].Bytes
	}
	return sum
}
