package nodes

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// An undisturbed run takes as long as its bound.
func TestBoundIsReached(t *testing.T) {
	m := ruleMachine() // L = 100, o = 10, 20 to take in, g = 7, 2 per byte
	for _, c := range []struct {
		name string
		ops  [][]programs.Op
		want results.Bound
	}{
		{"computation", [][]programs.Op{{compute(700)}, {compute(900)}}, results.Bound{Work: 900, Chain: 900}},
		{"a put", [][]programs.Op{{put(1, 30, 0), wait(0)}, {}}, results.Bound{Work: 10, Messages: 7, Bytes: 60, Chain: 10 + 60 + 200}},
		{"a get", [][]programs.Op{{get(1, 30, 0), wait(0)}, {}}, results.Bound{Work: 10, Messages: 7, Bytes: 60, Chain: 10 + 100 + 60 + 100}},
		{"puts by one NIC", [][]programs.Op{{put(1, 300, 0), put(1, 300, 1), wait(0), wait(1)}, {}},
			results.Bound{Work: 20, Messages: 14, Bytes: 1200, Chain: 20 + 600 + 200}},
		{"a put that nobody waits for", [][]programs.Op{{put(1, 30, 0)}, {}}, results.Bound{Work: 10, Chain: 10}},
		{"there and back", [][]programs.Op{{isend(1, 8, 0, 0), irecv(1, 0, 1), wait(1)}, {irecv(0, 0, 0), wait(0), isend(0, 8, 0, 1)}},
			results.Bound{Work: 10, Messages: 7, Bytes: 16, Chain: 2 * (10 + 16 + 100)}},
		{"from anybody", [][]programs.Op{{isend(1, 8, 0, 0)}, {irecv(programs.AnySource, 0, 0), wait(0)}},
			results.Bound{Work: 10, Messages: 7, Bytes: 16, Chain: 10}},
		{"a barrier", [][]programs.Op{{compute(50), {Kind: programs.OpBarrier}}, {{Kind: programs.OpBarrier}, compute(30)}},
			results.Bound{Work: 50, Chain: 50 + 8 + 30}},
	} {
		p := &script{1, c.ops, 1}
		r, err := Run(m, p, 1, Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if r.Bound != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, r.Bound, c.want)
		}
	}
}

// Where a byte costs nothing in small messages, the bound counts the bytes of a message as it travels: whole, or in the pieces of its library.
func TestBoundOfTables(t *testing.T) {
	table := network.Cost{{Base: 16}, {From: 20, Base: 16, PerByte: 2}} // up to 19 bytes take 16, 32 take 80
	pipelined := &machines.Runtime{Rendezvous: machines.Pipelined, Pipeline: machines.Pipeline{Chunk: 16}}
	for _, c := range []struct {
		name    string
		runtime *machines.Runtime
		bytes   int32
		want    sim.Time
	}{
		{"whole", nil, 32, 16 + 32*2},
		{"a library that sends it whole", &machines.Runtime{Rendezvous: machines.Read}, 64, 16 + 64*2},
		{"too short to be cut", pipelined, 32, 16 + 32*2},
		{"four pieces of 16", pipelined, 64, 64 - 6/2}, // 6 pieces would be rounded
	} {
		m := with(func(m *machines.Machine) { m.Network.Transfer, m.Runtime = table, c.runtime })
		r, err := Run(m, &script{1, [][]programs.Op{{isend(1, c.bytes, 0, 0), wait(0)}, {irecv(0, 0, 0), wait(0)}}, 1}, 1, Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if r.Bound.Bytes != c.want {
			t.Errorf("%s: the NIC is busy for %v at least, want %v", c.name, r.Bound.Bytes, c.want)
		}
	}
}

// The bound names the number of messages where their gaps or their startups bind, and their bytes where those do; what it names is what shortens it.
func TestBoundNamesWhatBinds(t *testing.T) {
	const puts = 20
	for _, c := range []struct {
		bytes              int32
		gap, startup, want sim.Time
		of                 string
	}{
		{1, 100, 0, puts * 100, "messages through a NIC"},
		{300, 100, 0, puts * 600, "bytes through a NIC"},
		{10, 7, 50, puts * 70, "messages through a NIC"},
		{300, 7, 50, puts * 650, "bytes through a NIC"},
	} {
		var ops []programs.Op
		for i := range int32(puts) {
			ops = append(ops, put(1, c.bytes, i))
		}
		for i := range int32(puts) {
			ops = append(ops, wait(i))
		}
		bound := func(gap, startup sim.Time, perByte float64) results.Bound {
			m := with(func(m *machines.Machine) {
				m.Network.Latency, m.Network.SendOverhead = 0, network.Constant(1)
				m.Network.Gap, m.Network.Startup, m.Network.Transfer = gap, startup, network.PerByte(perByte)
			})
			r, err := Run(m, &script{1, [][]programs.Op{ops, {}}, 1}, 1, Options{})
			if err != nil {
				t.Fatal(err)
			}
			return r.Bound
		}
		b := bound(c.gap, c.startup, 2)
		if nic := max(b.Messages, b.Bytes); b.Of() != c.of || nic != c.want {
			t.Errorf("%+v: %v is of %s, %+v", c, nic, b.Of(), b)
		}
		fewer, faster := bound(c.gap/2, c.startup/2, 2).Time(), bound(c.gap, c.startup, 1).Time()
		if (fewer < faster) != (c.of == "messages through a NIC") {
			t.Errorf("%+v: the bound is of %s; half the time for each message makes it %v, for each byte %v", c, b.Of(), fewer, faster)
		}
	}
}

// bounded is a random case for comparisons of bounds.
type bounded struct{ *slopeCase }

func drawBounded(t *rapid.T) bounded {
	in := bounded{&slopeCase{instance: drawInstance(t, rapid.Bool().Draw(t, "copying"))}}
	in.finer(t, 100_000) // so that rounding does not show
	return in
}

// bound runs the case on a machine; ok: the run ends.
func (in bounded) bound(m *machines.Machine, o Options) (b results.Bound, ok bool) {
	r, err := Run(m, in.script, in.perNode, o)
	if err != nil {
		return b, false
	}
	return r.Bound, true
}

// wild tells whether chance decides which messages are waited for: a receive may take one of
// several messages, or, without RDMA, the request of one message may overtake the bytes of
// another.
func (in bounded) wild() bool {
	seen := map[[3]int32]bool{}
	for r, ops := range in.script.ops {
		for _, op := range ops {
			way := [3]int32{int32(r), op.Peer, op.Tag}
			switch {
			case op.Kind == programs.OpReceive && (op.Peer == programs.AnySource || op.Tag == programs.AnyTag):
				return true
			case op.Kind != programs.OpSend && op.Kind != programs.OpSignal:
			case seen[way] && in.machine.Copying != nil:
				return true
			default:
				seen[way] = true
			}
		}
	}
	return false
}

// cuts tells whether a library may cut messages that the machine alone does not cut, which may shorten them.
func (in bounded) cuts(m *machines.Machine) bool {
	if m.Copying != nil || m.Runtime == nil || len(m.Network.Transfer) < 2 && m.Network.Channels < 2 {
		return false
	}
	strided := func(op programs.Op) bool { return op.Strided }
	return m.Runtime.Rendezvous == machines.Pipelined || slices.ContainsFunc(in.script.ops, func(ops []programs.Op) bool { return slices.ContainsFunc(ops, strided) })
}

// near tells whether two times differ by rounding at most.
func near(a, b sim.Time) bool { return math.Abs(float64(a-b)) <= 1e-3*float64(max(a, b))+100 }

// The bound depends only on the machine and the program, not on library and fabric, and every run
// checks that it is not faster than its bound. A library whose receivers copy has another way for the bytes. One that
// cuts messages may need less where a byte costs less in smaller messages, or where several channels send.
func TestBoundIsTheMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawBounded(t)
		if inside := in.machine.IntraNode; inside != nil {
			inside.Threshold = 0
		}
		in.machine.Network.Channels = rapid.IntRange(1, 4).Draw(t, "channels")
		want, ok := in.bound(in.machine, Options{})
		m := *in.machine
		if copying := m.Copying; copying != nil {
			own := *copying
			m.Copying = &own
		}
		m.Runtime = drawRuntime(t, times{true}, &m)
		if m.Runtime.Rendezvous == machines.Copy {
			m.Runtime.Rendezvous = machines.Read
		}
		if traitsOf(m.Runtime.Progress.By).tests {
			m.Noise = nil
		}
		nodes := in.points()
		fabrics := loose(t, nodes, m.Network.Latency)
		fabrics["ideal"] = nil
		fabrics["a slow ring"] = newRing(nodes, &flow.Params{Capacity: []sim.Rate{1e6}, Latency: m.Network.Latency, HopLatency: 77})
		for name, fabric := range fabrics {
			o := Options{Fabric: fabric}
			for _, on := range []*machines.Machine{in.machine, &m} {
				got, ended := in.bound(on, o)
				same := func(got, want sim.Time) bool { return near(got, want) || in.cuts(on) && got < want }
				if ok && ended && !in.wild() && !(near(got.Work, want.Work) && same(got.Messages, want.Messages) && same(got.Bytes, want.Bytes) && same(got.Chain, want.Chain)) {
					t.Fatalf("%v%s: runtime %+v: bound %+v, without one %+v", in.instance, name, on.Runtime, got, want)
				}
			}
		}
	})
}

// A faster part of the machine does not raise the bound.
func TestBoundFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawBounded(t)
		before, ok := in.bound(in.machine, Options{})
		all := parts.Parameters(in.machine)
		p := all[rapid.IntRange(0, indexOf(parts.Unexpected)).Draw(t, "parameter")]
		for _, x := range p.Times {
			*x /= 2
		}
		for _, x := range p.Floats {
			*x /= 2
		}
		after, ended := in.bound(in.machine, Options{})
		if ok && ended && after.Time() > before.Time()+100 {
			t.Fatalf("%vhalf of %s: bound %+v, before %+v", in.instance, p.Name, after, before)
		}
	})
}

// Times twice as long make a bound twice as long.
func TestBoundScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawBounded(t)
		before, ok := in.bound(in.machine, Options{})
		for _, p := range parts.Parameters(in.machine) {
			for _, x := range p.Times {
				*x *= 2
			}
			for _, x := range p.Floats {
				*x *= 2
			}
		}
		for _, ops := range in.script.ops {
			for i := range ops {
				if ops[i].Kind == programs.OpCompute {
					ops[i].Amount *= 2
				}
			}
		}
		after, ended := in.bound(in.machine, Options{})
		if ok != ended || ok && !(near(after.Work, 2*before.Work) && near(after.Messages, 2*before.Messages) && near(after.Bytes, 2*before.Bytes) && near(after.Chain, 2*before.Chain)) {
			t.Fatalf("%vtwice the times: bound %+v, before %+v", in.instance, after, before)
		}
	})
}
