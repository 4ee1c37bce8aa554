package optimize

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// search looks for the minimum of a function over the values 0 to n-1, each of which
// costs a run. It takes a grid of the whole range, refines every local minimum of the
// grid between its neighbours by golden section, and then checks for what it may have
// missed: the middle of every remaining gap of the grid, and the gaps into which the
// slopes on both sides lead below the best. New minima are refined too.
//
// It finds the minimum of a function that has only one. It misses a dip that is narrower
// than the gaps and does not show in a slope or a middle.
type search struct {
	n      int
	places []float64             // of the values on the axis, ascending
	run    func([]int) []float64 // +Inf: the run failed
	every  bool                  // run all values
	got    map[int]float64       // results of the values that were run
	counts map[string]int        // runs by stage
}

// Sizes of a search.
const (
	runAll   = 12 // up to this number, all values are run
	gridRuns = 9  // values of the grid
	mostRuns = 80 // of all stages together; the last stages stop at it
)

// tolerance is the relative gain that is not worth a run.
const tolerance = 1e-4

// Stages of a search.
const (
	stageGrid   = "grid"
	stageRefine = "refine"
	stageCheck  = "check"
)

func newSearch(places []float64, run func([]int) []float64) *search {
	return &search{n: len(places), places: places, run: run, got: map[int]float64{}, counts: map[string]int{}}
}

// find runs the search and returns the best value; -1 if every run failed.
func (s *search) find() int {
	if s.every || s.n <= runAll {
		s.probe(stageGrid, sequence(s.n))
		return s.best()
	}
	s.probe(stageGrid, s.grid())
	s.refine()
	s.probe(stageCheck, s.middles())
	s.refine()
	for len(s.got) < mostRuns && s.probe(stageCheck, s.dips()) {
		s.refine()
	}
	if s.probe(stageCheck, s.besideFailed()) {
		s.refine()
	}
	return s.best()
}

// besideFailed returns the neighbours of the values that fail while those that were run on
// both sides do not: a single value that fails hides what lies next to it.
func (s *search) besideFailed() (all []int) {
	sampled := s.sampled()
	for k := 1; k+1 < len(sampled); k++ {
		below, i, above := sampled[k-1], sampled[k], sampled[k+1]
		if math.IsInf(s.got[i], 1) && !math.IsInf(s.got[below], 1) && !math.IsInf(s.got[above], 1) {
			all = append(all, i-1, i+1)
		}
	}
	return all
}

func sequence(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// probe runs those values that have not been run, and tells whether there were any.
func (s *search) probe(stage string, all []int) bool {
	var fresh []int
	for _, i := range all {
		if _, had := s.got[i]; !had && !slices.Contains(fresh, i) {
			fresh = append(fresh, i)
		}
	}
	for k, v := range s.run(fresh) {
		s.got[fresh[k]] = v
	}
	s.counts[stage] += len(fresh)
	return len(fresh) > 0
}

// sampled lists the values that were run, ascending.
func (s *search) sampled() []int { return slices.Sorted(maps.Keys(s.got)) }

// best returns the value with the smallest result; the first of equals.
func (s *search) best() int {
	best := -1
	for _, i := range s.sampled() {
		if v := s.got[i]; !math.IsInf(v, 1) && (best < 0 || v < s.got[best]) {
			best = i
		}
	}
	return best
}

// grid returns values evenly over the axis, the ends included.
func (s *search) grid() (all []int) {
	first, last := s.places[0], s.places[s.n-1]
	for k := range gridRuns {
		all = append(all, s.nearest(first+(last-first)*float64(k)/(gridRuns-1)))
	}
	return all
}

// nearest returns the value that is nearest to a place.
func (s *search) nearest(place float64) int {
	i, _ := slices.BinarySearch(s.places, place)
	if i == s.n || i > 0 && place-s.places[i-1] < s.places[i]-place {
		i--
	}
	return i
}

// refine closes the gaps next to every local minimum.
func (s *search) refine() {
	for len(s.got) < mostRuns && s.probe(stageRefine, s.golden()) {
	}
}

// golden returns, for each value that is below its neighbours and may lead
// below the best, the place to divide the wider gap next to it.
func (s *search) golden() (next []int) {
	all := s.sampled()
	for k, m := range all {
		a, b := m, m
		left, right := math.Inf(1), math.Inf(1)
		if k > 0 {
			a, left = all[k-1], s.got[all[k-1]]
		}
		if k+1 < len(all) {
			b, right = all[k+1], s.got[all[k+1]]
		}
		v := s.got[m]
		if math.IsInf(v, 1) || v > right || v >= left && !math.IsInf(left, 1) || !s.worth(v, all[max(0, k-2):min(len(all), k+3)]) {
			continue
		}
		switch {
		case b-m > 1 && b-m >= m-a:
			next = append(next, m+part(b-m))
		case m-a > 1:
			next = append(next, m-part(m-a))
		}
	}
	return next
}

// worth tells whether a low point may hide a lower one. It does not if those around it,
// two on each side, are worse by less than the tolerance, or if the same descent again as
// from the highest of them does not reach the best. One on each side would not be enough:
// two values that are equal may have a valley between them.
func (s *search) worth(v float64, around []int) bool {
	rise, finite := 0.0, 0
	for _, i := range around {
		if w := s.got[i]; !math.IsInf(w, 1) {
			rise, finite = max(rise, w-v), finite+1
		}
	}
	return finite == 1 || rise > tolerance*v && v-rise < s.got[s.best()]
}

// part divides a gap in the golden ratio, the smaller part first.
func part(gap int) int { return max(1, int(math.Round((3-math.Sqrt(5))/2*float64(gap)))) }

// middles returns the middles of the gaps that are as wide as the gaps of the grid.
func (s *search) middles() (all []int) {
	sampled := s.sampled()
	wide := 0.75 * (s.places[s.n-1] - s.places[0]) / (gridRuns - 1)
	for k := 1; k < len(sampled); k++ {
		if a, b := sampled[k-1], sampled[k]; b-a > 1 && s.places[b]-s.places[a] > wide {
			all = append(all, min(max(s.nearest((s.places[a]+s.places[b])/2), a+1), b-1))
		}
	}
	return all
}

// dips returns where the slopes on both sides of a gap, continued into it, meet
// below the best.
func (s *search) dips() (all []int) {
	sampled := s.sampled()
	sampled = slices.DeleteFunc(sampled, func(i int) bool { return math.IsInf(s.got[i], 1) })
	best := s.best()
	for k := 1; k+2 < len(sampled); k++ {
		a, b := sampled[k], sampled[k+1]
		if b-a < 2 {
			continue
		}
		down, up := s.slope(sampled[k-1], a), s.slope(b, sampled[k+2])
		if down >= 0 || up <= 0 {
			continue
		}
		x := (s.got[b] - s.got[a] + down*s.places[a] - up*s.places[b]) / (down - up)
		if below := s.got[a] + down*(x-s.places[a]); below < (1-tolerance)*s.got[best] && x > s.places[a] && x < s.places[b] {
			all = append(all, min(max(s.nearest(x), a+1), b-1))
		}
	}
	return all
}

func (s *search) slope(a, b int) float64 {
	return (s.got[b] - s.got[a]) / (s.places[b] - s.places[a])
}

// sides returns the best and the values to compare it with: on each side the nearest value that
// is a hundredth worse, else the farthest; -1 at an end of the range.
func (s *search) sides() (below, best, above int) {
	below, best, above = -1, s.best(), -1
	for _, i := range s.sampled() {
		v := s.got[i]
		worse := v >= 1.01*s.got[best]
		switch {
		case math.IsInf(v, 1):
		case i < best && (below < 0 || worse):
			below = i
		case i > best && (above < 0 || s.got[above] < 1.01*s.got[best]):
			above = i
		}
	}
	return below, best, above
}

// places puts numbers on an axis, which is logarithmic if they are far apart.
func places(numbers []float64) []float64 {
	least, most := slices.MinFunc(numbers, cmp.Compare[float64]), slices.MaxFunc(numbers, cmp.Compare[float64])
	at := slices.Clone(numbers)
	if least > 0 && most >= 20*least {
		for i, x := range at {
			at[i] = math.Log(x)
		}
	}
	return at
}
