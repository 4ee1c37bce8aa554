package calibrated

import "overlapsim/sim"

// Factors are those of a calibration for the ranks of one run. They are worked
// out once for each distance that occurs.
type Factors struct {
	calibration *Calibration
	known       [2][]float64 // C_avg, C_max by distance; 0: not yet
	among       map[part]float64
}

// part is a communication that synchronises some of the processes of a run.
type part struct{ processes, distance int }

// For returns the factors of a run with this number of ranks.
func (c *Calibration) For(ranks int) *Factors {
	return &Factors{c, [2][]float64{make([]float64, ranks), make([]float64, ranks)}, map[part]float64{}}
}

// Factor returns C_max(p, d) of a communication that synchronises, otherwise C_avg(d).
// The distance is 1 to p-1.
func (f *Factors) Factor(distance int, synchronised bool) float64 {
	kind := 0
	if synchronised {
		kind = 1
	}
	known := &f.known[kind][distance]
	if *known == 0 {
		if synchronised {
			*known = f.calibration.Maximum(len(f.known[kind]), distance)
		} else {
			*known = f.calibration.Average(distance)
		}
	}
	return *known
}

// Among returns C_max(p, d) of a communication that synchronises only some of the
// processes.
func (f *Factors) Among(processes, distance int) float64 {
	at := part{processes, distance}
	factor, known := f.among[at]
	if !known {
		factor = f.calibration.Maximum(processes, distance)
		f.among[at] = factor
	}
	return factor
}

// Added returns what a factor adds to a time, rounded once; it may be negative.
func Added(factor float64, alone sim.Time) sim.Time {
	return sim.PerByte(int64(alone), factor-1)
}
