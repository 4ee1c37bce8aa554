package flow

import (
	"math"
	"testing"

	"overlapsim/sim"
)

// recorder notes when flows are sent and have arrived.
type recorder struct{ sent, arrived []sim.Time }

func newRecorder(n int) *recorder { return &recorder{make([]sim.Time, n), make([]sim.Time, n)} }

func (r *recorder) Sent(id uint32, now sim.Time)    { r.sent[id] = now }
func (r *recorder) Arrived(id uint32, now sim.Time) { r.arrived[id] = now }

// starter starts planned flows at their times.
type starter struct {
	n     *Network
	plans []plan
}

func (s *starter) Handle(e sim.Event) {
	p := &s.plans[e.Arg]
	s.n.Start(Flow{ID: uint32(e.Arg), Route: p.route, Bytes: p.bytes, Limit: p.limit})
}

// scenario is a random network with random flows.
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
		for k := range p.route { // any order
			o := k + stream.Intn(len(p.route)-k)
			p.route[k], p.route[o] = p.route[o], p.route[k]
		}
		p.bytes = 1e6
		if !equal {
			p.bytes = math.Floor(1e7 * stream.Float64() * stream.Float64())
			p.start = float64(stream.Intn(20)) * 1e-3
		}
		if stream.Intn(4) == 0 {
			p.limit = 1e9 * stream.Float64()
		}
	}
	return capacity, plans
}

// TestAgainstReference compares the ends of flows in random networks with
// those of water-filling from scratch.
func TestAgainstReference(t *testing.T) {
	const cases = 4000
	flows := 0
	for c := range uint64(cases) {
		stream := sim.NewStream(1, c)
		capacity, plans := scenario(stream)
		flows += len(plans)
		k := sim.NewKernel()
		rec := newRecorder(len(plans))
		n, err := NewNetwork(k, rec, capacity)
		if err != nil {
			t.Fatal(err)
		}
		starts := &starter{n, plans}
		self := k.Register(starts)
		for i, p := range plans {
			k.Schedule(sim.Seconds(p.start), self, 0, uint64(i))
		}
		for k.Step() {
			if !n.changed {
				checkFair(t, c, &n.sharing); checkLoads(t, &n.sharing); if t.Failed() { t.FailNow() }
			}
		}
		want := reference(capacity, plans)
		for i, at := range rec.arrived {
			if off := math.Abs(at.Seconds() - want[i]); off > 1e-9*want[i]+5e-12 {
				t.Errorf("case %d: flow %d of %d ends at %.12g, reference %.12g", c, i, len(plans), at.Seconds(), want[i])
			}
			if rec.sent[i] != at {
				t.Errorf("case %d: flow %d sent %v, arrived %v", c, i, rec.sent[i], at)
			}
		}
		if t.Failed() {
			t.Fatalf("case %d: capacity %v\n%+v", c, capacity, plans)
		}
	}
	if flows < 50000 {
		t.Errorf("only %d flows in %d cases", flows, cases)
	}
}

// checkFair holds the rates to the definition of max-min fairness: no link
// above its capacity, and every flow has a full link on which no flow is faster.
func checkFair(t *testing.T, c uint64, s *sharing) {
	t.Helper()
	sum := make([]float64, len(s.links))
	most := make([]float64, len(s.links))
	under := map[int32]bool{}
	for l := range s.links {
		for _, u := range s.links[l].users {
			under[u.flow] = true
			sum[l] += s.flows[u.flow].rate
			most[l] = max(most[l], s.flows[u.flow].rate)
		}
		if sum[l] > s.links[l].capacity*(1+1e-9) {
			t.Errorf("case %d: link %d carries %v of %v", c, l, sum[l], s.links[l].capacity)
		}
	}
	for f := range under {
		rate, fair := s.flows[f].rate, false
		for _, h := range s.route(f) {
			full := sum[h.link] >= s.links[h.link].capacity*(1-1e-9)
			fair = fair || full && rate >= most[h.link]*(1-1e-9)
		}
		if !fair {
			t.Errorf("case %d: flow %d with rate %v has no bottleneck", c, f, rate)
		}
	}
}
