package flow

import (
	"math"
	"slices"
)

// The slow second version: textbook water-filling, from scratch at every
// event, in float64 seconds and bytes (Bertsekas and Gallager, Data Networks,
// section 6.5.2).

// waterfill returns the max-min fair rates of flows over links.
func waterfill(capacity []float64, routes [][]int32, limits []float64) []float64 {
	rates := make([]float64, len(routes))
	fixed := make([]bool, len(routes))
	rest := slices.Clone(capacity)
	for {
		// The link or limit that is full first.
		users := make([]int, len(capacity))
		lowest := math.Inf(1)
		for f, route := range routes {
			if fixed[f] {
				continue
			}
			if limits[f] > 0 {
				lowest = min(lowest, limits[f])
			}
			for _, l := range route {
				users[l]++
			}
		}
		for l, n := range users {
			if n > 0 {
				lowest = min(lowest, rest[l]/float64(n))
			}
		}
		if math.IsInf(lowest, 1) {
			return rates
		}
		var now []int
		for f, route := range routes {
			full := limits[f] > 0 && limits[f] <= lowest*(1+1e-14)
			for _, l := range route {
				full = full || rest[l]/float64(users[l]) <= lowest*(1+1e-14)
			}
			if full && !fixed[f] {
				now = append(now, f)
			}
		}
		for _, f := range now {
			fixed[f], rates[f] = true, lowest
			for _, l := range routes[f] {
				rest[l] -= lowest
			}
		}
	}
}

// plan is a flow of the reference: it begins at a time.
type plan struct {
	start float64
	bytes float64
	route []int32
	limit float64
}

// reference returns when each planned flow ends.
func reference(capacity []float64, plans []plan) []float64 {
	finish := make([]float64, len(plans))
	left := make([]float64, len(plans))
	done := make([]bool, len(plans))
	for i, p := range plans {
		left[i] = p.bytes
		if p.bytes == 0 || len(p.route) == 0 && p.limit == 0 {
			finish[i], done[i] = p.start, true
		}
	}
	for now := 0.0; ; {
		var active []int
		var routes [][]int32
		var limits []float64
		next := math.Inf(1)
		for i, p := range plans {
			switch {
			case done[i]:
			case p.start > now:
				next = min(next, p.start)
			default:
				active = append(active, i)
				routes = append(routes, p.route)
				limits = append(limits, p.limit)
			}
		}
		rates := waterfill(capacity, routes, limits)
		for k, i := range active {
			next = min(next, now+left[i]/rates[k])
		}
		if math.IsInf(next, 1) {
			return finish
		}
		for k, i := range active {
			end := now + left[i]/rates[k]
			if end <= next*(1+1e-15) {
				finish[i], done[i] = next, true
			}
			left[i] -= rates[k] * (next - now)
		}
		now = next
	}
}
