package cores

import (
	"math"
	"math/big"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"

	"pgregory.net/rapid"
)

// xeon returns a node of two cores with two contexts each and one memory.
func xeon() *Params {
	p := &Params{Contexts: 2, Cores: 2, Bandwidth: 3e9}
	p.SlowDown[FP][FP] = 1.5
	p.SlowDown[FP][Stack] = 1.25
	p.SlowDown[Stack][FP] = 2
	p.SlowDown[Memory][Memory] = 1.5
	return p
}

// clock keeps the ends that contexts report.
type clock struct {
	*Contexts
	ends map[int]sim.Time
}

func newClock(t testing.TB, p *Params) *clock {
	c := &clock{ends: map[int]sim.Time{}}
	var err error
	if c.Contexts, err = New(p, 1, func(i int, end sim.Time) { c.ends[i] = end }); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *clock) start(i int, a Activity, work, now sim.Time) {
	c.ends[i] = c.Start(i, a, Alone(work), now)
}

func (c *clock) want(t testing.TB, i int, end sim.Time) {
	t.Helper()
	if c.ends[i] != end || c.End(i) != end {
		t.Errorf("context %d ends at %d, and was told to end at %d; want %d", i, c.End(i), c.ends[i], end)
	}
}

// Rule 1 by hand: the library has 1000 of work. It does 200 alone, then runs at half speed
// next to floating point for 250, then does the rest alone.
func TestSiblingsSlowEachOther(t *testing.T) {
	c := newClock(t, xeon())
	c.start(0, Activity{Profile: Stack}, 1000, 0)
	c.want(t, 0, 1000)
	c.start(1, Activity{Profile: FP}, 200, 200) // ends at 200 + 250
	c.want(t, 0, 200+2*800)
	c.want(t, 1, 450)
	c.Stop(1, 450) // 800 - 125 left
	c.want(t, 0, 450+675)
	c.start(2, Activity{Profile: FP}, 100, 500) // another core
	c.want(t, 0, 1125)
	c.want(t, 2, 600)
}

// Rule 1 with more than two contexts: the slow-downs by all siblings add up.
func TestFourContexts(t *testing.T) {
	p := &Params{Contexts: 4, Cores: 1}
	p.SlowDown[FP][FP] = 1.5
	c := newClock(t, p)
	for i := range 4 {
		c.start(i, Activity{Profile: FP}, 1000, 0)
	}
	for i := range 4 {
		c.want(t, i, 2500)
	}
}

// Rule 2 by hand: of 3 GB/s, demands of 2, 0.5 and 2 get 1.25, 0.5 and 1.25.
func TestMemoryIsSharedMaxMin(t *testing.T) {
	p := &Params{Cores: 4, Bandwidth: 3e9}
	c := newClock(t, p)
	c.start(0, Activity{Profile: Memory, Demand: 2e9}, 1000, 0)
	c.start(1, Activity{Profile: Memory, Demand: 5e8}, 1000, 0)
	c.want(t, 0, 1000)
	c.want(t, 1, 1000)
	c.start(2, Activity{Profile: Memory, Demand: 2e9}, 1000, 0)
	c.want(t, 0, 1600)
	c.want(t, 1, 1000)
	c.want(t, 2, 1600)
	c.Stop(0, 800) // 500 done
	c.want(t, 2, 800+500)
}

// The NIC is one more sharer.
func TestNICSharesMemory(t *testing.T) {
	p := &Params{Cores: 2, Bandwidth: 3e9}
	c := newClock(t, p)
	c.start(0, Activity{Profile: Memory, Demand: 2e9}, 1000, 0)
	c.start(1, Activity{Profile: FP, Demand: 0}, 1000, 0)
	c.Stream(1, 2e9, 0)
	c.want(t, 1, 1000)
	c.ends[0] = c.End(0)
	c.want(t, 0, 1334) // 1000 / (1.5/2), rounded up
	c.Stream(1, -2e9, 400)
	c.want(t, 0, 400+700)
}

// A sibling's slow-down leaves memory to others.
func TestSiblingsAndMemory(t *testing.T) {
	p := xeon()
	p.SlowDown[Memory][Memory] = 2
	c := newClock(t, p)
	c.start(0, Activity{Profile: Memory, Demand: 2e9}, 1000, 0)
	c.start(2, Activity{Profile: Memory, Demand: 2e9}, 1000, 0)
	c.want(t, 2, 1334)
	c.start(1, Activity{Profile: Memory, Demand: 0}, 5000, 0) // context 0 now moves 1 GB/s
	c.want(t, 0, 2000)
	c.want(t, 2, 1000)
}

// Two sockets with a memory each do not affect each other.
func TestMemoriesOfSockets(t *testing.T) {
	p := &Params{Cores: 4, Sharing: 2, Bandwidth: 3e9}
	c := newClock(t, p)
	for i := range 3 {
		c.start(i, Activity{Profile: Memory, Demand: 2e9}, 1000, 0)
	}
	c.want(t, 0, 1334)
	c.want(t, 1, 1334)
	c.want(t, 2, 1000)
}

// An activity alone is slowed only by a memory with less bandwidth than it demands.
func TestAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomParams(t)
		c := must.Get(New(p, 2, func(int, sim.Time) { t.Fatal("told of an end") }))(t)
		now := sim.Time(0)
		for range 20 {
			i := rapid.IntRange(0, 2*c.PerNode()-1).Draw(t, "context")
			work := sim.Time(rapid.Int64Range(0, 1<<50).Draw(t, "work"))
			a := randomActivity(t)
			end := c.Start(i, a, Alone(work), now)
			want := float64(work)
			if demand := float64(a.Demand); p.Bandwidth > 0 && demand > p.Bandwidth {
				want *= demand / p.Bandwidth
			}
			if off := math.Abs(float64(end-now) - want); off > 1+want/(1<<30) {
				t.Fatalf("work of %d took %d, not %g", work, end-now, want)
			}
			now = end
			c.Stop(i, now)
		}
	})
}

func randomParams(t *rapid.T) *Params {
	p := &Params{
		Contexts: rapid.IntRange(1, 4).Draw(t, "contexts"), Cores: rapid.IntRange(1, 4).Draw(t, "cores"),
		Bandwidth: rapid.SampledFrom([]float64{0, 1e9, 1e9, 3e9, 7e9}).Draw(t, "bandwidth"),
	}
	p.Sharing = rapid.IntRange(0, p.Cores).Draw(t, "sharing")
	for a := range p.SlowDown {
		for b := range p.SlowDown[a] {
			p.SlowDown[a][b] = 1 + rapid.Float64Range(0, 2).Draw(t, "excess")
		}
	}
	return p
}

func randomActivity(t *rapid.T) Activity {
	return Activity{
		Profile: Profile(rapid.IntRange(1, int(NumProfiles)-1).Draw(t, "profile")),
		Demand:  rapid.SampledFrom([]int64{0, 1e8, 1e9, 25e8, 1e10}).Draw(t, "demand"),
	}
}

// pieces adds up what an activity did, at the speeds that it had.
type pieces struct {
	done  *big.Int
	since sim.Time
	work  sim.Time
	speed uint64 // in the latest picosecond
}

func (p *pieces) add(now sim.Time, speed uint64) {
	if now == p.since {
		return
	}
	p.speed = speed
	piece := new(big.Int).SetInt64(int64(now - p.since))
	p.done.Add(p.done, piece.Mul(piece, new(big.Int).SetUint64(speed)))
	p.since = now
}

// missing returns the work that is left, in units of 2^-32 ps.
func (p *pieces) missing() *big.Int {
	w := big.NewInt(int64(p.work))
	return w.Sub(w.Lsh(w, 32), p.done)
}

// Work is conserved: when an activity ends, the sum of its times by its speeds is its
// work, to less than one picosecond.
func TestWorkIsConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRandomRun(t)
		active := map[int]*pieces{}
		r.play(200, func() { // before each change
			for i, p := range active {
				p.add(r.now, r.contexts[i].speed)
			}
		}, func(i int, work sim.Time) { // started
			active[i] = &pieces{done: new(big.Int), since: r.now, work: work, speed: Full}
		}, func(i int) { // ended
			p := active[i]
			if left := p.missing(); left.Sign() > 0 || left.CmpAbs(new(big.Int).SetUint64(p.speed)) >= 0 {
				t.Fatalf("context %d ends with %v of its work left, at the speed %d", i, left, p.speed)
			}
			delete(active, i)
		})
	})
}

// Bandwidth is conserved too. No activity gets less than another with the same demand, and a
// memory that is short is fully used.
func TestMemoryIsNotOverdrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRandomRun(t)
		if r.memories == nil {
			return
		}
		check := func() {
			for n, m := range r.memories {
				first, last := r.sharers(n)
				asked, used := m.stream, min(m.stream, m.level)
				for _, x := range r.contexts[first:last] {
					demand := x.activity.Demand
					asked += scale(demand, x.sibling)
					used += scale(demand, x.speed)
				}
				slack := int64(3 * (last - first + 1)) // a unit of speed each
				if asked != m.asked || used > m.bandwidth+slack || used < min(asked, m.bandwidth)-slack {
					t.Fatalf("memory %d of %d B/s: %d asked (noted %d), %d used", n, m.bandwidth, asked, m.asked, used)
				}
			}
		}
		r.play(100, check, func(int, sim.Time) {}, func(int) {})
	})
}

func TestMistakes(t *testing.T) {
	bad := Params{Cores: 1}
	bad.SlowDown[FP][Copy] = 0.5
	for want, p := range map[string]Params{
		"slow-down of fp next to copy": bad,
		"0 cores":                      {},
		"3 sharing a memory":           {Cores: 2, Sharing: 3},
		"memory bandwidth":             {Cores: 1, Bandwidth: -1},
	} {
		must.Refuse(New(&p, 1, nil))(t, want)
	}
}
