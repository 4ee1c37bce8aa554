package flow

import (
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// sequence is traffic in which each node sends messages one after the other, as soon as the
// one before has left.
type sequence struct {
	fabric  *Fabric
	to      func(node, message int) int
	each    int
	sent    []int // by node
	arrived []sim.Time
}

func (s *sequence) next(node int) {
	if s.sent[node] == s.each {
		return
	}
	id := uint32(node*s.each + s.sent[node])
	s.fabric.Start(network.Transfer{ID: id, From: int32(node), To: int32(s.to(node, s.sent[node])), Bytes: 64 << 10, Length: 1000})
}

func (s *sequence) Sent(id uint32, _, _ sim.Time) {
	node := int(id) / s.each
	s.sent[node]++
	s.next(node)
}

func (s *sequence) Arrived(id uint32, now sim.Time) { s.arrived[id] = now }

// routedBy returns a balanced dragonfly of 72 nodes in nine groups.
func routedBy(t testing.TB, routing string) topology.Topology {
	t.Helper()
	d := must.Get(topology.NewDragonfly(topology.Groups{Number: 9, Routers: 4, PerRouter: 2, Global: 2}))(t)
	return topology.Routed(d, routing)
}

// run returns when the last message has arrived, and when each has.
func (s *sequence) run(t testing.TB, routing string) (sim.Time, []sim.Time) {
	t.Helper()
	shape, k := routedBy(t, routing), sim.NewKernel()
	s.sent, s.arrived = make([]int, shape.Nodes()), make([]sim.Time, shape.Nodes()*s.each)
	p := Params{Capacity: []sim.Rate{1e10, 1e10}, Injection: 1e10, Ejection: 1e10, Latency: 1000, HopLatency: 100}
	var err error
	if s.fabric, err = New(k, s, shape, p); err != nil {
		t.Fatal(err)
	}
	for node := range shape.Nodes() {
		s.next(node)
	}
	k.Run()
	return slices.Max(s.arrived), s.arrived
}

// traffics are patterns of 72 nodes, eight in a group.
var traffics = map[string]func(node, message int) int{
	"adversarial": func(node, _ int) int { return (node + 8) % 72 },
	"uniform":     func(node, message int) int { return sim.NewStream(1, uint64(node), uint64(message)).Intn(72) },
	"in a group":  func(node, _ int) int { return node/8*8 + (node+2)%8 },
	"far shift":   func(node, message int) int { return (node + 13*(message+1)) % 72 },
}

// Under adversarial traffic, from each group to the next, messages that choose are at least
// as fast as on Valiant's routes, and on minimal ones otherwise; twice the same. In the end
// no link has a flow.
func TestAdaptiveTraffic(t *testing.T) {
	for name, to := range traffics {
		times := map[string]sim.Time{}
		for _, routing := range []string{"minimal", "valiant", "adaptive"} {
			s := sequence{to: to, each: 20}
			end, arrived := s.run(t, routing)
			times[routing] = end
			if _, again := s.run(t, routing); !slices.Equal(arrived, again) {
				t.Errorf("%s, %s: two runs differ", name, routing)
			}
			if c := s.fabric.choosing; c != nil && slices.ContainsFunc(c.flows, func(n int32) bool { return n != 0 }) {
				t.Errorf("%s: flows are left: %v", name, c.flows)
			}
		}
		if float64(times["adaptive"]) > 1.02*float64(min(times["minimal"], times["valiant"])) {
			t.Errorf("%s: %v", name, times)
		}
	}
}

// Random traffic that chooses its ways is at most a tenth slower than on the worse of both.
func TestAdaptiveNotWorse(t *testing.T) {
	for seed := range uint64(20) {
		draw := sim.NewStream(2, seed)
		nodes, partners := 1+draw.Intn(72), 1+draw.Intn(5)
		to := func(node, message int) int {
			return sim.NewStream(seed, uint64(node%nodes), uint64(message%partners)).Intn(72)
		}
		times := map[string]sim.Time{}
		for _, routing := range []string{"minimal", "valiant", "adaptive"} {
			s := sequence{to: to, each: 1 + int(seed%7)}
			times[routing], _ = s.run(t, routing)
		}
		if worse := max(times["minimal"], times["valiant"]); float64(times["adaptive"]) > 1.1*float64(worse) {
			t.Errorf("seed %d: %v", seed, times)
		}
	}
}

// A message alone takes the minimal route: its time is that on minimal routes, to each node.
func TestAdaptiveAlone(t *testing.T) {
	for node := range 72 {
		alone := func(routing string) sim.Time {
			s := sequence{to: func(from, _ int) int { return map[bool]int{true: node, false: from}[from == 5] }, each: 1}
			_, arrived := s.run(t, routing)
			return arrived[5]
		}
		if got, want := alone("adaptive"), alone("minimal"); got != want {
			t.Errorf("to node %d: %v, minimal %v", node, got, want)
		}
	}
}
