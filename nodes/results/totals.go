package results

import "overlapsim/sim"

// Totals are the sums of the ledgers of several ranks. They may be longer than any Time.
type Totals [NumTerms]sim.Total

// Add adds a ledger term by term.
func (s *Totals) Add(l *Ledger) {
	for i, t := range l {
		s[i].Add(t)
	}
}

// Join adds other totals term by term.
func (s *Totals) Join(u *Totals) {
	for i := range u {
		s[i].Join(u[i])
	}
}

// Sum returns the wall time of all ranks together.
func (s *Totals) Sum() (sum sim.Total) {
	for i := range s {
		sum.Join(s[i])
	}
	return sum
}

// Communicating returns the processor time on messages, or waiting for them: all terms except computation, its
// slow-down, and waiting for others (partner, barrier, idle).
func (s *Totals) Communicating() (sum sim.Total) {
	for t := Overhead; t <= Latency; t++ {
		sum.Join(s[t])
	}
	return sum
}

// OfRank returns the ledger of a rank over all phases. Its terms sum to the
// finish of the rank, so none of them is too long for a Time.
func (r *Result) OfRank(rank int) (sum Ledger) {
	for i := range r.Ledgers[rank] {
		for term, t := range r.Ledgers[rank][i] {
			sum[term] += t
		}
	}
	return sum
}

// OfPhase returns the ledger of a phase over all ranks.
func (r *Result) OfPhase(phase int) (sum Totals) {
	for rank := range r.Ledgers {
		sum.Add(&r.Ledgers[rank][phase])
	}
	return sum
}

// Spent returns what the first streams of all GPUs spend on operations of a kind, or wait for them. With nothing left to do they wait for
// none.
func (r *Result) Spent(kind int) sim.Total {
	ledger := r.OfPhase(kind)
	ledger[Idle] = sim.Total{}
	return ledger.Sum()
}

// Total returns the ledger over all ranks and phases.
func (r *Result) Total() (sum Totals) {
	for rank := range r.Ledgers {
		for phase := range r.Ledgers[rank] {
			sum.Add(&r.Ledgers[rank][phase])
		}
	}
	return sum
}
