package backlog

import (
	"math"
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"

	"pgregory.net/rapid"
)

const ns = sim.Nanosecond

// gigabyte is the capacity of links, in bytes per second.
const gigabyte = 1e9

// perByte is the time of bytes on a link.
func perByte(bytes int64) sim.Time { return sim.Time(bytes) * ns }

// log notes when messages were sent and arrived, and how many did.
type log struct {
	sent, arrived []sim.Time
	n             int
}

func (l *log) Sent(id uint32, now, _ sim.Time) { l.sent[id] = now; l.n++ }
func (l *log) Arrived(id uint32, now sim.Time) { l.arrived[id] = now; l.n++ }

// start is a message at a time.
type start struct {
	at       sim.Time
	from, to int32
	bytes    int64
	length   sim.Time // in its NIC
}

// driver starts the message of an event's number.
type driver struct {
	fabric *Fabric
	starts []start
}

func (d *driver) Handle(e sim.Event) {
	s := d.starts[e.Arg]
	d.fabric.Start(network.Transfer{ID: uint32(e.Arg), From: s.from, To: s.to, Bytes: s.bytes, Length: s.length})
}

func run(t testing.TB, g topology.Grid, p Params, starts []start) (*log, *Fabric) {
	t.Helper()
	shape := must.Get(topology.NewTorus(g))(t)
	for range shape.Classes()[len(p.Capacity):] {
		p.Capacity = append(p.Capacity, gigabyte)
	}
	k := sim.NewKernel()
	l := &log{sent: make([]sim.Time, len(starts)), arrived: make([]sim.Time, len(starts))}
	f := must.Get(New(k, l, shape, p))(t)
	d := &driver{f, starts}
	me := k.Register(d)
	for i, s := range starts {
		k.Schedule(s.at, me, 0, uint64(i))
	}
	k.Run()
	if l.n != 2*len(starts) {
		t.Fatalf("%d messages, %d sent or arrived", len(starts), l.n)
	}
	if links := f.Links(); links != nil {
		if links.Elapsed = k.Now(); links.Check() != nil {
			t.Fatal(links.Check())
		}
	}
	return l, f
}

var plain = Params{Window: 1, Turn: 1}

// One message takes its time on a link, and its latency to arrive.
func TestAlone(t *testing.T) {
	p := plain
	p.Latency, p.HopLatency = 500*ns, 100*ns
	far := int32(2 + 8*3)
	for _, c := range []struct {
		name          string
		change        func(*Params)
		start         start
		sent, arrived sim.Time // ns
	}{
		{"over five links", func(*Params) {}, start{0, 0, far, 1000, 0}, 1000, 2000},
		{"with a slower NIC", func(*Params) {}, start{0, 0, far, 1000, 3000 * ns}, 3000, 4000},
		{"to itself", func(*Params) {}, start{0, 1, 1, 1000, 700 * ns}, 700, 1200},
		{"slow in y", func(p *Params) { p.Capacity = []sim.Rate{gigabyte, gigabyte / 4} }, start{0, 0, far, 1000, 0}, 4000, 5000},
		{"not in x", func(p *Params) { p.Capacity = []sim.Rate{gigabyte, gigabyte / 4} }, start{0, 0, 2, 1000, 0}, 1000, 1700},
		{"slow injection", func(p *Params) { p.Injection = gigabyte / 5 }, start{0, 0, far, 1000, 0}, 5000, 6000},
		{"slow ejection", func(p *Params) { p.Ejection = gigabyte / 6 }, start{0, 0, far, 1000, 0}, 6000, 7000},
		{"past both", func(p *Params) { p.Injection, p.Ejection = gigabyte/5, gigabyte/6 }, start{0, 1, 1, 1000, 0}, 6000, 6500},
		{"in packets", func(p *Params) { p.Packets = Packets{Payload: 300, Size: 320, Control: 80} }, start{0, 0, far, 1000, 0}, 1280, 2280},
		{"without bytes", func(p *Params) { p.Packets = Packets{Payload: 300, Size: 320, Control: 80} }, start{0, 0, far, 0, 0}, 80, 1080},
	} {
		p := p
		c.change(&p)
		l, f := run(t, topology.Grid{Sizes: []int{8, 8}}, p, []start{c.start})
		if l.sent[0] != c.sent*ns || l.arrived[0] != c.arrived*ns {
			t.Errorf("%s: sent %v, arrived %v", c.name, l.sent[0], l.arrived[0])
		}
		if got := f.Alone(network.Transfer{From: c.start.from, To: c.start.to, Bytes: c.start.bytes, Length: c.start.length}); got != c.sent*ns {
			t.Errorf("%s: alone %v", c.name, got)
		}
	}
}

// Messages share a link one after the other; messages of one FIFO wait for each
// other unless the window lets them be in flight together; a message of a
// packet waits for such messages only; what turns into a ring takes longer there.
func TestRules(t *testing.T) {
	line, twins := topology.Mesh(8), topology.Grid{Sizes: []int{4}, PerRouter: 2}
	tens := Packets{Payload: 10, Size: 10}
	shared := []start{{0, 0, 2, 1000, 0}, {0, 1, 3, 1000, 0}} // both use the link from 1 to 2
	own := []start{{0, 1, 3, 1000, 0}, {0, 0, 2, 1000, 0}, {0, 0, 1, 1000, 0}}
	for _, c := range []struct {
		name   string
		grid   topology.Grid
		change func(*Params)
		starts []start
		want   []sim.Time // sent
	}{
		{"one link", line, func(*Params) {}, shared, []sim.Time{1000, 2000}},
		{"a FIFO waits for its message", line, func(*Params) {}, own, []sim.Time{1000, 2000, 3000}},
		{"but not within the window", line, func(p *Params) { p.Window = 2 }, own, []sim.Time{1000, 2000, 2000}},
		{"a packet is let in", line, func(p *Params) { p.Packets = tens }, []start{{0, 0, 2, 1000, 0}, {0, 1, 3, 10, 0}}, []sim.Time{1000, 10}},
		{"and is a load", line, func(p *Params) { p.Packets = tens }, []start{{0, 1, 3, 10, 0}, {0, 0, 2, 1000, 0}}, []sim.Time{10, 1010}},
		{"packets wait for each other", line, func(p *Params) { p.Packets, p.Window = tens, 2 },
			[]start{{0, 2, 3, 1000, 0}, {0, 0, 3, 10, 0}, {0, 1, 3, 10, 0}, {0, 1, 3, 10, 0}}, []sim.Time{1000, 10, 20, 30}},
		{"a turn into a ring", topology.Grid{Sizes: []int{4, 4}}, func(p *Params) { p.Turn = 1.5 }, []start{{0, 0, 5, 1000, 0}},
			[]sim.Time{1500}},
		{"no turn", topology.Grid{Sizes: []int{4, 4}}, func(p *Params) { p.Turn = 1.5 }, []start{{0, 0, 4, 1000, 0}}, []sim.Time{1000}},
		{"a turn into a line", topology.Mesh(4, 4), func(p *Params) { p.Turn = 1.5 }, []start{{0, 0, 5, 1000, 0}}, []sim.Time{1000}},
		{"nodes of a router", twins, func(*Params) {}, []start{{0, 0, 1, 1000, 300 * ns}, {0, 1, 0, 1000, 300 * ns}, {0, 0, 1, 1000, 300 * ns}},
			[]sim.Time{300, 300, 300}},
		{"but for their injection", twins, func(p *Params) { p.Injection = gigabyte },
			[]start{{0, 0, 1, 1000, 300 * ns}, {0, 1, 0, 1000, 300 * ns}, {0, 0, 1, 1000, 300 * ns}}, []sim.Time{1000, 1000, 2000}},
		{"and ejection", twins, func(p *Params) { p.Ejection = gigabyte }, []start{{0, 0, 3, 1000, 0}, {0, 4, 3, 1000, 0}, {0, 5, 2, 1000, 0}},
			[]sim.Time{1000, 2000, 2000}},
	} {
		p := plain
		c.change(&p)
		l, _ := run(t, c.grid, p, c.starts)
		for i, want := range c.want {
			if got := l.sent[uint32(i)]; got != want*ns {
				t.Errorf("%s: message %d sent at %v, want %v", c.name, i, got, want*ns)
			}
		}
	}
}

// An all-to-all on a ring or line of k nodes takes what the busiest link
// carries when nothing waits in a FIFO: k/8 or k/4 of what a node sends.
func TestExchangeIsBisection(t *testing.T) {
	const k, bytes = 8, 1000
	for _, open := range []bool{false, true} {
		var starts []start
		for from := range int32(k) {
			for d := int32(1); d < k; d++ {
				starts = append(starts, start{0, from, (from + d) % k, bytes, 0})
			}
		}
		p := plain
		p.Window = 100
		l, f := run(t, topology.Grid{Sizes: []int{k}, Open: []bool{open}, Tie: topology.TieParity}, p, starts)
		last := sim.Time(0)
		for _, at := range l.sent {
			last = max(last, at)
		}
		want := sim.Time(k*k/8) * bytes * ns // crossings of a cut in one direction
		if open {
			want *= 2
		}
		if last != want {
			t.Errorf("open %v: %v, want %v", open, last, want)
		}
		for l := range f.links {
			if done := f.links[l].done; done > last {
				t.Errorf("open %v: link %d is done at %v, after the last message", open, l, done)
			}
		}
	}
}

// Of random loads: links carry what the routes say (conservation), no message is
// faster than alone, and the last one is no later than if all went one by one;
// two runs are the same.
func TestRandomLoads(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := topology.Grid{Sizes: []int{4, 3, 2}, Open: []bool{rapid.Bool().Draw(rt, "open"), false, true}}
		shape := must.Get(topology.NewTorus(g))(rt)
		node := rapid.Int32Range(0, 23)
		var starts []start
		var sum sim.Time
		load := make([]sim.Time, shape.Links())
		for range rapid.IntRange(1, 60).Draw(rt, "messages") {
			s := start{sim.Time(rapid.IntRange(0, 20).Draw(rt, "at")) * 100 * ns, node.Draw(rt, "from"), node.Draw(rt, "to"),
				rapid.Int64Range(1, 3000).Draw(rt, "bytes"), 0}
			starts = append(starts, s)
			sum += perByte(s.bytes)
			for _, l := range shape.Route(int(s.from), int(s.to), nil) {
				load[l] += perByte(s.bytes)
			}
		}
		p := plain
		p.Window = rapid.IntRange(1, 3).Draw(rt, "window")
		first, f := run(t, g, p, starts)
		again, _ := run(t, g, p, starts)
		for i, s := range starts {
			at := first.sent[uint32(i)]
			least := perByte(s.bytes)
			if s.from == s.to {
				least = 0
			}
			if at < s.at+least || at > 2000*ns+sum {
				rt.Fatalf("message %d (%+v) sent at %v, all together are %v", i, s, at, sum)
			}
			if again.sent[uint32(i)] != at {
				rt.Fatalf("message %d: %v and %v", i, at, again.sent[uint32(i)])
			}
		}
		for l, a := range f.Links().Loads {
			if a.Busy != load[l] || perByte(int64(a.Bytes)) != load[l] {
				rt.Fatalf("link %d carried %+v, should %v", l, a, load[l])
			}
		}
	})
}

// Links that carry only messages of one packet carry them at their bandwidth: when the last one is
// sent, no link has any left.
func TestFloodsOfPackets(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		node := rapid.Int32Range(0, 11)
		var starts []start
		for range rapid.IntRange(1, 60).Draw(rt, "messages") {
			starts = append(starts, start{sim.Time(rapid.IntRange(0, 20).Draw(rt, "at")) * ns, node.Draw(rt, "from"), node.Draw(rt, "to"),
				rapid.Int64Range(0, 10).Draw(rt, "bytes"), 0})
		}
		p := plain
		p.Packets, p.Window = Packets{Payload: 10, Size: 12, Control: 5}, rapid.IntRange(1, 3).Draw(rt, "window")
		l, f := run(t, topology.Grid{Sizes: []int{4, 3}}, p, starts)
		last := slices.Max(l.sent)
		for i, at := range f.links {
			if at.done > last {
				rt.Errorf("link %d is done at %v, the last message was sent at %v", i, at.done, last)
			}
		}
	})
}

// What cannot be meant is refused.
func TestMistakes(t *testing.T) {
	shape := must.Get(topology.NewTorus(topology.Mesh(2)))(t)
	gigabytes := []sim.Rate{gigabyte}
	for want, p := range map[string]Params{
		"latencies must not be negative":                     {Capacity: gigabytes, Window: 1, Turn: 1, Latency: -1},
		"bandwidth: mesh 2 has 1 kinds of links":             {Window: 1, Turn: 1},
		"bandwidth of links: must be positive, got 0 B/s":    {Capacity: []sim.Rate{0}, Window: 1, Turn: 1},
		"ejection: must be positive, or 0 for none, got -1 ": {Capacity: gigabytes, Ejection: -1, Window: 1, Turn: 1},
		"window and turn must":                               {Capacity: gigabytes, Window: 1, Turn: math.NaN()},
	} {
		must.Refuse(New(sim.NewKernel(), nil, shape, p))(t, want)
	}
}

// All-to-all of 512 nodes: two events a message and one of the driver.
func BenchmarkAllToAll512(b *testing.B) {
	var starts []start
	for d := int32(1); d < 512; d++ {
		for from := range int32(512) {
			starts = append(starts, start{0, from, (from + d) % 512, 1000, 0})
		}
	}
	p := plain
	p.Window = 2
	for b.Loop() {
		_, f := run(b, topology.Grid{Sizes: []int{8, 8, 8}}, p, starts)
		if got, want := f.kernel.Processed(), uint64(3*len(starts)); got != want {
			b.Fatalf("%d events, want %d", got, want)
		}
	}
	b.ReportMetric(float64(b.N*len(starts))/b.Elapsed().Seconds(), "messages/s")
}
