package sweep

import (
	"cmp"
	"math"
	"slices"
)

// axis is a path, or the scenario's runs, as something to compare results
// along: the levels in order, and which level each row has.
type axis struct {
	name    string
	unit    string
	texts   []string
	numbers []float64 // nil: the levels are words
	at      []int     // level by row; -1: none, the path is as in the scenario
}

// mostBins is how many parts a continuous range is cut into where means over
// all other paths are taken.
const mostBins = 5

// axes returns those that have more than one level.
func (t *Table) axes() (all []*axis) {
	if t.Plan.Runs > 1 {
		all = append(all, t.runAxis())
	}
	for i := range t.Plan.Factors {
		a := t.levelAxis(i)
		if t.Plan.Factors[i].Range != nil {
			a = t.binnedAxis(i)
		}
		if len(a.texts) > 1 {
			all = append(all, a)
		}
	}
	return all
}

func (t *Table) runAxis() *axis {
	a := &axis{name: "run"}
	for _, p := range t.Plan.Points[:t.Rows] {
		at := slices.Index(a.texts, p.Run)
		if at < 0 {
			at = len(a.texts)
			a.texts = append(a.texts, p.Run)
		}
		a.at = append(a.at, at)
	}
	return a
}

// levelAxis has the levels of a factor; numbers ascend.
func (t *Table) levelAxis(factor int) *axis {
	f, c := t.Plan.Factors[factor], t.Paths[factor]
	a := &axis{name: f.Path, unit: c.Unit, texts: slices.Clone(f.Levels)}
	if d, isNumber := common(f.Levels); isNumber {
		slices.SortFunc(a.texts, func(x, y string) int { return cmp.Compare(number(d, x), number(d, y)) })
		for _, text := range a.texts {
			a.numbers = append(a.numbers, number(d, text))
		}
	}
	index := map[string]int{"": -1}
	for i, text := range a.texts {
		index[text] = i
	}
	for _, p := range t.Plan.Points[:t.Rows] {
		a.at = append(a.at, index[p.Levels[factor]])
	}
	return a
}

// binnedAxis has parts of a continuous range with equally many rows in each;
// a part's number is the mean of its rows. A single path needs no parts.
func (t *Table) binnedAxis(factor int) *axis {
	c := t.Paths[factor]
	a := &axis{name: c.Name, unit: c.Unit, at: make([]int, t.Rows)}
	bins := min(mostBins, t.Plan.Samples)
	if len(t.Plan.Factors) == 1 {
		bins = t.Plan.Samples
	}
	rows := make([]int, t.Rows)
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(x, y int) int { return cmp.Compare(c.Numbers[x], c.Numbers[y]) })
	for b := range bins {
		part := rows[b*len(rows)/bins : (b+1)*len(rows)/bins]
		sum := 0.0
		for _, row := range part {
			a.at[row] = b
			sum += c.Numbers[row]
		}
		a.numbers = append(a.numbers, sum/float64(len(part)))
		text := t.Plan.Points[part[0]].Levels[factor]
		if last := t.Plan.Points[part[len(part)-1]].Levels[factor]; last != text {
			text += " to " + last
		}
		a.texts = append(a.texts, text)
	}
	return a
}

// means returns the mean of a column by level; NaN where no row has a value.
func (a *axis) means(values []float64) []float64 {
	return cross(a, &axis{texts: []string{""}, at: make([]int, len(a.at))}, values)[0]
}

// cross returns the means by the levels of two axes, those of b outside.
func cross(a, b *axis, values []float64) [][]float64 {
	mean, count := cells(a, b), cells(a, b)
	for row, i := range a.at {
		if j := b.at[row]; i >= 0 && j >= 0 && !math.IsNaN(values[row]) {
			mean[j][i] += values[row]
			count[j][i]++
		}
	}
	for j := range mean {
		for i := range mean[j] {
			mean[j][i] /= count[j][i]
		}
	}
	return mean
}

// cells makes a number for each level of a inside each of b.
func cells(a, b *axis) [][]float64 {
	all := make([][]float64, len(b.texts))
	for j := range all {
		all[j] = make([]float64, len(a.texts))
	}
	return all
}

// spread tells whether numbers are better shown on a logarithmic axis.
func spread(numbers []float64) bool {
	if len(numbers) == 0 {
		return false
	}
	least, most := slices.Min(numbers), slices.Max(numbers)
	return least > 0 && most >= 20*least
}
