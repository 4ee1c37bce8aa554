package cores

import (
	"math"
	"slices"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"

	"pgregory.net/rapid"
)

// randomRun starts and stops activities at random.
type randomRun struct {
	*Contexts
	t       *rapid.T
	params  *Params
	now     sim.Time
	ends    map[int]sim.Time
	streams map[int]int64 // by context: what it had the NIC move
}

func newRandomRun(t *rapid.T) *randomRun {
	r := &randomRun{t: t, params: randomParams(t), ends: map[int]sim.Time{}, streams: map[int]int64{}}
	var err error
	if r.Contexts, err = New(r.params, 2, func(i int, end sim.Time) { r.ends[i] = end }); err != nil {
		t.Fatal(err)
	}
	return r
}

// next returns the context that ends first.
func (r *randomRun) next() (context int, end sim.Time) {
	context, end = -1, sim.Forever
	for i := range r.contexts {
		if e, ok := r.ends[i]; ok && e < end {
			context, end = i, e
		}
	}
	return
}

// play makes changes at random times, 1000 apart in the mean. It calls before, started
// and ended at the moments of each change.
func (r *randomRun) play(changes int, before func(), started func(int, sim.Time), ended func(int)) {
	for range changes {
		at := r.now + sim.Time(rapid.Int64Range(0, 2000).Draw(r.t, "pause"))
		for i, end := r.next(); end <= at; i, end = r.next() {
			r.now = end
			before()
			ended(i)
			delete(r.ends, i)
			r.Stop(i, r.now)
		}
		r.now = at
		before()
		i := rapid.IntRange(0, len(r.contexts)-1).Draw(r.t, "context")
		if rapid.IntRange(0, 3).Draw(r.t, "stream") == 0 {
			rate := rapid.Int64Range(0, 2e9).Draw(r.t, "rate")
			r.Stream(i, sim.Rate(rate-r.streams[i]), r.now)
			r.streams[i] = rate
		} else if _, busy := r.ends[i]; !busy {
			work := sim.Time(rapid.Int64Range(0, 20000).Draw(r.t, "work"))
			r.ends[i] = r.Start(i, randomActivity(r.t), Alone(work), r.now)
			started(i, work)
		}
	}
}

// job is an activity that starts when it is released and its context is free.
type job struct {
	released sim.Time
	activity Activity
	work     sim.Time
}

// randomJobs returns jobs by context.
func randomJobs(t *rapid.T, contexts int) [][]job {
	all := make([][]job, contexts)
	for i := range all {
		at := sim.Time(0)
		for range rapid.IntRange(0, 4).Draw(t, "jobs") {
			at += sim.Time(rapid.Int64Range(0, 8000).Draw(t, "pause"))
			all[i] = append(all[i], job{at, randomActivity(t), sim.Time(rapid.Int64Range(1000, 8000).Draw(t, "work"))})
		}
	}
	return all
}

// ends plays the jobs and returns when each of them ended.
func ends(p *Params, all [][]job, streams []int64) [][]sim.Time {
	k := sim.NewKernel()
	run := &jobRun{kernel: k, left: all, ends: make([][]sim.Time, len(all)), end: make([]sim.Time, len(all))}
	run.id = k.Register(run)
	run.contexts, _ = New(p, len(all)/(max(1, p.Contexts)*p.Cores), run.expect)
	for i, jobs := range all {
		run.contexts.Stream(i, sim.Rate(streams[i]), 0)
		if len(jobs) > 0 {
			k.Schedule(jobs[0].released, run.id, evStart, uint64(i))
		}
	}
	k.Run()
	return run.ends
}

type jobRun struct {
	kernel   *sim.Kernel
	id       sim.HandlerID
	contexts *Contexts
	left     [][]job
	ends     [][]sim.Time
	end      []sim.Time // of the job under way; 0: none
}

func (r *jobRun) expect(i int, end sim.Time) {
	r.end[i] = end
	r.kernel.Schedule(end, r.id, evEnd, uint64(i))
}

const (
	evStart uint32 = iota
	evEnd
)

// Handle ends a job, or starts the next one.
func (r *jobRun) Handle(e sim.Event) {
	i := int(e.Arg)
	if e.Kind == evEnd {
		if r.end[i] != e.At { // it has moved
			return
		}
		r.ends[i], r.end[i] = append(r.ends[i], e.At), 0
		r.contexts.Stop(i, e.At)
		if len(r.left[i]) > 0 {
			r.kernel.Schedule(max(e.At, r.left[i][0].released), r.id, evStart, e.Arg)
		}
		return
	}
	next := r.left[i][0]
	r.left[i] = r.left[i][1:]
	r.expect(i, r.contexts.Start(i, next.activity, Alone(next.work), e.At))
}

// slow is a second version of the rules, in tiny fixed steps and in floating point.
type slow struct {
	p       *Params
	busy    []Activity // by context
	streams []int64    // by context: what the NIC moves in its memory, always
}

// stream returns the rate of the NIC in the memory that begins at a context.
func (s *slow) stream(first int) float64 { return float64(s.streams[first]) }

// slowEnds plays the jobs. It sees events within a step at the end of the step.
func slowEnds(p *Params, all [][]job, streams []int64, step sim.Time) [][]sim.Time {
	s := &slow{p, make([]Activity, len(all)), streams}
	left, next, result := make([]float64, len(all)), make([]int, len(all)), make([][]sim.Time, len(all))
	for now, open := sim.Time(0), true; open; now += step {
		open = false
		for i, jobs := range all {
			if s.busy[i] != (Activity{}) && left[i] <= 0 {
				s.busy[i] = Activity{}
				result[i] = append(result[i], now)
			}
			if n := next[i]; s.busy[i] == (Activity{}) && n < len(jobs) && jobs[n].released <= now {
				s.busy[i], left[i] = jobs[n].activity, float64(jobs[n].work)
				next[i]++
			}
			open = open || s.busy[i] != (Activity{}) || next[i] < len(jobs)
		}
		for i, v := range s.speeds() {
			left[i] -= v * float64(step)
		}
	}
	return result
}

// speeds returns the speed of every context. It fills each memory little by little until it is
// full or all demands are met.
func (s *slow) speeds() []float64 {
	perCore := max(1, s.p.Contexts)
	speed := make([]float64, len(s.busy))
	for i, a := range s.busy {
		time := 1.0
		for j := i - i%perCore; j < i-i%perCore+perCore; j++ {
			if b := s.busy[j]; j != i && a.Profile != Blocked && b.Profile != Blocked {
				time += s.p.SlowDown[a.Profile][b.Profile] - 1
			}
		}
		speed[i] = 1 / time
	}
	if s.p.Bandwidth == 0 {
		return speed
	}
	perNode := perCore * s.p.Cores
	domain := perNode
	if s.p.Sharing > 0 {
		domain = perCore * s.p.Sharing
	}
	for node := 0; node < len(s.busy); node += perNode {
		for first := node; first < node+perNode; first += domain {
			s.fill(speed, first, min(first+domain, node+perNode))
		}
	}
	return speed
}

func (s *slow) fill(speed []float64, first, last int) {
	var asks []float64
	for i := first; i < last; i++ {
		asks = append(asks, speed[i]*float64(s.busy[i].Demand))
	}
	all := append(slices.Clone(asks), s.stream(first))
	slices.Sort(all)
	level, left := math.Inf(1), s.p.Bandwidth
	for i, ask := range all { // the smallest first: what it leaves goes to the others
		if share := left / float64(len(all)-i); ask > share {
			level = share
			break
		}
		left -= ask
	}
	for i, ask := range asks {
		if ask > level {
			speed[first+i] *= level / ask
		}
	}
}

// The slow version looks only at the ends of its steps. The smaller these are, the better
// it agrees.
func TestSlowVersionAgreesInTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomParams(t)
		all := randomJobs(t, 2*max(1, p.Contexts)*p.Cores)
		streams := make([]int64, len(all))
		streams[0] = rapid.SampledFrom([]int64{0, 5e8, 2e9}).Draw(t, "stream")
		want := ends(p, slices.Clone(all), streams)
		for _, step := range []sim.Time{64, 8} {
			for i, got := range slowEnds(p, all, streams, step) {
				if len(got) != len(want[i]) {
					t.Fatalf("context %d ends %d jobs, want %d", i, len(got), len(want[i]))
				}
				for j, end := range got {
					if off := (end - want[i][j]).Seconds() / step.Seconds(); math.Abs(off) > 60 {
						t.Fatalf("job %d of context %d ends at %d in steps of %d, want %d", j, i, end, step, want[i][j])
					}
				}
			}
		}
	})
}

// BenchmarkChanges runs nodes whose contexts change their activities all the time.
func BenchmarkChanges(b *testing.B) {
	for _, c := range []struct {
		name string
		p    Params
	}{
		{"siblings/4", *xeon()},
		{"memory/8", Params{Cores: 8, Bandwidth: 4e9}},
		{"memory/64", Params{Contexts: 2, Cores: 32, Bandwidth: 40e9}},
		{"neither/64", Params{Cores: 64}},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkChanges(b, &c.p) })
	}
}

func benchmarkChanges(b *testing.B, p *Params) {
	told := 0
	c := must.Get(New(p, 1, func(int, sim.Time) { told++ }))(b)
	b.ReportAllocs()
	now := sim.Time(0)
	for i := 0; b.Loop(); i++ {
		now += 100
		context := i * 7 % c.PerNode()
		if i%3 == 2 {
			c.Stop(context, now)
		} else {
			c.Start(context, Activity{Profile: Memory, Demand: 2e9}, Endless, now)
		}
	}
	b.ReportMetric(float64(told)/float64(b.N), "ends/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
}
