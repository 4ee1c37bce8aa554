package nodes

import (
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// All spans of a lane are found again, on lanes whose spans do not overlap. There are no more
// lanes than spans that overlap at some moment.
func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lane := results.Lane{Name: "node 3 NIC send", Kind: results.SendLane, Index: 3}
		for range rapid.IntRange(0, 30).Draw(t, "spans") {
			start := sim.Time(rapid.IntRange(0, 50).Draw(t, "start"))
			lane.Spans = append(lane.Spans, results.Span{Start: start, End: start + sim.Time(rapid.IntRange(1, 9).Draw(t, "length"))})
		}
		most := 1
		for at := range sim.Time(60) {
			n := 0
			for _, s := range lane.Spans {
				if s.Start <= at && at < s.End {
					n++
				}
			}
			most = max(most, n)
		}
		all := len(lane.Spans)
		lanes := new(room).apart(lane)
		if len(lanes) != most || lanes[0].Name != lane.Name {
			t.Fatalf("%d lanes, want %d", len(lanes), most)
		}
		for _, l := range lanes {
			all -= len(l.Spans)
			for i := 1; i < len(l.Spans); i++ {
				if l.Spans[i].Start < l.Spans[i-1].End {
					t.Fatalf("%s: %+v overlap", l.Name, l.Spans)
				}
			}
		}
		if all != 0 {
			t.Fatalf("%d spans are missing", all)
		}
	})
}
