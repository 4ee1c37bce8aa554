package papers

import (
	"strings"

	"overlapsim/scenarios/keys"
)

// ReadFit reads and checks the description of a fit. The error is of type
// scenarios.Problems.
func ReadFit(file string, text []byte) (*Fit, error) {
	var problems keys.Problems
	r := &fitReader{&Fit{Seed: 1}}
	r.read(keys.ReadTree(file, text, &problems))
	return r.Fit, problems.Err()
}

// fitReader is a fit being read.
type fitReader struct{ *Fit }

func (r *fitReader) read(root keys.Tree) {
	var paper, parameters, claims keys.Tree
	root.Decode(
		required("fit", &r.Name, "the name of the fit, as of its file"),
		required("paper", &paper, "the paper whose claims it uses"),
		positive("seed", &r.Seed, "of the starting points"),
		optional("least_squares", &r.LeastSquares,
			"searches from the priors on, which all parameters then have; if omitted: the simplex, from anywhere"),
		positive("starts", &r.Starts, "searches from different points"),
		positive("evaluations", &r.Evaluations, "of the residuals, at most, in all"),
		required("parameters", &parameters, "what is to be found"),
		required("claims", &claims, "the claims that are to be reproduced"),
	)
	for v := range parameters.Items() {
		r.readParameter(v)
	}
	if !paper.Given() {
		return
	}
	p, err := Load(paper.Text())
	if err != nil {
		paper.Complain("%s", err)
		return
	}
	r.Paper = p
	for v := range claims.Items() {
		r.readTerm(v)
	}
	if claims.Given() {
		r.checkUse(claims)
	}
}

func (r *fitReader) readParameter(t keys.Tree) {
	p := Parameter{}
	var bounds []float64
	var prior keys.Tree
	t.Decode(append(p.Rows(&bounds),
		required("machine", &p.Machine, "the machine that has it"),
		required("path", &p.Path, "its path in the machine's file"),
		optional("also", &p.Also, "paths that get the same value"),
		optional("whole", &p.Whole, "whole numbers only"),
		optional("prior", &prior, "what is known of it before"),
	)...)
	if !p.Within(bounds, t) {
		return
	}
	if prior.Given() {
		p.Prior = readPrior(prior)
	} else if r.LeastSquares {
		t.ComplainOf("prior", "must be given: least squares begins at the priors")
	}
	r.Parameters = append(r.Parameters, p)
}

func readPrior(t keys.Tree) *Prior {
	p := &Prior{}
	t.Decode(
		required("value", &p.Value, "the likeliest value"),
		required("factor", &p.Factor, "by which it may well be off"),
		required("source", &p.Source, "who says so"),
	)
	if !(p.Value > 0 && p.Factor > 1) {
		t.Complain("needs a positive value and a factor above 1, got %g and %g", p.Value, p.Factor)
	}
	return p
}

// readTerm reads a claim that the fit uses: {id, metric, scale} for a number,
// {id, margin, scale} for what must hold.
func (r *fitReader) readTerm(v keys.Tree) {
	var id string
	var t Term
	var metric, margin keys.Tree
	v.Decode(
		required("id", &id, "the claim"),
		optional("metric", &metric, "an expression that is to give the published value, in place of the claim's metric"),
		optional("margin", &margin, "an expression that must be positive"),
		optional("scale", &t.Scale, "the size of a residual of 1"),
	)
	if t.Claim = r.Paper.Claim(id); t.Claim == nil {
		v.ComplainOf("id", "no claim of the paper is called %s", id)
		return
	}
	t.Metric, t.Margin = t.Claim.Metric, margin.Given()
	if t.Margin {
		t.Metric = readExpression(margin)
	} else if metric.Given() {
		t.Metric = readExpression(metric)
	}
	r.checkTerm(&t, v)
	r.Terms = append(r.Terms, t)
}

// checkTerm reports a term that has no residual.
func (r *fitReader) checkTerm(t *Term, v keys.Tree) {
	if t.Scale == 0 && !t.Margin {
		t.Scale = t.Claim.Tolerance
	}
	if !(t.Scale > 0) {
		v.ComplainOf("scale", "must be given, and positive: the size of a residual of 1")
	}
	if !t.Margin && !t.Claim.Judged.numeric() {
		v.ComplainOf("margin", "must be given: %s has no published number", t.Claim.ID)
	}
	if t.Metric.root == nil {
		return // already reported
	}
	probe := *t.Claim
	probe.Judged, probe.Metric = Value, t.Metric
	shapes := &paperReader{Paper: r.Paper}
	if err := shapes.checkMetric(&probe, map[*Experiment]bool{}); err != nil {
		v.Complain("%s", err)
	}
}

// checkUse reports a mistake if the paper's file and the fit do not name the same claims.
func (r *fitReader) checkUse(claims keys.Tree) {
	used := map[string]bool{}
	for _, t := range r.Terms {
		used[t.Claim.ID] = true
		if t.Claim.Fit != r.Name {
			claims.Complain("%s is used here, but not marked used_in_fit: %s in %s", t.Claim.ID, r.Name, r.Paper.File)
		}
	}
	var missing []string
	for _, c := range r.Paper.Claims {
		if c.Fit == r.Name && !used[c.ID] {
			missing = append(missing, c.ID)
		}
	}
	if missing != nil {
		claims.Complain("not used here, but marked used_in_fit: %s", strings.Join(missing, ", "))
	}
}
