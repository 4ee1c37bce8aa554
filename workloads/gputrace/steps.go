package gputrace

import (
	"cmp"
	"slices"
	"strings"

	"overlapsim/workloads/experiments"
)

func init() { experiments.ReadSteps = readSteps }

// readSteps reads the steps of the traces of a path.
func readSteps(path string) (all []experiments.Steps, err error) {
	w := &replay{}
	if err := w.Open(path); err != nil {
		return nil, err
	}
	for _, r := range w.ranks {
		all = append(all, r.wholeSteps())
	}
	return all, nil
}

// classes are parts of the names of kernels, in lower case. The first that fits says the class; what fits none is element-wise.
var classes = []struct {
	class experiments.Class
	in    []string
}{
	{experiments.Optimizer, []string{"multi_tensor_apply", "adam", "lamb", "optimizer"}},
	{experiments.Attention, []string{"flash", "fmha", "attention", "sdpa"}},
	{experiments.Products, []string{"gemm", "nvjet", "xmma", "cutlass", "cublas", "wgmma", "triton_mm", "triton_tem", "_mm_", "matmul", "cijk_"}},
}

// classOf is the class of a kernel.
func classOf(name string) experiments.Class {
	name = strings.ToLower(name)
	for _, c := range classes {
		if slices.ContainsFunc(c.in, func(part string) bool { return strings.Contains(name, part) }) {
			return c.class
		}
	}
	return experiments.ElementWise
}

// shape is what kernels that take the same time have in common.
type shape struct {
	name string
	grid uint64
}

// runs are the runs of a shape, alongside collectives or not.
type runs struct {
	alone, beside         int
	aloneTime, besideTime int64 // ns
}

// wholeSteps is what the GPU did in the steps that the profiler marked. If it marked none, the whole trace has a step for each call of
// the optimizer. Copies within the GPU count as element-wise kernels.
func (r *rank) wholeSteps() experiments.Steps {
	s := experiments.Steps{File: r.file, Rank: r.number, World: r.world, Number: r.marked()}
	if s.Number == 0 {
		return s
	}
	sent := r.communicating()
	of := map[shape]*runs{}
	var order []shape // of first runs, so that sums do not depend on the order of a map
	collectives := map[experiments.CollectiveTime]*experiments.CollectiveTime{}
	for i := range r.ops {
		o := &r.ops[i]
		if !r.inStep(o.launch) {
			continue
		}
		switch {
		case o.kind == collective:
			key := experiments.CollectiveTime{Operation: o.collective, Members: o.members}
			if collectives[key] == nil {
				collectives[key] = &experiments.CollectiveTime{Operation: o.collective, Members: o.members}
			}
			collectives[key].Count++
			collectives[key].Time += seconds(o.end - o.start)
		case o.kind == kernel || o.kind == memcpy && strings.Contains(o.name, "DtoD"):
			key := shape{o.name, o.grid}
			if of[key] == nil {
				of[key], order = &runs{}, append(order, key)
			}
			of[key].add(o.end-o.start, meets(sent, o))
		}
	}
	for _, key := range order {
		of[key].addTo(&s.Kernels[classOf(key.name)])
	}
	for _, c := range collectives {
		s.Collectives = append(s.Collectives, *c)
	}
	slices.SortFunc(s.Collectives, func(a, b experiments.CollectiveTime) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Members, b.Members))
	})
	return s
}

func (u *runs) add(ns int64, beside bool) {
	if beside {
		u.beside, u.besideTime = u.beside+1, u.besideTime+ns
	} else {
		u.alone, u.aloneTime = u.alone+1, u.aloneTime+ns
	}
}

// addTo adds the runs to the runs of a class.
func (u *runs) addTo(c *experiments.ClassTime) {
	c.Count += u.alone + u.beside
	if u.alone == 0 {
		c.Time += seconds(u.besideTime)
		c.Beside += seconds(u.besideTime)
		return
	}
	c.Time += seconds(u.aloneTime) * float64(u.alone+u.beside) / float64(u.alone)
}

// marked is how many steps the profiler marked, or else how often the optimizer was called.
func (r *rank) marked() int { return cmp.Or(len(r.profiled), r.optimized) }

// held is how many steps the whole trace is; 0: that is not known, or more than a fiftieth of its operations' time is of others: the GPU may
// be behind the host by several steps when the profiler begins.
func (r *rank) held() int {
	var all, inside int64
	for i := range r.ops {
		o := &r.ops[i]
		if all += o.end - o.start; r.inStep(o.launch) {
			inside += o.end - o.start
		}
	}
	if all-inside > all/50 {
		return 0
	}
	return r.marked()
}

// inStep tells whether a launch is in a step that the profiler marked, if it marked any.
func (r *rank) inStep(launch int64) bool {
	return r.profiled == nil || slices.ContainsFunc(r.profiled, func(s span) bool { return s.start <= launch && launch < s.end })
}

// communicating are the merged intervals of collectives.
func (r *rank) communicating() (all []span) {
	for i := range r.ops {
		if o := &r.ops[i]; o.kind == collective {
			all = append(all, span{o.start, o.end})
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	n := 0
	for _, s := range all {
		if n > 0 && s.start <= all[n-1].end {
			all[n-1].end = max(all[n-1].end, s.end)
		} else {
			all[n], n = s, n+1
		}
	}
	return all[:n]
}

// meets tells whether an operation ran alongside one of the intervals.
func meets(all []span, o *operation) bool {
	n, _ := slices.BinarySearchFunc(all, o.start, func(s span, at int64) int { return cmp.Compare(s.end, at+1) })
	return n < len(all) && all[n].start < o.end
}
