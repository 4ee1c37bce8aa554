package goal

import "overlapsim/sim"

// hiding adds up the time during which the CPUs of each rank computed while messages of
// the rank were in flight. A message is in flight from the start of its send until its
// bytes are in the memory of its target.
type hiding struct {
	ranks []hider
	calcs []sim.Time // when the last calc of each CPU ends
	cpus  int
}

// hider is the account of a rank. A calc is entered only when it begins, before later
// times are reached.
type hider struct {
	reached sim.Time  // the time up to which hidden is complete
	until   sim.Time  // messages whose end is known are in flight until here
	open    int       // messages whose end is not known
	hidden  sim.Total // over its CPUs
}

func newHiding(s *Schedule) hiding {
	return hiding{make([]hider, s.Ranks()), make([]sim.Time, s.Ranks()*s.cpus), s.cpus}
}

// reach brings the account of a rank up to now.
func (h *hiding) reach(rank uint32, now sim.Time) *hider {
	r := &h.ranks[rank]
	until := now
	if r.open == 0 {
		until = min(now, r.until)
	}
	for _, end := range h.calcs[int(rank)*h.cpus:][:h.cpus] {
		r.hidden.Add(max(0, min(until, end)-r.reached))
	}
	r.reached = now
	return r
}

// calc records that a CPU computes from now until end.
func (h *hiding) calc(rank uint32, cpu uint8, now, end sim.Time) {
	h.reach(rank, now)
	h.calcs[int(rank)*h.cpus+int(cpu)] = end
}

// sent records that a message of a rank is in flight.
func (h *hiding) sent(rank uint32, now sim.Time) { h.reach(rank, now).open++ }

// landed records, at time now, that a message of a rank arrives in memory at time then.
func (h *hiding) landed(rank uint32, now, then sim.Time) {
	r := h.reach(rank, now)
	r.open--
	r.until = max(r.until, then)
}

// total returns the sums at the end of a run.
func (h *hiding) total() []sim.Total {
	list := make([]sim.Total, len(h.ranks))
	for rank := range list {
		list[rank] = h.reach(uint32(rank), sim.Forever).hidden
	}
	return list
}
