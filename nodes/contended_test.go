package nodes

import (
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/sim"
)

// alone is a contended fabric in which every message travels as if it were
// alone.
type alone struct {
	kernel  *sim.Kernel
	self    sim.HandlerID
	sink    network.Sink
	latency sim.Time
}

func newAlone(p *network.LogGOPS) network.Maker {
	return func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		f := &alone{kernel: k, sink: sink, latency: p.Latency}
		f.self = k.Register(f)
		return f, nil
	}
}

func (f *alone) Latency(_, _ int32) sim.Time { return f.latency }

func (f *alone) Alone(t network.Transfer) sim.Time { return t.Length }

func (f *alone) Links() *network.Links { return nil }

func (f *alone) Explain(network.Watcher) *network.Explanation { return new(network.Explanation) }

func (f *alone) Start(t network.Transfer) {
	sent := f.kernel.Now() + t.Length
	f.kernel.Schedule(sent, f.self, 0, uint64(t.ID))
	f.kernel.Schedule(sent+f.latency, f.self, 1, uint64(t.ID))
}

func (f *alone) Handle(e sim.Event) {
	if e.Kind == 0 {
		f.sink.Sent(uint32(e.Arg), e.At)
	} else {
		f.sink.Arrived(uint32(e.Arg), e.At)
	}
}

// What has a closed form on the ideal fabric has the same one on a contended
// fabric in which nothing contends.
func TestAloneIsIdeal(t *testing.T) {
	copying := with(func(m *Machine) { m.Copying = &Copying{SendPerByte: 3, ReceivePerByte: 4, Buffer: 20, Chunk: 10} })
	limited := with(func(m *Machine) { m.Network.Outstanding = 1 })
	for _, m := range []*Machine{ruleMachine(), copying, limited} {
		for name, ops := range map[string][][]Op{
			"gets":          {{get(1, 30, 0), get(1, 8, 1), wait(1), wait(0)}, {compute(150), put(0, 40, 0), wait(0)}},
			"signals":       {{signal(1, 30, 3, 0), put(1, 4, 1), wait(0), wait(1)}, {irecv(0, 3, 0), wait(0), compute(9)}},
			"a late signal": {{signal(1, 30, 3, 0), wait(0)}, {compute(3000), irecv(0, 3, 0), wait(0)}},
			"rendezvous":    {{isend(1, 90, 3, 0), wait(0)}, {irecv(0, 3, 0), compute(1000), test(0), compute(10), wait(0)}},
		} {
			program := &script{1, ops, 1}
			want, err := Run(m, program, 1, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := Run(m, program, 1, Options{Fabric: newAlone(&m.Network)})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Finish, want.Finish) {
				t.Errorf("%s: ends at %v, on the ideal fabric at %v", name, got.Finish, want.Finish)
			}
		}
	}
}
