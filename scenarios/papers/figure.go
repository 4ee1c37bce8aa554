package papers

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
)

// Figure is a figure or a table of a paper: which parts are simulated, and why the others
// are not.
type Figure struct {
	Name      string // fig4, fig7a, table2
	Title     string
	Absent    string // why nothing of it is simulated
	Lacks     string // what of it is not simulated, and why
	Panels    []*Drawing
	Timelines []*Timeline
	Maps      *Maps
	place     keys.Place
}

// Timeline is a run of the library that corresponds to a Gantt chart of the paper.
type Timeline struct {
	Title, Scenario string
	Set             []string // changes of the scenario
	Calls           bool     // the paper's colours are calls of the program and of its library
}

// Maps are heat maps of the overlap benchmark: rows of a scenario, and benchmarks of them.
type Maps struct {
	Scenario   string
	Runs       []string // names of runs
	Benchmarks []string // none: all
}

// figureName is what a figure is called: its number, and the letter of a part.
var figureName = keys.Pattern(`^((?:fig|table)[0-9]+)[a-z]?$`)

// readFigures reads the figures of a paper; printed are the names of all that its text has.
func (p *paperReader) readFigures(t keys.Tree) {
	for name, v := range t.Entries() {
		if !figureName().MatchString(name) {
			v.Complain("must be called as in the paper: fig4, fig7a, table2")
		}
		p.Figures = append(p.Figures, p.readFigure(name, v))
	}
}

func (p *paperReader) readFigure(name string, t keys.Tree) *Figure {
	f := &Figure{Name: name, place: t.Place()}
	var panels, timelines, maps keys.Tree
	t.Decode(
		required("title", &f.Title, "what it shows, in a line"),
		optional("absent", &f.Absent, "why nothing of it is simulated"),
		optional("lacks", &f.Lacks, "what of it is not simulated, and why"),
		optional("panels", &panels, "drawings of expressions"),
		optional("timelines", &timelines, "runs that show a Gantt chart"),
		optional("maps", &maps, "heat maps of the overlap benchmark"),
	)
	for v := range panels.Items() {
		f.Panels = append(f.Panels, p.readDrawing(v, f.Title))
	}
	for v := range timelines.Items() {
		f.Timelines = append(f.Timelines, readTimeline(v))
	}
	if maps.Given() {
		f.Maps = readMaps(maps)
	}
	if f.simulated() == (f.Absent != "") {
		t.Complain("must have panels, timelines or maps, or say in absent why nothing is simulated")
	}
	return f
}

func readTimeline(t keys.Tree) *Timeline {
	line := &Timeline{}
	t.Decode(
		required("title", &line.Title, "what the run is"),
		required("scenario", &line.Scenario, "a built-in scenario, of one run"),
		optional("set", &line.Set, "changes of the scenario, such as workload.rounds=3"),
		optional("calls", &line.Calls, "colours are calls of the program and of its library"))
	return line
}

func readMaps(t keys.Tree) *Maps {
	m := &Maps{}
	t.Decode(
		required("scenario", &m.Scenario, "whose runs are the rows"),
		required("runs", &m.Runs, "names of the runs, from the top"),
		optional("benchmarks", &m.Benchmarks, "the columns; if omitted: all"))
	return m
}

func (f *Figure) simulated() bool { return len(f.Panels) > 0 || len(f.Timelines) > 0 || f.Maps != nil }

// Number is the name without the letter of a part.
func (f *Figure) Number() string { return figureName().FindStringSubmatch(f.Name)[1] }

// checkFigures reports figures that the paper does not have, and those that are missing.
func (p *paperReader) checkFigures(printed keys.Tree) {
	seen := map[string]bool{}
	for _, f := range p.Figures {
		for _, d := range f.Panels {
			p.checkDrawing(d)
		}
		if !figureName().MatchString(f.Name) {
			continue
		}
		seen[f.Number()] = true
		if !slices.Contains(p.Printed, f.Number()) {
			p.wrong(f.place, "figures."+f.Name, fmt.Errorf("is not in printed, the list of what the paper has"))
		}
	}
	for _, name := range p.Printed {
		if !seen[name] {
			printed.Complain("there is no %s among the figures", name)
		}
	}
}

// Figure returns the figure with a name, or nil.
func (p *Paper) Figure(name string) *Figure { return named(p.Figures, (*Figure).name, name) }

// LoadFigure returns a figure by its name PAPER/FIGURE; it is nil if no figure has this
// name.
func LoadFigure(name string) (*Paper, *Figure, error) {
	paper, figure, _ := strings.Cut(name, "/")
	if !slices.Contains(Names(), paper) {
		return nil, nil, nil
	}
	p, err := Load(paper)
	if err != nil {
		return nil, nil, err
	}
	return p, p.Figure(figure), nil
}

// runs returns the runs that a figure needs, each once.
func (p *Paper) runs(f *Figure) (all []*Run, err error) {
	add := func(e *Expression, row *series) {
		runs, wrong := p.needs(e, row)
		if wrong != nil && err == nil {
			err = wrong
		}
		for _, r := range runs {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	for _, d := range f.Panels {
		for _, c := range d.columns() {
			add(c.e, c.row)
		}
		for _, e := range []*Expression{&d.Values, &d.Per} {
			if e.root != nil {
				add(e, nil)
			}
		}
	}
	return all, err
}

// State says in a few words which parts of a figure are simulated.
func (p *Paper) State(f *Figure) string {
	switch {
	case !f.simulated():
		return "not simulated"
	case f.Lacks != "":
		return "simulated in part"
	case p.compared(f):
		return "simulated, next to printed values"
	}
	return "simulated; data not printed"
}

// compared tells whether the text prints a number of a figure.
func (p *Paper) compared(f *Figure) bool {
	for _, d := range f.Panels {
		if len(d.Printed) > 0 || d.Table != "" {
			return true
		}
	}
	return slices.ContainsFunc(p.claimsOf(f), func(c *Claim) bool { return c.Judged.numeric() })
}

// Why says which parts of a figure are not simulated; "" if all are.
func (f *Figure) Why() string { return f.Absent + f.Lacks }

// Summary is the state of a figure, with the reason for what is not simulated.
func (p *Paper) Summary(f *Figure) string {
	state := p.State(f)
	switch {
	case f.Absent != "":
		state += ": " + f.Absent
	case f.Lacks != "":
		state += "; not simulated: " + f.Lacks
	}
	return state
}

// claimsOf returns the claims about a figure that its runs decide.
func (p *Paper) claimsOf(f *Figure) (all []*Claim) {
	runs, err := p.runs(f)
	if err != nil || len(runs) == 0 {
		return nil
	}
	has := map[string]bool{}
	for _, r := range runs {
		has[r.key()] = true
	}
	for _, c := range p.Claims {
		if c.cell != nil || !mentions(c.Place, f.Name) {
			continue
		}
		needed, err := p.needs(&c.Metric, c.cell)
		if err == nil && len(needed) > 0 && !slices.ContainsFunc(needed, func(r *Run) bool { return !has[r.key()] }) {
			all = append(all, c)
		}
	}
	return all
}
