package validation

import (
	"math"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
)

// mostParameters is how many parameters a fit may have.
const mostParameters = 8

// read reads a data set. The error is of type keys.Problems.
func read(name, file string, text []byte) (*Set, error) {
	var problems keys.Problems
	r := &reader{Set: &Set{Name: name, File: file}}
	if root := keys.ReadText(file, text, &problems); root != nil {
		like(root, &problems)
		r.read(keys.TreeOf(root, &problems))
	}
	return r.Set, problems.Err()
}

// reader is a data set being read.
type reader struct{ *Set }

func required(key string, to any, doc string) keys.Row {
	row := optional(key, to, doc)
	row.Needs = keys.Required
	return row
}

func optional(key string, to any, doc string) keys.Row {
	return keys.Row{Path: key, To: to, Is: keys.Number, Range: keys.NotNegative, Doc: doc}
}

// parts are the parts of a file that are read after its keys.
type parts struct {
	set, where, unless, lookup, overlap, merge, paths, measured, predicted, compete, baseline, hides, fit keys.Tree
}

func (r *reader) read(root keys.Tree) {
	var p parts
	var license, judged string
	seen := optional("seen", &r.Seen, "fitted: numbers of the machine were fitted to these rows; partly: to some of them, or chosen with them in view; unseen: none")
	seen.Choices = []string{"fitted", "partly", "unseen"}
	by := optional("judged", &judged, "median or mean: by which error the set is judged")
	for _, j := range judges {
		by.Choices = append(by.Choices, j.name)
	}
	root.Decode(
		required("title", &r.Title, "what was measured, in a line"),
		optional("about", &r.About, "how, and what is known of the rest, in sentences"),
		optional("source", &r.Source, "where the rows are from"),
		optional("license", &license, "of the rows"),
		seen,
		optional("accepted", &r.Accepted, "the largest error that is no step back, median or mean"),
		by,
		optional("long", &r.Long, "its rows take seconds: tests run it only when asked to"),
		optional("minutes", &r.Minutes, "its rows take minutes: tests run it only when asked to, and CI does not"),
		required("scenario", &r.scenario, "the name of a scenario, its file, or its keys"),
		optional("set", &p.set, "settings of every row: path and value"),
		optional("rows", &r.rows, "the CSV file next to this one"),
		optional("columns", &r.raw, "the names of the columns, if files have no heading"),
		optional("also", &r.also, "columns that are not used; any: there may be others"),
		optional("where", &p.where, "rows that count: columns and the texts that they may have"),
		optional("unless", &p.unless, "rows that do not count though where has them: a list like it"),
		optional("lookup", &p.lookup, "columns to take from another row, such as the time of one GPU"),
		optional("overlap", &p.overlap, "a column to compute: how many rows were under way"),
		optional("merge", &p.merge, "rows that become one, such as the median of repeated ones"),
		optional("paths", &p.paths, "what the columns set: paths and columns"),
		required("measured", &p.measured, "the column with the figure, and its unit"),
		required("predicted", &p.predicted, "the number of the run, by its path"),
		optional("compete", &p.compete, "which rows compete to be the best"),
		required("baseline", &p.baseline, "predictions without a simulator, one or a list: constant, line, power, nearest, column, multiple"),
		optional("hides", &p.hides, "for sets of overlap: the columns that say how much could hide"),
		optional("fit", &p.fit, "what a fit may do"),
	)
	r.License = license
	r.judged = judges[max(0, slices.IndexFunc(judges, func(j judge) bool { return j.name == judged }))]
	r.anyAlso = slices.Equal(r.also, []string{"any"})
	r.parts(&p)
}

// parts reads the parts.
func (r *reader) parts(p *parts) {
	for path, v := range p.set.Entries() {
		r.settings = append(r.settings, path+"="+v.String())
	}
	r.where = readWhere(p.where)
	for v := range p.unless.Items() {
		r.unless = append(r.unless, readWhere(v))
	}
	for v := range p.lookup.Items() {
		r.lookups = append(r.lookups, readLookup(v))
	}
	if p.overlap.Given() {
		r.overlap = readOverlap(p.overlap)
	}
	for v := range p.merge.Items() {
		r.merges = append(r.merges, readMerge(v))
	}
	for path, v := range p.paths.Entries() {
		r.bindings = append(r.bindings, binding{path, readSource(v)})
	}
	r.readMeasured(p.measured)
	r.readPredicted(p.predicted)
	if p.compete.Given() {
		r.compete = readCompetition(p.compete)
	}
	r.baselines = r.readBaselines(p.baseline)
	if p.hides.Given() {
		r.hides = r.readHides(p.hides)
	}
	if p.fit.Given() {
		r.fit = r.readFit(p.fit)
	}
}

// readWhere reads conditions: by column texts, or {below: column, times: 4}.
func readWhere(t keys.Tree) (w where) {
	for column, v := range t.Entries() {
		c := condition{column: column, times: 1}
		if v.IsMapping() {
			v.Decode(
				required("below", &c.below, "the column whose number is larger"),
				optional("times", &c.times, "a factor of that number"),
			)
		} else {
			c.texts = v.Texts()
		}
		w = append(w, c)
	}
	return w
}

func readLookup(t keys.Tree) (o lookup) {
	var where keys.Tree
	t.Decode(
		required("name", &o.name, "the name of the column"),
		required("of", &o.of, "the column of the other row"),
		required("where", &where, "which row that is: columns and the texts that they may have"),
		required("by", &o.by, "both rows are equal in these columns"),
	)
	o.where = readWhere(where)
	return o
}

func readOverlap(t keys.Tree) *overlap {
	o := &overlap{}
	var multiple keys.Tree
	t.Decode(
		required("name", &o.name, "the name of the column"),
		required("start", &o.start, "the column with the start"),
		required("duration", &o.duration, "the column with the duration"),
		optional("within", &o.within, "only rows that are equal in these columns count"),
		optional("of", &o.of, "the column that names what is under way, such as a rank, from its first row to its last; if omitted: rows"),
		optional("multiple", &multiple, "rounded up to a multiple of it: a number, or a column and its values"),
	)
	if multiple.IsMapping() {
		o.multiple = readSource(multiple)
	} else if multiple.Given() {
		o.multiple.fixed = multiple.Text()
	}
	return o
}

func readMerge(t keys.Tree) merge {
	m := merge{take: "median"}
	take := required("take", &m.take, "what becomes of their numbers")
	take.Choices = []string{"least", "mean", "median", "most", "sum"}
	t.Decode(
		required("by", &m.by, "rows that are equal in these columns become one"),
		required("of", &m.of, "the column with the numbers"),
		take,
	)
	return m
}

// readSource reads {column: x, unit: B}, {columns: [x, y]} or {column: x, values: {a: b}}.
func readSource(t keys.Tree) (s source) {
	var one string
	var many []string
	var values keys.Tree
	column := required("column", &one, "the column")
	column.Or = "columns"
	columns := required("columns", &many, "the columns of a list")
	columns.Or = "column"
	t.Decode(column, columns,
		optional("unit", &s.unit, "the unit of its numbers"),
		optional("times", &s.times, "a factor of its numbers"),
		optional("values", &values, "what texts stand for"),
		optional("others", &s.others, "what all other texts stand for; itself: each for itself"),
		optional("split", &s.split, "what stands between the parts of a text that becomes a list"),
	)
	if s.columns, s.list = many, many != nil; !s.list {
		s.columns = []string{one}
	}
	for text, v := range values.Entries() {
		if s.values == nil {
			s.values = map[string]string{}
		}
		s.values[text] = v.String()
		s.choices = append(s.choices, text)
	}
	return s
}

func readUnit(t keys.Tree, name string) unit {
	u, err := unitOf(name)
	if err != nil {
		t.ComplainOf("unit", "%s", err)
		u.size = 1
	}
	return u
}

func (r *reader) readMeasured(t keys.Tree) {
	var unit, kind string
	var spread keys.Tree
	errors := optional("error", &kind, "relative, or difference: in the unit of the figure")
	errors.Choices = []string{"relative", "difference"}
	t.Decode(
		required("column", &r.measured.column, "the column with the figure"),
		optional("unit", &unit, "of the figure"),
		optional("spread", &spread, "the column that says how far measurements are apart, in the same unit, or two with a low and a high one"),
		optional("may_be_empty", &r.optional, "rows without a figure are omitted"),
		errors,
	)
	r.kind = errorKinds[kind]
	if spread.Given() {
		if r.spread = spread.Texts(); len(r.spread) > 2 {
			t.ComplainOf("spread", "must be a column or two, got %d", len(r.spread))
		}
	}
	if t.Given() {
		r.measured.unit = readUnit(t, unit)
	}
}

func (r *reader) readPredicted(t keys.Tree) {
	if !t.Given() {
		return
	}
	p := &r.predicted
	p.times = 1
	var path, amount keys.Tree
	var unit string
	t.Decode(
		required("path", &path, "of the number, such as makespan_s; or a column and its values"),
		optional("unit", &unit, "of the number; if omitted: s if the path ends with _s"),
		optional("times", &p.times, "a factor of the number"),
		optional("amount", &amount, "a column of bytes that the number is the time of"),
	)
	if path.IsMapping() {
		p.path = readSource(path)
	} else if path.Given() {
		p.path.fixed = path.Text()
	}
	if unit == "" && r.inSeconds() {
		unit = "s"
	}
	p.unit = readUnit(t, unit)
	if amount.Given() {
		p.amount = readAmount(amount)
	}
	if is, ok := p.is(); r.measured.column != "" && (!ok || is != r.measured.unit.is) {
		t.Complain("is %s, and the figure is %s", p.describe(), r.measured.unit.is)
	}
}

// describe says what a prediction is.
func (p *prediction) describe() string {
	if p.amount != nil {
		return p.amount.unit.is.String() + " by " + p.unit.is.String()
	}
	return p.unit.is.String()
}

// inSeconds tells whether all numbers that may be the prediction are in seconds.
func (r *reader) inSeconds() bool {
	p := r.predicted.path
	if p.columns == nil {
		return strings.HasSuffix(p.fixed, "_s")
	}
	for _, path := range p.values {
		if !strings.HasSuffix(path, "_s") {
			return false
		}
	}
	return true
}

func readAmount(t keys.Tree) *figure {
	f := &figure{}
	unit := "B"
	t.Decode(required("column", &f.column, "the column"), optional("unit", &unit, "its unit"))
	f.unit = readUnit(t, unit)
	return f
}

func readCompetition(t keys.Tree) *competition {
	c := &competition{}
	choice := optional("best", keys.OneOf(&c.most), "least or most: which figure is the best one")
	choice.Choices = []string{"least", "most"}
	var usual, fixed keys.Tree
	t.Decode(
		required("within", &c.within, "rows that are equal in these columns compete"),
		optional("good", &c.good, "a choice is good within this part of the best, such as 0.1"),
		choice,
		optional("usual", &usual, "rows of the choice that is usual: columns and the texts that they may have"),
		optional("fixed", &fixed, "a choice that is the same for all groups of a kind: column, by"),
	)
	c.rivals = readRivals(usual, fixed)
	return c
}

func (r *reader) readFit(t keys.Tree) *fitRules {
	f := &fitRules{pull: leastPull}
	var rows, parameters keys.Tree
	most := keys.Row{Path: "most_rows", To: &f.most, Is: keys.Count, Doc: "how many rows it may use"}
	t.Decode(
		optional("where", &rows, "rows that it may use: columns and the texts that they may have"),
		most,
		optional("pull", &f.pull, "how strongly parameters are held at their start: the error that a move from 50 to 73 % of their bounds costs"),
		required("parameters", &parameters, "what it may change, by name; at most eight"),
	)
	f.where = readWhere(rows)
	for name, v := range parameters.Entries() {
		f.parameters = append(f.parameters, readParameter(name, v))
	}
	if n := len(f.parameters); n > mostParameters {
		parameters.Complain("has %d parameters; a fit may have %d", n, mostParameters)
	}
	return f
}

func readParameter(name string, t keys.Tree) parameter {
	p := parameter{Name: name}
	var bounds []float64
	t.Decode(append(p.Rows(&bounds),
		required("path", &p.paths, "the path that it sets, or several, all in the machine"),
		optional("start", &p.start, "where the search starts; if omitted: the geometric middle of the bounds"),
	)...)
	if !p.Within(bounds, t) {
		return p
	}
	if p.start == 0 {
		p.start = math.Sqrt(p.Low * p.High)
	}
	if p.start <= p.Low || p.start >= p.High {
		t.ComplainOf("start", "must be between the bounds")
	}
	for _, path := range p.paths {
		if !strings.HasPrefix(path, "machine.") {
			t.ComplainOf("path", "must be in the machine, such as machine.network.latency; got %s", path)
		}
	}
	return p
}
