package papers

import (
	"go/ast"
	"go/token"
	"strconv"

	"overlapsim/scenarios/keys"
)

// series is a variant of an experiment, over some of its points.
type series struct {
	experiment *Experiment
	variant    int
	points     []int
	single     bool // one point, so that a metric is one number
}

// selector is EXPERIMENT.VARIANT.METRIC; an index after the variant may pick points.
func (v *evaluation) selector(x *ast.SelectorExpr) (value, error) {
	s, err := v.series(x.X)
	if err != nil {
		return value{}, err
	}
	return v.over(x, s, x.Sel.Name)
}

// over returns a metric over the points of a series.
func (v *evaluation) over(x ast.Node, s *series, metric string) (value, error) {
	result := value{x: make([]float64, len(s.points)), vector: !s.single}
	for i, p := range s.points {
		var err error
		if result.x[i], err = v.metric(s.experiment, s.variant, p, metric); err != nil {
			return value{}, v.errorf(x, "%s", err)
		}
	}
	return result, nil
}

// series is EXPERIMENT.VARIANT, EXPERIMENT.VARIANT[2], [1:], ["label"].
func (v *evaluation) series(x ast.Expr) (*series, error) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return v.series(x.X)
	case *ast.SelectorExpr:
		return v.variant(x)
	case *ast.IndexExpr, *ast.SliceExpr:
		s, err := v.series(inner(x))
		if err != nil {
			return nil, err
		}
		if s.single {
			return nil, v.errorf(x, "is one point already")
		}
		from, to, single, err := v.pick(x, len(s.points), s)
		return &series{s.experiment, s.variant, s.points[from:to], single}, err
	}
	if name, ok := x.(*ast.Ident); ok && v.paper.experiment(name.Name) != nil {
		return nil, v.errorf(x, "is an experiment; write %s.VARIANT.METRIC", name.Name)
	}
	return nil, v.errorf(x, "must be EXPERIMENT.VARIANT")
}

func (v *evaluation) variant(x *ast.SelectorExpr) (*series, error) {
	name, ok := x.X.(*ast.Ident)
	if !ok {
		return nil, v.errorf(x, "must be EXPERIMENT.VARIANT")
	}
	e := v.paper.experiment(name.Name)
	if e == nil {
		return nil, v.errorf(name, "unknown experiment%s", meant(name.Name, v.paper.experimentNames()))
	}
	i := e.variant(x.Sel.Name)
	if i < 0 {
		return nil, v.errorf(x, "unknown variant%s", meant(x.Sel.Name, e.variantNames()))
	}
	return &series{e, i, count(len(e.Points)), false}, nil
}

// count returns 0, 1, ..., n-1.
func count(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// inner is the expression that an index applies to.
func inner(x ast.Expr) ast.Expr {
	if slice, ok := x.(*ast.SliceExpr); ok {
		return slice.X
	}
	return x.(*ast.IndexExpr).X
}

// index picks from a vector.
func (v *evaluation) index(x ast.Expr) (value, error) {
	a, err := v.eval(inner(x))
	if err != nil {
		return value{}, err
	}
	if !a.vector {
		return value{}, v.errorf(x, "%s is %s and has no points", v.e.part(inner(x)), a.is())
	}
	from, to, single, err := v.pick(x, len(a.x), nil)
	if err != nil {
		return value{}, err
	}
	return value{a.x[from:to], a.truth, !single}, nil
}

// pick returns the range of an index or a slice of n points; s is the series whose labels
// may be used.
func (v *evaluation) pick(x ast.Expr, n int, s *series) (from, to int, single bool, err error) {
	if one, ok := x.(*ast.IndexExpr); ok {
		from, err = v.position(one.Index, n-1, s)
		return from, from + 1, true, err
	}
	slice := x.(*ast.SliceExpr)
	to = n
	if slice.Slice3 {
		err = v.errorf(x, "has one colon too many")
	}
	if slice.Low != nil && err == nil {
		from, err = v.position(slice.Low, n, s)
	}
	if slice.High != nil && err == nil {
		to, err = v.position(slice.High, n, s)
	}
	if err == nil && from >= to {
		err = v.errorf(x, "holds no point")
	}
	if err != nil {
		return 0, 0, false, err
	}
	return from, to, false, nil
}

// position is an index 0 to last, or the label of a point.
func (v *evaluation) position(x ast.Expr, last int, s *series) (int, error) {
	lit, ok := x.(*ast.BasicLit)
	switch {
	case ok && lit.Kind == token.INT:
		if i, err := strconv.Atoi(lit.Value); err == nil && i <= last {
			return i, nil
		}
		return 0, v.errorf(x, "there is no such point; the last one is %d", last)
	case ok && lit.Kind == token.STRING && s != nil:
		label, _ := strconv.Unquote(lit.Value)
		for i, p := range s.points {
			if s.experiment.Points[p].Label == label {
				return i, nil
			}
		}
		return 0, v.errorf(x, "no point has this label%s", meant(label, s.experiment.labels()))
	}
	return 0, v.errorf(x, "must be a number, or behind a variant the label of a point")
}

// meant suggests the intended name for a mistyped one.
func meant(name string, choices []string) string {
	if len(choices) == 0 {
		return ""
	}
	return ", " + keys.Instead(name, choices)
}
