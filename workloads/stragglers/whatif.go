package stragglers

import (
	"math"
	"slices"

	"overlapsim/nodes/results"
)

// early is by how much a transfer may seem to end before its last member began, in seconds: the
// clocks of workers differ. Of one that seems to end earlier the transfer took no time.
const early = 1e-2

// took are the times that operations take by themselves, by operation and cell: the duration of
// one that is done alone, else the transfer once all members have begun.
func (j *job) took() [][]float64 {
	all := make([][]float64, len(j.ops))
	for i, o := range j.ops {
		all[i] = slices.Clone(o.duration)
	}
	for _, group := range j.groups {
		last := make([]float64, j.cells())
		for c := range last {
			last[c] = math.Inf(-1)
			for _, i := range group {
				last[c] = max(last[c], j.ops[i].begun[c])
			}
		}
		if j.ops[group[0]].all {
			j.amongRanks(last)
		}
		for _, i := range group {
			o := j.ops[i]
			for c := range last {
				if all[i][c] = o.begun[c] + o.duration[c] - last[c]; all[i][c] <= -early {
					all[i][c] = 0
				}
			}
		}
	}
	return all
}

func (j *job) cells() int { return j.ranks * len(j.steps) }

// amongRanks gives all ranks of a step the largest value among them.
func (j *job) amongRanks(values []float64) {
	for from := 0; from < len(values); from += j.ranks {
		most := slices.Max(values[from : from+j.ranks])
		for c := range j.ranks {
			values[from+c] = most
		}
	}
}

// schedule is when operations begin and end without launch delays, by operation and cell, in
// seconds from the start of the step.
type schedule struct{ begin, end [][]float64 }

// run runs all steps with the given times of operations.
func (j *job) run(took [][]float64) *schedule {
	s := &schedule{make([][]float64, len(j.ops)), make([][]float64, len(j.ops))}
	left := make([]int, len(j.groups))
	for g := range left {
		left[g] = len(j.groups[g])
	}
	for _, i := range j.order {
		o := j.ops[i]
		begin := make([]float64, j.cells())
		for _, other := range o.after {
			for c, t := range s.end[other] {
				begin[c] = max(begin[c], t)
			}
		}
		s.begin[i] = begin
		if o.group < 0 {
			s.end[i] = added(begin, took[i])
			continue
		}
		if left[o.group]--; left[o.group] == 0 {
			s.finish(j, j.groups[o.group], took)
		}
	}
	return s
}

// finish ends the operations of a group, all of which have begun.
func (s *schedule) finish(j *job, group []int, took [][]float64) {
	last := slices.Clone(s.begin[group[0]])
	for _, i := range group[1:] {
		for c, t := range s.begin[i] {
			last[c] = max(last[c], t)
		}
	}
	if j.ops[group[0]].all {
		j.amongRanks(last)
	}
	for _, i := range group {
		s.end[i] = added(last, took[i])
	}
}

func added(a, b []float64) []float64 {
	sum := make([]float64, len(a))
	for i := range a {
		sum[i] = a[i] + b[i]
	}
	return sum
}

// steps are the times of steps: until the last operation ends.
func (j *job) stepTimes(s *schedule) []float64 {
	times := make([]float64, len(j.steps))
	for _, end := range s.end {
		for c, t := range end {
			times[c/j.ranks] = max(times[c/j.ranks], t)
		}
	}
	return times
}

// traced are the times of steps in the trace, from the first start to the last end.
func (j *job) traced() []float64 {
	times := make([]float64, len(j.steps))
	for n := range times {
		first, last := math.Inf(1), math.Inf(-1)
		for _, o := range j.ops {
			for c := n * j.ranks; c < (n+1)*j.ranks; c++ {
				first, last = min(first, o.begun[c]), max(last, o.begun[c]+o.duration[c])
			}
		}
		times[n] = last - first
	}
	return times
}

// equal are the times of operations if all of a kind take the same: the mean of computation, the
// median of communication. A kind that communicates and is never done together keeps durations.
func (j *job) equal(took [][]float64) [][]float64 {
	of := map[string][]float64{}
	for i, o := range j.ops {
		of[o.kind] = append(of[o.kind], took[i]...)
	}
	value := map[string]float64{}
	for kind, times := range of {
		if communicates(kind) {
			value[kind] = median(times)
		} else {
			value[kind] = mean(times)
		}
	}
	all := make([][]float64, len(j.ops))
	for i, o := range j.ops {
		all[i] = slices.Repeat([]float64{value[o.kind]}, j.cells())
	}
	return all
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// group is the name under which a kind is reported: sends and receives of a pass are one.
func group(kind string) string {
	if t, ok := transfers[kind]; ok {
		if t.of == forward {
			return "forward-pp-comm"
		}
		return "backward-pp-comm"
	}
	return kind
}

// analyse answers what slow workers cost.
func (j *job) analyse(took, equal [][]float64) *results.Stragglers {
	traced, without, ideal := j.traced(), j.stepTimes(j.run(took)), j.stepTimes(j.run(equal))
	a := &results.Stragglers{Slowdown: mean(without) / mean(ideal), LaunchSlowdown: mean(traced) / mean(without),
		ByRank: map[int]float64{}, ByStage: map[int]float64{}, ByKind: map[string]float64{}}
	for n, step := range j.steps {
		a.Steps = append(a.Steps, results.StragglerStep{Step: step, Traced: traced[n], WithoutLaunches: without[n], Equal: ideal[n]})
	}
	own := func(is func(o *operation, rank int) bool) float64 {
		mixed := make([][]float64, len(j.ops))
		for i, o := range j.ops {
			mixed[i] = slices.Clone(equal[i])
			for c := range mixed[i] {
				if is(o, c%j.ranks) {
					mixed[i][c] = took[i][c]
				}
			}
		}
		return mean(j.stepTimes(j.run(mixed))) / mean(ideal)
	}
	for rank := range j.ranks {
		a.ByRank[rank] = own(func(_ *operation, r int) bool { return r == rank })
	}
	for stage := range j.stages {
		a.ByStage[stage] = own(func(o *operation, _ int) bool { return o.stage == stage })
	}
	for _, o := range j.ops {
		if kind := group(o.kind); a.ByKind[kind] == 0 {
			a.ByKind[kind] = own(func(o *operation, _ int) bool { return group(o.kind) == kind })
		}
	}
	return a
}
