package report

import (
	"fmt"
	"slices"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// TestStreamsPage asks a page of GPUs for whole names of streams, and for no button of what the run does not have.
func TestStreamsPage(t *testing.T) {
	names := []string{"0 compute", "0 send forward", "1008 receive backward"}
	for _, width := range []int{1300, 620, 390} {
		b := browse(t, written(t, onePage("streams", streamsResult(names))), width, 700)
		if got := eval[[]string](b, `[...document.querySelectorAll('.tools [data-do]')].map((x) => x.dataset.do)`); slices.Contains(got, "nic") ||
			slices.Contains(got, "arrows") {
			t.Errorf("a run without NICs and messages has the buttons %v", got)
		}
		shown := eval[[]string](b, `(() => { const g = overlapsim.gantts[0], room = g.narrow ? g.gutter - 16 : g.laidOut / 4;
			return g.timeline.lanes.map((l) => g.fitted(l.name, room)); })()`)
		if width > 390 && fmt.Sprint(shown) != fmt.Sprint(names) {
			t.Errorf("in a window of %d px the lanes are called %q", width, shown)
		}
		if strips := eval[[]string](b, "overlapsim.gantts[0].strips.map((s) => s.name)"); fmt.Sprint(strips) !=
			"[compute send forward receive backward]" {
			t.Errorf("the strips are %q", strips)
		}
		if gutter := eval[float64](b, "overlapsim.gantts[0].gutter"); gutter > float64(width)/2.5 {
			t.Errorf("in a window of %d px names take %g px", width, gutter)
		}
		b.Clean()
	}
}

// streamsResult is a run of two GPUs with lanes of some names.
func streamsResult(names []string) *results.Result {
	r := &results.Result{Ranks: 2, On: results.GPUs, Phases: []string{"product"}, Timeline: &results.Timeline{}}
	for i, name := range names {
		lane := results.Lane{Name: name, Kind: results.CPULane, Index: i}
		lane.Spans = []results.Span{{End: sim.Millisecond, Message: -1, Term: results.Compute}}
		r.Timeline.Lanes = append(r.Timeline.Lanes, lane)
	}
	for range r.Ranks {
		r.Finish = append(r.Finish, sim.Millisecond)
		r.Hidden = append(r.Hidden, 0)
		r.Ledgers = append(r.Ledgers, []results.Ledger{{results.Compute: sim.Millisecond}})
	}
	return r
}
