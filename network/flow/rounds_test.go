package flow

import (
	"fmt"
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// again is a random network, and rounds of flows that often begin alike. Some come while an
// earlier round is not over.
func again(stream *sim.Stream) (capacity []float64, plans []plan) {
	capacity, first := scenario(stream)
	for i := range first {
		first[i].start += 1
	}
	kinds := [][]plan{first}
	for range stream.Intn(3) {
		other := slices.Clone(kinds[stream.Intn(len(kinds))])
		i := stream.Intn(len(other))
		switch stream.Intn(5) {
		case 0:
			other[i].bytes++
		case 1:
			other[i].start += 1e-6
		case 2:
			other[i].route = slices.Clone(other[i].route)
			shuffle(stream, other[i].route)
		case 3:
			shuffle(stream, other)
		case 4:
			other[i].limit /= 2
		}
		kinds = append(kinds, other)
	}
	at, most := 0.0, 1000.0
	if stream.Intn(4) == 0 {
		most = 0.2
	}
	for range 3 + stream.Intn(6) {
		for _, p := range kinds[stream.Intn(len(kinds))] {
			p.start += at
			plans = append(plans, p)
		}
		at += most
	}
	return capacity, plans
}

// deaf hears nothing of rates. Who listens makes all rounds go on the links.
type deaf struct{}

func (deaf) shares(int32, []float64)        {}
func (deaf) rate(int32, float64, []float64) {}

// went is what came of planned flows.
type went struct {
	sent, arrived []sim.Time
	events        uint64
	loads         []network.LinkLoad
	followed      int // rounds
	caughtUp      int
}

// goes runs planned flows, on the links only or as rounds go.
func goes(t *testing.T, capacity []float64, plans []plan, latency sim.Time, first, onLinks bool) (w went) {
	t.Helper()
	k, rec := sim.NewKernel(), newRecorder(len(plans))
	n := must.Get(NewNetwork(k, rec, rates(capacity), first))(t)
	if onLinks {
		n.sharing.differentiate(make([]int32, len(capacity)), 1, 0, deaf{})
	}
	self := k.Register(&late{n, plans, latency})
	for i, p := range plans {
		k.Schedule(sim.Seconds(p.start), self, 0, uint64(i))
	}
	for before := waiting; k.Step(); before = n.rounds.mode {
		if before == following && n.rounds.mode == recording {
			w.caughtUp++
		}
	}
	for i := range int32(n.rounds.steps.length) {
		s := n.rounds.steps.at(i)
		w.followed += int(s.times)
	}
	for l := range capacity {
		w.loads = append(w.loads, n.load(l))
	}
	w.sent, w.arrived, w.events = rec.sent, rec.arrived, k.Processed()
	return w
}

// late is a starter of flows with a latency.
type late struct {
	n       *Network
	plans   []plan
	latency sim.Time
}

func (s *late) Handle(e sim.Event) {
	p := &s.plans[e.Arg]
	latency := s.latency * sim.Time(len(p.route))
	s.n.Start(Flow{ID: uint32(e.Arg), Route: p.route, Bytes: int64(p.bytes), Least: p.least(), Latency: latency})
}

// What came of an earlier round is, to the last bit, what comes of one like it: the same
// times, events and loads of links as without memory.
func TestRounds(t *testing.T) {
	followed, caughtUp := 0, 0
	for c := range uint64(1500) {
		stream := sim.NewStream(7, c)
		capacity, plans := again(stream)
		latency, first := sim.Time(stream.Intn(2))*sim.Microsecond, stream.Intn(2) == 0
		got, want := goes(t, capacity, plans, latency, first, false), goes(t, capacity, plans, latency, first, true)
		followed, caughtUp = followed+got.followed, caughtUp+got.caughtUp
		if !slices.Equal(got.sent, want.sent) || !slices.Equal(got.arrived, want.arrived) || got.events != want.events {
			t.Fatalf("case %d: capacity %v\n%+v\narrived %v after %d events\nwant    %v after %d", c, capacity, plans,
				got.arrived, got.events, want.arrived, want.events)
		}
		if !slices.Equal(got.loads, want.loads) {
			t.Fatalf("case %d: loads %+v, want %+v", c, got.loads, want.loads)
		}
	}
	if followed < 1500 || caughtUp < 500 {
		t.Errorf("%d rounds followed earlier ones to the end, and in %d the links had to catch up", followed, caughtUp)
	}
}

// Flows that end together are told in the order in which they started, which need not be
// that in which they began to share.
func TestRoundsInOrder(t *testing.T) {
	k, in := sim.NewKernel(), &inOrder{}
	n := must.Get(NewNetwork(k, in, rates([]float64{1e9}), true))(t)
	self := k.Register(&orders{n})
	for round := range sim.Time(4) {
		early := round % 2 * 2 * sim.Microsecond // 0: the first flow waits for its latency, and so begins after the second one
		k.Schedule(round*sim.Second+early, self, 0, uint64(2*round))
		k.Schedule(round*sim.Second+2*sim.Microsecond, self, 0, uint64(2*round+1))
	}
	k.Run()
	if want := []uint32{0, 1, 2, 3, 4, 5, 6, 7}; !slices.Equal(in.sent, want) || n.rounds.steps.at(0).child == 0 {
		t.Errorf("sent in the order %v, want %v", in.sent, want)
	}
}

// orders starts flows so that they begin 2 us after the beginning of a second.
type orders struct{ n *Network }

func (s *orders) Handle(e sim.Event) {
	const lead = 2 * sim.Microsecond
	s.n.Start(Flow{ID: uint32(e.Arg), Route: []int32{0}, Bytes: 1000, Latency: lead - e.At%sim.Second})
}

// inOrder notes what is sent, in order.
type inOrder struct{ sent []uint32 }

func (s *inOrder) Sent(id uint32, _, _ sim.Time) { s.sent = append(s.sent, id) }
func (s *inOrder) Arrived(uint32, sim.Time)      {}

// Rounds that all differ, of which there are more than can be remembered, and one that is too
// long, go on the links, and leave room for others.
func TestManyRounds(t *testing.T) {
	capacity := slices.Repeat([]float64{1e9, 2e9, 3e9, 4e9}, 1000)
	for _, length := range []int{1, 40, mostSteps / fewRounds} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			var plans []plan
			for round := range 6 * mostWays {
				if round > 1 && length > 1000 {
					break
				}
				bytes := 1e6
				if round < 5*mostWays && length < 1000 {
					bytes += float64(round / 2)
				}
				for i := range length {
					plans = append(plans, plan{start: 100 * float64(round), bytes: bytes + float64(i), route: []int32{int32(i % len(capacity))}})
				}
			}
			got, want := goes(t, capacity, plans, 0, false, false), goes(t, capacity, plans, 0, false, true)
			if !slices.Equal(got.arrived, want.arrived) || !slices.Equal(got.loads, want.loads) || got.events != want.events {
				t.Error("what is remembered makes a difference")
			}
			if got.followed == 0 != (length > 1000) {
				t.Errorf("%d rounds followed earlier ones", got.followed)
			}
		})
	}
}
