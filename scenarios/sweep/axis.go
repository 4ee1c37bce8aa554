package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/outcomes"
)

// axis is a path, or the scenario's runs, along which results are compared: the levels in
// order, and the level of each row.
type axis struct {
	name    string
	unit    string
	texts   []string
	numbers []float64 // nil: the levels are words
	at      []int     // level by row; -1: none, the path is as in the scenario
	part    []float64 // position of a row between its level and the next one, 0 to 1; nil: no row is between two levels
}

// axes returns the axes that have more than one level.
func (t *Table) axes() (all []*axis) {
	if t.Plan.Runs > 1 {
		all = append(all, t.runAxis())
	}
	for i := range t.Plan.Factors {
		a := t.levelAxis(i)
		switch {
		case len(t.Plan.Factors) == 1 && t.Plan.Factors[0].Range != nil:
			a = t.samples()
		case t.Plan.Factors[i].Range != nil || t.Plan.Design.sampled && len(a.numbers) > t.knots():
			a = t.knotted(i)
		}
		if len(a.texts) > 1 {
			all = append(all, a)
		}
	}
	return all
}

const runAxisName = "run"

func (t *Table) runAxis() *axis {
	a := &axis{name: runAxisName}
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
		numbers := map[string]float64{}
		for _, text := range f.Levels {
			numbers[text] = number(d, text)
		}
		slices.SortFunc(a.texts, func(x, y string) int { return cmp.Compare(numbers[x], numbers[y]) })
		for _, text := range a.texts {
			a.numbers = append(a.numbers, numbers[text])
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

// samples returns an axis with a level for each sample of the only path.
func (t *Table) samples() *axis {
	c := t.Paths[0]
	a := &axis{name: c.Name, unit: c.Unit, at: make([]int, t.Rows)}
	for i, row := range t.ascending(0) {
		a.at[row] = i
		a.numbers = append(a.numbers, c.Numbers[row])
		a.texts = append(a.texts, t.Plan.Points[row].Levels[0])
	}
	return a
}

// ascending lists the rows by the number of a path.
func (t *Table) ascending(factor int) []int {
	c, rows := t.Paths[factor], make([]int, t.Rows)
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(x, y int) int { return cmp.Compare(c.Numbers[x], c.Numbers[y]) })
	return rows
}

// mostKnots is the largest number of knots of a curve along a path of a Latin hypercube.
const mostKnots = 6

// knots is the number of knots that the samples allow: one for two samples.
func (t *Table) knots() int {
	return min(max(t.Rows/max(1, t.Plan.Runs)/(2*len(t.Plan.Factors)), 2), mostKnots)
}

// knotted returns an axis of knots with equally many rows between them. The smallest and
// the largest sample are knots.
func (t *Table) knotted(factor int) *axis {
	c := t.Paths[factor]
	a := &axis{name: c.Name, unit: c.Unit, at: make([]int, t.Rows), part: make([]float64, t.Rows)}
	rows := t.ascending(factor)
	for k := range t.knots() {
		row := rows[k*(len(rows)-1)/(t.knots()-1)]
		if x := c.Numbers[row]; len(a.numbers) == 0 || x > a.numbers[len(a.numbers)-1] {
			a.numbers, a.texts = append(a.numbers, x), append(a.texts, t.Plan.Points[row].Levels[factor])
		}
	}
	place := func(x float64) float64 { return x }
	if spread(a.numbers) || t.Plan.Factors[factor].Range != nil && t.Plan.Factors[factor].Range.Log {
		place = math.Log
	}
	for row, x := range c.Numbers[:t.Rows] {
		k, exact := slices.BinarySearch(a.numbers, x)
		if a.at[row] = k; !exact {
			low, high := place(a.numbers[k-1]), place(a.numbers[k])
			a.at[row], a.part[row] = k-1, (place(x)-low)/(high-low)
		}
	}
	return a
}

// means returns the mean of a column by level; NaN where no row has a value.
func (a *axis) means(values []float64) []float64 {
	return cross(a, &axis{texts: []string{""}, at: make([]int, len(a.at))}, values)[0]
}

// cross returns the means by the levels of two axes; b is the outer one.
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

// Comparable says how steps of training at different points compare.
func (t *Table) Comparable() []string { return outcomes.Comparable(t.steps) }

// Notes are what runs took for true, what was charged, and where values lie so far apart that what happens between them is not seen.
func (t *Table) Notes() []string {
	lines := append(slices.Clone(t.Assumed), t.Comparable()...)
	if row := t.withCharge(); row >= 0 {
		lines = append(lines, answer.SaidCharged("", "points", t.Point(row), t.charged[row]))
	}
	for i, c := range t.Paths {
		x := t.levelAxis(i).numbers
		if n := len(x); n >= 4 && x[0] > 0 && x[1] >= 4*x[0] && math.Abs((x[n-1]-x[n-2])/(x[1]-x[0])-1) < 0.1 { // equal steps
			lines = append(lines, fmt.Sprintf("no value of %s ran between the two smallest, a factor of %.3g apart: "+
				":%dlog in place of :%[3]d spaces values by equal factors", c.Name, x[1]/x[0], n))
		}
	}
	lines = append(lines, t.alike()...)
	if slices.ContainsFunc(t.Shown(), func(c *Column) bool { return c.Name == communicating }) {
		lines = append(lines, "communicating has no waiting for other ranks; --answer shows exposed and hidden communication instead, by more runs")
	}
	return lines
}

// withCharge is the row with the least makespan if copies were charged there, otherwise the last one where they were; -1: nowhere.
func (t *Table) withCharge() int {
	last, least := -1, t.fastest()
	makespan := t.result("makespan_s")
	for row, set := range t.charged {
		if set != nil && row < t.Rows && t.Errors[row] == "" {
			if last = row; makespan.Numbers[row] == least {
				break
			}
		}
	}
	return last
}

// spread tells whether a logarithmic axis shows the numbers better.
func spread(numbers []float64) bool {
	if len(numbers) == 0 {
		return false
	}
	least, most := slices.Min(numbers), slices.Max(numbers)
	return least > 0 && (most >= 20*least || geometric(numbers))
}

// wide tells whether results differ so much that an axis from 0 shows only the largest
// ones: by a factor of 1,000. Results that are not known do not count.
func wide(results []float64) bool {
	known := slices.DeleteFunc(slices.Clone(results), math.IsNaN)
	return len(known) > 0 && slices.Min(known) > 0 && slices.Max(known) >= 1000*slices.Min(known)
}

// geometric tells whether there are at least four ascending numbers with about the same
// factor between neighbours.
func geometric(numbers []float64) bool {
	for i := 2; i < len(numbers); i++ {
		if ratio := numbers[i] * numbers[i-2] / (numbers[i-1] * numbers[i-1]); math.Abs(ratio-1) > 0.01 {
			return false
		}
	}
	return len(numbers) >= 4 && numbers[1] > 1.05*numbers[0]
}
