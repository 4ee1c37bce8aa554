package flow

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

func mustTorus(t *testing.T, g topology.Grid) *topology.Torus {
	t.Helper()
	return must.Get(topology.NewTorus(g))(t)
}

// TestWhenSentAndArrived follows single flows and pairs on a line of routers,
// two nodes on each, links of 1e9 B/s.
func TestWhenSentAndArrived(t *testing.T) {
	line := topology.Mesh(4)
	line.PerRouter = 2
	base := Params{Capacity: []sim.Rate{1e9}, Latency: 100, HopLatency: 10}
	with := func(change func(p *Params)) Params {
		p := base
		change(&p)
		return p
	}
	for _, c := range []struct {
		name string
		p    Params
		nic  sim.Rate   // 0: takes no time
		ends [][3]int64 // from, to, bytes; all start at 0
		want string     // sent/arrived of each, in ps
	}{
		{"one hop", base, 0, [][3]int64{{0, 2, 1000}}, "1000000/1000110"},
		{"three hops", base, 0, [][3]int64{{1, 6, 1000}}, "1000000/1000130"},
		{"latency first", with(func(p *Params) { p.LatencyFirst = true }), 0, [][3]int64{{1, 6, 1000}}, "1000130/1000130"},
		{"nothing to send", base, 0, [][3]int64{{0, 7, 0}}, "0/130"},
		{"nothing to send, latency first", with(func(p *Params) { p.LatencyFirst = true }), 0, [][3]int64{{0, 7, 0}}, "130/130"},
		{"to itself", base, 0, [][3]int64{{3, 3, 1000}}, "0/100"},
		{"to itself, injection", with(func(p *Params) { p.Injection = 5e8 }), 2e9, [][3]int64{{3, 3, 1000}}, "2000000/2000100"},
		{"to itself and to another", with(func(p *Params) { p.Injection = 5e8 }), 0, [][3]int64{{3, 3, 1000}, {3, 6, 1000}},
			"4000000/4000100 4000000/4000120"},
		{"from itself and from another", with(func(p *Params) { p.Ejection = 5e8 }), 0, [][3]int64{{3, 3, 1000}, {0, 3, 1000}},
			"4000000/4000100 4000000/4000110"},
		{"to itself, both ways together", with(func(p *Params) { p.Duplex = 5e8 }), 0, [][3]int64{{3, 3, 1000}}, "2000000/2000100"},
		{"to itself, two nodes both ways", with(func(p *Params) { p.Exchange = 5e8 }), 0, [][3]int64{{3, 3, 1000}}, "0/100"},
		{"on one router", base, 0, [][3]int64{{2, 3, 1000}}, "0/100"},
		{"on one router, ejection", with(func(p *Params) { p.Ejection = 4e9 }), 0, [][3]int64{{2, 3, 1000}}, "250000/250100"},
		{"a slow NIC", base, 1e8, [][3]int64{{0, 2, 1000}}, "10000000/10000110"},
		{"shared link", base, 0, [][3]int64{{0, 2, 1000}, {1, 3, 1000}}, "2000000/2000110 2000000/2000110"},
		{"shared injection", with(func(p *Params) { p.Injection = 1e9 }), 0, [][3]int64{{2, 0, 1000}, {2, 4, 3000}},
			"2000000/2000110 4000000/4000110"},
		{"shared ejection", with(func(p *Params) { p.Ejection = 5e8 }), 0, [][3]int64{{0, 2, 1000}, {4, 2, 1000}},
			"4000000/4000110 4000000/4000110"},
		{"two nodes of a router", with(func(p *Params) { p.Ejection = 5e8 }), 0, [][3]int64{{0, 2, 1000}, {4, 3, 1000}},
			"2000000/2000110 2000000/2000110"},
		{"a node both ways", with(func(p *Params) { p.Duplex = 5e8 }), 0, [][3]int64{{0, 2, 1000}, {4, 0, 1000}},
			"4000000/4000110 4000000/4000120"},
		{"a node both ways, a third elsewhere", with(func(p *Params) { p.Duplex = 1e9 }), 0, [][3]int64{{0, 2, 1000}, {4, 0, 1000}, {6, 7, 1000}},
			"2000000/2000110 2000000/2000120 1000000/1000100"},
		{"two nodes both ways", with(func(p *Params) { p.Exchange = 1e9 }), 0, [][3]int64{{0, 2, 1000}, {2, 0, 1000}, {0, 3, 1000}},
			"2000000/2000110 2000000/2000110 2000000/2000110"},
		{"two nodes one way", with(func(p *Params) { p.Exchange = 5e8 }), 0, [][3]int64{{0, 2, 1000}}, "2000000/2000110"},
		{"a slow NIC, shared link", base, 8e8, [][3]int64{{0, 2, 1000}, {1, 3, 500}}, "1625000/1625110 1000000/1000110"},
		{"a slow NIC, latency first", with(func(p *Params) { p.LatencyFirst = true }), 1e8, [][3]int64{{0, 2, 1000}}, "10000110/10000110"},
	} {
		k := sim.NewKernel()
		rec := newRecorder(len(c.ends))
		f := must.Get(New(k, rec, mustTorus(t, line), c.p))(t)
		for i, e := range c.ends {
			one := transfer(uint32(i), int32(e[0]), int32(e[1]), e[2])
			if c.nic > 0 {
				one.Length = c.nic.Time(one.Bytes)
			}
			f.Start(one)
		}
		k.Run()
		var got []string
		for i := range c.ends {
			got = append(got, fmt.Sprintf("%d/%d", int64(rec.sent[i]), int64(rec.arrived[i])))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: sent/arrived %s, want %s", c.name, s, c.want)
		}
	}
}

// Of other jobs a link keeps what they leave: the flow takes bytes over that, links differ, shares lie between
// nothing and twice the mean and have that mean, and another draw gives other ones. Nothing is left of the whole if there
// are no other jobs.
func TestOthers(t *testing.T) {
	const nodes, mean = 400, 0.3
	ring := mustTorus(t, topology.Grid{Sizes: []int{nodes}})
	times := func(p Params) (all []sim.Time) {
		p.Capacity = []sim.Rate{1e9}
		for i := range int64(nodes) {
			k, rec := sim.NewKernel(), newRecorder(1)
			f := must.Get(New(k, rec, ring, p))(t)
			f.Start(transfer(0, int32(i), int32((i+1)%nodes), 1000))
			k.Run()
			all = append(all, rec.sent[0])
		}
		return all
	}
	sum, alone := 0.0, times(Params{})
	first, second := times(Params{Others: mean, Draw: 1}), times(Params{Others: mean, Draw: 2})
	for i, took := range first {
		left := 1e6 / float64(took)
		if left > 1 || left < 1-2*mean || alone[i] != 1000000 {
			t.Errorf("node %d: %v instead of %v", i, took, alone[i])
		}
		sum += 1 - left
	}
	if got := sum / nodes; math.Abs(got-mean) > 0.02 {
		t.Errorf("others take %g on average, want %g", got, mean)
	}
	if slices.Equal(first, second) || first[0] == first[1] {
		t.Error("all links, or all draws, are the same")
	}
}

func TestBadParams(t *testing.T) {
	torus := mustTorus(t, topology.Grid{Sizes: []int{4, 4}})
	for _, c := range []struct {
		top  topology.Topology
		p    Params
		want string
	}{
		{torus, Params{}, "bandwidth: torus 4x4 has 2 kinds of links [x y], got 0 values"},
		{torus, Params{Capacity: []sim.Rate{1, 0, 1}},
			"bandwidth: torus 4x4 has 2 kinds of links [x y], got 3 values\nbandwidth of links y: must be positive, got 0 B/s"},
		{torus, Params{Capacity: []sim.Rate{sim.Rate(math.NaN()), sim.Rate(math.Inf(1))}},
			"bandwidth of links x: must be positive, got NaN B/s\nbandwidth of links y: must be positive, got +Inf B/s"},
		{torus, Params{Capacity: []sim.Rate{1, 1}, Injection: -1, Ejection: sim.Rate(math.Inf(1)), Latency: -1, HopLatency: -1000},
			"injection: must be positive, or 0 for none, got -1 B/s\nejection: must be positive, or 0 for none, got +Inf B/s\n" +
				"latency: must not be negative, got -1ps\nlatency per hop: must not be negative, got -1ns"},
		{torus, Params{Capacity: []sim.Rate{1, 1}, Duplex: -1, Exchange: sim.Rate(math.NaN())},
			"duplex: must be positive, or 0 for none, got -1 B/s\nexchange: must be positive, or 0 for none, got NaN B/s"},
		{torus, Params{Capacity: []sim.Rate{1, 1}, Others: 0.6}, "others: must be from 0 to 0.5, as a link loses up to twice as much; got 0.6"},
	} {
		_, err := New(sim.NewKernel(), newRecorder(0), c.top, c.p)
		if err == nil || err.Error() != c.want {
			t.Errorf("error\n%v, want\n%s", err, c.want)
		}
	}
	if _, err := NewNetwork(sim.NewKernel(), newRecorder(0), []sim.Rate{1, -1}, false); err == nil ||
		err.Error() != "bandwidth of link 1: must be positive, got -1 B/s" {
		t.Errorf("network: error %v", err)
	}
}

// TestLoads reads what links and nodes carried while two flows cross a line,
// one of them still under way.
func TestLoads(t *testing.T) {
	k := sim.NewKernel()
	line := mustTorus(t, topology.Mesh(3))
	f := must.Get(New(k, newRecorder(2), line, Params{Capacity: []sim.Rate{1e9}, Injection: 2e9}))(t)
	f.Start(transfer(0, 0, 2, 1000))
	f.Start(transfer(1, 1, 2, 4000))
	k.RunUntil(3000 * sim.Nanosecond)
	path := line.Route(0, 2, nil)
	links := f.Links()
	for _, c := range []struct {
		link int
		name string
		want network.LinkLoad
	}{
		{int(path[0]), "(0) +x", network.LinkLoad{Capacity: 1e9, Bytes: 1000, Count: 1, Busy: 2000 * sim.Nanosecond, Peak: 1}},
		{int(path[1]), "(1) +x", network.LinkLoad{Capacity: 1e9, Bytes: 1000, Count: 1, Busy: 3000 * sim.Nanosecond, Peak: 2}},
		{int(line.Route(2, 0, nil)[0]), "(2) -x", network.LinkLoad{Capacity: 1e9}},
		{line.Links(), "node 0 injection", network.LinkLoad{Capacity: 2e9, Bytes: 1000, Count: 1, Busy: 2000 * sim.Nanosecond, Peak: 1}},
		{line.Links() + 1, "node 1 injection", network.LinkLoad{Capacity: 2e9, Busy: 3000 * sim.Nanosecond, Peak: 1}},
	} {
		if got := links.Loads[c.link]; got != c.want || links.Name(c.link) != c.name {
			t.Errorf("%s: %+v, want %s, %+v", links.Name(c.link), got, c.name, c.want)
		}
	}
	if len(links.Loads) != line.Links()+line.Nodes() {
		t.Errorf("%d links", len(links.Loads))
	}
}

// ring keeps every node sending to the node at a fixed distance ahead, again and again.
type ring struct {
	f     *Fabric
	ahead int32
	count int
}

func (r *ring) Sent(id uint32, _, _ sim.Time) {
	r.count++
	one := transfer(id, int32(id), (int32(id)+r.ahead+int32(r.count%3))%64, int64(1000+r.count%7))
	one.Length = sim.Rate(1.5e9).Time(one.Bytes)
	r.f.Start(one)
}

func (r *ring) Arrived(uint32, sim.Time) {}

// TestAllocatesNothing: after the largest number of flows was under way, starting,
// sharing and ending allocate no memory.
func TestAllocatesNothing(t *testing.T) {
	k := sim.NewKernel()
	r := &ring{ahead: 5}
	var err error
	r.f, err = New(k, r, mustTorus(t, topology.Grid{Sizes: []int{4, 4, 4}}),
		Params{Capacity: []sim.Rate{1e9, 2e9, 1e9}, Injection: 3e9, Latency: 100, HopLatency: 10})
	if err != nil {
		t.Fatal(err)
	}
	for id := range uint32(64) {
		r.f.Start(transfer(id, int32(id), int32(id+1)%64, 1000))
	}
	for r.count < 200000 {
		k.Step()
	}
	before := r.count
	if allocated := testing.AllocsPerRun(10, func() {
		for range 1000 {
			k.Step()
		}
	}); allocated > 0 || r.count < before+1000 {
		t.Errorf("%v allocations in 1000 events; %d flows sent", allocated, r.count-before)
	}
}

// TestShiftsOnARing: all nodes of a ring send to the node d ahead. Each link carries d
// flows, so they take d times as long as one.
func TestShiftsOnARing(t *testing.T) {
	for d := range int32(8) {
		k := sim.NewKernel()
		rec := newRecorder(16)
		f := must.Get(New(k, rec, mustTorus(t, topology.Grid{Sizes: []int{16}}), Params{Capacity: []sim.Rate{1e9}}))(t)
		for id := range int32(16) {
			f.Start(transfer(uint32(id), id, (id+d)%16, 1e6))
		}
		k.Run()
		for id, at := range rec.arrived {
			if want := sim.Time(d) * sim.Millisecond; at != want {
				t.Errorf("shift %d: flow %d arrives at %v, want %v", d, id, at, want)
			}
		}
	}
}

// TestDiagonalOfABlueGene: all nodes of an 8x8x8 torus send to (+3,+3,+3).
// Three flows share every positive link, in every dimension.
func TestDiagonalOfABlueGene(t *testing.T) {
	torus := mustTorus(t, topology.Grid{Sizes: []int{8, 8, 8}})
	k := sim.NewKernel()
	rec := newRecorder(torus.Nodes())
	f := must.Get(New(k, rec, torus, Params{Capacity: []sim.Rate{374e6, 374e6, 374e6}}))(t)
	for id := range torus.Nodes() {
		c := torus.Coordinates(id, nil)
		f.Start(transfer(uint32(id), int32(id), int32(torus.At((c[0]+3)%8, (c[1]+3)%8, (c[2]+3)%8)), 1e6))
	}
	k.Run()
	for id, at := range rec.arrived {
		if want := sim.Seconds(3e6 / 374e6); at != want {
			t.Fatalf("flow %d arrives at %v, want %v", id, at, want)
		}
	}
}
