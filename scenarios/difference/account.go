package difference

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Ended is what a rank does after its end, until the last rank ends. It follows the terms
// of the ledger, so that each rank's times add up to the makespan.
const Ended = results.NumTerms

// numTerms counts the terms and Ended.
const numTerms = Ended + 1

// account is the mean time of the ranks by term, in picoseconds, exactly.
type account [numTerms]*big.Rat

func newAccount() *account {
	var a account
	for t := range a {
		a[t] = new(big.Rat)
	}
	return &a
}

// sum is the time of all terms.
func (a *account) sum() *big.Rat {
	sum := new(big.Rat)
	for _, x := range a {
		sum.Add(sum, x)
	}
	return sum
}

// until books what is left of the makespan as Ended.
func (a *account) until(makespan sim.Time) {
	a[Ended].Sub(big.NewRat(int64(makespan), 1), a.sum())
}

// meanOf returns the account of totals over the ranks.
func meanOf(totals results.Totals, ranks int) *account {
	a := newAccount()
	for t := range totals {
		a[t].SetFrac(totals[t].Picoseconds(), big.NewInt(int64(max(1, ranks))))
	}
	return a
}

// mostExact is the largest total, in picoseconds, that survives being written as a mean in seconds.
const mostExact = 1 << 49

// meanFrom returns the mean, in picoseconds, that was written as a number of seconds: a
// total over the ranks divided by their number.
func meanFrom(seconds float64, ranks int) *big.Rat {
	if total := seconds * 1e12 * float64(ranks); math.Abs(total) < mostExact {
		return big.NewRat(int64(math.Round(total)), int64(ranks))
	}
	return new(big.Rat).Mul(new(big.Rat).SetFloat64(seconds), big.NewRat(1e12, 1))
}

// apportion rounds numbers to whole picoseconds that add up to the given sum, which is at
// most one from the exact sum: those with the largest rest are rounded up (the method of
// the largest remainder).
func apportion(exact []*big.Rat, sum sim.Time) []sim.Time {
	whole, rests := make([]sim.Time, len(exact)), make([]*big.Rat, len(exact))
	left := sum
	order := make([]int, len(exact))
	for i, x := range exact {
		floor, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
		whole[i], rests[i], order[i] = sim.Time(floor.Int64()), new(big.Rat).SetFrac(rest, x.Denom()), i
		left -= whole[i]
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Or(rests[j].Cmp(rests[i]), cmp.Compare(i, j)) })
	for _, i := range order[:max(0, min(int(left), len(order)))] {
		whole[i]++
	}
	return whole
}

// changes returns by how much each term grows from one account to another.
func changes(a, b *account) []*big.Rat {
	all := make([]*big.Rat, numTerms)
	for t := range all {
		all[t] = new(big.Rat).Sub(b[t], a[t])
	}
	return all
}

// seconds returns a number of picoseconds in seconds.
func seconds(ps *big.Rat) float64 {
	x, _ := ps.Float64()
	return x / 1e12
}
