package difference

import (
	"fmt"
	"math/big"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

// Side is what is known of where the time of a run went.
type Side struct {
	Name     string
	Makespan sim.Time

	terms  *account // of the whole run
	phases []phase  // nil: not known
	ranks  int      // of which there are ledgers
	ledger func(rank int) results.Ledger
	absent string // why there are no ledgers of the ranks
}

// phase is the time of the ranks in a phase.
type phase struct {
	name  string
	terms *account
}

// Of returns the side of a run.
func Of(o *outcomes.Outcome) *Side {
	r := o.Result
	s := &Side{Name: o.Name, Makespan: r.Makespan(), terms: meanOf(r.Total(), r.Ranks), ranks: len(r.Ledgers), ledger: r.OfRank}
	s.terms.until(s.Makespan)
	for i, name := range r.Phases {
		s.phases = append(s.phases, phase{name, meanOf(r.OfPhase(i), r.Ranks)})
	}
	return s
}

// OfRecord returns the side of a run whose record was saved.
func OfRecord(r *outcomes.RunRecord) *Side {
	ranks := r.Ranks
	if r.StandIns > 0 {
		ranks = r.StandIns
	}
	s := &Side{Name: r.Scenario, Makespan: sim.Seconds(r.Makespan), terms: termsOf(r.Ledger, ranks)}
	s.terms.until(s.Makespan)
	for _, p := range r.Phases {
		s.phases = append(s.phases, phase{p.Name, termsOf(p.Ledger, ranks)})
	}
	if s.absent = s.readRanks(r.ByRank, ranks); s.absent != "" {
		s.ranks, s.ledger = 0, nil
	}
	return s
}

// numbered are numbers by their names.
type numbered interface{ Number(name string) float64 }

func termsOf(ledger numbered, ranks int) *account {
	a := newAccount()
	for t := range results.NumTerms {
		a[t] = meanFrom(ledger.Number(t.String()+"_s"), ranks)
	}
	return a
}

// readRanks takes the ledgers of the ranks from a record, or says why there are none.
func (s *Side) readRanks(all []outcomes.RankTimes, ranks int) (absent string) {
	if all == nil {
		return fmt.Sprintf("the saved results of %s have no ledgers by rank; --json --per-rank saves them", s.Name)
	}
	columns := map[string][]float64{}
	for _, r := range all {
		if len(r.Times) != ranks {
			return fmt.Sprintf("the saved results of %s have %d times of %s for %d ranks", s.Name, len(r.Times), r.Term, ranks)
		}
		columns[r.Term] = r.Times
	}
	s.ranks = ranks
	s.ledger = func(rank int) (l results.Ledger) {
		for t := range results.NumTerms {
			if times := columns[t.String()]; times != nil {
				l[t] = sim.Seconds(times[rank])
			}
		}
		return l
	}
	return ""
}

// phase returns the time of the ranks in a phase; of one that the run does not have it is 0.
func (s *Side) phase(name string) *account {
	for i := range s.phases {
		if s.phases[i].name == name {
			return s.phases[i].terms
		}
	}
	return newAccount()
}

// ended is the mean time after the ends of the ranks.
func (s *Side) ended() *account {
	a := newAccount()
	a[Ended] = new(big.Rat).Set(s.terms[Ended])
	return a
}
