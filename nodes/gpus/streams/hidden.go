package streams

import (
	"cmp"
	"slices"

	"overlapsim/sim"
)

// span is a part of a run.
type span struct{ from, to sim.Time }

// Hidden is how long collectives on a device's other streams take, after their last arrival,
// while kernels of one of its streams run. Only kernels of the given kinds count, or all if none
// is given.
func (r *Result) Hidden(device, stream int32, kinds ...uint8) (hidden sim.Time) {
	queue, behind := r.graph.queues[device], r.graph.behind[device]
	kernels, others := make([]span, 0, len(queue)), []span(nil)
	for _, i := range queue {
		n := i + behind
		switch o := &r.graph.Ops[i]; {
		case o.Collective == 0 && o.Stream == stream && (len(kinds) == 0 || slices.Contains(kinds, o.Kind)):
			kernels = append(kernels, span{r.Starts[n], r.Ends[n]})
		case o.Collective > 0 && o.Stream != stream:
			others = append(others, span{r.Begun[r.graph.joins[n]-1], r.Ends[n]})
		}
	}
	return together(joined(kernels), joined(others))
}

// Running is how long at least one operation of each kind runs on any stream of a device, from its start to its end, as a profiler shows
// it: a member of a collective from its arrival on. Pauses do not run.
func (r *Result) Running(device int32) []sim.Time {
	runs, number := make([][]span, max(1, len(r.graph.Kinds))), make([]int, max(1, len(r.graph.Kinds)))
	for _, i := range r.graph.queues[device] {
		number[r.graph.Ops[i].Kind]++
	}
	for kind := range runs {
		runs[kind] = make([]span, 0, number[kind])
	}
	for _, i := range r.graph.queues[device] {
		n := i + r.graph.behind[device]
		if o := &r.graph.Ops[i]; o.Role != Pauses && o.Role != Lingers {
			runs[o.Kind] = append(runs[o.Kind], span{r.Starts[n], r.Ends[n]})
		}
	}
	all := make([]sim.Time, len(runs))
	for kind := range runs {
		for _, s := range joined(runs[kind]) {
			all[kind] += s.to - s.from
		}
	}
	return all
}

// joined merges spans that overlap, sorts them, and reuses the memory of the given ones.
func joined(spans []span) []span {
	all := spans[:0]
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for _, s := range spans {
		if last := len(all) - 1; last >= 0 && s.from <= all[last].to {
			all[last].to = max(all[last].to, s.to)
		} else {
			all = append(all, s)
		}
	}
	return all
}

// together is how long spans of both lists overlap. The spans of each list must be sorted and
// must not overlap.
func together(a, b []span) (sum sim.Time) {
	for len(a) > 0 && len(b) > 0 {
		sum += max(0, min(a[0].to, b[0].to)-max(a[0].from, b[0].from))
		if a[0].to < b[0].to {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return sum
}
