package experiments

import (
	"fmt"
	"testing"

	"overlapsim/network"
	"overlapsim/network/packet"
	"overlapsim/network/packet/ospri"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

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
// the bare fabric, whatever the routers are. Both have the same overhead and no other
// costs.
func TestGetsAreGets(t *testing.T) {
	grid := topology.Grid{Sizes: []int{4, 4, 2}, Tie: topology.TieParity}
	shape, err := topology.NewTorus(grid)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(200) {
		s := sim.NewStream(11, seed)
		b := ospri.Benchmark{Params: packet.BlueGeneP(), Grid: grid, GetOverhead: sim.Time(s.Intn(2000)) * sim.Nanosecond}
		b.Get, b.AnswerFIFOs = packet.Routing(s.Intn(2)), s.Intn(3)
		b.AnswerLatency = sim.Time(s.Intn(900)) * sim.Nanosecond
		b.Slots, b.Operations = 2+s.Intn(4), 1+s.Intn(12)
		displacement, bytes := []int{s.Intn(4), s.Intn(4), s.Intn(2)}, int64(1+s.Intn(5000))
		if displacement[0]+displacement[1]+displacement[2] == 0 {
			continue // a get from itself does not use the fabric
		}
		want, err := b.Alone(ospri.Get, displacement, bytes, 0)
		if err != nil {
			t.Fatal(err)
		}
		m := &machines.Machine{Name: "bare", Cores: 1, Processes: 1, Network: network.LogGOPS{
			SendOverhead: network.Constant(b.GetOverhead), Channels: 1000,
		}}
		fabric := func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
			return packet.New(k, sink, shape, b.Params)
		}
		program := &fetcher{ranks: shape.Nodes(), from: shape.At(displacement...), to: 0, count: b.Operations, bytes: bytes}
		r, err := nodes.Run(m, program, 1, nodes.Options{Fabric: fabric})
		if err != nil {
			t.Fatal(err)
		}
		if r.Finish[0] != want {
			t.Errorf("%d gets of %d bytes from %v: %v, the experiment has %v: %s", b.Operations, bytes, displacement, r.Finish[0], want,
				fmt.Sprintf("%+v", b.Params))
		}
	}
}
