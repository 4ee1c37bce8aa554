package flow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Run returns when each flow ends, in seconds, and the number of begins and ends. Flows that are
// not connected by a chain of shared links do not affect each other.
func (c *Case) Run() (finish []float64, events uint64, err error) {
	finish = make([]float64, len(c.Flows))
	for _, flows := range c.components() {
		newReplay(c, flows, finish).run()
	}
	for i, at := range finish {
		if math.IsNaN(at) || math.IsInf(at, 1) {
			return nil, 0, fmt.Errorf("%s: flows[%d]: sizes, times and bandwidths are too far apart to be simulated", c.Name, i)
		}
	}
	return finish, 2 * uint64(len(c.Flows)), nil
}

// components returns the flows of each independent part of a case, in the order of the case.
func (c *Case) components() (all [][]int) {
	of := make([]int, len(c.Capacity)) // a link that represents its part
	for l := range of {
		of[l] = l
	}
	stands := func(l int32) int {
		for of[l] != int(l) {
			of[l] = of[of[l]]
			l = int32(of[l])
		}
		return int(l)
	}
	for _, f := range c.Flows {
		for _, l := range f.Route {
			of[stands(l)] = stands(f.Route[0])
		}
	}
	part := map[int]int{}
	for i, f := range c.Flows {
		if len(f.Route) == 0 {
			all = append(all, []int{i})
			continue
		}
		l := stands(f.Route[0])
		n, known := part[l]
		if !known {
			n = len(all)
			part[l], all = n, append(all, nil)
		}
		all[n] = append(all[n], i)
	}
	return all
}

// replay runs one part of a case. Times are seconds as floating-point numbers. Picoseconds may be
// too coarse for one flow, while another may last too long to count in them.
type replay struct {
	c      *Case
	of     []int // by number here: the flows of the case
	begins []int // numbers of the flows that have not begun to share, by when they do
	finish []float64
	sharing[float64]
}

func newReplay(c *Case, flows []int, finish []float64) *replay {
	r := &replay{c: c, of: flows, finish: finish, sharing: sharing[float64]{forever: math.Inf(1), flows: make([]flow, len(flows))}}
	number := map[int32]int32{}
	for n, i := range flows {
		r.begins, finish[i] = append(r.begins, n), r.forever
		var route []int32
		for _, l := range c.Flows[i].Route {
			if _, known := number[l]; !known {
				number[l] = r.addLink(c.Capacity[l])
			}
			route = append(route, number[l])
		}
		limit := int32(none)
		if rate := c.Flows[i].Limit; rate > 0 {
			limit = r.addLink(rate)
		}
		r.setRoute(int32(n), route, limit)
	}
	slices.SortStableFunc(r.begins, func(a, b int) int { return cmp.Compare(r.begin(a), r.begin(b)) })
	return r
}

// begin returns when a flow begins to share links.
func (r *replay) begin(n int) float64 {
	f := &r.c.Flows[r.of[n]]
	return f.Start + f.Latency
}

// run moves from one instant at which flows begin or end to the next.
func (r *replay) run() {
	var done []int32
	for {
		now := r.forever
		if !r.next.empty() {
			now = r.next.entries[0].key
		}
		if len(r.begins) > 0 {
			now = min(now, r.begin(r.begins[0]))
		}
		if r.now = now; now == r.forever {
			break
		}
		done = r.due(done[:0])
		for _, n := range done {
			r.end(n)
		}
		for len(r.begins) > 0 && r.begin(r.begins[0]) <= now {
			r.start(int32(r.begins[0]))
			r.begins = r.begins[1:]
		}
		r.solve()
	}
}

// start lets a flow share links, if it has bytes and links to share.
func (r *replay) start(n int32) {
	f := &r.c.Flows[r.of[n]]
	if f.Bytes == 0 || r.flows[n].length == 0 {
		r.finish[r.of[n]] = r.now
		return
	}
	r.add(n, f.Bytes)
}

func (r *replay) end(n int32) {
	i := r.of[n]
	r.finish[i] = r.now
	r.remove(n, r.c.Flows[i].Bytes)
}
