package stragglers

import (
	"math"

	"overlapsim/nodes/results"
)

// sample is how much longer a computation takes than the mean of its kind in its stage, as a part of that mean.
type sample struct {
	rank, step, stage, micro int
	back                     bool
	over                     float64
}

// variation splits the variance of computation into what micro-batches, GPUs and steps have in common (components of variance, by the
// method of moments). Two computations of a step have in common:
//
//	the same micro-batch and GPU, forward and backward   step + GPU + micro-batch
//	the same GPU, other micro-batches                    step + GPU
//	other data-parallel ranks                            step
//
// and the mean product of such pairs estimates each sum. GPUs that are slow in all steps count as GPUs. It is nil if there are too few
// ranks, micro-batches or steps.
func (j *job) variation() *results.Variation {
	all := j.samples()
	if all == nil || j.ranks < 2 || len(j.steps) < 2 {
		return nil
	}
	type key [4]int
	step, ok1 := pairs(all, func(s *sample) key { return key{s.step} }, func(s *sample) int { return s.rank })
	gpu, ok2 := pairs(all, func(s *sample) key { return key{s.step, s.rank, s.stage} }, func(s *sample) int { return s.micro })
	micro, ok3 := pairs(all, func(s *sample) key { return key{s.step, s.rank, s.stage, s.micro} }, func(s *sample) int {
		if s.back {
			return 1
		}
		return 0
	})
	if !ok1 || !ok2 || !ok3 {
		return nil
	}
	whole := 0.0
	for i := range all {
		whole += all[i].over * all[i].over / float64(len(all))
	}
	part := func(variance float64) float64 { return math.Sqrt(max(0, variance)) }
	return &results.Variation{MicroBatch: part(micro - gpu), GPU: part(gpu - step), Step: part(step), Rest: part(whole - micro)}
}

// samples are all computations; nil: some kind takes no time.
func (j *job) samples() (all []sample) {
	of := map[[4]int]int{} // operations of a kind, stage and chunk so far: micro-batches
	for _, back := range []bool{false, true} {
		kind, n := forward, 0
		if back {
			kind, n = backward, 1
		}
		for stage := range j.stages {
			for _, i := range j.of(stage, kind) {
				o := j.ops[i]
				at := [4]int{n, stage, o.chunk, o.global}
				micro := of[at]
				of[at]++
				for c, t := range o.duration {
					all = append(all, sample{c % j.ranks, c / j.ranks, stage, micro*j.chunks + max(0, o.chunk), back, t})
				}
			}
		}
	}
	sums, numbers := map[[3]int]float64{}, map[[3]int]float64{}
	group := func(s *sample) [3]int {
		if s.back {
			return [3]int{1, s.stage, s.micro % j.chunks}
		}
		return [3]int{0, s.stage, s.micro % j.chunks}
	}
	for i := range all {
		sums[group(&all[i])] += all[i].over
		numbers[group(&all[i])]++
	}
	for i := range all {
		s := &all[i]
		mean := sums[group(s)] / numbers[group(s)]
		if mean == 0 {
			return nil
		}
		s.over = s.over/mean - 1
	}
	return all
}

// pairs is the mean product of two samples of one group that differ in something; false: there are no such pairs.
func pairs[K comparable](all []sample, group func(*sample) K, differ func(*sample) int) (mean float64, ok bool) {
	type sum struct{ over, number float64 }
	type inner struct {
		in  K
		not int
	}
	groups, parts := map[K]sum{}, map[inner]sum{}
	for i := range all {
		s := &all[i]
		k := group(s)
		g, p := groups[k], parts[inner{k, differ(s)}]
		groups[k], parts[inner{k, differ(s)}] = sum{g.over + s.over, g.number + 1}, sum{p.over + s.over, p.number + 1}
	}
	products, number := 0.0, 0.0
	add := func(s sum, sign float64) {
		products += sign * s.over * s.over
		number += sign * s.number * s.number
	}
	for i := range all { // in the order of samples, so that sums are the same in each run
		s := &all[i]
		k := group(s)
		if g, left := groups[k]; left {
			add(g, 1)
			delete(groups, k)
		}
		at := inner{k, differ(s)}
		if p, left := parts[at]; left {
			add(p, -1)
			delete(parts, at)
		}
	}
	return products / number, number > 0
}
