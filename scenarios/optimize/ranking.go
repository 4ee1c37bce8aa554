package optimize

import (
	"cmp"
	"slices"
)

// Ranking returns the best values that could be run, the best one first; values with the same result in their order.
func (o *Optimum) Ranking(most int) (all []*Point) {
	for i := range o.Points {
		if o.Points[i].Result != nil {
			all = append(all, &o.Points[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *Point) int { return cmp.Compare(*a.Result, *b.Result) })
	return all[:min(most, len(all))]
}

// Beyond returns the term of the ledger in which a value takes longer than another one by most; no time: in none.
func (p *Point) Beyond(best *Point) (term string, time float64) {
	for name, t := range p.Ledger {
		if more := t - best.Ledger[name]; more > time || more == time && more > 0 && name < term {
			term, time = name, more
		}
	}
	return term, time
}
