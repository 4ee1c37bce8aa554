package experiments

import (
	"fmt"
	"math"
	"testing"

	"overlapsim/network"
	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// ring is a torus of BlueGene/P with these sizes.
func ring(sizes ...int) Network {
	return Network{Grid: topology.Grid{Sizes: sizes, Tie: topology.TieParity}, Packet: packet.BlueGeneP(), Seed: 1}
}

// metrics runs an experiment.
func metrics(t *testing.T, w Experiment, n Network) map[string]float64 {
	t.Helper()
	r, _, err := w.Run(nil, n)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	m := w.Metrics(nil, r)
	for _, m := range m.List() {
		all[m.Name] = m.Value
	}
	return all
}

// Times of a packet with data, of one without, and of a hop.
const data, control, hop = 640 * sim.Nanosecond, 188235 * sim.Picosecond, 100 * sim.Nanosecond

// A ring in which everybody reaches for the next node has no contention: the
// times are the times of the formula.
func TestNeighbours(t *testing.T) {
	const packets = 5
	w := &contentionDisplacement{newContention(), []int{1}}
	w.Bytes = packets * 240
	rest := 2*hop + packet.BlueGeneP().AnswerLatency + w.Completion
	for op, time := range map[string]sim.Time{
		"put": w.PutOverhead + 10*(packets*data+control) + control + rest,
		"get": w.GetOverhead + control + 10*packets*data + rest,
	} {
		w.Op = op
		got, want := metrics(t, w, ring(8))["bandwidth_MiBps"], 10*packets*240/time.Seconds()/(1<<20)
		if math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s: %v MiB/s, want %v", op, got, want)
		}
	}
}

// With a window of one, every put waits for the acknowledgement of the previous one.
func TestWindow(t *testing.T) {
	w := &contentionDisplacement{newContention(), []int{1}}
	w.Bytes, w.Window = 1200, 1
	round := w.PutOverhead + 5*data + 2*control + 2*hop + packet.BlueGeneP().AnswerLatency
	got, want := metrics(t, w, ring(8))["bandwidth_MiBps"], 12000/(10*round+w.Completion).Seconds()/(1<<20)
	if math.Abs(got/want-1) > 1e-12 {
		t.Errorf("%v MiB/s, want %v", got, want)
	}
}

// Gets keep the links busy: gets half-way round a ring of 8, in either direction, load
// each link twice, and the last one is complete when the links have carried all bytes.
func TestLinksBusy(t *testing.T) {
	w := &contentionDiagonal{newContention(), 100}
	w.Op, w.Bytes = "get", 65536
	m, want := metrics(t, w, ring(8)), 2*274*0.640
	if m["max_us"] < want || m["max_us"] > want*1.02 || m["min_us"] > m["avg_us"] || m["avg_us"] > m["max_us"] {
		t.Errorf("%v, want a maximum of about %v us", m, want)
	}
}

// Half of the nodes of a ring have an even coordinate.
func TestPercent(t *testing.T) {
	for percent, want := range map[int64]float64{100: 16, 50: 8, 25: 4} {
		w := &contentionDiagonal{newContention(), percent}
		w.Bytes = 1
		if got := metrics(t, w, ring(8, 2))["pairs"]; got != want {
			t.Errorf("%d%%: %v nodes took part, want %v", percent, got, want)
		}
	}
}

// A node alone takes the time of the formula, wherever it is, and no longer than among
// others.
func TestAlone(t *testing.T) {
	w := newContention()
	w.Op, w.Bytes = "get", 2400
	all := must.Get(w.try(ring(8), []int{3}, 100, everyNode))(t)
	want := w.GetOverhead + control + 10*10*data + 6*hop + packet.BlueGeneP().AnswerLatency + w.Completion
	for node, p := range all.nodes {
		got := must.Get(w.alone(ring(8), []int{3}, node))(t)
		if got != want {
			t.Errorf("node %d takes %v alone, want %v", node, got, want)
		}
		if took := p.end - p.start; took <= got {
			t.Errorf("node %d takes %v among others, %v alone", node, took, got)
		}
	}
}

// Where two dimensions are loaded and one is not, gets lose by the rule among adaptive
// packets; where all are loaded alike they do not. By age they lose nowhere.
func TestGetsAtUnequalDisplacements(t *testing.T) {
	must.Long(t)
	rule, age := ring(8, 8, 8), ring(8, 8, 8)
	age.Packet.AdaptiveArbitration = packet.OldestFirst
	for _, c := range []struct {
		displacement []int
		least, most  float64 // by age over by the rule
	}{{[]int{3, 3, 1}, 1.5, 1.9}, {[]int{3, 3, 3}, 0.98, 1.02}} {
		w := &contentionDisplacement{newContention(), c.displacement}
		w.Op = "get"
		old, got := metrics(t, w, age)["bandwidth_MiBps"], metrics(t, w, rule)["bandwidth_MiBps"]
		if x := old / got; x < c.least || x > c.most {
			t.Errorf("%v: %.0f MiB/s by age, %.0f by the rule: %.2f, want %v to %v", c.displacement, old, got, x, c.least, c.most)
		}
	}
}

// Puts have the routing of the network unless they are ordered.
func TestOrdered(t *testing.T) {
	took := func(ordered bool, routing packet.Routing) float64 {
		w, n := &contentionDiagonal{newContention(), 50}, ring(4, 6, 2)
		w.Ordered, w.Bytes, n.Packet.Put = ordered, 5000, routing
		return metrics(t, w, n)["avg_us"]
	}
	static := took(true, packet.Static)
	if took(true, packet.Adaptive) != static || took(false, packet.Static) != static {
		t.Error("ordered puts are not static ones")
	}
	if took(false, packet.Adaptive) == static {
		t.Error("adaptive puts are as static ones")
	}
}

// fetcher is a program in which one rank repeatedly gets from another one.
type fetcher struct {
	ranks, from, to, count int
	bytes                  int64
}

func (f *fetcher) Ranks() int       { return f.ranks }
func (f *fetcher) Phases() []string { return nil }

func (f *fetcher) Step(rank, step int, do *programs.Ops) bool {
	if rank != f.to || step > 0 {
		return false
	}
	for i := range f.count {
		do.Get(f.from, f.bytes, i)
	}
	for i := range f.count {
		do.Wait(i)
	}
	return false
}

// If one node gets from another one, the program takes the same time as the experiment on
// the bare fabric, regardless of what the routers are. Both have the same overhead and no other
// costs.
func TestGetsAreGets(t *testing.T) {
	n := ring(4, 4, 2)
	shape := must.Get(topology.NewTorus(n.Grid))(t)
	for seed := range uint64(200) {
		s := sim.NewStream(11, seed)
		w := contention{Op: "get", GetOverhead: sim.Time(s.Intn(2000)) * sim.Nanosecond, Ordered: true}
		n.Packet = packet.BlueGeneP()
		n.Packet.Get, n.Packet.AnswerFIFOs = packet.Routing(s.Intn(2)), s.Intn(3)
		n.Packet.AnswerLatency = sim.Time(s.Intn(900)) * sim.Nanosecond
		n.Packet.Slots, w.Operations = 2+s.Intn(4), 1+int64(s.Intn(12))
		displacement := []int{s.Intn(4), s.Intn(4), s.Intn(2)}
		w.Bytes = int64(1 + s.Intn(5000))
		if displacement[0]+displacement[1]+displacement[2] == 0 {
			continue // a get from itself does not use the fabric
		}
		want := must.Get(w.alone(n, displacement, 0))(t)
		m := &machines.Machine{Name: "bare", Cores: 1, Processes: 1, Network: network.LogGOPS{
			SendOverhead: network.Constant(w.GetOverhead), Channels: 1000,
		}}
		fabric := func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
			return packet.New(k, sink, shape, n.Packet)
		}
		program := &fetcher{ranks: shape.Nodes(), from: shape.At(displacement...), to: 0, count: int(w.Operations), bytes: w.Bytes}
		r := must.Get(nodes.Run(m, program, 1, nodes.Options{Fabric: fabric}))(t)
		if r.Finish[0] != want {
			t.Errorf("%d gets of %d bytes from %v: %v, the experiment has %v: %s", w.Operations, w.Bytes, displacement, r.Finish[0], want,
				fmt.Sprintf("%+v", n.Packet))
		}
	}
}
