package answer

import (
	"slices"

	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
)

// ties is the cause of a re-run in which what happens at the same moment happens in another order.
const ties = "ties"

// mostOthers is in how many other orders of equals a change of a noisy run is run, so that one that does nothing seldom saves in all of them.
const mostOthers = 3

// noisy tells whether the order of equals changes a run so much that one order does not tell what a change saves.
func (s *subject) noisy() bool { return zero(s.noise) >= report.LeastShare }

// told tells whether what a change saves is told apart from chance.
func (s *subject) told(c *outcomes.Change) bool { return report.Told(c, s.noise) }

// inOthers runs changes of a noisy run, or the run without causes, in other orders of equals, too: what they save is told apart from chance if
// it is saved in each order. It tells whether it ran any. Some events are left for others.
func (s *subject) inOthers(all []*trial, left float64) bool {
	all = slices.DeleteFunc(slices.Clone(all), func(t *trial) bool { return t.settled || !t.counts || !t.saves(s) })
	if !s.noisy() || len(all) == 0 {
		return false
	}
	for _, order := range s.ordersRun() {
		again := make([]*trial, len(all))
		for i, t := range all {
			again[i] = t.inThe(order)
		}
		s.explore(again, len(again), s.events-left)
		var still []*trial
		for i, t := range all {
			if again[i].counts {
				t.in = append(t.in, 1-again[i].makespan.Seconds()/order.makespan.Seconds())
			}
			if t.settled = true; again[i].counts && t.gains(s)[0] >= report.LeastShare {
				still = append(still, t)
			} else if !again[i].counts {
				t.in = nil // not in all
			}
		}
		all = still
	}
	return true
}

// ordersRun are the orders in which changes are run, which the run itself was run in.
func (s *subject) ordersRun() []*trial {
	all := slices.DeleteFunc(slices.Clone(s.orders), func(t *trial) bool { return !t.counts })
	return all[:min(len(all), mostOthers)]
}

// inThe is a re-run in another order.
func (t *trial) inThe(order *trial) *trial {
	c := t.change
	c.scenario = nil
	c.says, c.set = t.says+", "+order.says, slices.Concat(t.set, order.set)
	return &trial{change: c, cause: ties}
}

// costIn finds how much of communication a noisy run exposes and hides in other orders.
func (s *subject) costIn(a *outcomes.Answer) {
	if !s.noisy() {
		return
	}
	a.MakespanIn = outcomes.RangeOf(makespans(s.orders))
	communication, computation := s.absences[0], s.absences[1]
	if !communication.counts || !computation.counts {
		return
	}
	exposed, hidden, parts := []float64{*a.Exposed}, []float64{*a.Hidden}, []float64{s.exposed}
	for _, order := range s.ordersRun() {
		both, again := [2]*trial{communication, order}, []*trial{}
		if !communication.steady || points.Late(s.Outcome) {
			both[0] = communication.inThe(order)
			again = append(again, both[0])
		}
		if s.computes() {
			both[1] = computation.inThe(order)
			again = append(again, both[1])
		}
		s.add(order.expected(s) * float64(len(again))) // beyond the re-runs of the answer
		if len(s.explore(again, len(again), s.events)) < len(again) {
			return
		}
		costs := (order.makespan - both[0].makespan).Seconds()
		exposed, parts = append(exposed, costs), append(parts, costs/order.makespan.Seconds())
		hidden = append(hidden, both[1].makespan.Seconds()-costs)
	}
	s.exposedIn, a.ExposedIn = outcomes.RangeOf(parts), outcomes.RangeOf(exposed)
	if s.computes() {
		a.HiddenIn = outcomes.RangeOf(hidden)
	}
}
