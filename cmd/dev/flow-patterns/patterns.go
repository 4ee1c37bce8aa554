package main

import (
	"slices"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// pattern is what the ranks do.
type pattern interface {
	network.Sink
	start(k *sim.Kernel, f *flow.Fabric)
	messages() (ended, all int)
}

// shifts lets each rank send to rank+1, rank+2, ... up to rounds, with a window of
// messages at a time: pencil64 with one at a time, bulk64 with all, the linear
// all-to-all.
type shifts struct {
	ranks, rounds, window int32
	fabric                *flow.Fabric
	next                  []int32 // of each rank
	ended                 int
}

func (s *shifts) start(_ *sim.Kernel, f *flow.Fabric) {
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
		s.fabric.Start(transfer(uint32(rank), rank, (rank+s.next[rank])%s.ranks))
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

func (p *paced) start(k *sim.Kernel, f *flow.Fabric) {
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
	fabric *flow.Fabric
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

func (s *stencil) start(_ *sim.Kernel, f *flow.Fabric) {
	s.fabric = f
	for rank := range s.rounds {
		s.exchange(int32(rank))
	}
}

// exchange sends to all neighbours; the id is the sender's and the side.
func (s *stencil) exchange(rank int32) {
	s.rounds[rank]++
	for side := range int32(6) {
		s.fabric.Start(transfer(uint32(rank*6+side), rank, s.beside[rank][side]))
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

// patterns are all, by name.
var patterns = map[string]func(ranks int32) (pattern, error){
	"stencil":  func(ranks int32) (pattern, error) { return newStencil(int(ranks)) },
	"pencil64": func(ranks int32) (pattern, error) { return &shifts{ranks: ranks, rounds: 64, window: 1}, nil },
	"paced64":  func(ranks int32) (pattern, error) { return &paced{shifts: shifts{ranks: ranks, rounds: 64}}, nil },
	"bulk64":   func(ranks int32) (pattern, error) { return &shifts{ranks: ranks, rounds: 64, window: 64}, nil },
	"alltoall": func(ranks int32) (pattern, error) { return &shifts{ranks: ranks, rounds: ranks - 1, window: 1}, nil },
}

const message = 64 << 10

func transfer(id uint32, from, to int32) network.Transfer {
	return network.Transfer{ID: id, From: from, To: to, Bytes: message}
}
