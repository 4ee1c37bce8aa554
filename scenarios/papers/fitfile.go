package papers

import (
	"math"
	"strings"

	"go.yaml.in/yaml/v3"

	"overlapsim/scenarios"
)

// ReadFit reads and checks the description of a fit. The error is of type
// scenarios.Problems.
func ReadFit(file string, text []byte) (*Fit, error) {
	r := &fitReader{&reader{file: file}, &Fit{Seed: 1}}
	root := r.root(text)
	if root == nil {
		return nil, r.err()
	}
	var seed float64
	var claims *yaml.Node
	r.fields(root, "",
		field{"fit", true, r.text(&r.Name)},
		field{"paper", true, r.readPaper},
		field{"seed", true, r.number(&seed)},
		field{"starts", true, r.positive(&r.Starts)},
		field{"evaluations", true, r.positive(&r.Evaluations)},
		field{"parameters", true, r.readParameters},
		field{"claims", true, func(n *yaml.Node, _ string) { claims = n }},
	)
	r.Seed = uint64(seed)
	if r.Paper != nil && claims != nil {
		r.readTerms(claims, "claims")
		r.checkUse(claims)
	}
	return r.Fit, r.err()
}

type fitReader struct {
	*reader
	*Fit
}

func (r *fitReader) readPaper(n *yaml.Node, path string) {
	p, err := Load(n.Value)
	if err != nil {
		r.complain(n, path, "%s", err)
		return
	}
	r.Paper = p
}

// positive reads a small positive integer.
func (r *fitReader) positive(to *int) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		var x float64
		r.number(&x)(n, path)
		if x < 1 || x > 1e6 || x != math.Trunc(x) {
			r.complain(n, path, "must be a whole number from 1 to a million, got %s", shape(n))
		}
		*to = int(x)
	}
}

func (r *fitReader) readParameters(n *yaml.Node, path string) {
	r.items(n, path, func(v *yaml.Node, path string) {
		p := Parameter{}
		bounds := []float64{}
		r.fields(v, path,
			field{"machine", true, r.text(&p.Machine)},
			field{"path", true, r.text(&p.Path)},
			field{"also", false, func(n *yaml.Node, path string) { r.texts(&p.Also, n, path) }},
			field{"unit", false, r.text(&p.Unit)},
			field{"whole", false, r.flag(&p.Whole)},
			field{"bounds", true, func(n *yaml.Node, path string) { r.numbers(&bounds, n, path) }},
			field{"prior", false, func(n *yaml.Node, path string) { p.Prior = r.readPrior(n, path) }},
		)
		if len(bounds) != 2 || !(0 < bounds[0] && bounds[0] < bounds[1]) {
			r.complain(v, join(path, "bounds"), "must be two positive numbers, the smaller first")
			return
		}
		p.Low, p.High = bounds[0], bounds[1]
		r.Parameters = append(r.Parameters, p)
	})
}

func (r *fitReader) flag(to *bool) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		if n.Value != "true" && n.Value != "false" {
			r.complain(n, path, "must be true or false, got %s", shape(n))
		}
		*to = n.Value == "true"
	}
}

func (r *fitReader) texts(to *[]string, n *yaml.Node, path string) {
	r.items(n, path, func(v *yaml.Node, path string) {
		var s string
		r.text(&s)(v, path)
		*to = append(*to, s)
	})
}

func (r *fitReader) numbers(to *[]float64, n *yaml.Node, path string) {
	r.items(n, path, func(v *yaml.Node, path string) {
		var x float64
		r.number(&x)(v, path)
		*to = append(*to, x)
	})
}

func (r *fitReader) readPrior(n *yaml.Node, path string) *Prior {
	p := &Prior{}
	r.fields(n, path,
		field{"value", true, r.number(&p.Value)},
		field{"factor", true, r.number(&p.Factor)},
		field{"source", true, r.text(&p.Source)},
	)
	if !(p.Value > 0 && p.Factor > 1) {
		r.complain(n, path, "needs a positive value and a factor above 1, got %g and %g", p.Value, p.Factor)
	}
	return p
}

// readTerms reads the claims that the fit uses: {id, metric, scale} for a
// number, {id, margin, scale} for what must hold.
func (r *fitReader) readTerms(n *yaml.Node, path string) {
	r.items(n, path, func(v *yaml.Node, path string) {
		var id string
		var t Term
		var margin Expression
		r.fields(v, path,
			field{"id", true, r.text(&id)},
			field{"metric", false, r.expression(&t.Metric)},
			field{"margin", false, r.expression(&margin)},
			field{"scale", false, r.number(&t.Scale)},
		)
		if t.Claim = r.Paper.Claim(id); t.Claim == nil {
			r.complain(v, join(path, "id"), "no claim of the paper is called %s", id)
			return
		}
		t.Margin = margin.Text != ""
		if t.Margin {
			t.Metric = margin
		} else if t.Metric.Text == "" {
			t.Metric = t.Claim.Metric
		}
		r.checkTerm(&t, v, path)
		r.Terms = append(r.Terms, t)
	})
}

// checkTerm complains about a term that has no residual.
func (r *fitReader) checkTerm(t *Term, n *yaml.Node, path string) {
	if t.Scale == 0 && !t.Margin {
		t.Scale = t.Claim.Tolerance
	}
	if !(t.Scale > 0) {
		r.complain(n, join(path, "scale"), "must be given, and positive: the size of a residual of 1")
	}
	if !t.Margin && (t.Claim.Kind == Truth || t.Claim.Kind == Withheld) {
		r.complain(n, join(path, "margin"), "must be given: %s has no published number", t.Claim.ID)
	}
	probe := *t.Claim
	probe.Kind, probe.Metric = Value, t.Metric
	shapes := &paperReader{reader: r.reader, Paper: r.Paper}
	if err := shapes.checkMetric(&probe, map[*Experiment]bool{}); err != nil {
		r.complain(n, path, "%s", err)
	}
}

// checkUse complains if the paper's file and the fit do not name the same
// claims.
func (r *fitReader) checkUse(n *yaml.Node) {
	used := map[string]bool{}
	for _, t := range r.Terms {
		used[t.Claim.ID] = true
		if t.Claim.Fit != r.Name {
			r.complain(n, "claims", "%s is used here, but not marked used_in_fit: %s in %s", t.Claim.ID, r.Name, r.Paper.File)
		}
	}
	var missing []string
	for _, c := range r.Paper.Claims {
		if c.Fit == r.Name && !used[c.ID] {
			missing = append(missing, c.ID)
		}
	}
	if missing != nil {
		r.problems = append(r.problems, scenarios.Problem{Place: r.reader.place(n), Key: "claims",
			Message: "not used here, but marked used_in_fit: " + strings.Join(missing, ", ")})
	}
}
