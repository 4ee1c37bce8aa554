package why

import "overlapsim/sim"

// Where processes share a core, a memory or a link, the end of an activity depends on many
// moments: all those at which its speed changed. If it runs at the speed v0 from T0 on, v1 from
// T1, ..., and its work is w, it ends at
//
//	T = (w + v0 T0 + (v1-v0) T1 + ...) / v, with v the last speed,
//
// which is linear in these times. The moment of its end is then a mix of them.

// Mix says what moves a moment in addition to the moment before it.
type Mix struct {
	Influences []Influence // their weights add up to 1
	Effects    []Effect
	Amount     int64 // of the part that passed
}

// Influence says that a moment moves another one by Weight ps for each ps of its change. If the
// other one was kept by a tree that forgot, From has its place instead of its number.
type Influence struct {
	From   Moment
	Weight float64
}

// Effect is the time that a parameter contributes to a moment, in ps. It is 100 times the change
// of the moment if the parameter grows by one per cent; for rates, with the opposite sign.
type Effect struct {
	Parameter int
	Value     float64 // of the parameter, if it is a time or a time per byte; 0 for a rate, or if there is none
	Time      float64
}

// Mixed adds a moment that is a mix. The path goes through the moment from.
func (h *History) Mixed(from Moment, at sim.Time, w What, x Mix) Moment {
	w.Amount = h.fresh.mixed(x)
	return h.Add(from, at, w)
}

// Pace remembers how fast something went.
type Pace struct {
	Speed   float64
	Changes []Influence // the moments at which it changed, and by how much
}

// Becomes says that the speed changes because of a moment.
func (p *Pace) Becomes(speed float64, by Moment) {
	if speed == p.Speed {
		return
	}
	p.Changes = append(p.Changes, Influence{by, speed - p.Speed})
	p.Speed = speed
}

// Influences appends the influences on an end to those that are there already.
func (p *Pace) Influences(all []Influence) []Influence {
	for _, c := range p.Changes {
		all = append(all, Influence{c.From, c.Weight / p.Speed})
	}
	return all
}
