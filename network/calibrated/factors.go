package calibrated

import "overlapsim/sim"

// Factors are the factors of a calibration for the ranks of one run. Each is computed once, when
// its distance first occurs.
type Factors struct {
	calibration *Calibration
	known       [2][]float64 // C_avg, C_max by distance; 0: not yet
	among       map[part]float64
}

// part identifies the communication of some of the processes of a run that synchronise.
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

// Added returns the time that a factor adds, rounded once. It may be negative.
func Added(factor float64, alone sim.Time) sim.Time {
	return sim.PerByte(int64(alone), factor-1)
}
