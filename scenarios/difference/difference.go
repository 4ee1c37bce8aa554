package difference

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Difference says where the time goes that a run B takes longer than a run A, or shorter.
type Difference struct {
	A, B   *Side
	Change sim.Time // of the makespan
	Terms  []Change // that change, the largest change first; they add up to Change
	Phases []Phase  // of either run, and Ended, as far as they change; they add up to Change; nil: not known, or no change
	Ranks  []Rank   // whose communication and waiting grew most; nil: on all alike, or NoRank
	Spread Spread   // over all ranks
	NoRank string   // why ranks are not compared
}

// Change is what a term has to do with the difference: means over the ranks.
type Change struct {
	Term   results.Term // or Ended
	A, B   float64      // seconds
	Change sim.Time
}

// Phase is what a phase has to do with the difference: means over the ranks.
type Phase struct {
	Name   string // the change of Ended: after the ends of the ranks
	A, B   float64
	Change sim.Time
	Terms  []Change // that change, the largest change first; they add up to Change
}

// Rank is how the time of a rank went elsewhere. Off is what it spends other than
// computing: its time in all terms but compute and interference, up to its end.
type Rank struct {
	Rank       int
	OffA, OffB sim.Time
	Terms      []Change // that change, the largest change first; with Ended they add up to the change of the makespan
}

// Change is by how much Off grew.
func (r *Rank) Change() sim.Time { return r.OffB - r.OffA }

// Spread are the ranks whose Off grew least and most.
type Spread struct {
	Least, Most         sim.Time
	LeastRank, MostRank int
}

// mostRanks is how many ranks are listed.
const mostRanks = 5

// Between returns the difference from a to b.
func Between(a, b *Side) *Difference {
	d := &Difference{A: a, B: b, Change: b.Makespan - a.Makespan}
	d.Terms = changed(a.terms, b.terms, d.Change)
	if a.phases != nil && b.phases != nil {
		d.byPhase()
	}
	if d.NoRank = d.notByRank(); d.NoRank == "" {
		d.byRank()
	}
	return d
}

// changeOf returns by how much a term changes.
func changeOf(t results.Term, list []Change) sim.Time {
	for _, c := range list {
		if c.Term == t {
			return c.Change
		}
	}
	return 0
}

// changed returns the terms that change between two accounts; the changes add up to sum.
func changed(a, b *account, sum sim.Time) (list []Change) {
	for t, change := range apportion(changes(a, b), sum) {
		if change != 0 {
			list = append(list, Change{results.Term(t), seconds(a[t]), seconds(b[t]), change})
		}
	}
	slices.SortStableFunc(list, func(x, y Change) int { return cmp.Compare(size(y.Change), size(x.Change)) })
	return list
}

// size is how long a change is to either side.
func size(t sim.Time) sim.Time { return max(t, -t) }

// byPhase compares phases of the same name, in the order of A; those that only B has
// follow.
func (d *Difference) byPhase() {
	var names []string
	for _, p := range slices.Concat(d.A.phases, d.B.phases) {
		if !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	var from, to []*account
	var exact []*big.Rat
	for _, name := range names {
		from, to = append(from, d.A.phase(name)), append(to, d.B.phase(name))
	}
	names, from, to = append(names, TermName(Ended)), append(from, d.A.ended()), append(to, d.B.ended())
	for i := range names {
		exact = append(exact, new(big.Rat).Sub(to[i].sum(), from[i].sum()))
	}
	for i, change := range apportion(exact, d.Change) {
		p := Phase{names[i], seconds(from[i].sum()), seconds(to[i].sum()), change, changed(from[i], to[i], change)}
		if len(p.Terms) > 0 {
			d.Phases = append(d.Phases, p)
		}
	}
}

// notByRank says why ranks cannot be compared; "": they can.
func (d *Difference) notByRank() string {
	switch a, b := d.A, d.B; {
	case a.absent != "":
		return a.absent
	case b.absent != "":
		return b.absent
	case a.ranks != b.ranks:
		return fmt.Sprintf("%s has %d ranks and %s has %d", a.Name, a.ranks, b.Name, b.ranks)
	}
	return ""
}

// byRank keeps the ranks whose communication and waiting grew most.
func (d *Difference) byRank() {
	for rank := range d.A.ranks {
		r := d.rank(rank)
		change := r.Change()
		if rank == 0 {
			d.Spread = Spread{change, change, 0, 0}
		}
		if change < d.Spread.Least {
			d.Spread.Least, d.Spread.LeastRank = change, rank
		}
		if change > d.Spread.Most {
			d.Spread.Most, d.Spread.MostRank = change, rank
		}
		d.keep(r)
	}
	if d.Spread.Least == d.Spread.Most { // no rank is worse than another
		d.Ranks = nil
	}
	for i := range d.Ranks {
		d.Ranks[i].Terms = d.termsOf(d.Ranks[i].Rank)
	}
}

// keep puts a rank into its place among the first ones.
func (d *Difference) keep(r Rank) {
	at, _ := slices.BinarySearchFunc(d.Ranks, r, func(x, y Rank) int {
		return cmp.Or(cmp.Compare(y.Change(), x.Change()), cmp.Compare(x.Rank, y.Rank))
	})
	d.Ranks = slices.Insert(d.Ranks, at, r)
	d.Ranks = d.Ranks[:min(len(d.Ranks), mostRanks)]
}

func (d *Difference) rank(rank int) Rank {
	a, b := d.A.ledger(rank), d.B.ledger(rank)
	return Rank{Rank: rank, OffA: off(&a), OffB: off(&b)}
}

// off is the time of a rank other than computing.
func off(l *results.Ledger) sim.Time { return l.Sum() - l[results.Compute] - l[results.Interference] }

// notOff tells whether a change is of computing, or after the end of the rank, which are no part of off.
func notOff(c Change) bool {
	return c.Term == results.Compute || c.Term == results.Interference || c.Term == Ended
}

// termsOf returns the terms of a rank that change.
func (d *Difference) termsOf(rank int) []Change {
	return changed(d.A.rankAccount(rank), d.B.rankAccount(rank), d.Change)
}

func (s *Side) rankAccount(rank int) *account {
	a, l := newAccount(), s.ledger(rank)
	for t, x := range l {
		a[t].SetInt64(int64(x))
	}
	a.until(s.Makespan)
	return a
}
