package why

import "overlapsim/sim"

// Where processes share a core, a memory or a link, a thing ends at a time that many
// moments move: all those at which its speed changed. If it runs at the speed v0
// from T0 on, v1 from T1, ..., and needs a work w, it ends at
//
//	T = (w + v0 T0 + (v1-v0) T1 + ...) / v, with v the last speed,
//
// which is linear in them. The moment of its end is then a mix.

// Mix is what moves a moment besides the one before it.
type Mix struct {
	Influences []Influence // their weights add up to 1
	Effects    []Effect
	Amount     int64 // of what passed
}

// Influence says that a moment moves another one by so much for each ps.
type Influence struct {
	From   Moment
	Weight float64
}

// Effect is the time that a parameter makes of a moment, in ps: what it would move
// it by for each per cent, times 100; for rates, with the other sign.
type Effect struct {
	Parameter int
	Value     float64 // of the parameter, of a time, or a time per byte; 0: of a rate, or of none
	Time      float64
}

// Mixed adds a moment that is a mix. The one before it is where it is drawn.
func (h *History) Mixed(from Moment, at sim.Time, w What, x Mix) Moment {
	h.mixes = append(h.mixes, x)
	w.Amount = ^int64(len(h.mixes) - 1)
	return h.Add(from, at, w)
}

// Mix returns that of a moment; nil: it is none.
func (h *History) Mix(m Moment) *Mix {
	if k := &h.moments[m]; k.amount < 0 {
		return &h.mixes[^k.amount]
	}
	return nil
}

// Pace remembers how fast something went.
type Pace struct {
	Speed   float64
	Changes []Influence // at those moments it became so much faster
}

// Becomes says that the speed changes by what happens at a moment.
func (p *Pace) Becomes(speed float64, by Moment) {
	if speed == p.Speed {
		return
	}
	p.Changes = append(p.Changes, Influence{by, speed - p.Speed})
	p.Speed = speed
}

// Influences returns those of an end, behind what is there already.
func (p *Pace) Influences(all []Influence) []Influence {
	for _, c := range p.Changes {
		all = append(all, Influence{c.From, c.Weight / p.Speed})
	}
	return all
}
