package flow

import (
	"fmt"
	"math"
	"testing"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// recorder notes when flows are sent and have arrived.
type recorder struct{ sent, arrived []sim.Time }

func newRecorder(n int) *recorder { return &recorder{make([]sim.Time, n), make([]sim.Time, n)} }

func (r *recorder) Sent(id uint32, now, _ sim.Time) { r.sent[id] = now }
func (r *recorder) Arrived(id uint32, now sim.Time) { r.arrived[id] = now }

// starter starts planned flows at their times.
type starter struct {
	n     *Network
	plans []plan
}

func (s *starter) Handle(e sim.Event) {
	p := &s.plans[e.Arg]
	s.n.Start(Flow{ID: uint32(e.Arg), Route: p.route, Bytes: int64(p.bytes), Least: p.least()})
}

// run lets the planned flows share links, and returns when each arrives. After every
// change of rates it calls check.
func run(t *testing.T, capacity []float64, plans []plan, check func(*sharing[sim.Time])) ([]sim.Time, *Network) {
	t.Helper()
	k := sim.NewKernel()
	rec := newRecorder(len(plans))
	n := must.Get(NewNetwork(k, rec, rates(capacity), false))(t)
	self := k.Register(&starter{n, plans})
	for i, p := range plans {
		k.Schedule(sim.Seconds(p.start), self, 0, uint64(i))
	}
	for k.Step() {
		if !n.unsolved {
			check(&n.sharing)
		}
	}
	for i, at := range rec.arrived {
		if rec.sent[i] != at {
			t.Errorf("flow %d without latency is sent at %v and arrives at %v", i, rec.sent[i], at)
		}
	}
	return rec.arrived, n
}

// rates converts capacities to rates.
func rates(capacity []float64) (all []sim.Rate) {
	for _, c := range capacity {
		all = append(all, sim.Rate(c))
	}
	return all
}

// least is how long the limit makes a planned flow take.
func (p *plan) least() sim.Time {
	if p.limit == 0 {
		return 0
	}
	return sim.Seconds(p.bytes / p.limit)
}

// transfer is what a NIC that takes no time hands over.
func transfer(id uint32, from, to int32, bytes int64) network.Transfer {
	return network.Transfer{ID: id, From: from, To: to, Bytes: bytes}
}

// compare compares the ends of flows with the ends in the reference: they agree within 1e-9,
// plus the picoseconds to which the ends of other flows are rounded.
func compare(t *testing.T, got []sim.Time, want []float64) {
	t.Helper()
	for i, at := range got {
		if off := math.Abs(at.Seconds() - want[i]); off > 1e-9*want[i]+5e-12 {
			t.Errorf("flow %d of %d ends at %.12g, reference %.12g", i, len(got), at.Seconds(), want[i])
		}
	}
}

// scenario is a random network with random flows: few or many on a link, equal
// or not, at once or spread over time, some limited, some with nothing to send
// or no link.
func scenario(stream *sim.Stream) ([]float64, []plan) {
	capacity := make([]float64, 1+stream.Intn(12))
	for i := range capacity {
		capacity[i] = 1e9
		if stream.Intn(2) == 0 {
			capacity[i] = 1e9 * (0.1 + stream.Float64())
		}
	}
	plans := make([]plan, 1+stream.Intn(30))
	equal, dense := stream.Intn(3) == 0, 0.1+0.5*stream.Float64()
	for i := range plans {
		p := &plans[i]
		for l := range capacity {
			if stream.Float64() < dense {
				p.route = append(p.route, int32(l))
			}
		}
		shuffle(stream, p.route)
		p.bytes = 1e6
		if !equal {
			p.bytes = math.Floor(1e7 * stream.Float64() * stream.Float64())
			p.start = float64(stream.Intn(20)) * 1e-3
		}
		if stream.Intn(4) == 0 && p.bytes > 0 {
			p.limit = p.bytes / sim.Seconds(p.bytes/(1e9*stream.Float64())).Seconds()
		}
	}
	return capacity, plans
}

func shuffle[E any](stream *sim.Stream, s []E) {
	for i := range s {
		other := i + stream.Intn(len(s)-i)
		s[i], s[other] = s[other], s[i]
	}
}

// TestAgainstReference compares flows in random networks with water-filling
// from scratch at every event, and the rates with the definition.
func TestAgainstReference(t *testing.T) {
	must.Long(t)
	const cases = 8000
	for c := range uint64(cases) {
		capacity, plans := scenario(sim.NewStream(1, c))
		arrived, _ := run(t, capacity, plans, func(s *sharing[sim.Time]) { checkFair(t, s) })
		compare(t, arrived, reference(capacity, plans))
		if t.Failed() {
			t.Fatalf("case %d: capacity %v\n%+v", c, capacity, plans)
		}
	}
}

// checkFair checks the rates against the definition of max-min fairness: no link is above
// its capacity, and every flow has a full link on which no flow is faster. It also
// recomputes the sums kept for each link.
func checkFair(t *testing.T, s *sharing[sim.Time]) {
	t.Helper()
	sum := make([]float64, len(s.links))
	most := make([]float64, len(s.links))
	under := map[int32]bool{}
	for i := range s.links {
		l := &s.links[i]
		others, own := 0.0, int32(0)
		for _, u := range l.users {
			f := &s.flows[u.flow]
			under[u.flow] = true
			sum[i] += f.rate
			most[i] = max(most[i], f.rate)
			if f.holder == int32(i) {
				own++
			} else {
				others += f.rate
			}
		}
		if sum[i] > l.capacity*(1+1e-11) {
			t.Errorf("link %d carries %v of %v", i, sum[i], l.capacity)
		}
		if o := s.loads[i]; o.n != own || math.Abs(l.capacity-others-o.rest) > 1e-9*l.capacity {
			t.Errorf("link %d: rest %v and n %d noted, %v and %d true", i, o.rest, o.n, l.capacity-others, own)
		}
	}
	for f := range under {
		rate, fair := s.flows[f].rate, false
		for _, l := range s.route(f) {
			full := sum[l] >= s.links[l].capacity*(1-1e-11)
			fair = fair || full && rate >= most[l]*(1-1e-11)
		}
		if !fair {
			t.Errorf("flow %d with rate %v has no bottleneck", f, rate)
		}
	}
}

// TestInvariance: ends of flows do not depend on the order in which flows and
// links are named, and scale with bandwidth.
func TestInvariance(t *testing.T) {
	for c := range uint64(500) {
		stream := sim.NewStream(2, c)
		capacity, plans := scenario(stream)
		want, _ := run(t, capacity, plans, func(*sharing[sim.Time]) {})

		order, names := make([]int, len(plans)), make([]int32, len(capacity))
		for i := range order {
			order[i] = i
		}
		for l := range names {
			names[l] = int32(l)
		}
		shuffle(stream, order)
		shuffle(stream, names)
		half, mixed := make([]float64, len(capacity)), make([]plan, len(plans))
		for l, name := range names {
			half[name] = capacity[l] / 2
		}
		for i, from := range order {
			p := plans[from]
			p.route = nil
			for _, l := range plans[from].route {
				p.route = append(p.route, names[l])
			}
			p.limit /= 2
			p.start *= 2
			mixed[i] = p
		}
		got, _ := run(t, half, mixed, func(*sharing[sim.Time]) {})
		for i, from := range order {
			if off := got[i] - 2*want[from]; float64(max(off, -off)) > 1e-9*float64(got[i])+10 {
				t.Fatalf("case %d: flow %d ends at %v, with other names and half the bandwidth at %v", c, from, want[from], got[i])
			}
		}
	}
}

// TestConservation: all bytes pass every link of their route; no link is
// faster than its capacity while it is busy, nor busy when nothing is left.
func TestConservation(t *testing.T) {
	for c := range uint64(500) {
		capacity, plans := scenario(sim.NewStream(3, c))
		arrived, n := run(t, capacity, plans, func(*sharing[sim.Time]) {})
		for l := range capacity {
			bytes, users, last := 0.0, 0, sim.Time(0)
			for i, p := range plans {
				for _, h := range p.route {
					if int(h) == l && p.bytes > 0 {
						bytes += p.bytes
						users++
						last = max(last, arrived[i])
					}
				}
			}
			got := n.load(l)
			if got.Bytes != bytes || got.Busy > last || got.Peak > users || (got.Peak == 0) != (users == 0) {
				t.Fatalf("case %d: link %d %+v, want %v bytes of %d flows until %v", c, l, got, bytes, users, last)
			}
			if most := capacity[l]*got.Busy.Seconds() + 1; bytes > most*(1+1e-9) {
				t.Fatalf("case %d: link %d carried %v bytes in %v, at most %v", c, l, bytes, got.Busy, most)
			}
		}
	}
}

// TestTopologies compares flows on every kind of topology, with limited nodes,
// with the reference on the same routes.
func TestTopologies(t *testing.T) {
	must.Long(t)
	tops := make([]topology.Topology, 5)
	var err [5]error
	tops[0], err[0] = topology.NewCrossbar(9)
	tops[1], err[1] = topology.NewTorus(topology.Grid{Sizes: []int{4, 3, 2}, Tie: topology.TieParity})
	tops[2], err[2] = topology.NewTorus(topology.Mesh(3, 5))
	tops[3], err[3] = topology.NewFatTree(topology.Tree{Down: []int{4, 2, 3}, Up: []int{2, 2}})
	tops[4], err[4] = topology.NewDragonfly(topology.Groups{Number: 4, Routers: 3, PerRouter: 2, Global: 2})
	for i, top := range tops {
		if err[i] != nil {
			t.Fatal(err[i])
		}
		for c := range uint64(60) {
			checkTopology(t, top, sim.NewStream(4, uint64(i), c))
			if t.Failed() {
				t.Fatalf("%v, case %d", top, c)
			}
		}
	}
}

// checkTopology runs random flows on a fabric.
func checkTopology(t *testing.T, top topology.Topology, stream *sim.Stream) {
	t.Helper()
	const nic = 4.5e8
	p := Params{Injection: 5e8, Ejection: 7e8}
	for i := range top.Classes() {
		p.Capacity = append(p.Capacity, 1e9/sim.Rate(1+i))
	}
	var capacity []float64
	for l := range top.Links() {
		capacity = append(capacity, float64(p.Capacity[top.Link(l).Class]))
	}
	for i := range 2 * top.Nodes() {
		capacity = append(capacity, float64([]sim.Rate{p.Injection, p.Ejection}[i/top.Nodes()]))
	}
	k := sim.NewKernel()
	c := &Case{}
	var plans []plan
	for range 80 {
		from, to := stream.Intn(top.Nodes()), stream.Intn(top.Nodes())
		route := append(top.Route(from, to, nil), int32(top.Links()+from), int32(top.Links()+top.Nodes()+to))
		bytes := float64(stream.Intn(1e6))
		plans = append(plans, plan{bytes: bytes, route: route, limit: nic})
		c.Flows = append(c.Flows, CaseFlow{From: fmt.Sprint(from), To: fmt.Sprint(to), Bytes: bytes})
	}
	rec := newRecorder(len(plans))
	f := must.Get(New(k, rec, top, p))(t)
	self := k.Register(&fabricStarter{t, f, c, nic})
	for i := range plans {
		k.Schedule(0, self, 0, uint64(i))
	}
	for k.Step() {
		if !f.network.unsolved {
			checkFair(t, &f.network.sharing)
		}
	}
	compare(t, rec.arrived, reference(capacity, plans))
}
