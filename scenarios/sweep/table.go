package sweep

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// Table holds the results of all points: a row for each point, in the order of the plan,
// and a column for each path and each result.
type Table struct {
	Plan    *Plan
	Rows    int       // of points; the twins at the end are not counted
	Paths   []*Column // by factor
	Results []*Column
	Errors  []string                          // by row, "" for a point that ran
	Assumed []string                          // what machines do not say and runs took for true, each once
	steps   []outcomes.Compared               // of training, of the points that are
	charged [][]string                        // settings that charge copies, by row
	named   map[string]*Column                // results by name; nil: a path has it
	because map[string]string                 // why paths had no effect, where that is known
	holds   func(row int, at string) []string // says what holds a point; nil: that cannot be found out
	held    []string                          // what it said; nil: it was not asked
}

// Column holds numbers, or texts.
type Column struct {
	Name    string
	Unit    string    // of numbers: "s", "B", ...
	Numbers []float64 // NaN: none
	Texts   []string  // "": none; nil for numbers
}

// Table reads all results. A point without one is an error.
func (d *Dir) Table() (*Table, error) { return d.TableWithout(nil) }

// TableWithout reads the results of all points but some, such as those that are missing.
func (d *Dir) TableWithout(some []int) (*Table, error) {
	left := map[int]bool{}
	for _, i := range some {
		left[i] = true
	}
	plan, numbers := *d.Plan, make([]int, 0, len(d.Plan.Points))
	plan.Points = make([]Point, 0, len(d.Plan.Points))
	for i, p := range d.Plan.Points {
		if !left[i] {
			numbers, plan.Points = append(numbers, i), append(plan.Points, p)
		}
	}
	t := &Table{Plan: &plan, Errors: make([]string, len(plan.Points)), charged: make([][]string, len(plan.Points)), named: map[string]*Column{}, because: map[string]string{}}
	t.readPaths()
	for i, p := range plan.Points {
		if !p.Twin {
			t.Rows++
		}
		text, err := d.line(numbers[i])
		if err != nil {
			return nil, err
		}
		t.read(i, text)
	}
	t.holds = func(row int, at string) []string { return d.holding(numbers[row], t.charged[row], at) }
	return t, nil
}

// read records the result of a row: its error, or what its record holds.
func (t *Table) read(row int, result []byte) {
	values(result, func(name string, v value) {
		if of, ok := strings.CutPrefix(name, "record."); ok {
			t.put(row, of, v)
		} else if name == "error" {
			t.Errors[row] = v.text
		}
	})
	t.assume(row, result)
}

// assume adds what a run took for true and what was charged, and why keys had no effect.
func (t *Table) assume(row int, result []byte) {
	if !slices.ContainsFunc([]string{`"assumed"`, `"no_effect"`, `"charged"`, `"contended_left_out"`, `"global_batch"`}, func(has string) bool { return bytes.Contains(result, []byte(has)) }) {
		return
	}
	var r struct {
		Charged []string
		Record  outcomes.RunRecord
	}
	if json.Unmarshal(result, &r) != nil {
		return // a result that has been edited has what its numbers are
	}
	t.charged[row] = r.Charged
	if a := r.Record.Answer; a != nil && a.NotContended != "" {
		r.Record.Assumed = append(r.Record.Assumed, "what is exposed and hidden is that of a network without contention of links (--set fabric.kind=flow has it)")
	}
	if !t.Plan.Points[row].Twin {
		t.steps = append(t.steps, r.Record.Compared())
	}
	for _, text := range r.Record.Assumed {
		if !slices.Contains(t.Assumed, text) {
			t.Assumed = append(t.Assumed, text)
		}
	}
	for _, n := range r.Record.NoEffect {
		t.because[n.Key] = n.Because
	}
}

// readPaths makes a column for each factor: numbers if all its levels are
// quantities of one kind.
func (t *Table) readPaths() {
	for i, f := range t.Plan.Factors {
		c := newColumn(f.Path, len(t.Plan.Points))
		all := f.Levels
		if f.Range != nil {
			all = []string{f.Range.From, f.Range.To}
		}
		d, isNumber := common(all)
		if c.Unit = unit(d); !isNumber {
			c.Unit, c.Texts = "", make([]string, len(t.Plan.Points))
		}
		for row, p := range t.Plan.Points {
			if isNumber {
				c.Numbers[row] = number(d, p.Levels[i])
			} else {
				c.Texts[row] = p.Levels[i]
			}
		}
		t.Paths = append(t.Paths, c)
	}
}

func newColumn(name string, rows int) *Column {
	c := &Column{Name: name, Numbers: make([]float64, rows)}
	for i := range c.Numbers {
		c.Numbers[i] = math.NaN()
	}
	return c
}

// put records a result of a row.
func (t *Table) put(row int, name string, v value) {
	c, known := t.named[name]
	if !known {
		c = t.column(name, v)
	}
	switch {
	case c == nil:
	case c.Texts != nil:
		c.Texts[row] = v.text
	default:
		c.Numbers[row] = v.number
	}
}

// answered are the numbers of an answer that are known without what would help.
var answered = []string{"computation_alone_s", "communication_alone_s", "exposed_s", "hidden_s", "overlap", "efficiency.parallel",
	"efficiency.load_balance", "efficiency.serialisation", "efficiency.transfer", "noise"}

// column makes the column of a result that begins with a value; nil for one that repeats a path, or that is none of a sweep.
func (t *Table) column(name string, v value) *Column {
	t.named[name] = nil
	if of, ok := strings.CutPrefix(name, "answer."); ok && !slices.Contains(answered, of) {
		return nil
	}
	if name == "scenario" || slices.ContainsFunc(t.Paths, func(p *Column) bool { return p.Name == name }) {
		return nil
	}
	c := newColumn(name, len(t.Plan.Points))
	if v.text != "" {
		c.Texts = make([]string, len(t.Plan.Points))
	}
	if strings.HasSuffix(name, "_s") {
		c.Unit = "s"
	}
	t.named[name] = c
	t.Results = append(t.Results, c)
	return c
}

// result returns a column of results by its name, or nil.
func (t *Table) result(name string) *Column {
	for _, c := range t.Results {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// communicating is the time in communication, in which no waiting for other ranks is.
const communicating = "communicating_s"

// Main returns the times that users look at first; the makespan is the first of them.
func (t *Table) Main() (columns []*Column) {
	names := []string{"makespan_s", communicating}
	if t.Plan.Answer {
		names = []string{"makespan_s", "answer.exposed_s", "answer.hidden_s"}
	}
	return t.results(names...)
}

// Shown are the columns of the table that is printed: of a workload that measures something, that, as far as it differs, in place of the time
// in communication, in which no waiting for other ranks is.
func (t *Table) Shown() []*Column {
	main, measured := t.Main(), t.OfStep()
	if measured == nil {
		measured = slices.DeleteFunc(t.shown(), func(c *Column) bool { return !strings.HasPrefix(c.Name, "metrics.") })
		if len(measured) > 0 && !t.Plan.Answer {
			main = main[:1]
		}
	}
	return slices.Concat(main, measured)
}

// BelowNoise tells whether a time of an answer is below the noise of its point.
func (t *Table) BelowNoise(c *Column, row int) bool {
	makespan, noise := t.result("makespan_s"), t.result("answer.noise")
	return noise != nil && (c.Name == "answer.exposed_s" || c.Name == "answer.hidden_s") &&
		report.BelowNoise(c.Numbers[row]/makespan.Numbers[row], &noise.Numbers[row])
}

// OfStep returns what tells whether a step of training is better than one of another size; none if the runs are no steps.
func (t *Table) OfStep() []*Column {
	return t.results("metrics.tokens_per_s_per_gpu", "metrics.mfu", "metrics.memory_GB")
}

// results returns the columns of results that exist.
func (t *Table) results(names ...string) (columns []*Column) {
	for _, name := range names {
		if c := t.result(name); c != nil {
			columns = append(columns, c)
		}
	}
	return columns
}

// anyFailed tells whether a point failed.
func (t *Table) anyFailed() bool {
	return slices.ContainsFunc(t.Errors[:t.Rows], func(message string) bool { return message != "" })
}

// columns lists the columns of files: the point, its run if there are several, the paths,
// the error, the results.
func (t *Table) columns() []*Column {
	points := newColumn("point", t.Rows)
	failures := &Column{Name: "error", Texts: t.Errors}
	all := []*Column{points}
	runs := &Column{Name: "run"}
	for i := range t.Rows {
		points.Numbers[i] = float64(i)
		runs.Texts = append(runs.Texts, t.Plan.Points[i].Run)
	}
	if t.Plan.Runs > 1 {
		all = append(all, runs)
	}
	return slices.Concat(all, t.Paths, []*Column{failures}, t.Results)
}
