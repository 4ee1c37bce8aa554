package fabrics

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"

	"pgregory.net/rapid"
)

// row is a fabric of the conformance kit, with its keys.
type row struct {
	name string
	kind string
	keys func() Keys
	// link returns how long bytes take on a link of the topology, in ps; inside: also those
	// between two nodes of a router.
	link   func(bytes int64) float64
	inside bool
	// ends is the gap per byte of the slower end of a way, in ps, and exchange that between two nodes;
	// 0: they do not count.
	ends, exchange float64
	// bucket is how long a full bucket before the fabric holds back bytes, in ps; nil: there is none.
	bucket func(bytes int64) float64
	// hop is the latency of a link of the topology, request what a request takes longer.
	hop, request sim.Time
	// reports tells whether the fabric says what links of the topology have carried.
	reports bool
	// shapes tells whether the fabric accepts a topology.
	shapes func(topology.Topology) bool
}

// alone is how long the bytes of a transfer need to leave an idle fabric.
func (r *row) alone(t network.Transfer, shape topology.Topology) float64 {
	most := float64(t.Length)
	if r.inside || shape.Hops(int(t.From), int(t.To)) > 0 {
		most = max(most, r.link(t.Bytes))
	}
	most = max(most, r.ends*float64(t.Bytes))
	if t.From != t.To {
		most = max(most, r.exchange*float64(t.Bytes))
	}
	if r.bucket != nil && t.From != t.To {
		most = max(most, r.bucket(t.Bytes))
	}
	return most
}

// latency is from the last byte that leaves until it arrives.
func (r *row) latency(t network.Transfer, shape topology.Topology) sim.Time {
	latency := nic.Latency + r.hop*sim.Time(shape.Hops(int(t.From), int(t.To)))
	if t.Kind == network.Request {
		latency += r.request
	}
	return latency
}

func all(topology.Topology) bool { return true }

// safe tells whether packets with finite buffers cannot deadlock.
func safe(t topology.Topology) bool {
	_, torus := t.(*topology.Torus)
	_, acyclic := t.(topology.Acyclic)
	return torus || acyclic
}

const gigabyte = sim.Rate(1e9)

// limited returns links with a bandwidth everywhere; the bandwidth of the ends is smaller.
func limited() links {
	return links{wires{[]sim.Rate{gigabyte}, 30 * sim.Nanosecond}, injected{gigabyte / 2}, gigabyte / 3}
}

// perByte is the time of bytes on a link with a gap per byte, in ps.
func perByte(gap float64) func(int64) float64 {
	return func(bytes int64) float64 { return gap * float64(bytes) }
}

// inPackets is the same for packets with a payload of 240 bytes on a link of 1 GB/s.
func inPackets(bytes int64) float64 { return 1000 * float64(onWire(bytes)) }

// buckets are the buckets of behindBuckets: of 200 MB/s and 1,000 B, for packets of 500 B and a header
// of 40 B.
func buckets(shared string) limiter { return limiter{gigabyte / 5, 1000, 500, 40, shared} }

func behindBuckets(bytes int64) float64 {
	return 5000 * float64(bytes+40*max(1, (bytes+499)/500)-1000)
}

func newFormat() format { return format{Payload: 240, Packet: 272, Control: 80, Raw: gigabyte} }

func onWire(bytes int64) int64 {
	if bytes == 0 {
		return 80
	}
	return (bytes + 239) / 240 * 272
}

func newRouters() *PacketKeys {
	k := newPacketKeys()
	k.format, k.HopLatency, k.Slots, k.Routing, k.GetRouting = newFormat(), 30*sim.Nanosecond, 4, "adaptive", "static"
	k.InjectionFIFOs, k.AnswerFIFOs, k.AnswerLatency = 2, 1, 500*sim.Nanosecond
	return k
}

// rows are the fabrics of the kit; every kind on which messages contend has one.
var rows = []row{
	{name: "flow", kind: "flow", keys: func() Keys { return &flowKeys{links: limited()} },
		link: perByte(1000), ends: 3000, hop: 30 * sim.Nanosecond, reports: true, shapes: all},
	{name: "flow with limits for both ways", kind: "flow",
		keys: func() Keys { return &flowKeys{links: limited(), Duplex: gigabyte / 4, Exchange: gigabyte / 5} },
		link: perByte(1000), ends: 4000, exchange: 5000, hop: 30 * sim.Nanosecond, reports: true, shapes: all},
	{name: "flow with nothing given", kind: "flow", keys: func() Keys { return new(flowKeys) },
		link: perByte(nic.Transfer.Further()), ends: 1500, reports: true, shapes: all},
	{name: "backlog", kind: "backlog", keys: func() Keys { return &backlogKeys{links: limited()} },
		link: perByte(1000), ends: 3000, hop: 30 * sim.Nanosecond, reports: true, shapes: all},
	{name: "backlog in packets", kind: "backlog", keys: func() Keys { return &backlogKeys{links: limited(), format: newFormat(), Window: 2} },
		link: inPackets, ends: 3000, hop: 30 * sim.Nanosecond, reports: true, shapes: all},
	{name: "flow behind buckets of nodes", kind: "flow",
		keys: func() Keys { return &flowKeys{links: limited(), limiter: buckets("both")} },
		link: perByte(1000), ends: 3000, bucket: behindBuckets, hop: 30 * sim.Nanosecond, reports: true, shapes: all},
	{name: "backlog behind a bucket of all", kind: "backlog",
		keys: func() Keys { return &backlogKeys{links: limited(), limiter: buckets("all")} },
		link: perByte(1000), ends: 3000, bucket: behindBuckets, hop: 30 * sim.Nanosecond, reports: true, shapes: all},
	{name: "packet", kind: "packet", keys: func() Keys { return newRouters() },
		link: inPackets, inside: true, ends: 1500, hop: 30 * sim.Nanosecond, request: 500 * sim.Nanosecond, reports: true, shapes: safe},
}

// nic is the NIC of the machine.
var nic = network.LogGOPS{Latency: 700 * sim.Nanosecond, Transfer: network.Cost{{Base: 5000, PerByte: 1500}, {From: 1000, PerByte: 2500}}}

// shapes are topologies of every family.
func shapes(t *testing.T) (all []topology.Topology) {
	add := func(shape topology.Topology, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, shape)
	}
	add(topology.NewCrossbar(5))
	add(topology.NewTorus(topology.Grid{Sizes: []int{4, 3}, PerRouter: 2}))
	add(topology.NewTorus(topology.Mesh(2, 3, 2)))
	add(topology.NewFatTree(topology.Tree{Down: []int{2, 3}, Up: []int{2}}))
	add(topology.NewDragonfly(topology.Groups{Number: 3, Routers: 2, PerRouter: 2, Global: 1}))
	return all
}

// log records when transfers are sent and arrive.
type log struct {
	sent, arrived map[uint32]sim.Time
	twice         bool
	then          func(id uint32, now sim.Time) // when one arrives
}

func newLog() *log { return &log{sent: map[uint32]sim.Time{}, arrived: map[uint32]sim.Time{}} }

func (l *log) Sent(id uint32, now, _ sim.Time) { l.note(l.sent, id, now) }

func (l *log) Arrived(id uint32, now sim.Time) {
	l.note(l.arrived, id, now)
	if l.then != nil {
		l.then(id, now)
	}
}

func (l *log) note(in map[uint32]sim.Time, id uint32, now sim.Time) {
	_, seen := in[id]
	l.twice = l.twice || seen
	in[id] = now
}

// starter starts transfers at their times.
type starter struct {
	f   network.Contended
	all []network.Transfer
}

func (s *starter) Handle(e sim.Event) { s.f.Start(s.all[e.Arg]) }

// run starts transfers at their times, and returns when they were sent and arrived.
func run(t must.Test, keys Keys, nic *network.LogGOPS, shape topology.Topology, at []sim.Time,
	all []network.Transfer) (*log, network.Contended, sim.Time) {
	return watched(t, keys, nic, shape, at, all, func(network.Contended) {})
}

// watched does the same, and passes on the idle fabric first.
func watched(t must.Test, keys Keys, nic *network.LogGOPS, shape topology.Topology, at []sim.Time,
	all []network.Transfer, begin func(network.Contended)) (*log, network.Contended, sim.Time) {
	maker := must.Get(keys.Maker(nic, shape))(t)
	k, l := sim.NewKernel(), newLog()
	f := must.Get(maker(k, l))(t)
	begin(f)
	s := &starter{f, all}
	me := k.Register(s)
	for i := range all {
		k.Schedule(at[i], me, 0, uint64(i))
	}
	k.Run()
	if l.twice || len(l.sent) != len(all) || len(l.arrived) != len(all) {
		t.Fatal(fmt.Sprintf("%d transfers: %d sent, %d arrived, one twice: %v", len(all), len(l.sent), len(l.arrived), l.twice))
	}
	return l, f, k.Now()
}

// One message alone takes the longer of the times of its NIC and of the slowest link on its way,
// and arrives its latency later: on every fabric and every topology
// that it accepts. It refuses the others with an error that says what would be right.
func TestAlone(t *testing.T) {
	for _, r := range rows {
		for _, shape := range shapes(t) {
			keys := r.keys()
			if !r.shapes(shape) {
				must.Refuse(keys.Maker(&nic, shape))(t, "must be")
				continue
			}
			for i := range 200 {
				s := sim.NewStream(3, uint64(i))
				one := network.Transfer{
					ID: 7, From: int32(s.Intn(shape.Nodes())), To: int32(s.Intn(shape.Nodes())), Bytes: int64(s.Intn(5000)),
					Kind: network.TransferKind(s.Intn(3)),
				}
				if one.Kind == network.Request {
					one.Bytes = 0
				}
				one.Length = sim.Time(s.Intn(4)) * nic.Transfer.Of(one.Bytes)
				l, f, _ := run(t, keys, &nic, shape, []sim.Time{1000}, []network.Transfer{one})
				want := r.alone(one, shape)
				took := l.sent[7] - 1000
				if math.Abs(float64(took)-want) > 1 || math.Abs(float64(f.Alone(one))-want) > 1 {
					t.Fatalf("%s on %v: %+v leaves in %d, says %d, want %v", r.name, shape, one, took, f.Alone(one), want)
				}
				latency := r.latency(one, shape)
				if f.Latency(one.From, one.To, one.Kind) != latency {
					t.Fatalf("%s on %v: latency %v, want %v", r.name, shape, f.Latency(one.From, one.To, one.Kind), latency)
				}
				if got := l.arrived[7] - l.sent[7]; got != latency {
					t.Fatalf("%s on %v: %+v arrives %v after it was sent, want %v", r.name, shape, one, got, latency)
				}
			}
		}
	}
}

// traffic draws transfers between the nodes of a topology.
func traffic(t *rapid.T, nodes int) (at []sim.Time, all []network.Transfer) {
	node := rapid.IntRange(0, nodes-1)
	for id := range rapid.IntRange(1, 40).Draw(t, "transfers") {
		one := network.Transfer{
			ID: uint32(id), From: int32(node.Draw(t, "from")), To: int32(node.Draw(t, "to")), Bytes: int64(rapid.IntRange(0, 3000).Draw(t, "bytes")),
			Kind: network.TransferKind(rapid.IntRange(0, 2).Draw(t, "kind")),
		}
		if one.Kind == network.Request {
			one.Bytes = 0
		}
		one.Length = sim.Time(rapid.IntRange(0, 3).Draw(t, "slower")) * nic.Transfer.Of(one.Bytes)
		at, all = append(at, sim.Time(rapid.IntRange(0, 8).Draw(t, "at"))*100*sim.Nanosecond), append(all, one)
	}
	return at, all
}

// onRows checks a property of random traffic, on random fabrics and shapes.
func onRows(t *testing.T, check func(*rapid.T, row, topology.Topology, []sim.Time, []network.Transfer)) {
	every := shapes(t)
	rapid.Check(t, func(t *rapid.T) {
		r, shape := rapid.SampledFrom(rows).Draw(t, "fabric"), rapid.SampledFrom(every).Draw(t, "shape")
		if r.shapes(shape) {
			at, transfers := traffic(t, shape.Nodes())
			check(t, r, shape, at, transfers)
		}
	})
}

// Under any traffic, each transfer is sent once and arrives once, no sooner than alone.
// Links carry the bytes of the routes that use them, within their capacity. Two runs are
// the same.
func TestTraffic(t *testing.T) {
	onRows(t, func(t *rapid.T, r row, shape topology.Topology, at []sim.Time, transfers []network.Transfer) {
		keys := r.keys()
		l, f, end := run(t, keys, &nic, shape, at, transfers)
		again, _, _ := run(t, keys, &nic, shape, at, transfers)
		hops := 0.0
		for i, one := range transfers {
			id := one.ID
			if sent := l.sent[id]; sent < at[i]+one.Length || sent < at[i]+f.Alone(one)-1 {
				t.Fatalf("%s on %v: %+v begins at %v and is sent at %v, alone it takes %v", r.name, shape, one, at[i], sent, f.Alone(one))
			}
			if l.arrived[id] < l.sent[id]+f.Latency(one.From, one.To, one.Kind) {
				t.Fatalf("%s on %v: %+v is sent at %v and arrives at %v", r.name, shape, one, l.sent[id], l.arrived[id])
			}
			if l.sent[id] != again.sent[id] || l.arrived[id] != again.arrived[id] {
				t.Fatalf("%s on %v: %+v is sent at %v and %v", r.name, shape, one, l.sent[id], again.sent[id])
			}
			hops += float64(shape.Hops(int(one.From), int(one.To))) * r.link(one.Bytes)
		}
		links := f.Links()
		if links == nil {
			if r.reports && shape.Links() > 0 {
				t.Fatalf("%s on %v: does not report what links carried", r.name, shape)
			}
			return
		}
		if links.Elapsed = end; links.Check() != nil {
			t.Fatal(links.Check())
		}
		carried := 0.0
		for i := range shape.Links() {
			carried += links.Loads[i].Bytes * links.Loads[i].Capacity.Gap()
		}
		if math.Abs(carried-hops) > 1e-9*hops+1e-6 {
			t.Fatalf("%s on %v: links carried %v ps of work, should %v", r.name, shape, carried, hops)
		}
	})
}

// Recording when links carry bytes changes nothing. The bytes recorded for a link add up to what
// it carried, to the byte, and no bin has more than the link's capacity, up to part of a byte at
// its ends or for a flow. A link of a backlog fabric may have promised more than it has done at
// the end.
func TestRecord(t *testing.T) {
	onRows(t, func(t *rapid.T, r row, shape topology.Topology, at []sim.Time, transfers []network.Transfer) {
		keys := r.keys()
		plain, _, _ := run(t, keys, &nic, shape, at, transfers)
		var s *network.Series
		l, f, end := watched(t, keys, &nic, shape, at, transfers, func(f network.Contended) {
			if links := f.Links(); links != nil {
				s = network.NewSeries(len(links.Loads))
				f.Record(s)
			}
		})
		if !reflect.DeepEqual(plain.sent, l.sent) || !reflect.DeepEqual(plain.arrived, l.arrived) {
			t.Fatalf("%s on %v: another run when recorded", r.name, shape)
		}
		if s == nil {
			return
		}
		links := f.Links()
		for i, load := range links.Loads {
			after := int64(0)
			for bin, parts := range s.Row(i) {
				most := s.Bin.Seconds()*float64(load.Capacity)*network.ByteParts*(1+1e-9) + float64(len(transfers)) + 1
				if float64(parts) > most {
					t.Fatalf("%s on %v: %s carries %d parts of bytes in a bin, it can carry %v", r.name, shape, links.Name(i), parts, most)
				}
				if bin >= int(end/s.Bin) {
					after += parts
				}
			}
			if links.Unit != "ns" {
				after = 0
			}
			sum := float64(s.Sum(i)) / network.ByteParts
			if sum < math.Floor(load.Bytes) || sum > load.Bytes+float64(after)/network.ByteParts {
				t.Fatalf("%s on %v: %s carried %v bytes, recorded are %v", r.name, shape, links.Name(i), load.Bytes, sum)
			}
		}
	})
}

// scaled returns keys with all times twice as long.
func scaled(keys Keys) Keys {
	copied := reflect.New(reflect.TypeOf(keys).Elem())
	copied.Elem().Set(reflect.ValueOf(keys).Elem())
	for _, field := range reflect.VisibleFields(copied.Elem().Type()) {
		if field.Tag.Get("key") == "" {
			continue
		}
		switch at := copied.Elem().FieldByIndex(field.Index).Addr().Interface().(type) {
		case *sim.Time:
			*at *= 2
		case *sim.Rate:
			*at /= 2
		case *[]sim.Rate:
			*at = slices.Clone(*at)
			for i := range *at {
				(*at)[i] /= 2
			}
		}
	}
	return copied.Interface().(Keys)
}

// If all times are doubled and bandwidths halved, every transfer is sent and arrives
// after twice the time, up to the roundings of all transfers.
func TestScaling(t *testing.T) {
	every := shapes(t)
	rapid.Check(t, func(t *rapid.T) {
		r, shape := rapid.SampledFrom(rows).Draw(t, "fabric"), rapid.SampledFrom(every).Draw(t, "shape")
		if !r.shapes(shape) {
			return
		}
		at, transfers := traffic(t, shape.Nodes())
		l, _, _ := run(t, r.keys(), &nic, shape, at, transfers)
		twice := network.LogGOPS{Latency: 2 * nic.Latency, Transfer: slices.Clone(nic.Transfer)}
		for i := range twice.Transfer {
			twice.Transfer[i].Base *= 2
			twice.Transfer[i].PerByte *= 2
		}
		for i := range transfers {
			at[i] *= 2
			transfers[i].Length *= 2
		}
		m, _, _ := run(t, scaled(r.keys()), &twice, shape, at, transfers)
		for id, sent := range l.sent {
			if slack := sim.Time(4 * len(transfers)); off(m.sent[id], 2*sent) > slack || off(m.arrived[id], 2*l.arrived[id]) > slack {
				t.Fatalf("%s on %v: %+v is sent at %d and arrives at %d, at half the speed at %d and %d",
					r.name, shape, transfers[id], sent, l.arrived[id], m.sent[id], m.arrived[id])
			}
		}
	})
}

func off(a, b sim.Time) sim.Time { return max(a-b, b-a) }

// More bandwidth does not slow down a message that is alone.
func TestMoreBandwidth(t *testing.T) {
	for _, r := range rows {
		for _, shape := range shapes(t) {
			if !r.shapes(shape) {
				continue
			}
			for i := range 50 {
				s := sim.NewStream(4, uint64(i))
				one := network.Transfer{From: int32(s.Intn(shape.Nodes())), To: int32(s.Intn(shape.Nodes())), Bytes: int64(s.Intn(5000)),
					Length: sim.Time(s.Intn(5_000_000))}
				fast, _, _ := run(t, r.keys(), &nic, shape, []sim.Time{0}, []network.Transfer{one})
				slow, _, _ := run(t, scaled(r.keys()), &nic, shape, []sim.Time{0}, []network.Transfer{one})
				if fast.sent[0] > slow.sent[0] || fast.arrived[0] > slow.arrived[0] {
					t.Fatalf("%s on %v: %+v is sent at %v, with half the bandwidth at %v", r.name, shape, one, fast.sent[0], slow.sent[0])
				}
			}
		}
	}
}

// Every kind on which messages contend has a row, and gives the memory of a link; the others make
// no fabric. An unknown kind is an error that lists the known ones.
func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.kind] = true
		kind, err := Lookup(r.kind)
		if err != nil || reflect.TypeOf(kind.New()) != reflect.TypeOf(r.keys()) {
			t.Errorf("%s: %+v, %v", r.name, kind, err)
		}
	}
	crossbar := must.Get(topology.NewCrossbar(2))(t)
	for _, k := range Kinds() {
		if maker, _ := k.New().Maker(&nic, crossbar); maker != nil && !seen[k.Name] || maker == nil && k.Places && !seen[k.Name] {
			t.Errorf("%s has no row", k.Name)
		} else if maker != nil && k.PerLink <= 0 {
			t.Errorf("%s does not say how much memory a link takes: a run that is too large would not be refused", k.Name)
		}
	}
	want := "kind: must be one of " + strings.Join(Names(), ", ") + ", got nonsense"
	if _, err := Lookup("nonsense"); err == nil || err.Error() != want {
		t.Errorf("an unknown kind: %v, want %s", err, want)
	}
}

// changes are other values of a key.
func changes(field any, choices string) (all []any) {
	switch of := field.(type) {
	case *sim.Time:
		all = []any{*of + 70*sim.Nanosecond}
	case *sim.Rate:
		all = []any{*of/2 + gigabyte/8}
	case *[]sim.Rate:
		all = []any{[]sim.Rate{gigabyte / 3}}
	case *int:
		all = []any{*of + 1, *of + 2}
	case *int64:
		all = []any{*of/2 + 41}
		if *of == 272 { // of packets, which hold the payload
			all = []any{*of + 100}
		}
	case *float64:
		all = []any{*of + 0.5}
	case *bool:
		all = []any{!*of}
	case *string:
		for _, choice := range strings.Split(choices, ",") {
			all = append(all, choice)
		}
	}
	return all
}

// sharedRouteTransfers returns transfers, many of which take the same route.
func sharedRouteTransfers(nodes int, seed uint64) (at []sim.Time, all []network.Transfer) {
	s := sim.NewStream(5, seed)
	for id := range 150 {
		one := network.Transfer{ID: uint32(id), From: int32(s.Intn(nodes)), To: int32(s.Intn(1 + nodes/2)), Bytes: int64(s.Intn(4000)),
			Kind: network.TransferKind(s.Intn(3))}
		if one.Kind == network.Request {
			one.Bytes = 0
		}
		one.Length = nic.Transfer.Of(one.Bytes)
		at, all = append(at, sim.Time(s.Intn(8))*sim.Microsecond), append(all, one)
	}
	return at, all
}

// Keys that a fabric does not name have no effect in that run, and each key that it names
// has an effect in some run. It names only its own keys and the NIC's channels.
func TestReads(t *testing.T) {
	acts := map[string]bool{}
	for _, r := range rows {
		for _, shape := range shapes(t) {
			if !r.shapes(shape) {
				continue
			}
			reads, known := r.keys().Reads(&nic, shape), map[string]bool{channels: true}
			for _, field := range reflect.VisibleFields(reflect.TypeOf(r.keys()).Elem()) {
				key := field.Tag.Get("key")
				if known[key] = true; key != "" && r.changes(t, shape, field) {
					if acts[r.kind+" "+key] = true; !slices.Contains(reads, key) {
						t.Errorf("%s on %v does not name %s, which acts", r.name, shape, key)
					}
				}
			}
			for _, key := range reads {
				if _, noted := acts[r.kind+" "+key]; !noted {
					acts[r.kind+" "+key] = key == channels
				}
				if !known[key] {
					t.Errorf("%s on %v names %s, which it does not have", r.name, shape, key)
				}
			}
		}
	}
	for key, does := range acts {
		if !does {
			t.Errorf("%s never acts", key)
		}
	}
}

// changes tells whether another value of a key changes any result.
func (r *row) changes(t *testing.T, shape topology.Topology, field reflect.StructField) bool {
	keys := r.keys()
	of := reflect.ValueOf(keys).Elem().FieldByIndex(field.Index)
	for _, value := range changes(of.Addr().Interface(), field.Tag.Get("choices")) {
		of.Set(reflect.ValueOf(value))
		for seed := range uint64(3) {
			at, transfers := sharedRouteTransfers(shape.Nodes(), seed)
			before, _, _ := run(t, r.keys(), &nic, shape, at, transfers)
			after, _, _ := run(t, keys, &nic, shape, at, transfers)
			if !reflect.DeepEqual(before.sent, after.sent) || !reflect.DeepEqual(before.arrived, after.arrived) {
				return true
			}
		}
	}
	return false
}

// Ends that are omitted have the NIC's rate, 1.5 ns a byte at best: three messages to one node, or
// from one, take three times as long as one. No other key that is omitted delays anything.
func TestDefaults(t *testing.T) {
	star := must.Get(topology.NewCrossbar(4))(t)
	const one = 15 * sim.Microsecond
	var in, out []network.Transfer
	for i := range int32(3) {
		in = append(in, network.Transfer{ID: uint32(i), From: i, To: 3, Bytes: 10_000})
		out = append(out, network.Transfer{ID: uint32(i), From: 3, To: i, Bytes: 10_000})
	}
	for _, all := range [][]network.Transfer{in, out} {
		for _, c := range []struct {
			keys Keys
			want [3]sim.Time
		}{
			{new(flowKeys), [3]sim.Time{3 * one, 3 * one, 3 * one}}, {new(backlogKeys), [3]sim.Time{one, 2 * one, 3 * one}},
		} {
			l, _, _ := run(t, c.keys, &nic, star, make([]sim.Time, len(all)), all)
			for id, want := range c.want {
				if sent := l.sent[uint32(id)]; sent != want || l.arrived[uint32(id)] != want+nic.Latency {
					t.Errorf("%T: %+v is sent at %v, want %v", c.keys, all[id], sent, want)
				}
			}
		}
	}
}

// A message that turns into a ring loads it by the given factor more; one that goes straight does
// not.
func TestTurn(t *testing.T) {
	ring := must.Get(topology.NewTorus(topology.Grid{Sizes: []int{4, 4}}))(t)
	for to, want := range map[int32]sim.Time{1: sim.Microsecond, 4: sim.Microsecond, 5: 1250 * sim.Nanosecond} {
		keys := &backlogKeys{links: links{wires{Bandwidth: []sim.Rate{gigabyte}}, injected{gigabyte}, gigabyte}, Turn: 0.25}
		l, _, _ := run(t, keys, &nic, ring, []sim.Time{0}, []network.Transfer{{To: to, Bytes: 1000}})
		if l.sent[0] != want {
			t.Errorf("to node %d: sent at %v, want %v", to, l.sent[0], want)
		}
	}
}
