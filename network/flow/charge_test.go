package flow

import (
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// charged returns what finding rates is charged for some rounds of flows that come together and end one by one, all on one link, or each on
// its own.
func charged(t *testing.T, flows, rounds int, oneLink bool) uint64 {
	t.Helper()
	k := sim.NewKernel()
	capacity := make([]float64, flows)
	for i := range capacity {
		capacity[i] = 1e9
	}
	var plans []plan
	for round := range rounds {
		for i := range flows {
			p := plan{start: float64(round), bytes: float64(1000 * (i + 1)), route: []int32{int32(i)}}
			if oneLink {
				p.route[0] = 0
			}
			plans = append(plans, p)
		}
	}
	rec := newRecorder(len(plans))
	n := must.Get(NewNetwork(k, rec, rates(capacity), false))(t)
	self := k.Register(&starter{n, plans})
	for i, p := range plans {
		k.Schedule(sim.Seconds(p.start), self, 0, uint64(i))
	}
	k.Run()
	return k.Charged()
}

// On one link, each of n flows that ends gives those that are left another rate: the work grows as the square of n. A flow that is alone is
// no work, nor is a round that is remembered.
func TestCharged(t *testing.T) {
	once := charged(t, 400, 1, true)
	if ratio := float64(charged(t, 800, 1, true)) / float64(once); ratio < 3.9 || ratio > 4.1 {
		t.Errorf("twice the flows are %g times the work, want 4", ratio)
	}
	if least := uint64(400 * 399 / 2 / looksOfEvent); once < least || once > 10*least {
		t.Errorf("400 flows are the work of %d events, want 1 to 10 times %d", once, least)
	}
	if got := charged(t, 400, 1, false); got != 0 {
		t.Errorf("flows that are alone are the work of %d events", got)
	}
	if two, five := charged(t, 400, 2, true), charged(t, 400, 5, true); two != five || two <= once {
		t.Errorf("two equal rounds are the work of %d events and five of %d; the first alone of %d", two, five, once)
	}
}
