package nodes

import (
	"cmp"
	"fmt"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// room is how much of a timeline memory may hold. The rest goes to a file, if there may be one.
type room struct {
	most, held int // spans
	spill      func() (results.File, error)
	store      *results.Store // nil: everything is in memory
	err        error          // why there is no file
}

// A lane has room for some spans even if there are many lanes.
const (
	keptSpans       = 1 << 20
	keptSpansOfLane = 32
	keptMessages    = 2 * results.MessagesTogether
)

func newRoom(lanes int, spill func() (results.File, error)) room {
	return room{most: max(keptSpans, keptSpansOfLane*lanes), spill: spill}
}

// open makes sure that there is a file, if there may be one.
func (m *room) open() bool {
	if m.store == nil && m.spill != nil && m.err == nil {
		file, err := m.spill()
		if m.err = err; err == nil {
			m.store = results.NewStore(file)
		}
	}
	return m.store != nil
}

// tidy moves what does not fit into memory to the file.
func (d *drawing) tidy() {
	for len(d.line.Messages) >= keptMessages && d.room.open() {
		d.line.Move(d.room.store)
	}
	if d.room.held < d.room.most || !d.room.open() {
		return
	}
	d.room.held = 0
	for _, lanes := range [][]results.Lane{d.cpus, d.helpers, d.inserts, d.sends} {
		for i := range lanes {
			lanes[i].Move(d.room.store)
		}
	}
}

// apart splits a lane whose spans overlap, as the spans of a NIC with several channels do, into as
// few lanes as possible. Each span goes to the first lane that is free. All spans of the lane are
// in memory meanwhile.
func (m *room) apart(lane results.Lane) []results.Lane {
	if !overlap(&lane) {
		return []results.Lane{lane}
	}
	all := make([]results.Span, 0, lane.Len())
	for _, s := range lane.All() {
		all = append(all, *s)
	}
	slices.SortStableFunc(all, func(a, b results.Span) int { return cmp.Compare(a.Start, b.Start) })
	lanes := []results.Lane{{Name: lane.Name, Kind: lane.Kind, Index: lane.Index}}
	for _, s := range all {
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
	for i := range lanes {
		if m.store != nil {
			lanes[i].Move(m.store)
		}
	}
	return lanes
}

// overlap tells whether some span begins before the previous one ends.
func overlap(lane *results.Lane) bool {
	end := sim.Time(0)
	for _, s := range lane.All() {
		if s.Start < end {
			return true
		}
		end = s.End
	}
	return false
}
