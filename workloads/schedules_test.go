package workloads

import (
	"math/bits"
	"runtime"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

const ns = sim.Nanosecond

// peerMachine has the parameters of LogGOPSim's measurements: L=2500 o=1500
// g=1000 G=6.
func peerMachine() *machines.Machine {
	return &machines.Machine{Name: "peer", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: 2500 * ns, SendOverhead: network.Constant(1500 * ns), ReceiveOverhead: network.Constant(1500 * ns),
		Gap: 1000 * ns, Transfer: network.PerByte(6000),
	}}
}

func run(t testing.TB, name string, ranks int, m *machines.Machine, set func(Workload)) *results.Result {
	t.Helper()
	k, ok := Lookup(name)
	if !ok {
		t.Fatalf("no workload %s", name)
	}
	w := k.New()
	if set != nil {
		set(w)
	}
	return simulate(t, w, m, ranks, m.Processes, nodes.Options{NoSymmetry: true})
}

// Closed forms: a round of these schedules costs every rank the same.
func TestRoundsClosedForm(t *testing.T) {
	m := peerMachine()
	n := m.Network
	hop := func(bytes int64) sim.Time { // o with the insertion hidden behind it, bytes, L, o
		return n.SendOverhead.Of(0) + n.Transfer.Of(bytes) + n.Latency + n.ReceiveOverhead.Of(0)
	}
	for _, c := range []struct {
		name  string
		ranks int
		bytes int64
		want  sim.Time
	}{
		{"dissemination", 16, 1, 4 * hop(1)},
		{"dissemination", 13, 1, 4 * hop(1)},
		{"allreduce-doubling", 64, 4096, 6 * hop(4096)},
		{"token-ring", 10, 8, 10 * hop(8)},
	} {
		r := run(t, c.name, c.ranks, m, nil)
		if r.Makespan() != c.want {
			t.Errorf("%s on %d: %v, want %v", c.name, c.ranks, r.Makespan(), c.want)
		}
	}
}

// The wire of every rank is busy from the first post to the last byte.
func TestLinearAllToAllIsBandwidthBound(t *testing.T) {
	m := peerMachine()
	r := run(t, "alltoall-linear", 16, m, nil)
	n := m.Network
	least := n.SendOverhead.Of(0) + 15*n.Transfer.Of(65536) + n.Latency + n.ReceiveOverhead.Of(0)
	if got := r.Makespan(); got < least || got > least+n.ReceiveOverhead.Of(0)*15 {
		t.Errorf("%v, least %v", got, least)
	}
	if r.Messages != 16*15 {
		t.Errorf("%d messages", r.Messages)
	}
}

func TestHaloNeighbours(t *testing.T) {
	for _, dims := range [][3]int{{4, 3, 2}, {1, 1, 1}, {2, 2, 2}, {5, 1, 3}} {
		p := &haloProgram{dims: dims}
		for me := range p.Ranks() {
			for d := range 6 {
				if back := p.neighbour(p.neighbour(me, d), d^1); back != me {
					t.Errorf("%v: there and back from %d in direction %d: %d", dims, me, d, back)
				}
			}
		}
	}
}

func TestCubic(t *testing.T) {
	for n, want := range map[int][3]int{1: {1, 1, 1}, 8: {2, 2, 2}, 12: {3, 2, 2}, 4096: {16, 16, 16}, 7: {7, 1, 1}, 128: {8, 4, 4},
		1024: {16, 8, 8}} {
		if got := cubic(n); got != want {
			t.Errorf("cubic(%d) = %v", n, got)
		}
	}
}

// Under rendezvous every schedule ends too, and sends the right messages.
func TestSchedulesUnderRendezvous(t *testing.T) {
	m := peerMachine()
	m.Network.Rendezvous = 1000
	for name, messages := range map[string]uint64{"allreduce-doubling": 8 * 3, "alltoall-linear": 8 * 7, "token-ring": 8,
		"halo": 8 * 6 * 100, "dissemination": 8 * 3} {
		if r := run(t, name, 8, m, nil); r.Messages != messages {
			t.Errorf("%s: %d messages, want %d", name, r.Messages, messages)
		}
	}
}

func benchmarkSchedule(b *testing.B, name string, ranks int, messages uint64, set func(Workload)) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var r *results.Result
	for b.Loop() {
		r = run(b, name, ranks, peerMachine(), set)
		if r.Messages != messages {
			b.Fatalf("%d messages, want %d", r.Messages, messages)
		}
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(messages)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
	b.ReportMetric(float64(r.Events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(ranks), "B/rank")
}

func BenchmarkDissemination65536(b *testing.B) {
	benchmarkSchedule(b, "dissemination", 1<<16, 1<<16*16, nil)
}

func BenchmarkDissemination1048576(b *testing.B) {
	benchmarkSchedule(b, "dissemination", 1<<20, 1<<20*20, nil)
}

func BenchmarkAllreduce65536(b *testing.B) {
	benchmarkSchedule(b, "allreduce-doubling", 1<<16, 1<<16*16, nil)
}

func BenchmarkAllToAll64(b *testing.B) { benchmarkSchedule(b, "alltoall-linear", 64, 64*63, nil) }

func BenchmarkAllToAll256(b *testing.B) { benchmarkSchedule(b, "alltoall-linear", 256, 256*255, nil) }

func BenchmarkAllToAll1024(b *testing.B) {
	benchmarkSchedule(b, "alltoall-linear", 1024, 1024*1023, nil)
}

func BenchmarkHalo4096(b *testing.B) {
	benchmarkSchedule(b, "halo", 4096, 4096*6*100, nil)
}

func BenchmarkTokenRing1024x100(b *testing.B) {
	benchmarkSchedule(b, "token-ring", 1024, 1024*100, func(w Workload) { w.(*collective).Repeat = 100 })
}

func TestRoundsOfDissemination(t *testing.T) {
	for p := 1; p < 70; p++ {
		want := uint64(p * bits.Len(uint(p-1)))
		if r := run(t, "dissemination", p, peerMachine(), nil); r.Messages != want {
			t.Errorf("%d ranks: %d messages, want %d", p, r.Messages, want)
		}
	}
}

// On the ideal fabric messages do not delay each other: both calibration factors are 1.
func TestShiftAloneIsIdeal(t *testing.T) {
	for _, rendezvous := range []int64{0, 1000} {
		m := peerMachine()
		m.Network.Rendezvous = rendezvous
		kind, _ := Lookup("shift")
		w := kind.New().(*shift)
		w.Distance, w.Bytes, w.Repeat = 3, 1<<20, 1
		r := simulate(t, w, m, 16, 1, nodes.Options{})
		want := ofOneMessage(m, w.Bytes)
		if got := r.Finish[0]; got != want || w.alone(m) != want.Seconds() {
			t.Errorf("S = %d: %v, want %v; alone %g s", rendezvous, got, want, w.alone(m))
		}
	}
}

// ofOneMessage is the LogGOPS time of an eager message: o, bytes, L, o. Above the
// rendezvous threshold it adds the request and the way back of its answer, and the sender
// waits L for the notice that the bytes have arrived.
func ofOneMessage(m *machines.Machine, bytes int64) sim.Time {
	n := &m.Network
	t := n.SendOverhead.Of(bytes) + n.Startup + n.Transfer.Of(bytes) + n.Latency
	if n.Rendezvous == 0 || bytes <= n.Rendezvous {
		return t + n.ReceiveOverhead.Of(bytes)
	}
	return t + n.Startup + n.Transfer.Of(0) + 2*n.Latency + max(n.Latency, n.ReceiveOverhead.Of(bytes))
}
