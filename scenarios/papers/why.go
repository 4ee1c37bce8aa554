package papers

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// why says in numbers which part of a false claim does not hold.
func (p *Paper) why(c *Claim, results Results) string {
	v := &evaluation{&evaluator{paper: p, row: c.cell, metric: results.metric}, &c.Metric}
	return strings.Join(v.failures(c.Metric.root), "; ")
}

// failures returns the comparisons of a condition that do not hold.
func (v *evaluation) failures(x ast.Expr) []string {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return v.failures(x.X)
	case *ast.CallExpr:
		if name, ok := x.Fun.(*ast.Ident); ok && name.Name == "all" {
			return v.failures(x.Args[0])
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND {
			return append(v.failures(x.X), v.failures(x.Y)...)
		}
		if op := operators[x.Op]; op.gives && !op.takes {
			return v.comparison(x)
		}
	}
	if result, err := v.eval(x); err != nil || sum(result.x) == float64(len(result.x)) {
		return nil
	}
	return []string{"not so: " + v.e.part(x)}
}

// comparison shows both sides of a comparison at the points where it does not
// hold.
func (v *evaluation) comparison(x *ast.BinaryExpr) []string {
	a, errA := v.eval(x.X)
	b, errB := v.eval(x.Y)
	holds, err := v.eval(x)
	if errA != nil || errB != nil || err != nil {
		return nil
	}
	var at []string
	for i, yes := range holds.x {
		if yes == 1 {
			continue
		}
		shown := fmt.Sprintf("%s %s %s", short(a.at(i)), x.Op, short(b.at(i)))
		if holds.vector {
			shown += fmt.Sprintf(" at %d", i)
		}
		at = append(at, shown)
	}
	if at == nil {
		return nil
	}
	return []string{"not so: " + strings.Join(at, ", ") + " (" + v.e.part(x) + ")"}
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
