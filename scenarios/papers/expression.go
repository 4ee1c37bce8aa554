package papers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
)

// Expression is a number or a condition over the results of experiments, in the syntax of
// Go; doc.go describes the language.
type Expression struct {
	Text  string
	Place keys.Place
	root  ast.Expr
}

// parse reads an expression; line breaks in it count as blanks.
func parse(text string, at keys.Place) (Expression, error) {
	line := strings.ReplaceAll(text, "\n", " ")
	root, err := parser.ParseExpr(line)
	if list, ok := err.(scanner.ErrorList); ok {
		return Expression{}, fmt.Errorf("is not an expression: %s at character %d of %s", list[0].Msg, list[0].Pos.Column, strconv.Quote(line))
	}
	return Expression{line, at, root}, err
}

// part returns the text of a part of the expression.
func (e *Expression) part(x ast.Node) string {
	return e.Text[x.Pos()-1 : x.End()-1]
}

// metricAt finds the value of a metric of a run.
type metricAt func(e *Experiment, variant, point int, metric string) (float64, error)

// evaluator computes the expressions of a paper.
type evaluator struct {
	paper  *Paper
	metric metricAt
	row    *series // the cell that bare metric names refer to, in a table
	dry    bool    // only shapes matter: where() keeps everything
	depth  int     // of definitions inside definitions
}

// eval computes an expression. Errors name the part that is wrong.
func (v *evaluator) eval(e *Expression) (value, error) {
	return (&evaluation{v, e}).eval(e.root)
}

// evaluation is the evaluator at work on one expression.
type evaluation struct {
	*evaluator
	e *Expression
}

// errorf reports a mistake in a part of the expression.
func (v *evaluation) errorf(x ast.Node, format string, args ...any) error {
	return fmt.Errorf("%s: %s", v.e.part(x), fmt.Sprintf(format, args...))
}

func (v *evaluation) eval(x ast.Expr) (value, error) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return v.eval(x.X)
	case *ast.BasicLit:
		return v.literal(x)
	case *ast.Ident:
		return v.name(x)
	case *ast.UnaryExpr:
		return v.unary(x)
	case *ast.BinaryExpr:
		return v.binary(x)
	case *ast.CallExpr:
		return v.call(x)
	case *ast.SelectorExpr:
		return v.selector(x)
	case *ast.IndexExpr, *ast.SliceExpr:
		return v.index(x)
	}
	return value{}, v.errorf(x, "has no meaning here; there are numbers, names, + - * /, comparisons, && || ! and functions")
}

func (v *evaluation) literal(x *ast.BasicLit) (value, error) {
	if x.Kind != token.INT && x.Kind != token.FLOAT {
		return value{}, v.errorf(x, "must be a number")
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(x.Value, "_", ""), 64)
	if err != nil {
		return value{}, v.errorf(x, "must be a decimal number")
	}
	return number(f), nil
}

// name is a truth, a definition of the paper, or in a table a metric.
func (v *evaluation) name(x *ast.Ident) (value, error) {
	if x.Name == "true" || x.Name == "false" {
		return truth(x.Name == "true"), nil
	}
	if d := v.paper.definition(x.Name); d != nil {
		return v.definition(x, d)
	}
	if v.row != nil {
		return v.over(x, v.row, x.Name)
	}
	if v.paper.experiment(x.Name) != nil {
		return value{}, v.errorf(x, "is an experiment; write %s.VARIANT.METRIC", x.Name)
	}
	return value{}, v.errorf(x, "unknown name%s", meant(x.Name, v.paper.names()))
}

// definition evaluates a definition, which may use others.
func (v *evaluation) definition(x *ast.Ident, d *Definition) (value, error) {
	inner := *v.evaluator
	if inner.depth++; inner.depth > len(v.paper.Definitions) {
		return value{}, v.errorf(x, "is defined by itself")
	}
	result, err := inner.eval(&d.Expression)
	if err != nil {
		return value{}, v.errorf(x, "%s", err)
	}
	return result, nil
}

func (v *evaluation) unary(x *ast.UnaryExpr) (value, error) {
	a, err := v.eval(x.X)
	switch {
	case err != nil:
		return value{}, err
	case x.Op == token.NOT && a.truth:
		a, _ = each(func(x ...float64) float64 { return 1 - x[0] }, a)
		a.truth = true
		return a, nil
	case x.Op == token.SUB && !a.truth:
		return each(func(x ...float64) float64 { return -x[0] }, a)
	}
	return value{}, v.errorf(x, "%s cannot be applied to %s", x.Op, a.is())
}

// operator combines two values of a kind.
type operator struct {
	takes, gives bool // truths; otherwise numbers
	f            func(x ...float64) float64
}

var operators = map[token.Token]operator{
	token.ADD:  {false, false, func(x ...float64) float64 { return x[0] + x[1] }},
	token.SUB:  {false, false, func(x ...float64) float64 { return x[0] - x[1] }},
	token.MUL:  {false, false, func(x ...float64) float64 { return x[0] * x[1] }},
	token.QUO:  {false, false, func(x ...float64) float64 { return x[0] / x[1] }},
	token.LSS:  {false, true, func(x ...float64) float64 { return bit(x[0] < x[1]) }},
	token.LEQ:  {false, true, func(x ...float64) float64 { return bit(x[0] <= x[1]) }},
	token.GTR:  {false, true, func(x ...float64) float64 { return bit(x[0] > x[1]) }},
	token.GEQ:  {false, true, func(x ...float64) float64 { return bit(x[0] >= x[1]) }},
	token.EQL:  {false, true, func(x ...float64) float64 { return bit(x[0] == x[1]) }},
	token.NEQ:  {false, true, func(x ...float64) float64 { return bit(x[0] != x[1]) }},
	token.LAND: {true, true, func(x ...float64) float64 { return x[0] * x[1] }},
	token.LOR:  {true, true, func(x ...float64) float64 { return math.Max(x[0], x[1]) }},
}

func (v *evaluation) binary(x *ast.BinaryExpr) (value, error) {
	op, ok := operators[x.Op]
	if !ok {
		return value{}, v.errorf(x, "there is no operator %s", x.Op)
	}
	a, err := v.eval(x.X)
	if err != nil {
		return value{}, err
	}
	b, err := v.eval(x.Y)
	if err != nil {
		return value{}, err
	}
	if a.truth != op.takes || b.truth != op.takes {
		return value{}, v.errorf(x, "%s cannot be applied to %s and %s", x.Op, a.is(), b.is())
	}
	result, err := each(op.f, a, b)
	if err != nil {
		return value{}, v.errorf(x, "%s", err)
	}
	result.truth = op.gives
	return result, nil
}

func (v *evaluation) call(x *ast.CallExpr) (value, error) {
	name, ok := x.Fun.(*ast.Ident)
	if !ok {
		return value{}, v.errorf(x.Fun, "is not a function")
	}
	f, ok := functions[name.Name]
	if !ok {
		return value{}, v.errorf(name, "unknown function%s", meant(name.Name, slices.Sorted(maps.Keys(functions))))
	}
	args := make([]value, len(x.Args))
	for i, a := range x.Args {
		var err error
		if args[i], err = v.eval(a); err != nil {
			return value{}, err
		}
		if args[i].truth != (i < f.truths) {
			return value{}, v.errorf(a, "%s wants %s here, got %s", name.Name, map[bool]string{true: "truths", false: "numbers"}[i < f.truths],
				args[i].is())
		}
	}
	if len(args) < f.least || f.most > 0 && len(args) > f.most {
		return value{}, v.errorf(x, "%s takes %s, got %d", name.Name, f.takes(), len(args))
	}
	if v.dry && name.Name == "where" {
		args[0], _ = each(func(...float64) float64 { return 1 }, args[0])
	}
	result, err := f.apply(args)
	if err != nil {
		return value{}, v.errorf(x, "%s", err)
	}
	return result, nil
}
