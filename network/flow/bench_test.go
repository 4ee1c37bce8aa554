package flow

import (
	"fmt"
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// The patterns and platforms for comparing flow-level simulators: 12.5 GB/s and 200 ns
// per link, with latency first; messages of 64 KiB.

const message = 64 << 10

// platform returns a network of 64 x n ranks.
func platform(name string, ranks int) (t topology.Topology, p Params, err error) {
	p = Params{LatencyFirst: true, HopLatency: 200 * sim.Nanosecond}
	switch name {
	case "crossbar":
		t, err = topology.NewCrossbar(ranks)
	case "tree":
		t, err = topology.NewFatTree(topology.Tree{Down: []int{8, 8, ranks / 64}, Up: []int{8, 8}})
	case "torus":
		t, err = topology.NewTorus(topology.Grid{Sizes: []int{8, ranks / 64, 8}})
	}
	if name != "torus" { // there, nodes have cables
		p.Injection, p.Ejection, p.Latency = 12.5e9, 12.5e9, 2*p.HopLatency
	}
	if err == nil {
		for range t.Classes() {
			p.Capacity = append(p.Capacity, 12.5e9)
		}
	}
	return t, p, err
}

// pattern is what the ranks of a benchmark do.
type pattern interface {
	network.Sink
	start(k *sim.Kernel, f *Fabric)
	messages() (ended, all int)
}

// shifts lets each rank send to rank+1, rank+2, ... up to rounds, with a window of
// messages at a time: pencil64 with one at a time, bulk64 with all, the linear
// all-to-all.
type shifts struct {
	ranks, rounds, window int32
	fabric                *Fabric
	next                  []int32 // of each rank
	ended                 int
}

func (s *shifts) start(_ *sim.Kernel, f *Fabric) {
	s.fabric, s.next = f, make([]int32, s.ranks)
	for range s.window {
		for rank := range s.ranks {
			s.send(rank)
		}
	}
}

func (s *shifts) send(rank int32) {
	if s.next[rank] < s.rounds {
		s.next[rank]++
		s.fabric.Start(transfer(uint32(rank), rank, (rank+s.next[rank])%s.ranks, message))
	}
}

func (s *shifts) Sent(id uint32, _, _ sim.Time) { s.send(int32(id)) }
func (s *shifts) Arrived(uint32, sim.Time)      { s.ended++ }
func (s *shifts) messages() (ended, all int)    { return s.ended, int(s.ranks * s.rounds) }

// paced lets each rank send a message of shifts every 5 us, whether the last one is sent
// or not. That is about the time of one message alone.
type paced struct {
	shifts
	kernel *sim.Kernel
	self   sim.HandlerID
}

func (p *paced) start(k *sim.Kernel, f *Fabric) {
	p.kernel, p.self = k, k.Register(p)
	p.fabric, p.next = f, make([]int32, p.ranks)
	for rank := range p.ranks {
		p.Handle(sim.Event{Arg: uint64(rank)})
	}
}

func (p *paced) Handle(e sim.Event) {
	p.send(int32(e.Arg))
	if p.next[e.Arg] < p.rounds {
		p.kernel.Schedule(e.At+5*sim.Microsecond, p.self, 0, e.Arg)
	}
}

func (p *paced) Sent(uint32, sim.Time, sim.Time) {}

// stencil lets each rank exchange with its six neighbours on the torus 100 times; it
// continues when its six messages are sent and six have come.
type stencil struct {
	fabric *Fabric
	beside [][6]int32 // neighbours, by rank and side
	rounds []int32    // begun, by rank
	sent   []int32    // by rank
	came   [][6]int32 // by rank and side of the neighbour
	ended  int
}

const stencilRounds = 100

func newStencil(ranks int) (*stencil, error) {
	t, err := topology.NewTorus(topology.Grid{Sizes: []int{8, ranks / 64, 8}})
	if err != nil {
		return nil, err
	}
	s := &stencil{rounds: make([]int32, ranks), sent: make([]int32, ranks), came: make([][6]int32, ranks)}
	for rank := range ranks {
		s.beside = append(s.beside, neighbours(t, rank))
	}
	return s, nil
}

func (s *stencil) start(_ *sim.Kernel, f *Fabric) {
	s.fabric = f
	for rank := range s.rounds {
		s.exchange(int32(rank))
	}
}

// exchange sends to all neighbours; the id is the sender's and the side.
func (s *stencil) exchange(rank int32) {
	s.rounds[rank]++
	for side := range int32(6) {
		s.fabric.Start(transfer(uint32(rank*6+side), rank, s.beside[rank][side], message))
	}
}

func neighbours(t *topology.Torus, rank int) (beside [6]int32) {
	for side := range beside {
		c, size := t.Coordinates(rank, nil), t.Size(side/2)
		c[side/2] = (c[side/2] + size + 1 - 2*(side%2)) % size
		beside[side] = int32(t.At(c...))
	}
	return beside
}

func (s *stencil) Sent(id uint32, _, _ sim.Time) {
	s.sent[id/6]++
	s.proceed(int32(id / 6))
}

func (s *stencil) Arrived(id uint32, _ sim.Time) {
	s.ended++
	to, side := s.beside[id/6][id%6], id%6
	s.came[to][side]++
	s.proceed(to)
}

// proceed begins the next round if the present one is over.
func (s *stencil) proceed(rank int32) {
	round := s.rounds[rank]
	if round == stencilRounds || s.sent[rank] < 6*round || slices.Min(s.came[rank][:]) < round {
		return
	}
	s.exchange(rank)
}

func (s *stencil) messages() (ended, all int) { return s.ended, len(s.rounds) * 6 * stencilRounds }

// BenchmarkPatterns runs them all. The event counts are exact.
func BenchmarkPatterns(b *testing.B) {
	for _, c := range []struct {
		pattern, platform string
		ranks             int32
		events            uint64
	}{
		{"stencil", "crossbar", 512, 307599}, {"stencil", "crossbar", 1024, 614799},
		{"stencil", "tree", 512, 308299}, {"stencil", "tree", 1024, 615699},
		{"stencil", "torus", 512, 307599}, {"stencil", "torus", 1024, 614799},
		{"pencil64", "crossbar", 512, 33023}, {"pencil64", "crossbar", 1024, 65791},
		{"pencil64", "tree", 512, 38449}, {"pencil64", "tree", 1024, 71217},
		{"pencil64", "torus", 512, 125888}, {"pencil64", "torus", 1024, 240244},
		{"paced64", "tree", 512, 66082}, {"paced64", "tree", 1024, 131130},
		{"paced64", "torus", 512, 72358}, {"paced64", "torus", 1024, 142218},
		{"bulk64", "tree", 512, 37460}, {"bulk64", "tree", 1024, 70228},
		{"bulk64", "torus", 512, 38375}, {"bulk64", "torus", 1024, 70830},
		{"alltoall", "crossbar", 1024, 1051643}, {"alltoall", "tree", 1024, 1187725}, {"alltoall", "torus", 1024, 5157405},
	} {
		b.Run(fmt.Sprintf("%s/%s/%d", c.pattern, c.platform, c.ranks), func(b *testing.B) {
			b.ReportAllocs()
			total := 0
			for range b.N {
				var p pattern
				switch c.pattern {
				case "stencil":
					var err error
					if p, err = newStencil(int(c.ranks)); err != nil {
						b.Fatal(err)
					}
				case "pencil64":
					p = &shifts{ranks: c.ranks, rounds: 64, window: 1}
				case "paced64":
					p = &paced{shifts: shifts{ranks: c.ranks, rounds: 64}}
				case "bulk64":
					p = &shifts{ranks: c.ranks, rounds: 64, window: 64}
				case "alltoall":
					p = &shifts{ranks: c.ranks, rounds: c.ranks - 1, window: 1}
				}
				total += runPattern(b, p, c.platform, int(c.ranks), c.events)
			}
			b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}

// runPattern returns the number of messages.
func runPattern(b *testing.B, p pattern, where string, ranks int, events uint64) int {
	b.Helper()
	t, params, err := platform(where, ranks)
	if err != nil {
		b.Fatal(err)
	}
	k := sim.NewKernel()
	f, err := New(k, p, t, params)
	if err != nil {
		b.Fatal(err)
	}
	p.start(k, f)
	k.Run()
	ended, all := p.messages()
	if ended != all || k.Processed() != events {
		b.Errorf("%d of %d messages, %d events, want %d", ended, all, k.Processed(), events)
	}
	b.ReportMetric(1e6*k.Now().Seconds(), "simulated-us")
	return all
}

// counter counts arrivals.
type counter struct{ ended int }

func (c *counter) Sent(uint32, sim.Time, sim.Time) {}
func (c *counter) Arrived(uint32, sim.Time)        { c.ended++ }

// BenchmarkSolver runs flows between random nodes of an 8x8x8 torus that begin
// together and end one by one.
func BenchmarkSolver(b *testing.B) {
	for _, flows := range []int{500, 1000, 2000, 4000, 8000, 32000} {
		b.Run(fmt.Sprint(flows), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				t, p, err := platform("torus", 512)
				if err != nil {
					b.Fatal(err)
				}
				k, c, stream := sim.NewKernel(), &counter{}, sim.NewStream(1)
				f, err := New(k, c, t, p)
				if err != nil {
					b.Fatal(err)
				}
				for i := range flows {
					from := stream.Intn(512)
					to := (from + 1 + stream.Intn(511)) % 512
					f.Start(transfer(uint32(i), int32(from), int32(to), message+int64(stream.Intn(message))))
				}
				k.Run()
				if c.ended != flows {
					b.Fatalf("%d of %d flows ended", c.ended, flows)
				}
			}
			b.ReportMetric(float64(flows*b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
