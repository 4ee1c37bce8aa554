package bucket

import (
	"math"
	"testing"

	"overlapsim/network"
	"overlapsim/sim"
	"overlapsim/sim/must"

	"pgregory.net/rapid"
)

// log notes when transfers were sent and arrived.
type log struct{ sent, arrived map[uint32]sim.Time }

func (l log) Sent(id uint32, now, _ sim.Time) { l.sent[id] = now }
func (l log) Arrived(id uint32, now sim.Time) { l.arrived[id] = now }

// instant is a fabric without limits: a transfer leaves after its length.
type instant struct {
	network.Unrecorded
	kernel *sim.Kernel
	me     sim.HandlerID
	sink   network.Sink
}

const latency = 700

func (f *instant) Latency(_, _ int32, _ network.TransferKind) sim.Time { return latency }
func (f *instant) Injection() sim.Rate                                 { return 0 }
func (f *instant) Ejection() sim.Rate                                  { return 0 }
func (f *instant) Alone(t network.Transfer) sim.Time                   { return t.Length }
func (f *instant) Links() *network.Links                               { return nil }
func (f *instant) Explain(network.Watcher) *network.Explanation {
	return new(network.Explanation)
}
func (f *instant) Start(t network.Transfer) {
	f.kernel.Schedule(f.kernel.Now()+t.Length, f.me, sent, uint64(t.ID))
}
func (f *instant) Handle(e sim.Event) {
	if e.Kind == sent {
		f.sink.Sent(uint32(e.Arg), e.At, e.At+latency)
		f.kernel.Schedule(e.At+latency, f.me, arrived, e.Arg)
		return
	}
	f.sink.Arrived(uint32(e.Arg), e.At)
}

func newInstant(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
	f := &instant{kernel: k, sink: sink}
	f.me = k.Register(f)
	return f, nil
}

// starter starts transfers.
type starter struct {
	f   network.Contended
	all []network.Transfer
}

func (s *starter) Handle(e sim.Event) { s.f.Start(s.all[e.Arg]) }

func run(t must.Test, p Params, at []sim.Time, all []network.Transfer) (log, *Fabric) {
	k, l := sim.NewKernel(), log{map[uint32]sim.Time{}, map[uint32]sim.Time{}}
	f := must.Get(New(k, l, p, newInstant))(t)
	s := &starter{f, all}
	me := k.Register(s)
	for i := range all {
		k.Schedule(at[i], me, 0, uint64(i))
	}
	k.Run()
	if len(l.sent) != len(all) || len(l.arrived) != len(all) || len(f.travel) > 0 {
		t.Fatal("not all were sent and arrived once")
	}
	return l, f
}

const ns = sim.Nanosecond

// Sums by hand: a gigabyte per second and 100 bytes of depth.
func TestByHand(t *testing.T) {
	type one struct {
		at       sim.Time // ns
		from, to int32
		bytes    int64
		sent     sim.Time // ns
	}
	p := Params{Rate: 1e9, Depth: 100}
	packets := Params{Rate: 1e9, Depth: 100, Payload: 50, Header: 10}
	for _, c := range []struct {
		name   string
		shared Shared
		Params
		all []one
	}{
		{"fits", Out, p, []one{{0, 0, 1, 100, 0}}},
		{"does not fit", Out, p, []one{{0, 0, 1, 150, 50}}},
		{"one behind the other", Out, p, []one{{0, 0, 1, 100, 0}, {0, 0, 1, 30, 30}, {0, 0, 1, 30, 60}}},
		{"fills again", Out, p, []one{{0, 0, 1, 100, 0}, {40, 0, 1, 60, 60}, {1000, 0, 1, 110, 1010}}},
		{"others have their own", Out, p, []one{{0, 0, 1, 100, 0}, {0, 1, 0, 100, 0}}},
		{"in and out", Both, p, []one{{0, 0, 1, 100, 0}, {0, 1, 0, 100, 100}, {0, 2, 3, 100, 100}, {0, 2, 1, 10, 210}}[:2]},
		{"in and out of a third", Both, p, []one{{0, 0, 1, 100, 0}, {0, 2, 1, 20, 20}, {0, 3, 2, 100, 20}}},
		{"all", All, p, []one{{0, 0, 1, 100, 0}, {0, 2, 3, 50, 50}}},
		{"packets and headers", Out, packets, []one{{0, 0, 1, 101, 31}, {1000, 0, 1, 0, 1000}, {1000, 0, 1, 91, 1021}}},
		{"to itself", All, p, []one{{0, 0, 0, 1000, 0}, {0, 0, 1, 100, 0}}},
	} {
		p := c.Params
		p.Shared = c.shared
		var at []sim.Time
		var all []network.Transfer
		for i, o := range c.all {
			at = append(at, o.at*ns)
			all = append(all, network.Transfer{ID: uint32(i), From: o.from, To: o.to, Bytes: o.bytes})
		}
		l, _ := run(t, p, at, all)
		for i, o := range c.all {
			if l.sent[uint32(i)] != o.sent*ns || l.arrived[uint32(i)] != o.sent*ns+latency {
				t.Errorf("%s: transfer %d is sent at %v and arrives at %v", c.name, i, l.sent[uint32(i)], l.arrived[uint32(i)])
			}
		}
	}
}

// slow is a second version: it keeps the bytes in each bucket, and counts those that are taken
// too early as a debt.
func slow(p Params, at []sim.Time, all []network.Transfer) (sent []float64) {
	type level struct {
		bytes float64
		when  float64 // s
	}
	levels := map[int32]*level{}
	for i, t := range all {
		now := at[i].Seconds()
		out := now + t.Length.Seconds()
		buckets := map[Shared][]int32{Out: {t.From}, Both: {t.From, t.To}, All: {-1}}[p.Shared]
		if t.From == t.To {
			buckets = nil
		}
		wire := float64(t.Bytes + p.Header)
		if p.Payload > 0 && t.Bytes > 0 {
			wire = float64(t.Bytes + p.Header*((t.Bytes+p.Payload-1)/p.Payload))
		}
		for _, b := range buckets {
			l := levels[b]
			if l == nil {
				l = &level{bytes: float64(p.Depth)}
				levels[b] = l
			}
			l.bytes = min(float64(p.Depth), l.bytes+(now-l.when)*float64(p.Rate)) - wire
			l.when = now
			if l.bytes < 0 {
				out = max(out, now-l.bytes/float64(p.Rate))
			}
		}
		sent = append(sent, out)
	}
	return sent
}

// Random traffic against the second version. In any time, a bucket for all lets out at most its
// depth and what it earns meanwhile, and no less while it holds bytes back.
func TestAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{Rate: sim.Rate(rapid.IntRange(1, 4).Draw(t, "rate")) * 250e6, Depth: int64(rapid.IntRange(0, 2000).Draw(t, "depth")),
			Payload: int64(rapid.SampledFrom([]int{0, 1, 100, 1448}).Draw(t, "payload")),
			Header:  int64(rapid.IntRange(0, 99).Draw(t, "header")), Shared: Shared(rapid.IntRange(0, 2).Draw(t, "shared"))}
		var at []sim.Time
		var all []network.Transfer
		now := sim.Time(0)
		for i := range rapid.IntRange(1, 30).Draw(t, "transfers") {
			now += sim.Time(rapid.SampledFrom([]int{0, 0, 100, 3000}).Draw(t, "later")) * ns
			one := network.Transfer{ID: uint32(i), From: int32(rapid.IntRange(0, 3).Draw(t, "from")), To: int32(rapid.IntRange(0, 3).Draw(t, "to")),
				Bytes: int64(rapid.IntRange(0, 4000).Draw(t, "bytes"))}
			one.Length = sim.Time(rapid.IntRange(0, 2).Draw(t, "slower")) * sim.Time(one.Bytes) * ns
			at, all = append(at, now), append(all, one)
		}
		l, f := run(t, p, at, all)
		want := slow(p, at, all)
		for i, one := range all {
			if got := l.sent[uint32(i)].Seconds(); math.Abs(got-want[i]) > 1e-10 {
				t.Fatalf("%+v: transfer %d, %+v, is sent at %g, want %g", p, i, one, got, want[i])
			}
			if l.sent[uint32(i)] < at[i]+f.Alone(one) {
				t.Fatalf("%+v: transfer %d, %+v, is sent at %v, sooner than alone", p, i, one, l.sent[uint32(i)])
			}
		}
		conserved(t, p, at, all, l)
	})
}

// conserved checks that a bucket for all never lets out more than it may between any two sends.
func conserved(t *rapid.T, p Params, at []sim.Time, all []network.Transfer, l log) {
	if p.Shared != All {
		return
	}
	for i := range all {
		bytes := 0.0
		for j := i; j < len(all); j++ {
			if all[j].From != all[j].To {
				bytes += p.wire(all[j].Bytes).Seconds() * float64(p.Rate)
			}
			if most := float64(p.Depth) + (l.sent[uint32(j)]-at[i]).Seconds()*float64(p.Rate); all[j].From != all[j].To && bytes > most+1e-3 {
				t.Fatalf("%+v: transfers %d to %d have %g bytes on the wire, at most %g may leave", p, i, j, bytes, most)
			}
		}
	}
}

// All mistakes are named at once.
func TestCheck(t *testing.T) {
	p := Params{Rate: -1, Depth: -1}
	want := "bucket.rate: must be positive, got -1 B/s\nbucket: depth, payload and header must not be negative, got -1, 0 and 0 B"
	if err := p.Check(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
