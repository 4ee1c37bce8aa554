package packet

import (
	"fmt"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// count is a sink that counts.
type count struct{ sent, arrived map[uint32]int }

func newCount() *count { return &count{map[uint32]int{}, map[uint32]int{}} }

func (c *count) Sent(id uint32, _, _ sim.Time) { c.sent[id]++ }
func (c *count) Arrived(id uint32, _ sim.Time) { c.arrived[id]++ }

// arrivals is a sink that notes when messages arrive.
type arrivals map[uint32]sim.Time

func (arrivals) Sent(uint32, sim.Time, sim.Time)   {}
func (a arrivals) Arrived(id uint32, now sim.Time) { a[id] = now }

func torus(t *testing.T, g topology.Grid) *topology.Torus {
	t.Helper()
	return must.Get(topology.NewTorus(g))(t)
}

func start(t *testing.T, sink network.Sink, shape topology.Topology, p Params) (*sim.Kernel, *getting) {
	t.Helper()
	k := sim.NewKernel()
	f := must.Get(newGetting(k, sink, shape, p))(t)
	return k, f
}

// empty fails unless all credits are back, no FIFO holds a packet, no link
// waits, and no message is open.
func empty(t *testing.T, f *Fabric) {
	t.Helper()
	for i, room := range f.room {
		if int(room) != f.params.Slots {
			t.Fatalf("channel %d of link %d has %d of %d credits", i%f.channels, i/f.channels, room, f.params.Slots)
		}
	}
	for i, q := range f.fifos {
		if q.head >= 0 || q.count != 0 || q.wants != 0 || q.out != idle {
			t.Fatalf("FIFO %d is %+v", i, q)
		}
	}
	for i, l := range f.wires {
		if l.busy || l.escape != 0 || l.adaptive != 0 {
			t.Fatalf("link %d is %+v", i, l)
		}
	}
	for i, q := range f.queues {
		if q.sending >= 0 || q.filling >= 0 {
			t.Fatalf("queue %d is %+v", i, q)
		}
	}
	unused := 0
	for n := f.messagePool; n >= 0; n = f.messages[n].next {
		unused++
	}
	if unused != len(f.messages) {
		t.Fatalf("%d of %d messages are open", len(f.messages)-unused, len(f.messages))
	}
	unused = 0
	for n := f.packetPool; n >= 0; n = f.packets[n].next {
		unused++
	}
	if unused != len(f.packets) {
		t.Fatalf("%d of %d packets are under way", len(f.packets)-unused, len(f.packets))
	}
}

var shapes = []topology.Grid{
	{Sizes: []int{1}},
	{Sizes: []int{2}},
	{Sizes: []int{7}},
	{Sizes: []int{4, 4}},
	{Sizes: []int{2, 2, 2}, Tie: topology.TieParity},
	{Sizes: []int{4, 1, 3}, Order: []int{2, 0, 1}},
	{Sizes: []int{5, 4, 2}, Tie: topology.TieParity},
	topology.Mesh(4, 3, 2),
	{Sizes: []int{4, 5}, Open: []bool{true, false}, PerRouter: 3},
	{Sizes: []int{2, 2, 2, 2, 2}},
}

var patterns = []struct {
	name   string
	target func(s *sim.Stream, nodes, n, i int) int
}{
	{"all-to-all", func(_ *sim.Stream, nodes, n, i int) int { return (n + i) % nodes }},
	{"hot spot", func(_ *sim.Stream, nodes, n, _ int) int { return nodes / 2 }},
	{"random", func(s *sim.Stream, nodes, _, _ int) int { return s.Intn(nodes) }},
	{"shift", func(_ *sim.Stream, nodes, n, _ int) int { return (n + nodes/2 + 1) % nodes }},
	{"reverse", func(_ *sim.Stream, nodes, n, _ int) int { return nodes - 1 - n }},
}

// With the smallest buffers and all routings, every message arrives once, and the network
// is empty afterwards: no deadlock, nothing lost. No link is busy for longer than the
// run, and the packets on the links are the packets of all routes.
func TestAllArrives(t *testing.T) {
	for _, shape := range shapes {
		for _, pattern := range patterns {
			for variant := range 16 {
				p := BlueGeneP()
				p.Slots, p.InjectionFIFOs = 2, 2
				p.AdaptiveChannels = variant >> 3 & 1
				p.Put, p.Get = Routing(variant&1), Routing(variant>>1&1)
				p.Arbitration, p.AdaptiveArbitration = Arbitration(variant%4), Arbitration(variant%3+1)
				p.NetworkFirst = variant>>2&1 == 1
				name := fmt.Sprint(pattern.name, " ", shape, " ", variant)
				t.Run(name, func(t *testing.T) { allArrives(t, torus(t, shape), p, pattern.target) })
			}
		}
	}
}

func allArrives(t *testing.T, shape topology.Topology, p Params, target func(s *sim.Stream, nodes, n, i int) int) {
	sink := newCount()
	k, f := start(t, sink, shape, p)
	s := sim.NewStream(1)
	nodes, id, want := shape.Nodes(), uint32(0), int64(0)
	for n := range nodes {
		for i := range 12 {
			to := target(s, nodes, n, i)
			packets := int64(1 + i%3)
			if i%4 == 0 {
				f.get(put(id, int32(n), int32(to), packets*240))
				want += passed(f, n, to) + packets*passed(f, to, n)
			} else {
				f.Start(put(id, int32(n), int32(to), packets*240))
				want += packets * passed(f, n, to)
			}
			id++
		}
	}
	k.Run()
	for i := range id {
		if sink.sent[i] != 1 || sink.arrived[i] != 1 {
			t.Fatalf("message %d was sent %d times and arrived %d times", i, sink.sent[i], sink.arrived[i])
		}
	}
	empty(t, f.Fabric)
	if got := hops(f.Fabric); got != want {
		t.Fatalf("%d packets on links, want %d", got, want)
	}
	for _, l := range f.loads {
		if l.busy > k.Now() || l.peak > p.Slots || l.bytes < l.packets*int64(p.ControlBytes) {
			t.Fatalf("a link: %+v after %v", l, k.Now())
		}
	}
	if links := f.Links(); links != nil {
		if links.Elapsed = k.Now(); links.Check() != nil {
			t.Fatal(links.Check())
		}
	}
}

// passed counts the links of a route, and the cable at its end if nodes are on cables.
func passed(f *getting, from, to int) int64 {
	links := f.shape.Hops(from, to)
	if f.switched && from != to {
		links++
	}
	return int64(links)
}

// A ring that all nodes enter at once does not deadlock, because of the bubble: each FIFO
// of a full ring would wait for the next. Without the rule the same ring deadlocks.
func TestBubble(t *testing.T) {
	p := BlueGeneP()
	p.Slots, p.NetworkFirst, p.Arbitration = 2, false, RoundRobin
	for _, c := range []struct {
		bubble int
		dead   bool
	}{{1, false}, {0, true}} {
		sink := newCount()
		k, f := start(t, sink, torus(t, topology.Grid{Sizes: []int{8}}), p)
		f.params.Bubble = c.bubble
		for n := range int32(8) {
			f.Start(put(uint32(n), n, (n+3)%8, 24000))
		}
		k.Run()
		if dead := len(sink.arrived) < 8; dead != c.dead {
			t.Errorf("bubble of %d: %d of 8 messages arrived", c.bubble, len(sink.arrived))
		}
	}
}

// An idle network delivers n packets over h links after n packet times and h hop
// latencies; a get takes the time of a request more.
func TestZeroLoadLatency(t *testing.T) {
	shape := torus(t, topology.Grid{Sizes: []int{5, 4, 2}, Open: []bool{false, false, true}})
	for _, routing := range []Routing{Static, Adaptive} {
		p := BlueGeneP()
		p.Put, p.Get = routing, routing
		sink := arrivals{}
		k, f := start(t, sink, shape, p)
		for to := range shape.Nodes() {
			for _, packets := range []sim.Time{1, 2, 50} {
				const data, control = 640 * sim.Nanosecond, 188235 * sim.Picosecond
				way := sim.Time(shape.Hops(0, to)) * p.HopLatency
				began := k.Now()
				f.Start(put(0, 0, int32(to), int64(packets)*240))
				k.Run()
				if got, want := sink[0]-began, packets*data+way; got != want {
					t.Errorf("put of %d packets to %d: %v, want %v", packets, to, got, want)
				}
				began = k.Now()
				f.get(put(0, 0, int32(to), int64(packets)*240))
				k.Run()
				if got, want := sink[0]-began, control+way+p.AnswerLatency+packets*data+way; got != want {
					t.Errorf("get of %d packets from %d: %v, want %v", packets, to, got, want)
				}
			}
		}
	}
}

// One message takes a packet time per packet if the buffers cover the round trip of a
// credit, hop latency and packet time; with two slots, one of them kept by the bubble,
// that round trip sets the pace.
func TestSingleFlow(t *testing.T) {
	shape := torus(t, topology.Grid{Sizes: []int{8}})
	const data, packets = 640 * sim.Nanosecond, 1000
	for _, c := range []struct {
		slots int
		hop   sim.Time
		pace  sim.Time
	}{
		{4, 100 * sim.Nanosecond, data},
		{3, 100 * sim.Nanosecond, data},
		{2, 100 * sim.Nanosecond, data + 100*sim.Nanosecond},
		{4, 1280 * sim.Nanosecond, data},
		{4, 2000 * sim.Nanosecond, (data + 2000*sim.Nanosecond) / 3},
	} {
		p := BlueGeneP()
		p.Slots, p.HopLatency = c.slots, c.hop
		sink := arrivals{}
		k, f := start(t, sink, shape, p)
		f.Start(put(0, 0, 3, packets*240))
		k.Run()
		want := (packets-1)*c.pace + data + 3*c.hop
		if got := sink[0]; got < want-3*data || got > want {
			t.Errorf("%d slots, hop %v: %v, want %v", c.slots, c.hop, got, want)
		}
	}
}

// Flows that share a link get equal parts of it, and all of it together: k nodes of a
// router send n packets each over one link, which takes k·n packet times. Served in turn,
// no node is more than k packets ahead.
func TestSharing(t *testing.T) {
	const data, packets = 640 * sim.Nanosecond, 200
	for k := range sim.Time(8) {
		k++
		p := BlueGeneP()
		p.InjectionFIFOs, p.Arbitration = 1, RoundRobin
		sink := arrivals{}
		kernel, f := start(t, sink, torus(t, topology.Grid{Sizes: []int{4}, PerRouter: int(k)}), p)
		for n := range int32(k) {
			f.Start(put(uint32(n), n, int32(k)+n, packets*240))
		}
		kernel.Run()
		last := sim.Time(0)
		for n := range uint32(k) {
			last = max(last, sink[n])
			if least := ((packets-1)*k+1)*data + p.HopLatency; sink[n] < least {
				t.Errorf("flow %d of %d ends at %v, its fair share at %v", n, k, sink[n], least)
			}
		}
		if want := k*packets*data + p.HopLatency; last != want {
			t.Errorf("%d flows take %v, want %v", k, last, want)
		}
	}
}

// Static messages between a pair of nodes arrive in order, regardless of the other traffic.
func TestOrder(t *testing.T) {
	shape := torus(t, topology.Grid{Sizes: []int{4, 4, 2}, Tie: topology.TieParity})
	sink := arrivals{}
	k, f := start(t, sink, shape, BlueGeneP())
	s := sim.NewStream(7)
	type pair struct{ from, to int }
	sent := map[pair][]uint32{}
	for id := range uint32(3000) {
		p := pair{s.Intn(32), s.Intn(8)}
		sent[p] = append(sent[p], id)
		f.Start(put(id, int32(p.from), int32(p.to), int64(s.Intn(2000))))
	}
	k.Run()
	for p, ids := range sent {
		for i := range ids[1:] {
			if sink[ids[i]] >= sink[ids[i+1]] {
				t.Fatalf("%v: message %d arrives at %v, the next at %v", p, ids[i], sink[ids[i]], sink[ids[i+1]])
			}
		}
	}
}

// A static put loads exactly the links of the topology's route.
func TestRoute(t *testing.T) {
	must.Long(t)
	for _, g := range []topology.Grid{
		{Sizes: []int{5, 4, 3}},
		{Sizes: []int{5, 4, 3}, Order: []int{2, 0, 1}},
		{Sizes: []int{4, 1, 4}, Tie: topology.TieParity, Order: []int{1, 2, 0}},
	} {
		shape := torus(t, g)
		for to := range shape.Nodes() {
			k, f := start(t, nothing{}, shape, BlueGeneP())
			f.Start(put(0, 7, int32(to), 2400))
			k.Run()
			want := make([]int64, shape.Links())
			for _, id := range shape.Route(7, to, nil) {
				want[id] = 10
			}
			for id := range want {
				if got := f.Links().Loads[id].Count; got != want[id] {
					t.Fatalf("%v order %v, 7 to %d, link %d: %d packets, want %d", shape, g.Order, to, id, got, want[id])
				}
			}
		}
	}
}

// Two runs report the same at the same times.
func TestDeterminism(t *testing.T) {
	var logs [2]string
	for i := range logs {
		p := BlueGeneP()
		p.Put = Adaptive
		r := &record{}
		k, f := start(t, r, torus(t, topology.Grid{Sizes: []int{4, 4, 4}}), p)
		s := sim.NewStream(3)
		for id := range uint32(2000) {
			f.Start(put(id, int32(s.Intn(64)), int32(s.Intn(64)), int64(s.Intn(5000))))
		}
		k.Run()
		logs[i] = strings.Join(r.log, "\n")
	}
	if logs[0] != logs[1] {
		t.Error("two runs differ")
	}
}

// A long message holds no more packets than the buffers on its way.
func TestMemory(t *testing.T) {
	p := BlueGeneP()
	k, f := start(t, nothing{}, torus(t, topology.Grid{Sizes: []int{8}}), p)
	f.Start(put(0, 0, 3, 1<<24))
	k.Run()
	if most := p.Slots * 4; len(f.packets) > most {
		t.Errorf("%d packets at once, want at most %d", len(f.packets), most)
	}
}

func TestFaults(t *testing.T) {
	good := torus(t, topology.Grid{Sizes: []int{4, 4}})
	crossbar := known(topology.NewCrossbar(100))
	deep := known(topology.NewFatTree(topology.Tree{Down: []int{2, 2, 2, 2, 2}, Up: []int{1, 1, 1, 1}}))
	dragonfly := known(topology.NewDragonfly(topology.Groups{Number: 3, Routers: 2, PerRouter: 2, Global: 1}))
	plus := must.Get(topology.NewDragonflyPlus(topology.Plus{Groups: 3, Leaves: 2, Spines: 2, Cables: 4}))(t)
	valiant := topology.Routed(plus, "valiant")
	for _, c := range []struct {
		shape topology.Topology
		spoil func(*Params)
		want  string
	}{
		{dragonfly, func(*Params) {}, "dragonfly-plus with minimal routing; packets on dragonfly 3 groups"},
		{valiant, func(*Params) {}, "dragonfly-plus with minimal routing; packets on dragonfly+ 3 groups"},
		{deep, func(*Params) {}, "routes of at most 7 links between switches, got 8 on fat tree 2,2,2,2,2 up 1,1,1"},
		{crossbar, func(*Params) {}, "at most 64 FIFOs per router, got 600: 0 ports with 3 channels, 100 nodes with 6"},
		{torus(t, topology.Grid{Sizes: []int{300}}), func(*Params) {}, "at most 256 routers along a dimension, got 300"},
		{torus(t, topology.Grid{Sizes: []int{1, 1, 1, 1, 1, 1, 1, 1, 1}}), func(*Params) {}, "at most 8 dimensions, got 9"},
		{torus(t, topology.Grid{Sizes: []int{2}, PerRouter: 20}), func(*Params) {}, "at most 64 FIFOs per router, got 126"},
		{good, func(p *Params) { p.PayloadBytes = 0 }, "payload bytes: must be at least 1, got 0"},
		{good, func(p *Params) { p.PacketBytes = 200 }, "packet bytes: must be at least 240, got 200"},
		{good, func(p *Params) { p.ControlBytes = 0 }, "control bytes: must be at least 1, got 0"},
		{good, func(p *Params) { p.Bandwidth = 0 }, "bandwidth: must be positive, got 0"},
		{good, func(p *Params) { p.HopLatency = -1 }, "hop latency: must be at least 0, got -1"},
		{good, func(p *Params) { p.AnswerLatency = -1 }, "answer latency: must be at least 0, got -1"},
		{good, func(p *Params) { p.Bubble = 0 }, "bubble: must be at least 1, got 0"},
		{good, func(p *Params) { p.Slots = 1 }, "slots: must be at least 2, got 1"},
		{good, func(p *Params) { p.Slots = 128 }, "slots: must be at most 127, got 128"},
		{good, func(p *Params) { p.AdaptiveChannels = -1 }, "adaptive channels: must be at least 0, got -1"},
		{good, func(p *Params) { p.InjectionFIFOs = 0 }, "injection FIFOs: must be at least 1, got 0"},
		{good, func(p *Params) { p.AnswerFIFOs = -1 }, "answer FIFOs: must be at least 0, got -1"},
		{good, func(p *Params) { p.Arbitration = 4 }, "arbitration: unknown rule: 4"},
		{good, func(p *Params) { p.Get = 2 }, "routing: unknown rule: put 0, get 2"},
	} {
		p := BlueGeneP()
		c.spoil(&p)
		must.Refuse(New(sim.NewKernel(), nothing{}, c.shape, p))(t, c.want)
	}
}
