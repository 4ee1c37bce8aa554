package papers

import (
	"fmt"
	"math"

	"overlapsim/scenarios/keys"
)

// check finds mistakes of a file whose parts are all well formed.
func (p *paperReader) check() {
	used := map[*Experiment]bool{}
	for i := range p.Definitions {
		d := &p.Definitions[i]
		if _, err := p.shapes(nil, map[*Experiment]bool{}).eval(&d.Expression); err != nil {
			p.wrong(d.Place, "definitions."+d.Name, err)
		}
	}
	p.checkFigures(p.printed)
	seen := map[string]bool{}
	wrong := map[keys.Place]bool{} // the cells of a table share a metric
	for _, c := range p.Claims {
		if seen[c.ID] {
			p.wrong(c.at, "claims", fmt.Errorf("two claims are called %s", c.ID))
		}
		seen[c.ID] = true
		if err := p.checkMetric(c, used); err != nil && !wrong[c.Metric.Place] {
			wrong[c.Metric.Place] = true
			p.wrong(c.Metric.Place, "claims."+c.ID+".metric", err)
		}
	}
	p.checkMechanisms()
	for _, e := range p.Experiments {
		if !used[e] {
			p.wrong(e.Place, "experiments."+e.Name, fmt.Errorf("no claim uses this experiment"))
		}
		p.checkNumbers(e)
	}
}

func (p *paperReader) wrong(at keys.Place, key string, err error) {
	p.problems = append(p.problems, keys.Problem{Place: at, Key: key, Message: err.Error()})
}

// shapes returns an evaluator that runs nothing. It finds unknown names, unequal lengths,
// and truths in place of numbers.
func (p *paperReader) shapes(cell *series, used map[*Experiment]bool) *evaluator {
	return &evaluator{paper: p.Paper, row: cell, dry: true, metric: func(e *Experiment, _, _ int, _ string) (float64, error) {
		used[e] = true
		return math.NaN(), nil
	}}
}

// checkMetric reports a metric that cannot be judged.
func (p *paperReader) checkMetric(c *Claim, used map[*Experiment]bool) error {
	v, err := p.shapes(c.cell, used).eval(&c.Metric)
	switch {
	case err != nil:
		return err
	case v.vector:
		return fmt.Errorf("is %s; make one of them, by max, mean, all, any or an index", v.is())
	case v.truth && c.Judged.numeric():
		return fmt.Errorf("is true or false, but a number is published")
	case !v.truth && c.Judged == Truth:
		return fmt.Errorf("is a number; say what must hold of it")
	}
	return nil
}

// checkNumbers reports settings of a grid of numbers that are not numbers.
func (p *paperReader) checkNumbers(e *Experiment) {
	if e.Scenario != "" {
		return
	}
	for _, run := range e.runs {
		if _, err := Numbers(run); err != nil {
			p.wrong(e.Place, "experiments."+e.Name, err)
			return
		}
	}
}
