package difference

import (
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

// DifferenceRecord is a difference as JSON: changes in seconds, each a whole number of picoseconds.
type DifferenceRecord struct {
	From   string           `json:"from"`
	Change float64          `json:"makespan_s"`
	Terms  outcomes.Ordered `json:"terms"` // add up to makespan_s
	Phases []PhaseRecord    `json:"phases,omitempty"`
	Ranks  []RankRecord     `json:"ranks,omitempty"` // those whose communication and waiting grew most
	NoRank string           `json:"no_ranks,omitempty"`
}

// PhaseRecord is the change of a phase.
type PhaseRecord struct {
	Name   string           `json:"name"`
	Change float64          `json:"change_s"`
	Terms  outcomes.Ordered `json:"terms"`
}

// RankRecord is the change of a rank.
type RankRecord struct {
	Rank  int              `json:"rank"`
	From  float64          `json:"from_s"` // in communication and waiting
	To    float64          `json:"to_s"`
	Terms outcomes.Ordered `json:"terms"`
}

// Record returns the difference as plain data.
func (d *Difference) Record() *DifferenceRecord {
	r := &DifferenceRecord{From: d.A.Name, Change: d.Change.Seconds(), Terms: termsRecord(d.Terms), NoRank: d.NoRank}
	for _, p := range d.Phases {
		r.Phases = append(r.Phases, PhaseRecord{p.Name, p.Change.Seconds(), termsRecord(p.Terms)})
	}
	for _, k := range d.Ranks {
		r.Ranks = append(r.Ranks, RankRecord{k.Rank, k.OffA.Seconds(), k.OffB.Seconds(), termsRecord(k.Terms)})
	}
	return r
}

// termsRecord writes the terms that change, the largest change first.
func termsRecord(terms []Change) outcomes.Ordered {
	all := outcomes.Ordered{}
	for _, c := range terms {
		all = append(all, outcomes.Member{Name: key(c), Value: c.Change.Seconds()})
	}
	return all
}

func key(c Change) string {
	if c.Term == Ended {
		return "ended_s"
	}
	return c.Term.String() + "_s"
}

// Sum adds changes up.
func Sum(terms []Change) (sum sim.Time) {
	for _, c := range terms {
		sum += c.Change
	}
	return sum
}
