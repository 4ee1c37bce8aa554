package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// Links are the links of a network and what they carried in a run: those of the
// topology by their numbers, then what each node injects and takes out where
// that is limited.
type Links struct {
	Shape   topology.Topology
	Elapsed sim.Time // of the run
	Unit    string   // what is counted: "flows" or "packets"
	Loads   []LinkLoad
	ends    []string // behind the links: injection, ejection
}

// LinkLoad is what one link carried.
type LinkLoad struct {
	Capacity float64  // bytes/s
	Bytes    float64  // of packets with their overhead
	Busy     sim.Time // with anything on it
	Count    int64    // flows or packets
	Peak     int      // most flows at a time, or most packets in one FIFO at its end
}

// loaded is a fabric that knows what its links have carried.
type loaded interface{ loads() *Links }

// loads implements loaded.
func (f flowFabric) loads() *Links {
	l := &Links{Shape: f.shape, Unit: "flows"}
	add := func(n int, capacity func(int) float64, load func(int) flow.Load) {
		for i := range n {
			a := load(i)
			l.Loads = append(l.Loads, LinkLoad{capacity(i), a.Bytes, a.Busy, a.Flows, a.Peak})
		}
	}
	add(f.shape.Links(), func(i int) float64 { return f.p.Capacity[f.shape.Link(i).Class] }, f.Load)
	if limit := f.p.Injection; limit > 0 {
		l.ends = append(l.ends, "injection")
		add(f.shape.Nodes(), func(int) float64 { return limit }, f.Injected)
	}
	if limit := f.p.Ejection; limit > 0 {
		l.ends = append(l.ends, "ejection")
		add(f.shape.Nodes(), func(int) float64 { return limit }, f.Ejected)
	}
	return l
}

// loads implements loaded.
func (f *packetFabric) loads() *Links { return packetLoads(f.shape, f.Fabric, f.bandwidth) }

func packetLoads(shape topology.Topology, f *packet.Fabric, bandwidth float64) *Links {
	l := &Links{Shape: shape, Unit: "packets"}
	for i := range shape.Links() {
		a := f.Load(i)
		l.Loads = append(l.Loads, LinkLoad{bandwidth, float64(a.Bytes), a.Busy, a.Packets, a.Peak})
	}
	return l
}

// check returns an error if a link carried more than it can.
func (l *Links) check() error {
	for i := range l.Loads {
		a := &l.Loads[i]
		need := a.Bytes / a.Capacity * 1e12 // ps; each message is rounded
		if need > float64(a.Busy)*(1+1e-9)+float64(a.Count) || a.Busy > l.Elapsed {
			return fmt.Errorf("bug: %s carried %g bytes in %v of %v, at %g bytes/s", l.Name(i), a.Bytes, a.Busy, l.Elapsed, a.Capacity)
		}
	}
	return nil
}

// Name says where a link is: "(3, 0, 1) +x", "router 4 to 9, local",
// "node 7 injection".
func (l *Links) Name(i int) string {
	if i >= l.Shape.Links() {
		i -= l.Shape.Links()
		n := l.Shape.Nodes()
		return fmt.Sprintf("node %d %s", i%n, l.ends[i/n])
	}
	link := l.Shape.Link(i)
	class := l.Shape.Classes()[link.Class]
	if t, ok := l.Shape.(*topology.Torus); ok {
		at := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(t.Coordinates(int(link.From), nil))), ", "), "[]")
		return fmt.Sprintf("(%s) %s%s", at, sign(link.Direction), class)
	}
	if _, ok := l.Shape.(*topology.FatTree); ok {
		class = "levels " + class
	}
	return fmt.Sprintf("router %d to %d, %s", link.From, link.To, class)
}

// sign writes the direction of a link.
func sign(direction int8) string {
	if direction < 0 {
		return "-"
	}
	return "+"
}

// Used is the part of what a link could have carried in the run that it did.
func (l *Links) Used(i int) float64 {
	if l.Elapsed == 0 {
		return 0
	}
	return l.Loads[i].Bytes / l.Loads[i].Capacity / l.Elapsed.Seconds()
}

// BusyShare is the part of the run in which a link had anything to carry.
func (l *Links) BusyShare(i int) float64 {
	if l.Elapsed == 0 {
		return 0
	}
	return float64(l.Loads[i].Busy) / float64(l.Elapsed)
}

// Busiest returns the numbers of at most n links, the most used first; links
// that carried nothing are left out.
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

// Mean is the mean of Used over the links of the topology; without any, over
// injections and ejections.
func (l *Links) Mean() float64 {
	n := l.Shape.Links()
	if n == 0 {
		n = len(l.Loads)
	}
	sum := 0.0
	for i := range n {
		sum += l.Used(i) / float64(n)
	}
	return sum
}

// ByteHops is what all links of the topology have carried together: bytes times
// the links that each has passed.
func (l *Links) ByteHops() (sum float64) {
	for i := range l.Shape.Links() {
		sum += l.Loads[i].Bytes
	}
	return sum
}

// watch lets a maker of fabrics tell what its fabric has carried.
func watch(maker fabricMaker) (watched fabricMaker, after func(end sim.Time) (*Links, error)) {
	var fabric network.Contended
	var kernel *sim.Kernel
	watched = func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		var err error
		fabric, err = maker(k, sink)
		kernel = k
		return fabric, err
	}
	return watched, func(end sim.Time) (*Links, error) {
		f, ok := fabric.(loaded)
		if !ok {
			return nil, nil
		}
		l := f.loads()
		l.Elapsed = max(end, kernel.Now())
		return l, l.check()
	}
}

// linksRecord is the part of a record that tells of links.
type linksRecord struct {
	Links    int           `json:"links"`
	Used     int           `json:"used_links"`
	ByteHops float64       `json:"bytes_times_hops"`
	Mean     float64       `json:"mean_utilization"`
	Most     float64       `json:"max_utilization"`
	Unit     string        `json:"peak_of"`
	Busiest  []busiestLink `json:"busiest"`
}

type busiestLink struct {
	Name  string  `json:"name"`
	Bytes float64 `json:"bytes"`
	Used  float64 `json:"utilization"`
	Busy  float64 `json:"busy_s"`
	Peak  int     `json:"peak_queue"`
}

// BusiestListed is how many links a record and a report list.
const BusiestListed = 10

// record returns links as others may rely on them; nil: there are none.
func (l *Links) record() *linksRecord {
	if l == nil {
		return nil
	}
	busiest := l.Busiest(len(l.Loads))
	r := &linksRecord{Links: len(l.Loads), Used: len(busiest), ByteHops: l.ByteHops(), Mean: l.Mean(), Unit: l.Unit, Busiest: []busiestLink{}}
	for _, i := range busiest[:min(len(busiest), BusiestListed)] {
		a := &l.Loads[i]
		r.Most = max(r.Most, l.Used(i))
		r.Busiest = append(r.Busiest, busiestLink{l.Name(i), a.Bytes, l.Used(i), a.Busy.Seconds(), a.Peak})
	}
	return r
}
