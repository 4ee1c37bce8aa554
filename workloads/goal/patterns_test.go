package goal

import (
	"math"
	"runtime"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// peer are the parameters of the peer's table: LogGOPSim's.
var peer = CompatParams{Latency: 2500, Overhead: 1500, Gap: 1000, GapPerByte: 6, Rendezvous: 65535}

// benchmarks are the schedules of the peer's table, with its figures: the messages, the
// seconds of one core that LogGOPSim needs, and the latest finish in ns. The finish by
// our own rules is a record; it differs if messages have handshakes.
var benchmarks = []struct {
	name     string
	build    func() (*Schedule, error)
	messages uint64
	seconds  float64
	finish   uint64
	own      sim.Time
}{
	{"alltoall-64", func() (*Schedule, error) { return LinearAllToAll(64, 65536) }, 4032, 0.022, 25118730, 24961230 * sim.Nanosecond},
	{"alltoall-256", func() (*Schedule, error) { return LinearAllToAll(256, 65536) }, 65280, 2.10, 101671050, 101033550 * sim.Nanosecond},
	{"alltoall-1024", func() (*Schedule, error) { return LinearAllToAll(1024, 65536) }, 1047552, 524, 407880330, 405322830 * sim.Nanosecond},
	{"dissemination-1024", func() (*Schedule, error) { return Dissemination(1024, 8) }, 10240, 0.011, 55420, 55420 * sim.Nanosecond},
	{"dissemination-16384", func() (*Schedule, error) { return Dissemination(16384, 8) }, 229376, 0.305, 77588, 77588 * sim.Nanosecond},
	{"dissemination-65536", func() (*Schedule, error) { return Dissemination(65536, 8) }, 1048576, 1.95, 88672, 88672 * sim.Nanosecond},
	{"doubling-65536", func() (*Schedule, error) { return RecursiveDoubling(65536, 4096) }, 1048576, 1.87, 481120, 481120 * sim.Nanosecond},
	{"halo-4096", func() (*Schedule, error) { return Halo(16, 100, 8192, 100_000) }, 2_304_000, 4.90, 42787600, 42787600 * sim.Nanosecond},
	{"pencils-32", func() (*Schedule, error) { return Pencils(32, 8192, 4096, 2000, false) }, 262144, 0.171, 246335440,
		246335440 * sim.Nanosecond},
	{"pencils-32-reverse", func() (*Schedule, error) { return Pencils(32, 8192, 4096, 2000, true) }, 262144, 6.44, 246335440,
		246335440 * sim.Nanosecond},
	{"tokenring-1024", func() (*Schedule, error) { return TokenRing(1024, 100, 1024) }, 102400, 0.041, 1191731200,
		1191731200 * sim.Nanosecond},
	{"ring-256", func() (*Schedule, error) { return RingAllReduce(256, 16<<20) }, 130560, 0.070, 203342100, 205892100 * sim.Nanosecond},
	{"ring-1024", func() (*Schedule, error) { return RingAllReduce(1024, 16<<20) }, 2095104, 1.36, 212370708, 212370708 * sim.Nanosecond},
}

// TestPeerTable simulates the smaller schedules of the peer by its rules and by ours; the
// benchmarks check the others.
func TestPeerTable(t *testing.T) {
	must.Long(t)
	for _, b := range benchmarks {
		if b.messages > 300_000 {
			continue
		}
		s := must.Get(b.build())(t)
		events := uint64(len(s.Ops())) + b.messages
		c := must.Get(RunCompat(s, peer))(t)
		if last, _ := c.Makespan(); last != b.finish || c.Events != events || c.Messages != b.messages {
			t.Errorf("%s as the peer: %d ns, %d events, %d messages; want %d, %d, %d", b.name, last, c.Events, c.Messages, b.finish,
				events, b.messages)
		}
		r := must.Get(Run(s, peer.Params()))(t)
		if last, _ := r.Makespan(); last != b.own || r.Events != ownEvents(s) || r.Messages != b.messages {
			t.Errorf("%s: %v, %d events, %d messages; want %v, %d, %d", b.name, last, r.Events, r.Messages, b.own, ownEvents(s), b.messages)
		}
	}
}

// ownEvents returns the number of events of a schedule by our rules. A send is one
// message, or three with a handshake.
func ownEvents(s *Schedule) (n uint64) {
	for _, op := range s.Ops() {
		n++
		switch {
		case op.Kind != Send:
		case op.Size > peer.Rendezvous:
			n += 3
		default:
			n++
		}
	}
	return n
}

// benchmarkTable runs all schedules and reports, for each, seconds of one core,
// how many times faster than LogGOPSim that is, and bytes per rank beyond the
// schedule. At the end it reports the geometric mean.
func benchmarkTable(b *testing.B, run func(b *testing.B, s *Schedule, i int, events uint64)) {
	rows := map[string]float64{}
	for i, x := range benchmarks {
		b.Run(x.name, func(b *testing.B) {
			s := must.Get(x.build())(b)
			events := ownEvents(s)
			runtime.GC()
			b.ReportAllocs()
			b.ResetTimer()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := cpuTime()
			for range b.N {
				run(b, s, i, events)
			}
			seconds := (cpuTime() - start) / float64(b.N)
			runtime.ReadMemStats(&after)
			b.ReportMetric(seconds, "cpu-s/op")
			b.ReportMetric(x.seconds/seconds, "x-peer")
			b.ReportMetric(float64(x.messages)/seconds, "messages/s")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(s.Ranks()), "B/rank")
			rows[x.name] = x.seconds / seconds
		})
	}
	logs := 0.0
	for _, x := range rows {
		logs += math.Log(x)
	}
	b.Logf("geometric mean over %d schedules: %.1f times the peer's speed", len(rows), math.Exp(logs/float64(len(rows))))
}

func BenchmarkRun(b *testing.B) {
	benchmarkTable(b, func(b *testing.B, s *Schedule, i int, events uint64) {
		r := must.Get(Run(s, peer.Params()))(b)
		if last, _ := r.Makespan(); last != benchmarks[i].own || r.Events != events || r.Messages != benchmarks[i].messages {
			b.Fatalf("%v, %d events, %d messages; want %v, %d, %d", last, r.Events, r.Messages, benchmarks[i].own, events, benchmarks[i].messages)
		}
	})
}

func BenchmarkRunCompat(b *testing.B) {
	benchmarkTable(b, func(b *testing.B, s *Schedule, i int, _ uint64) {
		r := must.Get(RunCompat(s, peer))(b)
		if last, _ := r.Makespan(); last != benchmarks[i].finish || r.Events != uint64(len(s.Ops()))+r.Messages {
			b.Fatalf("%d ns, %d events; want %d, %d", last, r.Events, benchmarks[i].finish, uint64(len(s.Ops()))+r.Messages)
		}
	})
}

// RecursiveDoubling is the all-reduce in which rank r exchanges all bytes with
// rank r xor 2^i in round i. Ranks must be a power of two.
func RecursiveDoubling(ranks int, bytes uint64) (*Schedule, error) {
	a := NewAssembler(ranks)
	for r := range ranks {
		c := chain{a, -1}
		for d := 1; d < ranks; d *= 2 {
			c.shift(bytes, r^d, r^d)
		}
		a.EndRank()
	}
	return a.Schedule()
}

// TokenRing passes one message around all ranks the given number of times, from rank 0.
func TokenRing(ranks, rounds int, bytes uint64) (*Schedule, error) {
	a := NewAssembler(ranks)
	for r := range ranks {
		c := chain{a, -1}
		for range rounds {
			if r > 0 {
				c.then(a.Recv(bytes, uint32(r-1), 0))
			}
			c.then(a.Send(bytes, uint32((r+1)%ranks), 0))
			if r == 0 {
				c.then(a.Recv(bytes, uint32(ranks-1), 0))
			}
		}
		a.EndRank()
	}
	return a.Schedule()
}
