package papers

import (
	"go/token"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Read reads and checks the file of a paper. The error is of type
// scenarios.Problems and holds all mistakes.
func Read(file string, text []byte) (*Paper, error) {
	r := &reader{file: file}
	p := &paperReader{reader: r, Paper: &Paper{File: file}}
	if root := r.root(text); root != nil {
		p.read(root)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	p.check()
	return p.Paper, r.err()
}

// paperReader is a paper being read.
type paperReader struct {
	*reader
	*Paper
	bars []Bar // of experiments that name none
}

func (p *paperReader) read(root *yaml.Node) {
	p.fields(root, "",
		field{"paper", true, p.text(&p.Name)},
		field{"title", true, p.text(&p.Title)},
		field{"bars", false, p.readBars(&p.bars)},
		field{"experiments", false, p.readExperiments},
		field{"definitions", false, p.readDefinitions},
		field{"figures", false, p.readDrawings},
		field{"claims", false, p.readClaims},
		field{"tables", false, p.readTables},
	)
	for _, e := range p.Experiments {
		if e.Bars == nil && e.Scenario != "" {
			e.Bars = p.bars
		}
	}
}

// readBars reads the pieces of a figure's bars: what the paper calls a piece,
// and its metric.
func (p *paperReader) readBars(to *[]Bar) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		*to = []Bar{}
		p.entries(n, path, func(key, v *yaml.Node, path string) {
			b := Bar{Name: key.Value}
			p.text(&b.Metric)(v, path)
			*to = append(*to, b)
		})
	}
}

func (p *paperReader) readDefinitions(n *yaml.Node, path string) {
	p.entries(n, path, func(key, v *yaml.Node, path string) {
		p.identifier(key, path)
		d := Definition{Name: key.Value}
		p.expression(&d.Expression)(v, path)
		p.Definitions = append(p.Definitions, d)
	})
}

// identifier complains about a name that expressions cannot use.
func (p *paperReader) identifier(key *yaml.Node, path string) {
	if !token.IsIdentifier(key.Value) || key.Value == "true" || key.Value == "false" {
		p.complain(key, path, "must be a name of letters and digits, as expressions use it")
	}
}

func (p *paperReader) readExperiments(n *yaml.Node, path string) {
	p.entries(n, path, func(key, v *yaml.Node, path string) {
		p.identifier(key, path)
		e := &Experiment{Name: key.Value, Place: p.place(key)}
		like := p.readLike(e, v, path)
		p.fields(v, path,
			field{"title", true, p.text(&e.Title)},
			field{"like", false, func(*yaml.Node, string) {}},
			field{"x", false, p.text(&e.XName)},
			field{"scenario", false, p.text(&e.Scenario)},
			field{"common", false, p.readSettings(&e.common)},
			field{"variants", !like, p.readVariants(e)},
			field{"points", !like, p.readPoints(e)},
			field{"bars", false, p.readBars(&e.Bars)},
		)
		for _, w := range e.Variants {
			for _, at := range e.Points {
				e.runs = append(e.runs, newRun(e.Scenario, e.common, w.Settings, at.Settings))
			}
		}
		p.Experiments = append(p.Experiments, e)
	})
}

// readLike starts an experiment with all but the title of the one it is like.
// Its own variants and points take the place of the other's; its own common
// settings come on top.
func (p *paperReader) readLike(e *Experiment, n *yaml.Node, path string) bool {
	var name string
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "like" {
			n, path = n.Content[i+1], join(path, "like")
			p.text(&name)(n, path)
			break
		}
	}
	if name == "" {
		return false
	}
	other := p.Paper.experiment(name)
	if other == nil {
		p.complain(n, path, "unknown experiment, or one further down%s", meant(name, p.experimentNames()))
		return true
	}
	own := *e
	*e = *other
	e.Name, e.Place, e.Title, e.runs = own.Name, own.Place, "", nil
	e.common = slices.Clone(e.common)
	return true
}

func (p *paperReader) readVariants(e *Experiment) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		e.Variants = nil
		p.entries(n, path, func(key, v *yaml.Node, path string) {
			p.identifier(key, path)
			w := Variant{Name: key.Value}
			p.readSettings(&w.Settings)(v, path)
			e.Variants = append(e.Variants, w)
		})
		if len(e.Variants) == 0 {
			p.complain(n, path, "must name at least one variant")
		}
	}
}

func (p *paperReader) readPoints(e *Experiment) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		e.Points = nil
		p.items(n, path, func(v *yaml.Node, path string) {
			at := Point{}
			p.readSettings(&at.Settings)(v, path)
			i := slices.IndexFunc(at.Settings, func(s Setting) bool { return s.Path == "label" })
			if i < 0 {
				p.complain(v, join(path, "label"), "is missing")
				return
			}
			at.Label = at.Settings[i].Value
			at.Settings = slices.Delete(at.Settings, i, i+1)
			if slices.Contains(e.labels(), at.Label) {
				p.complain(v, join(path, "label"), "another point is labelled %s too", at.Label)
			}
			e.Points = append(e.Points, at)
		})
		if len(e.Points) == 0 {
			p.complain(n, path, "must hold at least one point such as {label: small, workload.rows: 64}")
		}
	}
}

// readSettings reads a mapping of scenario paths to values.
func (p *paperReader) readSettings(to *[]Setting) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		p.entries(n, path, func(key, v *yaml.Node, path string) {
			if v.Kind == yaml.AliasNode || v.ShortTag() == "!!null" {
				p.complain(v, path, "must be a value, got %s", shape(v))
				return
			}
			*to = append(*to, Setting{key.Value, flow(v), p.place(key)})
		})
	}
}

// flow returns a value on one line, as --set takes it.
func flow(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	line := *n
	line.Style = yaml.FlowStyle
	text, err := yaml.Marshal(&line)
	if err != nil {
		panic(err) // it came from YAML
	}
	return strings.TrimSpace(string(text))
}

func (p *paperReader) readClaims(n *yaml.Node, path string) {
	p.items(n, path, func(v *yaml.Node, path string) {
		c := &Claim{at: p.place(v)}
		var published *yaml.Node
		fields := append(p.claimFields(c),
			field{"id", true, p.text(&c.ID)},
			field{"published", true, func(n *yaml.Node, _ string) { published = n }},
			field{"explanation", false, p.text(&c.Known)},
		)
		tolerance := tolerance{}
		fields = append(fields, field{"tolerance", false, p.readTolerance(&tolerance)})
		p.fields(v, path, fields...)
		if published != nil {
			p.readPublished(c, published, join(path, "published"))
			tolerance.apply(p, c, v, path)
		}
		p.Claims = append(p.Claims, c)
	})
}

// claimFields are what claims and tables have in common.
func (p *paperReader) claimFields(c *Claim) []field {
	return []field{
		{"place", true, p.text(&c.Place)},
		{"claim", true, p.text(&c.Text)},
		{"metric", true, p.expression(&c.Metric)},
		{"unit", false, p.text(&c.Unit)},
		{"reason", true, p.text(&c.Reason)},
		{"used_in_fit", false, p.text(&c.Fit)},
	}
}

// readPublished reads a number, {at_least: ...}, {at_most: ...}, true or null.
func (p *paperReader) readPublished(c *Claim, n *yaml.Node, path string) {
	c.Published = math.NaN()
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) == 2:
		p.fields(n, path,
			field{"at_least", false, func(n *yaml.Node, path string) { c.Kind = Least; p.number(&c.Published)(n, path) }},
			field{"at_most", false, func(n *yaml.Node, path string) { c.Kind = Most; p.number(&c.Published)(n, path) }})
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
		c.Kind = Withheld
	case n.Kind == yaml.ScalarNode && n.Value == "true":
		c.Kind = Truth
	case n.Kind == yaml.ScalarNode:
		p.number(&c.Published)(n, path)
	default:
		p.complain(n, path, "must be a number, {at_least: number}, {at_most: number}, true, or null where it is withheld; got %s", shape(n))
	}
}

// tolerance is how far a result may be from what is published.
type tolerance struct {
	given    bool
	size     float64
	relative bool
}

// readTolerance reads a number or {relative: ...}.
func (p *paperReader) readTolerance(t *tolerance) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		t.given = true
		read := p.number(&t.size)
		if n.Kind == yaml.MappingNode {
			t.relative = true
			p.fields(n, path, field{"relative", true, read})
		} else {
			read(n, path)
		}
		if t.size < 0 {
			p.complain(n, path, "must not be negative, got %g", t.size)
		}
	}
}

// apply gives a claim its tolerance; n is where it is missing or too much.
func (t tolerance) apply(p *paperReader, c *Claim, n *yaml.Node, path string) {
	numeric := c.Kind == Value || c.Kind == Least || c.Kind == Most
	switch {
	case numeric && !t.given:
		p.complain(n, join(path, "tolerance"), "is missing; it is a number or {relative: number}")
	case !numeric && t.given:
		p.complain(n, join(path, "tolerance"), "means nothing here: nothing is published, or it is true or not")
	case t.relative:
		c.Tolerance = t.size * math.Abs(c.Published)
	default:
		c.Tolerance = t.size
	}
}
