package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// figures shows a result along the axes.
func (t *Table) figures(axes []*axis, c *Column) (all []report.Figure) {
	title := keys.Capital(c.Label())
	design := t.Plan.Design
	switch {
	case len(axes) == 1:
		all = append(all, along(axes[0], c, title))
	case len(axes) == 2 && design.crossed:
		lines := family(axes[0], axes[1], c, title)
		// Runs are in no order, so that a map of them shows less than their curves.
		if cells := len(axes[0].texts) * len(axes[1].texts); cells <= mostCells && (t.Plan.Runs == 1 || lines == nil) {
			all = append(all, heatMap(axes[0], axes[1], c, title))
		}
		if lines != nil {
			all = append(all, lines)
		}
	}
	if len(t.Plan.Factors) > 1 {
		all = append(all, t.tornado(c, title))
	}
	if len(axes) > 2 || design.fromBase || design.sampled && len(axes) > 1 {
		fit := t.fit(c)
		for i, a := range axes {
			switch {
			case a.numbers == nil:
			case fit != nil:
				all = append(all, t.trendCurve(fit, i, c, title))
			default:
				all = append(all, t.effectCurve(a, c, title))
			}
		}
	}
	return all
}

// along shows a result along the only axis.
func along(a *axis, c *Column, title string) report.Figure {
	title += " by " + a.name
	if a.numbers == nil {
		return column(a, c, title)
	}
	y := a.means(c.Numbers)
	return &report.Curves{
		Title: title, XName: a.name, XUnit: a.unit, YUnit: c.Unit, XLog: spread(a.numbers), YLog: wide(y),
		Curves: []report.Curve{{Name: c.Label(), X: a.numbers, Y: y}},
	}
}

// column shows a result as a bar for each level; of many levels, those with the smallest results.
func column(a *axis, c *Column, title string) *report.Bars {
	b := &report.Bars{Title: title, XName: a.name, Unit: c.Unit, Groups: a.texts, Members: []string{""}}
	values := a.means(c.Numbers)
	if len(values) > mostBars {
		order := smallest(values)[:mostBars]
		b.Note = fmt.Sprintf("the %d smallest of %d", mostBars, len(values))
		b.Groups, b.Horizontal, values = pick(a.texts, order), true, pick(values, order)
	}
	b.Parts = []report.Part{part(c.Label(), values)}
	return b
}

// mostBars is the largest number of bars for words; of more, the ten smallest are drawn.
const mostBars = 10

// smallest returns the places of values in ascending order, those that are not known last.
func smallest(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	key := func(i int) float64 {
		if math.IsNaN(values[i]) {
			return math.Inf(1)
		}
		return values[i]
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(key(i), key(j)) })
	return order
}

// pick returns the elements of some places.
func pick[T any](all []T, places []int) (some []T) {
	for _, i := range places {
		some = append(some, all[i])
	}
	return some
}

// part makes a part of bars with one member.
func part(name string, values []float64) report.Part {
	p := report.Part{Name: name}
	for _, x := range values {
		p.Values = append(p.Values, []float64{x})
	}
	return p
}

// mostCells is the largest number of cells of a heat map.
const mostCells = 40_000

// heatMap shows a result along two axes.
func heatMap(a, b *axis, c *Column, title string) *report.HeatMap {
	h := &report.HeatMap{
		Title: title + " by " + a.name + " and " + b.name, XName: a.name, YName: b.name,
		X: a.texts, Y: b.texts, Unit: c.Unit, Values: cross(a, b, c.Numbers), Contours: a.numbers != nil && b.numbers != nil,
	}
	low, high := h.Span()
	h.Log = low > 0 && high >= decade*low
	return h
}

// decade is the ratio of the largest to the smallest value from which on colours are
// logarithmic.
const decade = 10

// mostLines is the largest number of curves of a figure.
const mostLines = 8

// family shows a result along one axis as a curve for each level of the other; nil if
// neither axis has numbers, or there are too many curves. Of many runs, those with the smallest results are shown.
func family(a, b *axis, c *Column, title string) report.Figure {
	if a.numbers == nil || b.numbers != nil && len(b.numbers) > len(a.numbers) {
		a, b = b, a
	}
	if a.numbers == nil || len(b.texts) > mostLines && b.name != runAxisName {
		return nil
	}
	f := &report.Curves{Title: title + " by " + a.name, XName: a.name, XUnit: a.unit, YUnit: c.Unit, XLog: spread(a.numbers)}
	values := cross(a, b, c.Numbers)
	var least []float64
	for _, y := range values {
		least = append(least, slices.Min(y))
	}
	order := smallest(least)
	if len(order) > mostLines {
		f.Note = fmt.Sprintf("the %d of %d with the smallest values", mostLines, len(order))
		order = order[:mostLines]
	}
	slices.Sort(order)
	for _, j := range order {
		name := b.texts[j]
		if b.name != runAxisName {
			name = b.name + " " + name
		}
		f.Curves = append(f.Curves, report.Curve{Name: name, X: a.numbers, Y: values[j]})
	}
	f.YLog = wide(slices.Concat(values...))
	return f
}

// mostDots is the largest number of samples that a figure shows. It shows the first ones,
// which are a fair choice.
const mostDots = 1000

// trendCurve shows the samples of a Latin hypercube along a path, and the effect of the
// path according to the trend.
func (t *Table) trendCurve(fit *trend, i int, c *Column, title string) *report.Curves {
	a := fit.axes[i]
	path := t.Paths[slices.IndexFunc(t.Paths, func(p *Column) bool { return p.Name == a.name })]
	dots := report.Curve{Name: "samples", Marks: report.DotsOnly, X: path.Numbers[:min(t.Rows, mostDots)],
		Y: c.Numbers[:min(t.Rows, mostDots)]}
	line := report.Curve{Name: "the path alone, the others in the mean", X: a.numbers, Color: report.Color(1)}
	for _, x := range fit.adds[i] {
		line.Y = append(line.Y, fit.mean+x)
	}
	return &report.Curves{
		Title: title + " by " + a.name, XName: a.name, XUnit: a.unit, YUnit: c.Unit, XLog: spread(a.numbers),
		Curves: []report.Curve{dots, line},
	}
}

// effectCurve shows the effect of a path on a result, alone or as a mean over the other
// paths.
func (t *Table) effectCurve(a *axis, c *Column, title string) *report.Curves {
	f := &report.Curves{
		Title: title + " by " + a.name, Note: "mean over the other paths",
		XName: a.name, XUnit: a.unit, YUnit: c.Unit, XLog: spread(a.numbers),
		Curves: []report.Curve{{Name: c.Label(), X: a.numbers, Y: a.means(c.Numbers)}},
	}
	if t.Plan.Design.fromBase {
		f.Note = "the other paths as in the scenario"
		base := t.baseMean(c)
		f.Curves = append(f.Curves, report.Curve{
			Name: "the scenario as it is", Dashed: true,
			X: []float64{a.numbers[0], a.numbers[len(a.numbers)-1]}, Y: []float64{base, base},
		})
	}
	return f
}

// baseMean is the result of the scenario as it is, as a mean over its runs.
func (t *Table) baseMean(c *Column) float64 {
	sum, n := 0.0, 0
	for row := range t.Rows {
		if t.base(row) {
			sum += c.Numbers[row]
			n++
		}
	}
	return sum / float64(n)
}

// tornado ranks the paths by how far they move a result.
func (t *Table) tornado(c *Column, title string) *report.Bars {
	b := report.Bars{
		Title: title + ": what moves it most", Unit: c.Unit,
		Note: "least and most mean over the points of a level, against the mean over all",
	}
	if t.Plan.Design.fromBase {
		b.Note = "least and most over the levels of one path, against the scenario as it is"
	} else if t.lacking() {
		b.Note = "least and most mean over points that differ only in the path, where all ran, against their mean"
	} else if fit := t.fit(c); fit != nil {
		b.Note = "least and most of each path's curve, which together " + fit.quality()
	}
	var swings []report.Swing
	for _, e := range t.Effects(c) {
		name := e.Path + ": " + e.levels()
		if e.Chance {
			e.Low, e.High = 0, 0
		}
		swings = append(swings, report.Swing{Name: name, Low: []float64{min(e.Low, 0)}, High: []float64{max(e.High, 0)}})
	}
	return report.Tornado(b, []report.Part{{Name: "less"}}, []report.Part{{Name: "more"}}, swings)
}

// ledger shows where the time went along the only axis; nil if it has too many levels for
// bars.
func (t *Table) ledger(a *axis) report.Figure {
	if len(a.texts) > 64 {
		return nil
	}
	b := &report.Bars{
		Title: "Where the time went", Note: "mean over the ranks", XName: a.name, Unit: "s",
		Groups: a.texts, Members: []string{""},
	}
	for _, c := range t.Results {
		name, ok := strings.CutPrefix(c.Name, "ledger.")
		if means := a.means(c.Numbers); ok && c.Texts == nil && some(means) {
			p := part(label(name), means)
			p.Color = termColor(strings.TrimSuffix(name, "_s"))
			b.Parts = append(b.Parts, p)
		}
	}
	if len(b.Parts) == 0 {
		return nil
	}
	return b
}

// termColor is the colour of a term of the ledger by its name.
func termColor(name string) string {
	for t := range results.Term(results.NumTerms) {
		if t.String() == name {
			return report.TermColor(t)
		}
	}
	return ""
}

// some tells whether any number is known and not zero.
func some(numbers []float64) bool {
	for _, x := range numbers {
		if !math.IsNaN(x) && x != 0 {
			return true
		}
	}
	return false
}
