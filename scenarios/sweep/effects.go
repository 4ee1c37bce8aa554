package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Effect is how far a path moves a result: the lowest and the highest mean over the
// points of a level, relative to the mean over all points. If one path is varied at a
// time, it is relative to the scenario as it is. For a Latin hypercube, it is the ends of
// the path's curve in the trend. Differences are taken inside each of the scenario's
// runs.
type Effect struct {
	Path          string
	Low, High     float64 // Low <= High
	LowAt, HighAt string  // the levels
	Chance        bool    // a path without effect could show as much by chance
	Unknown       bool    // no points ran that differ only in the path, with all of its levels
}

// Swing is the distance from one end to the other, and to the centre.
func (e Effect) Swing() float64 { return max(e.High, 0) - min(e.Low, 0) }

// Nothing says why the effect does not count; "" if it counts.
func (e Effect) Nothing() string {
	switch {
	case e.Unknown:
		return "not known: too many points failed"
	case e.Swing() == 0:
		return "no effect"
	case e.Chance:
		return "no more than chance"
	}
	return ""
}

// levels names the levels at the ends.
func (e Effect) levels() string {
	if nothing := e.Nothing(); nothing != "" {
		return nothing
	}
	return e.LowAt + ", " + e.HighAt
}

// Effects ranks the varied paths by their effect on a result, largest first; effects that
// may be chance come last.
func (t *Table) Effects(result *Column) (all []Effect) {
	shifted, idle := t.centred(result.Numbers), t.Idle()
	fit := t.fit(result)
	axes := t.axes()
	for i, a := range axes {
		if a.name == "run" && t.Plan.Runs > 1 {
			continue
		}
		e, moves := Effect{Path: a.name}, a.means(shifted)
		switch {
		case fit != nil:
			moves = fit.adds[i]
		case t.lacking():
			moves = a.means(t.inBlocks(a.name, result.Numbers))
			known := slices.DeleteFunc(slices.Clone(moves), math.IsNaN)
			e.Unknown = len(known) < 2
		}
		if e.Unknown {
			all = append(all, e)
			continue
		}
		if slices.Contains(idle, a.name) { // it differs only through the effects of other paths on the samples
			moves = make([]float64, len(moves))
		}
		if e.ends(a, moves, negligible*largest(result.Numbers[:t.Rows])) {
			e.Chance = fit != nil && e.Swing() > 0 && fit.chance(i)
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(x, y Effect) int {
		return cmp.Or(cmp.Compare(truth(x.Chance), truth(y.Chance)), cmp.Compare(y.Swing(), x.Swing()))
	})
	return all
}

func truth(is bool) int {
	if is {
		return 1
	}
	return 0
}

// fit returns the trend of a result if the points are the points of a Latin
// hypercube of several paths; otherwise nil.
func (t *Table) fit(c *Column) *trend {
	if !t.Plan.Design.sampled || len(t.Plan.Factors) < 2 {
		return nil
	}
	return t.trend(c.Numbers)
}

// ends records how far each level moves the result; moves smaller than none count as 0.
// It returns false if no level has a known effect.
func (e *Effect) ends(a *axis, moves []float64, none float64) bool {
	e.Low, e.High = math.Inf(1), math.Inf(-1)
	for i, x := range moves {
		if math.Abs(x) < none {
			x = 0
		}
		if x < e.Low {
			e.Low, e.LowAt = x, a.texts[i]
		}
		if x > e.High {
			e.High, e.HighAt = x, a.texts[i]
		}
	}
	return e.Low <= e.High
}

// negligible is the relative error that rounding in a mean may cause.
const negligible = 1e-12

// largest returns the largest absolute value.
func largest(numbers []float64) (most float64) {
	for _, x := range numbers {
		if !math.IsNaN(x) {
			most = max(most, math.Abs(x))
		}
	}
	return most
}

// centred returns values minus the centre of their run.
func (t *Table) centred(values []float64) []float64 {
	centre := map[string]float64{}
	runs := t.runAxis()
	for i, mean := range runs.means(values) {
		centre[runs.texts[i]] = mean
	}
	if t.Plan.Design.fromBase {
		for row := range t.Rows {
			if t.base(row) {
				centre[t.Plan.Points[row].Run] = values[row]
			}
		}
	}
	shifted := make([]float64, t.Rows)
	for row := range shifted {
		shifted[row] = values[row] - centre[t.Plan.Points[row].Run]
	}
	return shifted
}

// lacking tells whether points of a grid failed, so that means over the others compare levels at other values of the other paths.
func (t *Table) lacking() bool {
	return !t.Plan.Design.sampled && !t.Plan.Design.fromBase && t.anyFailed()
}

// inBlocks returns values minus the mean of their block: the points that differ only in a path, without levels that never ran.
// Blocks with a point that failed have none.
func (t *Table) inBlocks(path string, values []float64) []float64 {
	factor := slices.IndexFunc(t.Plan.Factors, func(f Factor) bool { return f.Path == path })
	ran := map[string]bool{}
	for row := range t.Rows {
		ran[t.Plan.Points[row].Levels[factor]] = ran[t.Plan.Points[row].Levels[factor]] || t.Errors[row] == ""
	}
	sum, count := map[string]float64{}, map[string]float64{}
	for row := range t.Rows {
		block := t.block(row, factor)
		if !ran[t.Plan.Points[row].Levels[factor]] {
			continue
		}
		sum[block] += values[row]
		count[block]++
	}
	shifted := make([]float64, t.Rows)
	for row := range shifted {
		block := t.block(row, factor)
		shifted[row] = values[row] - sum[block]/count[block]
	}
	return shifted
}

// block names a row's point but for one factor.
func (t *Table) block(row, factor int) string {
	p := t.Plan.Points[row]
	others := slices.Clone(p.Levels)
	others[factor] = ""
	return p.Run + "\x00" + strings.Join(others, "\x00")
}

// base tells whether a row is the scenario as it is.
func (t *Table) base(row int) bool {
	return !slices.ContainsFunc(t.Plan.Points[row].Levels, func(level string) bool { return level != "" })
}

// Idle names the varied paths that change no result: there are points that differ only in
// that path, and all of them gave the same.
func (t *Table) Idle() (paths []string) {
	for i, f := range t.Plan.Factors {
		if t.idle(i) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// idle compares each point with the first one that differs from it in one factor only.
func (t *Table) idle(factor int) bool {
	first := map[string]int{}
	compared := false
	for row := range t.Plan.Points {
		key := t.block(row, factor)
		other, seen := first[key]
		if !seen {
			first[key] = row
			continue
		}
		if !t.same(row, other) {
			return false
		}
		compared = compared || t.Errors[row] == ""
	}
	return compared
}

// alike names the words of the only varied path, such as libraries, that give the same results as others of them, if not all do: then Idle
// has the path.
func (t *Table) alike() (lines []string) {
	if len(t.Paths) != 1 || t.Plan.Runs > 1 || t.Paths[0].Texts == nil || t.idle(0) {
		return nil
	}
	named := make([]bool, t.Rows)
	for row := range t.Rows {
		var words []string
		for other := row; other < t.Rows && !named[row] && t.Errors[row] == ""; other++ {
			if t.same(row, other) {
				named[other], words = other > row, append(words, cmp.Or(t.Paths[0].Texts[other], "as it is"))
			}
		}
		if len(words) > 1 {
			lines = append(lines, fmt.Sprintf("%s: %s give the same results, as they differ in nothing that this run does", t.Paths[0].Name,
				strings.Join(words, ", ")))
		}
	}
	return lines
}

// same tells whether two points gave the same numbers. The count of events belongs to the
// simulator and is omitted; an error counts as a result.
func (t *Table) same(row, other int) bool {
	if t.Errors[row] != "" || t.Errors[other] != "" {
		return t.Errors[row] != "" && t.Errors[other] != ""
	}
	for _, c := range t.Results {
		if c.Texts == nil && c.Name != "events" && math.Float64bits(c.Numbers[row]) != math.Float64bits(c.Numbers[other]) {
			return false
		}
	}
	return true
}

// Failure is an error and the points that have it.
type Failure struct {
	Error string
	Rows  []int
}

// Failures groups the points that failed by their error, ignoring the values of their
// levels.
func (t *Table) Failures() (all []Failure) {
	index := map[string]int{}
	for row, message := range t.Errors[:t.Rows] {
		if message == "" {
			continue
		}
		kind := t.generic(row)
		at, ok := index[kind]
		if !ok {
			at = len(all)
			index[kind] = at
			all = append(all, Failure{Error: message})
		}
		all[at].Rows = append(all[at].Rows, row)
	}
	return all
}

// generic is the error of a row without the row's own levels.
func (t *Table) generic(row int) string {
	message := t.Errors[row]
	for i, level := range t.Plan.Points[row].Levels {
		if level != "" {
			message = strings.ReplaceAll(message, level, t.Plan.Factors[i].Path)
		}
	}
	return message
}

// Point describes a row: its run and the paths that it varies.
func (t *Table) Point(row int) string {
	p := t.Plan.Points[row]
	var parts []string
	if t.Plan.Runs > 1 {
		parts = append(parts, p.Run)
	}
	for i, level := range p.Levels {
		if level != "" {
			parts = append(parts, t.Plan.Factors[i].Path+"="+level)
		}
	}
	if len(parts) == 0 {
		return "the scenario as it is"
	}
	return strings.Join(parts, " ")
}
