package report

import "slices"

// Swing says how far a cause moves a number down and up, in pieces from zero outwards.
type Swing struct {
	Name      string
	Low, High []float64 // by piece; Low is not positive, High not negative
	Ends      *Ends     // nil: no text
}

// Tornado draws swings one below the other in the order of the list, which should be
// largest first. The pieces on both sides have names and colours. Pieces with the same
// name have the same colour; pieces that never occur are omitted.
func Tornado(b Bars, low, high []Part, swings []Swing) *Bars {
	b.Horizontal, b.Members = true, []string{""}
	for _, s := range swings {
		b.Groups = append(b.Groups, s.Name)
		if s.Ends != nil {
			b.Ends = append(b.Ends, *s.Ends)
		}
		for i := range low {
			low[i].Values = append(low[i].Values, []float64{s.Low[i]})
		}
		for i := range high {
			high[i].Values = append(high[i].Values, []float64{s.High[i]})
		}
	}
	b.Parts = slices.DeleteFunc(slices.Concat(low, high), func(p Part) bool {
		return !slices.ContainsFunc(p.Values, func(v []float64) bool { return v[0] != 0 })
	})
	return &b
}
