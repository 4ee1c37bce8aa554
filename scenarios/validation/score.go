package validation

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Score says how good predictions are. Errors are without their sign; NaN: not known.
type Score struct {
	Median, P90, P99, Worst float64
	Mean                    float64
	Tau                     float64 // Kendall's; inside the groups that compete, if rows compete
	Ordered                 float64 // share of the pairs in these groups that are in the right order
	Apart                   float64 // the same of the pairs that are measured to be so far apart that one is not as good as the other
	Tied                    float64 // share of the pairs that are predicted to be equal
	Right, Good             float64 // shares of groups whose best was chosen, or one as good
	RightChance             float64 // the same for a choice at random
	GoodChance              float64
	Usual, Fixed            float64 // shares of groups in which the usual choice is good, and one that is fixed in hindsight
	Groups                  int     // with at least two rows
}

// judge is a number that sums up the errors of a data set.
type judge struct {
	name string
	of   func(c *Score) float64
}

// judges are those by which a data set may be judged; the first is the usual one.
var judges = []judge{
	{"median", func(c *Score) float64 { return c.Median }},
	{"mean", func(c *Score) float64 { return c.Mean }},
}

// mostPairs is how many rows are compared with each other: their pairs grow quadratically.
const mostPairs = 10_000

// score compares predictions with the figures of rows that have one.
func (s *Set) score(rows []*row, predicted []float64) (c Score) {
	var known []*row
	var of []float64
	for i, r := range rows {
		if !math.IsNaN(predicted[i]) {
			known, of = append(known, r), append(of, predicted[i])
		}
	}
	c = summed(s.kind, figures(known), of)
	if s.compete != nil {
		s.choices(&c, known, of)
	} else if len(known) > 1 && len(known) <= mostPairs {
		c.Tau = tau(of, figures(known))
	}
	return c
}

// summed sums up the errors of predictions; what it does not know is NaN.
func summed(kind errorKind, measured, predicted []float64) (c Score) {
	var errs []float64
	for i, m := range measured {
		errs = append(errs, math.Abs(kind.of(predicted[i], m)))
	}
	slices.Sort(errs)
	unknown := math.NaN()
	return Score{Median: quantile(errs, 0.5), P90: quantile(errs, 0.9), P99: quantile(errs, 0.99), Worst: quantile(errs, 1), Mean: stat.Mean(errs, nil),
		Tau: unknown, Ordered: unknown, Apart: unknown, Tied: unknown, Right: unknown, Good: unknown, RightChance: unknown, GoodChance: unknown,
		Usual: unknown, Fixed: unknown}
}

// tau is Kendall's tau-b: pairs in the right order less pairs in the wrong one, by the
// geometric mean of the pairs that differ in one and in the other. gonum's is for numbers
// of which none are equal, and rows may be repeated. NaN: all are equal.
func tau(predicted, measured []float64) float64 {
	var order, p, m float64
	for i := range predicted {
		for j := range i {
			dp, dm := cmp.Compare(predicted[i], predicted[j]), cmp.Compare(measured[i], measured[j])
			order += float64(dp * dm)
			p += float64(dp * dp)
			m += float64(dm * dm)
		}
	}
	return order / math.Sqrt(p*m)
}

func figures(rows []*row) (all []float64) {
	for _, r := range rows {
		all = append(all, r.Measured)
	}
	return all
}

// choices scores the groups of rows that compete.
func (s *Set) choices(c *Score, rows []*row, predicted []float64) {
	groups := map[string][]int{}
	var names []string
	for i, r := range rows {
		name := r.group(s.compete.within)
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], i)
	}
	var pairs, order float64
	var differ, apart inPairs
	var sum Score
	tally := s.compete.tally()
	for _, name := range names {
		g := groups[name]
		if len(g) < 2 || len(g) > mostPairs {
			continue
		}
		sum.Groups++
		p, m := pick(predicted, g), figures(pick(rows, g))
		if one := tau(p, m); !math.IsNaN(one) {
			n := float64(len(g) * (len(g) - 1) / 2)
			pairs, order = pairs+n, order+n*one
		}
		differ.add(p, m, 0)
		apart.add(p, m, s.compete.good)
		tally.add(pick(rows, g), s.compete.choose(&sum, p, m))
	}
	if c.Groups = sum.Groups; sum.Groups == 0 {
		return
	}
	n := float64(sum.Groups)
	c.Tau, c.Right, c.RightChance = order/pairs, sum.Right/n, sum.RightChance/n
	c.Ordered, c.Tied = differ.right/differ.pairs, differ.tied/differ.pairs
	c.Usual, c.Fixed = tally.shares()
	if s.compete.good > 0 {
		c.Good, c.GoodChance, c.Apart = sum.Good/n, sum.GoodChance/n, apart.right/apart.pairs
	}
}

// inPairs are pairs of figures: pairs that are measured to differ, pairs of them that are
// predicted in the same order, and those that are predicted to be equal, which are half right.
type inPairs struct{ pairs, right, tied float64 }

// add adds the pairs of a group of which the smaller figure is less than the larger one by more
// than a part of itself.
func (n *inPairs) add(predicted, measured []float64, part float64) {
	for i := range predicted {
		for j := range i {
			low, high := min(measured[i], measured[j]), max(measured[i], measured[j])
			if high <= low+part*math.Abs(low) {
				continue
			}
			same := cmp.Compare(measured[i], measured[j]) * cmp.Compare(predicted[i], predicted[j])
			n.pairs++
			n.right += (1 + float64(same)) / 2
			if same == 0 {
				n.tied++
			}
		}
	}
}

// choose adds a group: is the row that is predicted to be the best one measured to be so? It
// returns which rows are good.
func (c *competition) choose(sum *Score, predicted, measured []float64) (good []bool) {
	sign := 1.0
	if c.most {
		sign = -1
	}
	best, chosen := 0, 0
	for i := range measured {
		if sign*measured[i] < sign*measured[best] {
			best = i
		}
		if sign*predicted[i] < sign*predicted[chosen] {
			chosen = i
		}
	}
	n := float64(len(measured))
	for i, m := range measured {
		right := m == measured[best]
		good = append(good, right || sign*m <= sign*measured[best]+c.good*math.Abs(measured[best]))
		for _, share := range []struct {
			is            bool
			all, atRandom *float64
		}{{right, &sum.Right, &sum.RightChance}, {good[i], &sum.Good, &sum.GoodChance}} {
			if !share.is {
				continue
			}
			*share.atRandom += 1 / n
			if i == chosen {
				*share.all++
			}
		}
	}
	return good
}

func pick[T any](all []T, index []int) (some []T) {
	for _, i := range index {
		some = append(some, all[i])
	}
	return some
}

// spreadOf is how far apart measurements of the same are, as the errors are: the median over
// the rows whose spread the file has, or that other rows repeat; NaN: none.
func (s *Set) spreadOf(rows []*row) float64 {
	byRun := map[string][]float64{}
	for _, r := range rows {
		byRun[r.figure()] = append(byRun[r.figure()], r.Measured)
	}
	middle := map[string]float64{}
	for run, all := range byRun {
		middle[run] = quantile(sortedCopy(all), 0.5)
	}
	var all []float64
	for _, r := range rows {
		run := r.figure()
		switch {
		case !math.IsNaN(r.spread):
			all = append(all, r.spread)
		case len(byRun[run]) > 1:
			all = append(all, math.Abs(s.kind.of(middle[run], r.Measured)))
		}
	}
	return quantile(sortedCopy(all), 0.5)
}

func sortedCopy(x []float64) []float64 { return slices.Sorted(slices.Values(x)) }
