package nodes

import (
	"cmp"
	"fmt"
	"slices"

	"overlapsim/nodes/results"
)

// apart splits a lane whose spans overlap, as those of a NIC with several
// channels do, into as few lanes as it takes: each span goes on the first lane
// that is free.
func apart(lane results.Lane) []results.Lane {
	if !overlap(lane.Spans) {
		return []results.Lane{lane}
	}
	slices.SortStableFunc(lane.Spans, func(a, b results.Span) int { return cmp.Compare(a.Start, b.Start) })
	lanes := []results.Lane{{Name: lane.Name, Kind: lane.Kind, Index: lane.Index}}
	for _, s := range lane.Spans {
		free := slices.IndexFunc(lanes, func(l results.Lane) bool {
			n := len(l.Spans)
			return n == 0 || l.Spans[n-1].End <= s.Start
		})
		if free < 0 {
			free = len(lanes)
			lanes = append(lanes, results.Lane{Name: fmt.Sprintf("%s %d", lane.Name, free+1), Kind: lane.Kind, Index: lane.Index})
		}
		lanes[free].Spans = append(lanes[free].Spans, s)
	}
	return lanes
}

// overlap tells whether a span begins before the one that is listed before it ends.
func overlap(spans []results.Span) bool {
	for i := 1; i < len(spans); i++ {
		if spans[i].Start < spans[i-1].End {
			return true
		}
	}
	return false
}
