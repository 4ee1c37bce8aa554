package validation

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"overlapsim/scenarios/keys"
)

// A table is prepared before its rows are run: some rows are omitted, columns are
// computed, and several rows become one.

// where selects rows: those for which all conditions hold.
type where []condition

// condition is one on a column: the texts that it may have, or that its number is less than the number of
// another column times a factor.
type condition struct {
	column string
	texts  []string
	below  string // the other column; "": texts
	times  float64
}

// emptyCell stands for an empty cell.
const emptyCell = "none"

// has tells whether a row is meant.
func (w where) has(t *table, l *line) bool {
	return !slices.ContainsFunc(w, func(c condition) bool { return !c.holds(t, l) })
}

// holds tells whether a condition holds for a row. Cells that are no numbers are not below others.
func (c *condition) holds(t *table, l *line) bool {
	if c.below == "" {
		return slices.Contains(c.texts, cmp.Or(t.text(l, c.column), emptyCell))
	}
	value, err := strconv.ParseFloat(t.text(l, c.column), 64)
	other, otherErr := strconv.ParseFloat(t.text(l, c.below), 64)
	return err == nil && otherErr == nil && value < c.times*other
}

// columns are those that the conditions read.
func (w where) columns() (names []string) {
	for _, c := range w {
		names = append(names, c.column)
		if c.below != "" {
			names = append(names, c.below)
		}
	}
	return names
}

// counts tells whether a row counts.
func (s *Set) counts(t *table, l *line) bool {
	if s.optional && t.text(l, s.measured.column) == "" {
		return false
	}
	return s.where.has(t, l) && !slices.ContainsFunc(s.unless, func(w where) bool { return w.has(t, l) })
}

// overlap is a column that says how many rows were under way in the middle of each, itself included; or
// how many of what a column names, such as ranks, each of which is under way from the start of its first row
// to the end of its last: that does not need all rows.
type overlap struct {
	name            string
	start, duration string   // columns, in the same unit
	within          []string // only rows that are equal in these columns
	of              string   // the column with the names; "": rows
	multiple        source   // rounded up to a multiple of it; without text: not
}

// span is a time during which something is under way.
type span struct{ from, to float64 }

// apply appends the column.
func (o *overlap) apply(t *table, problems *keys.Problems) {
	spans := make([]span, len(t.rows))
	for i := range t.rows {
		from, _ := t.number(&t.rows[i], o.start, problems)
		length, _ := t.number(&t.rows[i], o.duration, problems)
		spans[i] = span{from, from + length}
	}
	if len(*problems) > 0 {
		return
	}
	starts, ends := o.ends(t, spans)
	counts := make([]string, len(t.rows))
	for i := range t.rows {
		l := &t.rows[i]
		key, after := t.key(l, o.within), math.Nextafter((spans[i].from+spans[i].to)/2, math.Inf(1))
		begun, _ := slices.BinarySearch(starts[key], after)
		ended, _ := slices.BinarySearch(ends[key], after)
		counts[i] = strconv.FormatInt(o.rounded(t, l, int64(begun-ended), problems), 10)
	}
	t.addColumn(o.name, counts)
}

// ends returns when rows, or what they are of, begin and end in each group, sorted.
func (o *overlap) ends(t *table, spans []span) (starts, ends map[string][]float64) {
	whole := map[string]span{} // by group and name
	group := map[string]string{}
	for i := range t.rows {
		l := &t.rows[i]
		name := t.key(l, o.within) + "\x00"
		if o.of == "" {
			name += strconv.Itoa(i)
		} else {
			name += t.text(l, o.of)
		}
		if before, ok := whole[name]; ok {
			whole[name] = span{min(before.from, spans[i].from), max(before.to, spans[i].to)}
		} else {
			whole[name], group[name] = spans[i], t.key(l, o.within)
		}
	}
	starts, ends = map[string][]float64{}, map[string][]float64{}
	for name, s := range whole {
		key := group[name]
		starts[key], ends[key] = append(starts[key], s.from), append(ends[key], s.to)
	}
	for key := range starts {
		slices.Sort(starts[key])
		slices.Sort(ends[key])
	}
	return starts, ends
}

// rounded rounds a count up to a multiple.
func (o *overlap) rounded(t *table, l *line, n int64, problems *keys.Problems) int64 {
	text, ok := o.multiple.text(t, l, problems)
	if !ok || text == "" {
		return n
	}
	multiple, err := strconv.ParseInt(text, 10, 64)
	if err != nil || multiple < 1 {
		problems.Add(l.at(), o.name, "must be rounded up to a multiple of a positive whole number, got %s", keys.Quote(text))
		return n
	}
	return (n + multiple - 1) / multiple * multiple
}

// lookup is a column with a cell of another row: of the first one that is equal in some columns and fulfils conditions.
type lookup struct {
	name  string
	of    string // the column of the other row
	where where
	by    []string
}

// apply appends the column. It reads all rows, those that do not count too.
func (o *lookup) apply(t *table, problems *keys.Problems) {
	found := map[string]string{}
	for i := range t.rows {
		l := &t.rows[i]
		if key := t.key(l, o.by); o.where.has(t, l) && found[key] == "" {
			found[key] = t.text(l, o.of)
		}
	}
	cells := make([]string, len(t.rows))
	for i := range t.rows {
		l := &t.rows[i]
		if cells[i] = found[t.key(l, o.by)]; cells[i] == "" {
			problems.Add(l.at(), o.name, "no row with %s is equal in %s", o.where, strings.Join(o.by, ", "))
		}
	}
	t.addColumn(o.name, cells)
}

// key joins the cells of columns.
func (t *table) key(l *line, columns []string) string {
	var cells []string
	for _, c := range columns {
		cells = append(cells, t.text(l, c))
	}
	return strings.Join(cells, "\x00")
}

// merge makes one row of all that are equal in some columns. The others are gone, except
// one, whose numbers are summed up.
type merge struct {
	by   []string
	of   string // the column that is taken together
	take string // one of the summaries
}

// summaries are the ways to take numbers together.
var summaries = map[string]func(sorted []float64) float64{
	"median": func(x []float64) float64 { return quantile(x, 0.5) },
	"mean":   func(x []float64) float64 { return stat.Mean(x, nil) },
	"sum":    func(x []float64) float64 { return stat.Mean(x, nil) * float64(len(x)) },
	"least":  func(x []float64) float64 { return x[0] },
	"most":   func(x []float64) float64 { return x[len(x)-1] },
}

// apply merges the rows, in the order of the first one of each.
func (m *merge) apply(t *table, problems *keys.Problems) *table {
	values := map[string][]float64{}
	var first []*line
	for i := range t.rows {
		l := &t.rows[i]
		x, ok := t.number(l, m.of, problems)
		if !ok {
			continue
		}
		key := t.key(l, m.by)
		if values[key] == nil {
			first = append(first, l)
		}
		values[key] = append(values[key], x)
	}
	merged := &table{file: t.file, head: t.head, columns: append(slices.Clone(m.by), m.of)}
	for _, l := range first {
		all := values[t.key(l, m.by)]
		slices.Sort(all)
		one := line{spread: math.NaN()}
		for _, c := range m.by {
			one.cells, one.places = append(one.cells, t.text(l, c)), append(one.places, l.places[t.column(c)])
		}
		x := summaries[m.take](all)
		one.cells, one.places = append(one.cells, strconv.FormatFloat(x, 'g', -1, 64)), append(one.places, l.places[t.column(m.of)])
		if m.take == "median" && len(all) > 1 && x != 0 {
			one.spread = deviation(all, x) / math.Abs(x)
		}
		merged.rows = append(merged.rows, one)
	}
	return merged
}

// deviation is the median distance of numbers from one of them.
func deviation(x []float64, from float64) float64 {
	var all []float64
	for _, v := range x {
		all = append(all, math.Abs(v-from))
	}
	slices.Sort(all)
	return quantile(all, 0.5)
}

// quantile returns a quantile of sorted numbers, between two of them if it is there.
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := p * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}
