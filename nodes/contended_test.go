package nodes

import (
	"reflect"
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/network/backlog"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// alone is a contended fabric on which every message travels as if it were alone.
type alone struct {
	kernel *sim.Kernel
	network.Unrecorded
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

func (f *alone) Latency(_, _ int32, _ network.TransferKind) sim.Time { return f.latency }

func (f *alone) Injection() sim.Rate               { return 0 }
func (f *alone) Ejection() sim.Rate                { return 0 }
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
		f.sink.Sent(uint32(e.Arg), e.At, e.At+f.latency)
	} else {
		f.sink.Arrived(uint32(e.Arg), e.At)
	}
}

// A closed form on the ideal fabric also holds on a contended fabric where nothing contends.
func TestAloneIsIdeal(t *testing.T) {
	copying := with(func(m *machines.Machine) {
		m.Copying = &machines.Copying{SendPerByte: 3, ReceivePerByte: 4, Buffer: 20, Chunk: 10}
	})
	limited := with(func(m *machines.Machine) { m.Network.Outstanding = 1 })
	writing := func(limit int) *machines.Machine {
		return runtimeMachine(func(m *machines.Machine, rt *machines.Runtime) {
			rt.Rendezvous, rt.Progress.By, m.Network.Outstanding = machines.Write, machines.Offload, limit
		})
	}
	for i, m := range []*machines.Machine{ruleMachine(), copying, limited, writing(0), writing(2)} {
		for name, ops := range map[string][][]programs.Op{
			"gets":          {{get(1, 30, 0), get(1, 8, 1), wait(1), wait(0)}, {compute(150), put(0, 40, 0), wait(0)}},
			"signals":       {{signal(1, 30, 3, 0), put(1, 4, 1), wait(0), wait(1)}, {irecv(0, 3, 0), wait(0), compute(9)}},
			"a late signal": {{signal(1, 30, 3, 0), wait(0)}, {compute(3000), irecv(0, 3, 0), wait(0)}},
			"rendezvous":    {{isend(1, 90, 3, 0), wait(0)}, {irecv(0, 3, 0), compute(1000), test(0), compute(10), wait(0)}},
			// while the bytes of the write leave; the finish follows them
			"others behind": {{isend(1, 90, 3, 0), compute(260), isend(2, 40, 3, 1), isend(2, 30, 3, 2), compute(50), isend(2, 20, 3, 3),
				wait(0), wait(3)},
				{irecv(0, 3, 0), wait(0)}, {irecv(0, 3, 0), irecv(0, 3, 1), irecv(0, 3, 2), wait(2), wait(1), wait(0)}},
		} {
			program := &script{1, ops, 1}
			want := must.Get(Run(m, program, 1, Options{}))(t)
			got := must.Get(Run(m, program, 1, Options{Fabric: newAlone(&m.Network)}))(t)
			if !slices.Equal(got.Finish, want.Finish) || !reflect.DeepEqual(got.Ledgers, want.Ledgers) {
				t.Errorf("machine %d, %s: ends at %v, on the ideal fabric at %v\n%v\n%v", i, name, got.Finish, want.Finish, got.Ledgers, want.Ledgers)
			}
		}
	}
}

// One-sided bytes pass the receiving NIC of a contended fabric like all others. Three messages
// that arrive together pass one after the other, or two and then one if a NIC has two channels.
// Sharing a link before that costs them nothing more.
func TestIncast(t *testing.T) {
	const bytes, length = 600, 1200
	crossbar := must.Get(topology.NewCrossbar(4))(t)
	makers := func(m *machines.Machine, ejection sim.Rate) map[string]network.Maker {
		return map[string]network.Maker{
			"flow": func(k *sim.Kernel, s network.Sink) (network.Contended, error) {
				return flow.New(k, s, crossbar, flow.Params{Latency: m.Network.Latency, Ejection: ejection})
			},
			"backlog": func(k *sim.Kernel, s network.Sink) (network.Contended, error) {
				return backlog.New(k, s, crossbar, backlog.Params{Latency: m.Network.Latency, Ejection: ejection, Window: 1, Turn: 1})
			},
		}
	}
	puts := [][]programs.Op{{put(3, bytes, 0), wait(0)}, {put(3, bytes, 0), wait(0)}, {put(3, bytes, 0), wait(0)}, {}}
	signals := [][]programs.Op{{signal(3, bytes, 0, 0)}, {signal(3, bytes, 0, 0)}, {signal(3, bytes, 0, 0)},
		{irecv(programs.AnySource, 0, 0), irecv(programs.AnySource, 0, 1), irecv(programs.AnySource, 0, 2), wait(2)}}
	gets := [][]programs.Op{{}, {}, {}, {get(0, bytes, 0), get(1, bytes, 1), get(2, bytes, 2), wait(0), wait(1), wait(2)}}
	for _, c := range []struct {
		name     string
		channels int
		ejection sim.Rate
		ops      [][]programs.Op
		last     sim.Time // from the arrival of the first byte until all are there
	}{
		{"puts", 1, 0, puts, 3 * length},
		{"puts on two channels", 2, 0, puts, 2 * length},
		{"puts on three channels", 3, 0, puts, length},
		{"puts that share a link", 1, sim.RateOf(bytes, length), puts, 3 * length},
		{"puts that share half a link", 1, sim.RateOf(bytes, 2*length), puts, 6 * length},
		{"signals", 1, 0, signals, 3 * length},
		{"gets", 1, 0, gets, 3 * length},
		{"gets on three channels", 3, 0, gets, length + 20}, // their requests are 10 apart
	} {
		m := with(func(m *machines.Machine) { m.Network.Channels = c.channels })
		for name, fabric := range makers(m, c.ejection) {
			r := must.Get(Run(m, &script{1, c.ops, 1}, 1, Options{Fabric: fabric, Timeline: true}))(t)
			first, last := sim.Forever, sim.Time(0)
			for _, one := range r.Timeline.Messages {
				first, last = min(first, one.Start+m.Network.Latency), max(last, one.Delivered)
			}
			if last-first != c.last {
				t.Errorf("%s, %s: all are there after %v, want %v", name, c.name, last-first, c.last)
			}
			if c.name == "signals" && r.Finish[3] != last {
				t.Errorf("%s, %s: the last one is delivered at %v and received at %v", name, c.name, last, r.Finish[3])
			}
		}
	}
}

// Three messages that a node posts one after the other wait for each other: the second for the
// rest of the first, the third for the bytes of both.
func TestQueueOverTime(t *testing.T) {
	const bytes = 1000
	m := with(func(m *machines.Machine) { m.Network.Channels = 1 })
	m.Network.SendOverhead, m.Network.Gap, m.Network.QueueDepth = nil, 0, 8
	length := m.Network.Transfer.Of(bytes)
	ops := []programs.Op{put(1, bytes, 0), put(1, bytes, 1), put(1, bytes, 2), wait(0), wait(1), wait(2)}
	r, err := Run(m, &script{1, [][]programs.Op{ops, {}}, 1}, 1, Options{Fabric: newAlone(&m.Network), Traffic: true})
	if err != nil {
		t.Fatal(err)
	}
	w := r.Traffic.Waiting
	if got, want := w.Sum(0), int64((1+2+3)*length); got != want || w.Rows() != 2 || w.Row(1) != nil || r.Traffic.Carried != nil {
		t.Errorf("transfers are at NIC 0 for %d ps, want %d; %+v", got, want, r.Traffic)
	}
	r.Traffic.Finish(nil, r.Makespan())
	if bin := sim.Time(r.Traffic.Longest(0)); bin*w.Bin > length || r.Traffic.Queue(0, int(bin), int(bin)+1) > 3 {
		t.Errorf("the queue is longest in bin %d of %v, with %g", bin, w.Bin, r.Traffic.Queue(0, int(bin), int(bin)+1))
	}
	if bare, err := Run(m, &script{1, [][]programs.Op{ops, {}}, 1}, 1, Options{Fabric: newAlone(&m.Network)}); err != nil || bare.Traffic != nil {
		t.Error("recorded, and not asked for", err)
	}
}
