package optimize

import (
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"overlapsim/scenarios"
)

// Progress says how far a request has come.
type Progress struct {
	Text        string
	Done, About int           // runs that have ended, of about how many
	Left        time.Duration // about; negative: not known yet
}

// course is what the runs of a request took, for a word on what is left. Nothing else depends
// on it.
type course struct {
	lock   sync.Mutex
	now    func() time.Time
	began  time.Time
	width  int                   // runs at a time
	done   int                   // runs that have ended
	before int                   // that had ended when this run of the scenario began
	begun  time.Time             // when it began
	runs   map[int]time.Time     // by value, when its run began
	took   map[int]time.Duration // by value, of the run of the scenario that is searched for
	why    int                   // reasons of that run that are known
	reason effort                // what one more takes
}

// effort is how many runs something takes, and how long, in runs of the value that it is about.
type effort struct {
	runs  int
	times float64
}

func newCourse(now func() time.Time) *course {
	if now == nil {
		now = time.Now
	}
	return &course{now: now, began: now(), width: runtime.GOMAXPROCS(0)}
}

// next begins with the next run of the scenario, for which a reason takes a first guess.
func (c *course) next(reason effort) {
	c.runs, c.took, c.why, c.reason = map[int]time.Time{}, map[int]time.Duration{}, 0, reason
	c.before, c.begun = c.done, c.now()
}

// begins notes when the run of a value begins, and ends how long it took.
func (c *course) begins(index int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.runs[index] = c.now()
}

func (c *course) ends(index int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.took[index] = max(1, c.now().Sub(c.runs[index]))
	c.done++
}

// explain finds the reason at a value with some runs, and notes what it took.
func (c *course) explain(index int, do func() (runs int)) {
	begun := c.now()
	c.reason.runs = do()
	c.reason.times = float64(c.now().Sub(begun)) / float64(c.took[index])
	c.why++
	c.done += c.reason.runs
}

// gradientRuns is how long a run with its derivatives takes, in runs without: 1.5 to 1.8 of
// them for ft-pencils-jacquard and rdma.
const gradientRuns = 1.6

// reasonTakes is a first guess at what a reason takes.
func (f *finder) reasonTakes(run *scenarios.Scenario) effort {
	e := effort{1, gradientRuns}
	if f.study.Minimize != makespan {
		names := map[string]bool{}
		for _, p := range parameters(run) {
			names[p.resource] = true
		}
		e = effort{len(names), float64(len(names)) / float64(f.study.course.width)}
	}
	if inCalls(run) {
		e.runs, e.times = e.runs+1, e.times+1
	}
	return e
}

// say tells how far the request has come, before it does what the text says.
func (f *finder) say(text string) {
	if f.request.Started == nil {
		return
	}
	c := f.study.course
	c.lock.Lock()
	defer c.lock.Unlock()
	runs, left := f.ahead()
	if f.run > 0 && len(f.search.got) == 0 {
		runs, left = f.likeOthers()
	}
	past, others := c.now().Sub(c.began), float64(f.others)/float64(f.run+1)
	p := Progress{Text: f.name + ": " + text, Done: c.done, Left: -1}
	p.About = c.done + runs + int(math.Round(others*float64(c.done+runs)))
	if f.run > 0 || len(c.took) > 1 {
		p.Left = left + time.Duration(others*float64(past+left))
	}
	f.request.Started(p)
}

// likeOthers returns what this run of the scenario may still take if it takes as much as the mean of
// those before it, for as long as nothing is known about it.
func (f *finder) likeOthers() (runs int, left time.Duration) {
	c := f.study.course
	each := c.begun.Sub(c.began) / time.Duration(f.run)
	return max(0, c.before/f.run-(c.done-c.before)), max(0, each-c.now().Sub(c.begun))
}

// ahead returns how many runs this run of the scenario may still take, and how long they take:
// the search goes on along the curve through what it has, and the reasons follow.
func (f *finder) ahead() (runs int, left time.Duration) {
	c := f.study.course
	s := f.search.onward(func(all []int) {
		all = slices.DeleteFunc(slices.Clone(all), func(i int) bool { return c.took[i] > 0 })
		runs += len(all)
		left += f.wall(all)
	})
	if !f.explains() || s.flat() {
		return runs, left
	}
	below, best, above := s.sides()
	sides := slices.DeleteFunc([]int{below, best, above}, func(i int) bool { return i < 0 })
	for _, i := range sides[min(len(sides), c.why):] {
		runs += c.reason.runs
		left += time.Duration(c.reason.times * float64(f.cost(i)))
	}
	return runs, left
}

// wall returns how long the runs of some values take, as many at a time as there are processors.
func (f *finder) wall(all []int) time.Duration {
	sum, longest := time.Duration(0), time.Duration(0)
	for _, i := range all {
		t := f.cost(i)
		sum, longest = sum+t, max(longest, t)
	}
	return max(longest, sum/time.Duration(f.study.course.width))
}

// cost returns how long the run of a value takes: as long as those on its sides, between which it
// is drawn as a power of the place.
func (f *finder) cost(index int) time.Duration {
	took := f.study.course.took
	known := slices.Sorted(maps.Keys(took))
	if len(known) == 0 {
		return 0
	}
	a, b := around(known, index)
	at := f.search.between(a, index, b)
	return time.Duration(math.Exp((1-at)*math.Log(float64(took[a])) + at*math.Log(float64(took[b]))))
}

// around returns the indices of a sorted list that are nearest to one, on both sides; the same
// twice if it is one of them or outside.
func around(known []int, index int) (a, b int) {
	k, found := slices.BinarySearch(known, index)
	if found || k == 0 {
		return known[k], known[k]
	}
	return known[k-1], known[min(k, len(known)-1)]
}

// between returns where a value lies on the axis between two others, from 0 to 1.
func (s *search) between(a, index, b int) float64 {
	if a == b {
		return 0
	}
	return (s.places[index] - s.places[a]) / (s.places[b] - s.places[a])
}

// onward goes on with a copy of a search along the curve through its results, and tells which
// values it runs.
func (s *search) onward(told func(all []int)) *search {
	ahead := newSearch(s.places, nil)
	ahead.every, ahead.got = s.every, maps.Clone(s.got)
	ahead.run = func(all []int) (values []float64) {
		told(all)
		for _, i := range all {
			values = append(values, s.guess(i))
		}
		return values
	}
	ahead.find()
	return ahead
}

// guess returns the result at a value by the straight line between those beside it. Before there
// is any, the best is in the middle.
func (s *search) guess(index int) float64 {
	known := s.sampled()
	if len(known) == 0 {
		return 1 + math.Abs(s.between(0, index, s.n-1)-0.5)
	}
	a, b := around(known, index)
	at := s.between(a, index, b)
	return (1-at)*s.got[a] + at*s.got[b]
}
