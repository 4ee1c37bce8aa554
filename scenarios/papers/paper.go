package papers

import (
	"math"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
)

// Paper is a published study: its experiments and its claims.
type Paper struct {
	Name        string // short name, as in commands
	Title       string
	File        string
	Experiments []*Experiment
	Definitions []Definition
	Printed     []string // the names of all figures and tables of its text: fig1, table2
	Figures     []*Figure
	Claims      []*Claim
	Mechanisms  []*Mechanism // what the model lacks for claims that are not reproduced

	chances map[string]Chance // of the claims, on machines with random numbers
}

// Definition is an expression with a name, for use in others.
type Definition struct {
	Name string
	Expression
}

// Experiment is a grid of runs: every variant at every point.
type Experiment struct {
	Name, Title string
	Place       keys.Place
	XName       string // meaning of the points
	Scenario    string // base of all runs; "": a grid of numbers for closed-form models
	Variants    []Variant
	Points      []Point
	Bars        []Bar // the pieces of its figure, bottom to top; none: no figure
	common      []Setting
	runs        []*Run
}

// Variant is a column of an experiment, such as an algorithm.
type Variant struct {
	Name     string // an identifier of expressions
	Settings []Setting
}

// Point is a place on the x axis of an experiment.
type Point struct {
	Label    string
	Settings []Setting
}

// Setting gives a path of the scenario a value, as --set does.
type Setting struct {
	Path, Value string
	Place       keys.Place
}

func (s Setting) String() string { return s.Path + "=" + s.Value }

// Bar is a piece of a stacked bar.
type Bar struct{ Name, Metric string }

// Claim is one checkable statement of a paper.
type Claim struct {
	ID        string
	Place     string // in the paper
	Text      string // in our words
	Metric    Expression
	Kind      ClaimKind
	Basis     string // why the kind is Derived or Construction
	Judged    Judged
	Published float64 // of Value, Least and Most; the lower end of a Band
	Upper     float64 // of a Band
	Unit      string
	Tolerance float64        // absolute
	Reason    string         // why this tolerance, or this reading of the words
	Fit       string         // the fit that used it; "": none
	Known     string         // why it does not hold; "": it is expected to
	Residual  string         // of a table: why cells without a separate explanation do not hold
	Unknown   string         // of a table: why a cell that is withheld is not predicted; "": it is computed
	Cell      map[string]any // of a table: the description of the cell in the record
	at        keys.Place
	cell      *series // of a table: the cell that bare metric names refer to
}

// Judged is how a claim is judged.
type Judged uint8

// The ways to judge a claim.
const (
	Value    Judged = iota // |simulated - published| <= tolerance
	Least                  // simulated >= published - tolerance
	Most                   // simulated <= published + tolerance
	Band                   // published - tolerance <= simulated <= upper + tolerance
	Truth                  // the metric is true
	Withheld               // the published value is not known here; computed all the same
)

// numeric tells whether a number is published.
func (j Judged) numeric() bool { return j < Truth }

// Holds tells whether a value satisfies a claim of a number; a Truth is 1 or 0. A value
// that cannot be computed (NaN) satisfies no claim.
func (c *Claim) Holds(x float64) bool {
	switch c.Judged {
	case Value:
		return math.Abs(x-c.Published) <= c.Tolerance
	case Least:
		return x >= c.Published-c.Tolerance
	case Most:
		return x <= c.Published+c.Tolerance
	case Band:
		return x >= c.Published-c.Tolerance && x <= c.Upper+c.Tolerance
	}
	return x == 1
}

// AtEdge tells whether a tenth more or less of the tolerance would give another verdict on a value.
func (c *Claim) AtEdge(x float64) bool {
	narrow, wide := *c, *c
	narrow.Tolerance, wide.Tolerance = 0.9*c.Tolerance, 1.1*c.Tolerance
	return narrow.Holds(x) != wide.Holds(x)
}

// run returns the run of a variant at a point.
func (e *Experiment) run(variant, point int) *Run { return e.runs[variant*len(e.Points)+point] }

// named returns the one of some things that has a name; nil: none has.
func named[T any](all []*T, nameOf func(*T) string, name string) *T {
	i := slices.IndexFunc(all, func(x *T) bool { return nameOf(x) == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// namesOf returns the names of some things.
func namesOf[T any](all []T, nameOf func(T) string) (names []string) {
	for _, x := range all {
		names = append(names, nameOf(x))
	}
	return names
}

func (e *Experiment) name() string { return e.Name }
func (c *Claim) id() string        { return c.ID }
func (f *Figure) name() string     { return f.Name }
func (v Variant) name() string     { return v.Name }
func (at Point) label() string     { return at.Label }
func (d Definition) name() string  { return d.Name }

func (p *Paper) experiment(name string) *Experiment {
	return named(p.Experiments, (*Experiment).name, name)
}

func (p *Paper) definition(name string) *Definition {
	if i := slices.Index(namesOf(p.Definitions, Definition.name), name); i >= 0 {
		return &p.Definitions[i]
	}
	return nil
}

// Claim returns the claim with an id, or nil.
func (p *Paper) Claim(id string) *Claim { return named(p.Claims, (*Claim).id, id) }

// names returns all possible names in an expression.
func (p *Paper) names() []string {
	return append(p.experimentNames(), namesOf(p.Definitions, Definition.name)...)
}

func (p *Paper) experimentNames() []string { return namesOf(p.Experiments, (*Experiment).name) }

// variant returns the index of a variant, -1 if there is none.
func (e *Experiment) variant(name string) int { return slices.Index(e.variantNames(), name) }

func (e *Experiment) variantNames() []string { return namesOf(e.Variants, Variant.name) }

func (e *Experiment) labels() []string { return namesOf(e.Points, Point.label) }

// Run is one run of an experiment.
type Run struct {
	Scenario string
	Settings []Setting // sorted by path, each path once
}

// newRun merges layers of settings; later ones win.
func newRun(scenario string, layers ...[]Setting) *Run {
	r := &Run{Scenario: scenario}
	for _, layer := range layers {
		for _, s := range layer {
			r.set(s)
		}
	}
	slices.SortFunc(r.Settings, func(a, b Setting) int { return strings.Compare(a.Path, b.Path) })
	return r
}

func (r *Run) set(s Setting) {
	for i := range r.Settings {
		if r.Settings[i].Path == s.Path {
			r.Settings[i] = s
			return
		}
	}
	r.Settings = append(r.Settings, s)
}

// Value returns the value that a path is set to; "" if it is not set.
func (r *Run) Value(path string) string {
	for _, s := range r.Settings {
		if s.Path == path {
			return s.Value
		}
	}
	return ""
}

// key tells runs apart: equal keys are the same simulation.
func (r *Run) key() string {
	var b strings.Builder
	b.WriteString(r.Scenario)
	for _, s := range r.Settings {
		b.WriteString("\n" + s.String())
	}
	return b.String()
}
