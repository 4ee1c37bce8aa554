package streams

import (
	"fmt"
	"runtime/debug"
	"slices"
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// h100 is a GPU with as many SMs as an H100.
func h100() Device {
	return Device{Name: "0", SMs: 132, Streams: []Stream{{Name: "compute"}, {Name: "communication", Priority: 1}}}
}

func run(t *testing.T, g *Graph) *Result {
	t.Helper()
	r := must.Get(Run(g))(t)
	checkPath(t, g, r)
	return r
}

// checkPath checks that the critical path has no gap and is as long as the run.
func checkPath(t interface {
	Helper()
	Fatalf(string, ...any)
}, g *Graph, r *Result) {
	t.Helper()
	at := sim.Time(0)
	for _, p := range r.Critical() {
		if p.Start != at || p.End <= p.Start {
			t.Fatalf("a piece of %s from %v to %v follows on %v", g.Ops[p.Op].Name, p.Start, p.End, at)
		}
		at = p.End
	}
	if at != r.Makespan {
		t.Fatalf("the path ends at %v, the run at %v", at, r.Makespan)
	}
}

// A product of 132 blocks runs in one wave alone and in two next to 24 channels: NVIDIA developer
// forum, topic 337991.
func TestWaves(t *testing.T) {
	const each = 100 * sim.Microsecond
	for channels, want := range map[int32]sim.Time{0: each, 24: 2 * each} {
		g := &Graph{Devices: []Device{h100()}, Kinds: []string{"all"}, Ops: []Op{{Name: "product", Blocks: 132, Work: each}}}
		if channels > 0 {
			g.Collectives = []Collective{{Transfer: 10 * each}}
			g.Ops = append([]Op{{Name: "gather", Stream: 1, Blocks: channels, Collective: 1}}, g.Ops...)
		}
		r := run(t, g)
		if got := r.Ends[len(g.Ops)-1]; got != want {
			t.Errorf("beside %d channels: %v, want %v", channels, got, want)
		}
	}
}

// If the collective ends in the middle, the remaining blocks get its SMs: between 1.7 and 2 times
// the time of one wave if the collective runs for most of the time.
func TestWavesBesideShorterCollective(t *testing.T) {
	const each = 100 * sim.Microsecond
	g := &Graph{Devices: []Device{h100()}, Kinds: []string{"all"}, Collectives: []Collective{{Transfer: 80 * sim.Microsecond}},
		Ops: []Op{{Name: "gather", Stream: 1, Blocks: 24, Collective: 1}, {Name: "product", Blocks: 132, Work: each}}}
	r := run(t, g)
	if got := r.Ends[1]; got != 180*sim.Microsecond {
		t.Errorf("%v, want 1.8 waves", got)
	}
	l := r.Total(0, 0)
	if l[Starved] == 0 || l[Compute] < each-10 || l[Compute] > each {
		t.Errorf("ledger %v: want one wave of work, and SMs that others have", l)
	}
}

// Two kernels that demand twice the memory's bandwidth take twice as long; one with little demand
// is not slowed.
func TestMemoryIsShared(t *testing.T) {
	d := Device{Name: "0", SMs: 100, Bandwidth: 1000e9, Streams: make([]Stream, 2)}
	g := &Graph{Devices: []Device{d}, Kinds: []string{"all"}, Ops: []Op{
		{Name: "copy", Blocks: 50, Work: sim.Millisecond, Demand: 40e9},
		{Name: "product", Stream: 1, Blocks: 50, Work: sim.Millisecond, Demand: 1e9},
	}}
	r := run(t, g)
	if r.Ends[1] != sim.Millisecond {
		t.Errorf("the product takes %v", r.Ends[1])
	}
	// 950 GB/s for a millisecond, 1000 after it.
	want := sim.Millisecond + sim.Time((2000-950)*1e6)
	if diff := r.Ends[0] - want; diff < -2 || diff > 2 {
		t.Errorf("the copy takes %v, want %v", r.Ends[0], want)
	}
}

// The time of many waves is proportional to their number.
func TestWholeWaves(t *testing.T) {
	g := &Graph{Devices: []Device{h100()}, Kinds: []string{"all"}, Ops: []Op{{Name: "product", Blocks: 132*1000 + 1, Work: sim.Microsecond}}}
	r := run(t, g)
	if r.Makespan != 1001*sim.Microsecond || r.Events > 10 {
		t.Errorf("%v in %d events", r.Makespan, r.Events)
	}
	if l := r.Total(0, 0); l[Tail] != sim.Microsecond-sim.Microsecond/132 {
		t.Errorf("tail wave %v", l[Tail])
	}
}

// A collective starts with its last arrival; the others book skew.
func TestSkew(t *testing.T) {
	d := Device{SMs: 10, Streams: make([]Stream, 1)}
	g := &Graph{Devices: []Device{d, d}, Kinds: []string{"all"}, Collectives: []Collective{{Latency: 5, Transfer: 20}}, Ops: []Op{
		{Name: "late", Work: 100},
		{Name: "a", Blocks: 2, Collective: 1},
		{Name: "b", Device: 1, Blocks: 2, Collective: 1},
	}}
	r := run(t, g)
	if r.Makespan != 125 || r.Total(1, 0) != (Ledger{Skew: 100, Latency: 5, Transfer: 20}) {
		t.Errorf("%v, %v", r.Makespan, r.Ledgers)
	}
}

// Operations that are apart have all SMs and all memory, and wait for none: 264 blocks take two waves next to 100 channels.
func TestApart(t *testing.T) {
	const each = 100 * sim.Microsecond
	d := h100()
	d.Bandwidth = 132e9
	g := &Graph{Devices: []Device{d}, Kinds: []string{"all"}, Collectives: []Collective{{Transfer: 10 * each}}, Apart: true, Ops: []Op{
		{Name: "gather", Stream: 1, Blocks: 100, Demand: 1e9, Collective: 1}, {Name: "product", Blocks: 264, Work: each, Demand: 1e9}}}
	if r := run(t, g); r.Ends[1] != 2*each || r.Makespan != 10*each {
		t.Errorf("the product takes %v, the run %v", r.Ends[1], r.Makespan)
	}
}

// A long chain of operations that take no time ends at once.
func TestNothingTakesTime(t *testing.T) {
	g := &Graph{Devices: []Device{h100()}, Kinds: []string{"all"}}
	for i := range int32(200_000) {
		g.Ops = append(g.Ops, Op{Stream: i % 2})
		if i > 0 {
			g.Ops[i].After = []int32{i - 1}
		}
	}
	debug.SetMaxStack(1 << 20)
	defer debug.SetMaxStack(1 << 30)
	if r := run(t, g); r.Makespan != 0 {
		t.Errorf("it takes %v", r.Makespan)
	}
}

// Transfers on one link share it.
func TestLinksAreShared(t *testing.T) {
	d := Device{SMs: 10, Streams: make([]Stream, 2)}
	g := &Graph{Devices: []Device{d}, Kinds: []string{"all"}, Links: []string{"NIC"}, Collectives: []Collective{{Transfer: 100, Link: 1}, {Transfer: 300, Link: 1}},
		Ops: []Op{{Name: "short", Collective: 1}, {Name: "long", Stream: 1, Collective: 2}}}
	r := run(t, g)
	if r.Ends[0] != 200 || r.Ends[1] != 400 {
		t.Errorf("%v", r.Ends)
	}
	if l := r.Total(0, 1); l != (Ledger{Transfer: 300, Contention: 100}) {
		t.Errorf("%v", l)
	}
}

// A message that waits for its other end keeps the host from no launch on other streams: each of two GPUs sends before it computes, and
// receives after that.
func TestLaunchesOfAStream(t *testing.T) {
	d := Device{SMs: 10, Ahead: 2, Streams: make([]Stream, 3)}
	g := &Graph{Devices: []Device{d, d}, Kinds: []string{"all"}, Collectives: []Collective{{Transfer: 5}, {Transfer: 5}}}
	for gpu := range int32(2) {
		g.Ops = append(g.Ops, Op{Name: "send", Device: gpu, Stream: 1, Collective: 1 + gpu, Launch: 10})
		for range 3 {
			g.Ops = append(g.Ops, Op{Name: "k", Device: gpu, Work: 100, Launch: 10})
		}
		g.Ops = append(g.Ops, Op{Name: "receive", Device: gpu, Stream: 2, Collective: 2 - gpu, Launch: 10})
	}
	r := run(t, g)
	// Kernels are launched at 20, 30, and after the first of them, at 130; the receive at 140.
	if r.Ends[4] != 145 || r.Makespan != 320 {
		t.Errorf("received at %v, over at %v", r.Ends[4], r.Makespan)
	}
}

// The host launches one operation after the other, and is ahead by at most that many.
func TestLaunches(t *testing.T) {
	d := Device{SMs: 10, Delay: 3, Ahead: 2, Streams: make([]Stream, 1)}
	g := &Graph{Devices: []Device{d}, Kinds: []string{"all"}}
	for range 4 {
		g.Ops = append(g.Ops, Op{Name: "k", Work: 100, Launch: 10})
	}
	r := run(t, g)
	// Launches at 10, 20; the third begins when the first has ended, at 113.
	if want := []sim.Time{113, 213, 313, 413}; r.Ends[0] != want[0] || r.Ends[3] != want[3] {
		t.Errorf("%v, want %v", r.Ends, want)
	}
	g.Devices[0].Ahead = 0
	g.Ops[2].Wait = []int32{1}
	r = run(t, g)
	if r.Ends[2] != 213+10+3+100 {
		t.Errorf("the third ends at %v", r.Ends[2])
	}
	if l := r.Total(0, 0); l[LaunchWait] != 13+13 {
		t.Errorf("%v", l)
	}
	g.Devices[0].Streams = make([]Stream, 2)
	g.Ops[1].Kind, g.Ops[2].Stream, g.Kinds = 1, 1, []string{"all", "awaited"}
	r = run(t, g)
	if l := r.Ledgers[0][1]; l[1][EventWait] != 213 || l[0][LaunchWait] != 13 {
		t.Errorf("the third waits for the second %v, and for its launch %v", l[1][EventWait], l[0][LaunchWait])
	}
}

// A wait for a collective of another stream is a wait for that stream: the second collective
// begins when the first has ended, at 30, and a kernel that waits for the second from 0 on sees
// both.
func TestWaitForCollectives(t *testing.T) {
	g := &Graph{Kinds: []string{"compute", "first", "second"}, Collectives: []Collective{{Latency: 10, Transfer: 20}, {Latency: 5, Transfer: 40}},
		Devices: []Device{{Name: "0", SMs: 1, Streams: make([]Stream, 2)}, {Name: "1", SMs: 1, Streams: make([]Stream, 2)}}}
	for d := range int32(2) {
		first := int32(len(g.Ops))
		g.Ops = append(g.Ops, Op{Name: "a", Device: d, Stream: 1, Kind: 1, Collective: 1, Launch: sim.Time(7 * d)},
			Op{Name: "b", Device: d, Stream: 1, Kind: 2, Collective: 2},
			Op{Name: "k", Device: d, Blocks: 1, Work: 100, After: []int32{first + 1}})
	}
	r := run(t, g)
	l := r.Ledgers[0][0]
	if l[1][Skew] != 7 || l[1][Latency] != 10 || l[1][Transfer] != 20 || l[2][Latency] != 5 || l[2][Transfer] != 40 || l[0][Compute] != 100 {
		t.Errorf("the kernel of GPU 0 waits %v", l)
	}
}

// Errors name operations.
func TestErrors(t *testing.T) {
	d := Device{Name: "7", SMs: 10, Streams: make([]Stream, 1)}
	crossed := &Graph{Devices: []Device{d, d}, Kinds: []string{"all"}, Collectives: []Collective{{Transfer: 1}, {Transfer: 1}}, Ops: []Op{
		{Name: "a0", Collective: 1}, {Name: "b0", Collective: 2},
		{Name: "b1", Device: 1, Collective: 2}, {Name: "a1", Device: 1, Collective: 1},
	}}
	full := &Graph{Devices: []Device{d, d}, Kinds: []string{"all"}, Collectives: crossed.Collectives, Ops: []Op{
		{Name: "a0", Blocks: 6, Collective: 1}, {Name: "b0", Stream: 1, Blocks: 6, Collective: 2},
		{Name: "b1", Device: 1, Blocks: 6, Collective: 2}, {Name: "a1", Device: 1, Stream: 1, Blocks: 6, Collective: 1},
	}}
	for i := range full.Devices {
		full.Devices[i].Name, full.Devices[i].Streams = fmt.Sprint(7+i), make([]Stream, 2)
	}
	for want, g := range map[string]*Graph{
		"a0 on 7 waits for another member of its collective, on 8, where others hold SMs that it needs": full,
		"4 operations never end; a0 on 7 waits for another member":                                      crossed,
		"must be resident together": {Devices: []Device{d}, Kinds: []string{"all"}, Collectives: []Collective{{Transfer: 1}},
			Ops: []Op{{Name: "a", Blocks: 11, Collective: 1}}},
		"have no work":            {Devices: []Device{d}, Kinds: []string{"all"}, Ops: []Op{{Name: "a", Blocks: 1}}},
		"cannot come after":       {Devices: []Device{d}, Kinds: []string{"all"}, Ops: []Op{{Name: "a", After: []int32{0}}}},
		"each waits for another":  {Devices: []Device{d}, Kinds: []string{"all"}, Ops: []Op{{Name: "a", After: []int32{1}}, {Name: "b"}}},
		"there is no GPU 3":       {Devices: []Device{d}, Kinds: []string{"all"}, Ops: []Op{{Name: "a", Device: 3}}},
		"collective 1 has no mem": {Devices: []Device{d}, Collectives: []Collective{{Transfer: 1}}},
	} {
		must.Refuse(Run(g))(t, want)
	}
}

// Times that add up to more than a run can last end it, regardless of what takes them.
func TestTooLong(t *testing.T) {
	const most = machines.Longest
	for name, o := range map[string]Op{"launches": {Launch: most}, "works": {Work: most}, "blocks": {Blocks: 1, Work: most},
		"latencies": {Collective: 1}, "transfers": {Collective: 2}, "collectives": {Collective: 3}} {
		g := &Graph{Devices: []Device{{Name: "0", SMs: 1, Streams: make([]Stream, 1), Delay: most}}, Kinds: []string{"all"}}
		for i := range int32(5) {
			if o.Collective > 0 {
				g.Collectives = append(g.Collectives, []Collective{{Latency: most}, {Transfer: most}, {Latency: most, Transfer: most}}[o.Collective-1])
				next := o
				next.Collective = i + 1
				g.Ops = append(g.Ops, next)
			} else {
				g.Ops = append(g.Ops, o)
			}
		}
		if _, err := Run(g); err == nil || err.Error() != "the run takes more than 53 days of simulated time" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Operations are hidden while kernels run next to them, counted once where two run together.
func TestHidden(t *testing.T) {
	for _, c := range []struct {
		kernels, others []span
		want            sim.Time
	}{
		{nil, []span{{0, 5}}, 0},
		{[]span{{0, 10}}, []span{{2, 4}, {3, 6}, {9, 12}}, 5},
		{[]span{{0, 3}, {3, 4}, {8, 9}}, []span{{1, 20}}, 4},
		{[]span{{5, 6}}, []span{{0, 5}, {6, 7}}, 0},
	} {
		if got := together(joined(c.kernels), joined(c.others)); got != c.want {
			t.Errorf("%v beside %v: %d, want %d", c.others, c.kernels, got, c.want)
		}
	}
}

// Only kernels of some kinds hide what runs during them.
func TestHiddenByKind(t *testing.T) {
	g := &Graph{Devices: []Device{h100()}, Kinds: []string{"a", "b"}, Collectives: []Collective{{Transfer: 25}},
		Ops: []Op{{Name: "gather", Stream: 1, Collective: 1}, {Name: "a", Work: 10}, {Name: "b", Kind: 1, Work: 7}}}
	r := run(t, g)
	if all, a, b := r.Hidden(0, 0), r.Hidden(0, 0, 0), r.Hidden(0, 0, 1); all != 17 || a != 10 || b != 7 {
		t.Errorf("hidden %v, %v beside a and %v beside b", all, a, b)
	}
}

// Operations of a kind that run at once on several streams count once, a member of a collective from its arrival on, and pauses not.
func TestRunning(t *testing.T) {
	g := &Graph{Devices: []Device{h100(), h100()}, Kinds: []string{"a", "b", "collective"}, Collectives: []Collective{{Transfer: 25}},
		Ops: []Op{{Name: "a", Work: 10}, {Name: "pause", Role: Pauses, Work: 100}, {Name: "a", Work: 3}, {Name: "b", Kind: 1, Stream: 1, Work: 7},
			{Name: "sum", Kind: 2, Stream: 1, Collective: 1}, {Name: "a", Device: 1, Work: 12},
			{Name: "sum", Kind: 2, Device: 1, Collective: 1}}}
	r := run(t, g)
	for device, want := range [][]sim.Time{{13, 7, 5 + 25}, {12, 0, 25}} { // the first one waits 12 - 7 for the second
		if got := r.Running(int32(device)); !slices.Equal(got, want) {
			t.Errorf("device %d: %v, want %v", device, got, want)
		}
	}
	g.Ops[4].Kind, g.Ops[6].Kind = 0, 0              // from 7 to 37, while kernels of a run until 10
	if got := run(t, g).Running(0)[0]; got != 37+3 { // and after the pause, from 110 on
		t.Errorf("at once: %v", got)
	}
}
