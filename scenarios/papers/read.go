package papers

import (
	"go/token"
	"math"
	"slices"

	"overlapsim/scenarios/keys"
)

// readPaper reads and checks the file of a paper. The error is of type
// scenarios.Problems and holds all mistakes.
func readPaper(file string, text []byte) (*Paper, error) {
	p := &paperReader{Paper: &Paper{File: file}}
	p.read(keys.ReadTree(file, text, &p.problems))
	if err := p.problems.Err(); err != nil {
		return nil, err
	}
	p.check()
	return p.Paper, p.problems.Err()
}

// paperReader is a paper being read.
type paperReader struct {
	*Paper
	problems keys.Problems
	printed  keys.Tree
}

func (p *paperReader) read(root keys.Tree) {
	var bars, experiments, definitions, printed, figures, claims, tables, missing keys.Tree
	root.Decode(
		required("paper", &p.Name, "the name of the paper, as of its file"),
		required("title", &p.Title, "its authors and title"),
		optional("bars", &bars, "pieces of the figures of experiments that name none"),
		optional("experiments", &experiments, "what is run"),
		optional("definitions", &definitions, "expressions with names"),
		optional("printed", &printed, "the names of all figures and tables of the text"),
		optional("figures", &figures, "the figures and tables, as the paper draws them"),
		optional("claims", &claims, "what the paper says"),
		optional("tables", &tables, "what the paper's tables say"),
		optional("missing", &missing, "what the model lacks for claims to be reproduced, and trials"),
	)
	p.readExperiments(experiments, readBars(bars))
	p.Definitions = readDefinitions(definitions)
	for name, v := range definitions.Entries() {
		checkIdentifier(name, v)
	}
	p.Printed, p.printed = printed.Texts(), printed
	p.readFigures(figures)
	for c := range claims.Items() {
		p.readClaim(c)
	}
	for t := range tables.Items() {
		p.readTable(t)
	}
	p.readMechanisms(missing)
}

// readBars reads the pieces of a figure's bars: the paper's name of a piece, and its
// metric. It is nil if they are omitted, but not for an empty mapping.
func readBars(t keys.Tree) []Bar {
	if !t.Given() {
		return nil
	}
	bars := []Bar{}
	for name, v := range t.Entries() {
		bars = append(bars, Bar{name, v.Text()})
	}
	return bars
}

// checkIdentifier reports a name that expressions cannot use.
func checkIdentifier(name string, t keys.Tree) {
	if !token.IsIdentifier(name) || name == "true" || name == "false" {
		t.Complain("must be a name of letters and digits, as expressions use it")
	}
}

// readExperiments reads the experiments; bars is the default of experiments that name
// none.
func (p *paperReader) readExperiments(t keys.Tree, bars []Bar) {
	for name, v := range t.Entries() {
		checkIdentifier(name, v)
		e := p.readExperiment(&Experiment{Name: name, Place: v.Place()}, v)
		if e.Bars == nil && e.Scenario != "" {
			e.Bars = bars
		}
		p.Experiments = append(p.Experiments, e)
	}
}

func (p *paperReader) readExperiment(e *Experiment, t keys.Tree) *Experiment {
	var like string
	var common, variants, points, bars keys.Tree
	p.readLike(e, t)
	own := required
	if t.At("like").Given() {
		own = optional
	}
	t.Decode(
		required("title", &e.Title, "what the experiment is, in a line"),
		optional("like", &like, "an experiment further up that gives what is omitted here"),
		optional("x", &e.XName, "what the points are"),
		optional("scenario", &e.Scenario, "what all runs start from; if omitted: a grid of numbers"),
		optional("common", &common, "settings of all runs"),
		own("variants", &variants, "names and their settings"),
		own("points", &points, "a list of settings, each with a label"),
		optional("bars", &bars, "pieces of its figure"),
	)
	e.common = append(e.common, readSettings(common)...)
	if variants.Given() {
		e.Variants = readVariants(variants)
	}
	if points.Given() {
		e.Points = readPoints(points)
	}
	if bars.Given() {
		e.Bars = readBars(bars)
	}
	for _, w := range e.Variants {
		for _, at := range e.Points {
			e.runs = append(e.runs, newRun(e.Scenario, e.common, w.Settings, at.Settings))
		}
	}
	return e
}

// readLike starts an experiment with everything except the name and title of the one it
// is like. Its own variants and points replace the other's; its own common settings come
// on top.
func (p *paperReader) readLike(e *Experiment, t keys.Tree) {
	like := t.At("like")
	if !like.Given() {
		return
	}
	name := like.Text()
	other := p.Paper.experiment(name)
	if other == nil {
		like.Complain("unknown experiment, or one further down%s", meant(name, p.experimentNames()))
		return
	}
	own := *e
	*e = *other
	e.Name, e.Place, e.Title, e.runs = own.Name, own.Place, "", nil
	e.common = slices.Clone(e.common)
}

func readVariants(t keys.Tree) (all []Variant) {
	for name, v := range t.Entries() {
		checkIdentifier(name, v)
		all = append(all, Variant{name, readSettings(v)})
	}
	if all == nil {
		t.Complain("must name at least one variant")
	}
	return all
}

func readPoints(t keys.Tree) (all []Point) {
	for v := range t.Items() {
		settings := readSettings(v)
		i := slices.IndexFunc(settings, func(s Setting) bool { return s.Path == "label" })
		if i < 0 {
			v.ComplainOf("label", "is missing; every point has one")
			continue
		}
		at := Point{Label: settings[i].Value}
		at.Settings = slices.Delete(settings, i, i+1)
		if slices.ContainsFunc(all, func(other Point) bool { return other.Label == at.Label }) {
			v.ComplainOf("label", "another point is labelled %s too", at.Label)
		}
		all = append(all, at)
	}
	if all == nil {
		t.Complain("must hold at least one point such as {label: small, workload.rows: 64}")
	}
	return all
}

// readSettings reads a mapping of scenario paths to values.
func readSettings(t keys.Tree) (all []Setting) {
	for path, v := range t.Entries() {
		if v.IsNull() {
			v.Complain("must be a value, got nothing")
		} else if v.Given() {
			all = append(all, Setting{path, v.String(), v.Place()})
		}
	}
	return all
}

// claimText is the text of a claim, or of the claims of a table, before it is
// interpreted.
type claimText struct {
	kindText
	metric, published, tolerance keys.Tree
}

// rows are the keys that claims and tables have in common.
func (x *claimText) rows(c *Claim) []keys.Row {
	return append(x.kindText.rows(c),
		required("id", &c.ID, "a name"),
		required("place", &c.Place, "where in the paper"),
		required("claim", &c.Text, "what the paper says"),
		required("metric", &x.metric, "an expression"),
		required("published", &x.published,
			"a number, {at_least: number}, {at_most: number}, both for a band, true, or null where it is withheld"),
		optional("unit", &c.Unit, "the unit of what is published"),
		required("reason", &c.Reason, "why this tolerance, or this reading of the words"),
		optional("used_in_fit", &c.Fit, "the fit that used it"),
		optional("tolerance", &x.tolerance, "a number or {relative: number, least: number}"),
	)
}

func (p *paperReader) readClaim(t keys.Tree) {
	c := &Claim{at: t.Place()}
	var x claimText
	t.Decode(append(x.rows(c), optional("explanation", &c.Known, "why it is not reproduced"))...)
	x.kindText.apply(c, t)
	c.Metric = readExpression(x.metric)
	if x.published.Given() {
		readPublished(c, x.published)
		readTolerance(x.tolerance).apply(c, t)
	}
	p.Claims = append(p.Claims, c)
}

// readPublished reads a number, {at_least: ...}, {at_most: ...}, true or null.
func readPublished(c *Claim, t keys.Tree) {
	c.Published = math.NaN()
	switch {
	case t.IsNull():
		c.Judged = Withheld
	case t.IsMapping():
		readLimit(c, t)
	case t.String() == "true":
		c.Judged = Truth
	default:
		c.Published = t.Number()
	}
}

// publish makes a number what is published; NaN: it is withheld.
func (c *Claim) publish(x float64) {
	if c.Published = x; math.IsNaN(x) {
		c.Judged = Withheld
	}
}

// readLimit reads {at_least: ...}, {at_most: ...} or both.
func readLimit(c *Claim, t keys.Tree) {
	lower := required("at_least", &c.Published, "the least")
	lower.Or = "at_most"
	upper := lower
	upper.Path, upper.Or, upper.Doc = "at_most", "at_least", "the most"
	most := t.At("at_most").Given()
	switch {
	case most && t.At("at_least").Given():
		c.Judged, lower.Or, upper.Or, upper.To = Band, "", "", &c.Upper
	case most:
		c.Judged = Most
	default:
		c.Judged = Least
	}
	t.Decode(lower, upper)
	if c.Judged == Band && c.Upper <= c.Published {
		t.Complain("must be a band from a smaller to a larger number, got %g to %g", c.Published, c.Upper)
	}
}

// tolerance is how far a result may be from the published value.
type tolerance struct {
	given    bool
	size     float64
	relative bool
	least    float64 // of a relative one
}

// readTolerance reads a number or {relative: ..., least: ...}.
func readTolerance(t keys.Tree) tolerance {
	if !t.Given() {
		return tolerance{}
	}
	x := tolerance{given: true, relative: t.IsMapping()}
	if x.relative {
		t.Decode(required("relative", &x.size, "in units of what is published"),
			optional("least", &x.least, "the tolerance of small values"))
	} else {
		x.size = t.Number()
	}
	if x.size < 0 || x.least < 0 {
		t.Complain("must not be negative, got %g", min(x.size, x.least))
	}
	return x
}

// apply gives a claim its tolerance, or reports a mistake at its place in the file.
func (x tolerance) apply(c *Claim, t keys.Tree) {
	numeric := c.Judged.numeric()
	switch {
	case numeric && !x.given:
		t.ComplainOf("tolerance", "is missing; it is a number or {relative: number, least: number}")
	case !numeric && x.given:
		t.ComplainOf("tolerance", "means nothing here: nothing is published, or it is true or not")
	case x.relative:
		c.Tolerance = max(x.least, x.size*math.Abs(c.Published))
	default:
		c.Tolerance = x.size
	}
}
