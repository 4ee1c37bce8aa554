package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// Page shows the results: of one path as curves, of two as a heat map, of more as the mean
// effect of each, with the paths ranked by it.
func (t *Table) Page() *report.Page {
	p := &report.Page{Title: t.Plan.Title, Lead: t.lead(), Subtitle: strings.Join(append([]string{t.Summary()}, t.Notes()...), "; ")}
	if failed := t.failures(); failed != nil {
		p.Figures = append(p.Figures, failed)
	}
	if all := t.apart(); all != nil {
		if len(all) > mostLines {
			slices.SortStableFunc(all, func(a, b *Table) int { return cmp.Compare(a.fastest(), b.fastest()) })
			p.Notes = append(p.Notes, fmt.Sprintf("The chart shows the %d of %d runs with the smallest makespans.", mostLines, len(all)))
			all = all[:mostLines]
		}
		for _, one := range all {
			p.Sections = append(p.Sections, report.Section{Title: one.Plan.Points[0].Run, Note: one.says(), Figures: one.charts()})
		}
	} else {
		p.Figures = append(p.Figures, t.charts()...)
	}
	p.Runs = []report.Run{{Name: t.Plan.Scenario, Scenario: t.text()}}
	return p
}

// charts shows the results along the axes.
func (t *Table) charts() (all []report.Figure) {
	axes := t.axes()
	for _, c := range t.shown() {
		all = append(all, t.figures(axes, c)...)
	}
	if len(axes) == 1 {
		if bars := t.ledger(axes[0]); bars != nil {
			all = append(all, bars)
		}
	}
	return all
}

// apart returns a table for each run of the scenario; nil: there is one, or each is a curve of one figure.
func (t *Table) apart() (all []*Table) {
	if axes := t.axes(); t.Plan.Runs < 2 || len(axes) == 1 || len(axes) == 2 && t.Plan.Design.crossed {
		return nil
	}
	for _, run := range t.runAxis().texts {
		all = append(all, t.of(run))
	}
	return all
}

// fastest is the smallest makespan.
func (t *Table) fastest() float64 {
	least := math.Inf(1)
	if c := t.result("makespan_s"); c != nil {
		for _, x := range c.Numbers[:t.Rows] {
			if x < least {
				least = x
			}
		}
	}
	return least
}

// of returns the rows of one run of the scenario.
func (t *Table) of(run string) *Table {
	plan := *t.Plan
	plan.Runs, plan.Points = 1, nil
	one := &Table{Plan: &plan, named: map[string]*Column{}, because: t.because}
	var rows []int
	for i, p := range t.Plan.Points {
		if p.Run == run {
			rows, plan.Points = append(rows, i), append(plan.Points, p)
			one.Errors = append(one.Errors, t.Errors[i])
			if !p.Twin {
				one.Rows++
			}
		}
	}
	for _, c := range t.Paths {
		one.Paths = append(one.Paths, c.at(rows))
	}
	for _, c := range t.Results {
		own := c.at(rows)
		if one.Results = append(one.Results, own); t.named[c.Name] != nil {
			one.named[c.Name] = own
		}
	}
	return one
}

// at returns some rows of a column.
func (c *Column) at(rows []int) *Column {
	some := &Column{Name: c.Name, Unit: c.Unit}
	for _, i := range rows {
		if c.Texts != nil {
			some.Texts = append(some.Texts, c.Texts[i])
		} else {
			some.Numbers = append(some.Numbers, c.Numbers[i])
		}
	}
	return some
}

// says is the note of a run: where its makespan is smallest and largest, or that it is always the same.
func (t *Table) says() string {
	if text := t.lead(); text != "" {
		return text
	}
	return fmt.Sprintf("All points have the same makespan, %s.", report.Quantity(t.fastest(), "s"))
}

// lead says in sentences where the makespan is smallest and largest.
func (t *Table) lead() (text string) {
	for _, line := range t.Best(func(s float64) string { return report.Quantity(s, "s") }) {
		text += strings.TrimSuffix(line, ".") + ". "
	}
	return strings.TrimSuffix(text, " ")
}

// manyModels says why no fabric is the best one.
const manyModels = "The values of fabric.kind are models of one network, so none is better: ideal leaves contention out; flow is the one to begin " +
	"with where messages share links; 'overlapsim list fabrics' says what each knows"

// Best says where the makespan is smallest and largest, with seconds written by a
// function, and from which value on little changes; nothing if it never changes.
func (t *Table) Best(write func(float64) string) (lines []string) {
	c := t.result("makespan_s")
	if c == nil || !c.varies(t.Rows) {
		return nil
	}
	if slices.ContainsFunc(t.Plan.Factors, func(f Factor) bool { return f.Path == "fabric.kind" }) {
		return []string{manyModels}
	}
	if lines = t.otherWork(c); lines != nil {
		return lines
	}
	growth, strong := t.scaling(c)
	if growth != "" && !strong {
		return []string{growth}
	}
	least, most := -1, -1
	for row, x := range c.Numbers[:t.Rows] {
		switch {
		case math.IsNaN(x):
			continue
		case least < 0 || x < c.Numbers[least]:
			least = row
		}
		if most < 0 || x > c.Numbers[most] {
			most = row
		}
	}
	for _, end := range []struct {
		what string
		row  int
	}{{"Least", least}, {"Most", most}} {
		lines = append(lines, fmt.Sprintf("%s makespan: %s at %s%s", end.what, write(c.Numbers[end.row]), t.Point(end.row), t.also(c, end.row)))
	}
	lines = append(lines, t.knee(c, least, write)...)
	if growth != "" {
		lines = append(lines, growth)
	}
	return lines
}

// sameWork is by how much computation may differ that counts as the same.
const sameWork = 1.01

// scaling says what more ranks do, where points have other numbers of them: whether all points compute as much (strong), so that a best
// one means something, or each rank does. "": they have not, or a point failed.
func (t *Table) scaling(makespan *Column) (says string, strong bool) {
	axes, compute := t.axes(), t.result("ledger.compute_s")
	at := slices.IndexFunc(axes, func(a *axis) bool { return a.name == "ranks" && a.numbers != nil })
	if at < 0 || compute == nil || t.anyFailed() {
		return "", false
	}
	of := axes[at]
	ranks := func(row int) float64 { return of.numbers[of.at[row]] }
	few, many := 0, 0
	var each, all [2]float64 // the least and the most computation of a rank, and of all
	for row := range t.Rows {
		if of.at[row] < 0 {
			return "", false // the scenario as it is
		}
		if ranks(row) < ranks(few) {
			few = row
		}
		if ranks(row) > ranks(many) {
			many = row
		}
		for i, x := range []float64{compute.Numbers[row], compute.Numbers[row] * ranks(row)} {
			in := []*[2]float64{&each, &all}[i]
			if row == 0 {
				*in = [2]float64{x, x}
			}
			*in = [2]float64{min(in[0], x), max(in[1], x)}
		}
	}
	const weak = "Each rank computes as much at all points (weak scaling), so the least makespan is not the best one"
	longer := makespan.Numbers[many] / makespan.Numbers[few]
	switch alone := len(axes) == 1; {
	case ranks(few) == ranks(many):
		return "", false
	case each[0] > 0 && each[1] <= sameWork*each[0]:
		if !alone {
			return weak, false
		}
		moves := "grows"
		if longer < 1 {
			moves = "shrinks"
		}
		return fmt.Sprintf(weak+": from %g to %g ranks it %s by %s, an efficiency of %s", ranks(few), ranks(many), moves,
			report.Share(math.Abs(longer-1)), report.Share(1/longer)), false
	case all[0] > 0 && all[1] <= sameWork*all[0]:
		if !alone {
			return "", true
		}
		return fmt.Sprintf("All points compute as much (strong scaling): %g ranks are %s times as fast as %g, an efficiency of %s", ranks(many),
			report.Significant(1/longer), ranks(few), report.Share(ranks(few)/ranks(many)/longer)), true
	}
	return "Points with other numbers of ranks do other work, so none is the best one", false
}

// otherWork says which point computes the most tokens a second, if the steps of training have other numbers of them, so that the least makespan
// is not the best one; otherwise nothing.
func (t *Table) otherWork(makespan *Column) []string {
	rate := t.result("metrics.tokens_per_s_per_gpu")
	if rate == nil || slices.ContainsFunc(t.Plan.Factors, func(f Factor) bool { return f.Path == "ranks" }) {
		return nil
	}
	best, least, most := -1, math.Inf(1), 0.0
	for row, x := range rate.Numbers[:t.Rows] {
		if work := x * makespan.Numbers[row]; work > 0 {
			least, most = min(least, work), max(most, work)
			if best < 0 || x > rate.Numbers[best] {
				best = row
			}
		}
	}
	if best < 0 || most <= 1.01*least {
		return nil
	}
	return []string{fmt.Sprintf("Steps have other numbers of sequences, so the least makespan is not the best one. Most tokens: %.0f/s per GPU at %s%s; "+
		"--set workload.global_batch=N gives all steps N sequences", rate.Numbers[best], t.Point(best), t.also(rate, best))}
}

// knee says from which value of the only path on the makespan is within 5 % of the least, or, of a
// machine, that the last step still shortens it, and by how much more at most. It says nothing of
// curves that rise and fall.
func (t *Table) knee(c *Column, least int, write func(float64) string) (lines []string) {
	axes := t.axes()
	if len(axes) != 1 || axes[0].numbers == nil || axes[0].name == "seed" || len(axes[0].texts) < 3 || t.Plan.Runs > 1 || t.anyFailed() {
		return nil
	}
	a, rows := axes[0], make([]int, len(axes[0].texts))
	for row, at := range a.at {
		if at < 0 {
			return nil // the scenario as it is
		}
		rows[at] = row
	}
	ends, beyond := "from %s=%s on", "not yet"
	if c.Numbers[rows[0]] == c.Numbers[least] {
		slices.Reverse(rows)
		ends, beyond = "up to %s=%s", "no longer"
	}
	last := len(rows) - 1
	if c.Numbers[rows[last]] != c.Numbers[least] || !slices.IsSortedFunc(rows, func(x, y int) int { return cmp.Compare(c.Numbers[y], c.Numbers[x]) }) {
		return nil
	}
	bends := slices.IndexFunc(rows, func(row int) bool { return c.Numbers[row] <= (1+report.Flat)*c.Numbers[least] })
	if bends < last {
		line := fmt.Sprintf("It is within 5 %% of the least "+ends, a.name, a.texts[a.at[rows[bends]]])
		if bends > 0 {
			line += ", " + beyond + " at " + a.texts[a.at[rows[bends-1]]]
		}
		if lines = []string{line}; strings.HasPrefix(a.name, "machine.") {
			lines = append(lines, t.holding(rows[last], a.texts[a.at[rows[last]]])...)
		}
		return lines
	}
	if !strings.HasPrefix(a.name, "machine.") {
		return nil
	}
	line := fmt.Sprintf("The last step still makes it %.0f %% shorter", 100*(1-c.Numbers[least]/c.Numbers[rows[last-1]]))
	if bound := t.result("bound_s"); bound != nil && bound.Numbers[least] > 0 {
		line += fmt.Sprintf("; with %s no run is below its bound, %s", t.Point(least), write(bound.Numbers[least]))
	}
	return []string{line}
}

// mostHeld is the largest number of events of a point that is run again to find out what holds it.
const mostHeld = 1_000_000

// holding says what holds a curve that is flat at a row: the largest cause there of what communication costs, by the answer of its run.
func (t *Table) holding(row int, at string) []string {
	events := t.result("events")
	if t.holds == nil || events == nil || events.Numbers[row] > mostHeld {
		return nil
	}
	if t.held == nil {
		t.held = t.holds(row, at)
	}
	return t.held
}

// also counts the other rows that have the same value as a row.
func (t *Table) also(c *Column, row int) string {
	n := 0
	for _, x := range c.Numbers[:t.Rows] {
		if x == c.Numbers[row] {
			n++
		}
	}
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n-1)
}

// Summary says in a line what was run, and what stands out.
func (t *Table) Summary() string {
	text := fmt.Sprintf("%s, %d points, %s", t.Plan.Scenario, t.Rows, t.Plan.Design.words) + t.places()
	failed := 0
	for _, message := range t.Errors[:t.Rows] {
		if message != "" {
			failed++
		}
	}
	if failed > 0 {
		text += fmt.Sprintf("; %d failed", failed)
	}
	for _, path := range t.Idle() {
		text += fmt.Sprintf("; %s changes no result", path)
		if reason := t.because[path]; reason != "" {
			text += ", because " + reason
		}
	}
	return text
}

// places says how many ranks are on how many nodes, from the least to the most, as far as the results tell.
func (t *Table) places() string {
	return t.between(", ", "ranks", "rank") + t.between(" on ", "nodes", "node")
}

func (t *Table) between(join, result, one string) string {
	c := t.result(result)
	if c == nil {
		return ""
	}
	known := slices.DeleteFunc(slices.Clone(c.Numbers), func(n float64) bool { return !(n > 0) })
	if len(known) == 0 {
		return ""
	}
	least, most := slices.Min(known), slices.Max(known)
	if least < most {
		join += fmt.Sprintf("%.0f to ", least)
	}
	return join + keys.Plural(int(most), one)
}

// mostShown is the largest number of results on the page.
const mostShown = 8

// shown picks the results to show: the times of the run, then the overlap and the metrics of the
// workload. Those that do not vary, or repeat another one, are omitted.
func (t *Table) shown() (columns []*Column) {
	show := func(c *Column) {
		if c.varies(t.Rows) && !slices.ContainsFunc(columns, func(other *Column) bool { return c.same(other, t.Rows) }) {
			columns = append(columns, c)
		}
	}
	for _, c := range t.Main() {
		show(c)
	}
	for _, c := range t.Results {
		if (c.Name == "answer.overlap" || strings.HasPrefix(c.Name, "metrics.")) && len(columns) < mostShown {
			show(c)
		}
	}
	return columns
}

// same tells whether two columns hold the same numbers, up to rounding.
func (c *Column) same(other *Column, rows int) bool {
	for row, x := range c.Numbers[:rows] {
		y := other.Numbers[row]
		if math.IsNaN(x) != math.IsNaN(y) || math.Abs(x-y) > 1e-9*math.Abs(x) {
			return false
		}
	}
	return true
}

// varies tells whether a column has two different numbers.
func (c *Column) varies(rows int) bool {
	if c.Texts != nil {
		return false
	}
	some := math.NaN()
	for _, x := range c.Numbers[:rows] {
		if x != some && !math.IsNaN(x) && !math.IsNaN(some) {
			return true
		}
		if !math.IsNaN(x) {
			some = x
		}
	}
	return false
}

// failures shows the errors and how many points have each.
func (t *Table) failures() report.Figure {
	all := t.Failures()
	if len(all) == 0 {
		return nil
	}
	b := &report.Bars{Title: "Points that failed", Members: []string{""}, Horizontal: true}
	var counts []float64
	var notes []string
	for _, f := range all {
		b.Groups = append(b.Groups, cut(f.Error))
		counts = append(counts, float64(len(f.Rows)))
		notes = append(notes, t.Point(f.Rows[0])+more(len(f.Rows)-1)+": "+f.Error)
	}
	b.Parts = []report.Part{part("points", counts)}
	b.Note = strings.Join(notes, " · ")
	return b
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// longest is the largest number of characters of an error in the name of a bar.
const longest = 60

func cut(text string) string {
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest-3]) + "..."
	}
	return text
}

// text is the scenario and the changes to it.
func (t *Table) text() string {
	text := t.Plan.Files[0].Text
	for _, f := range t.Plan.Files {
		if len(t.Plan.Points) > 0 && f.Name == t.Plan.Points[0].File {
			text = f.Text
		}
	}
	for _, s := range t.Plan.Set {
		text += "# --set " + s + "\n"
	}
	for _, f := range t.Plan.Factors {
		text += "# --vary " + f.describe() + "\n"
	}
	return text
}

// describe writes a factor with its levels.
func (f *Factor) describe() string {
	if f.Range == nil {
		return f.Path + "=" + strings.Join(f.Levels, ",")
	}
	x := ""
	if f.Range.Factor {
		x = "x"
	}
	text := f.Path + "=" + x + f.Range.From + ".." + x + f.Range.To
	if f.Range.Log {
		text += ":log"
	}
	return text
}

// Label is a column's name for readers: "makespan" for makespan_s.
func (c *Column) Label() string {
	return label(strings.TrimPrefix(strings.TrimPrefix(c.Name, "metrics."), "answer."))
}

func label(name string) string {
	return strings.ReplaceAll(strings.TrimSuffix(name, "_s"), "_", " ")
}
