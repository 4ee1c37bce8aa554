package papers

import (
	"fmt"
	"math"
	"slices"
)

// function is a named operation of expressions.
type function struct {
	least, most int // how many arguments; most 0: any number
	truths      int // number of arguments, from the first, that are truths; the others are numbers
	apply       func(args []value) (value, error)
}

// takes says how many arguments a function has.
func (f function) takes() string {
	switch {
	case f.most == 0:
		return "one argument or more"
	case f.most == 1:
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", f.most)
}

var functions = map[string]function{
	"max":        {1, 0, 0, extreme(slices.Max[[]float64])},
	"min":        {1, 0, 0, extreme(slices.Min[[]float64])},
	"list":       {1, 0, 0, list},
	"sum":        reduction(sum),
	"mean":       reduction(mean),
	"spread":     reduction(func(x []float64) float64 { return (slices.Max(x) - slices.Min(x)) / mean(x) }),
	"first":      reduction(func(x []float64) float64 { return x[0] }),
	"last":       reduction(func(x []float64) float64 { return x[len(x)-1] }),
	"increasing": question(func(before, after float64) bool { return before <= after }),
	"decreasing": question(func(before, after float64) bool { return before >= after }),
	"abs":        elementwise(1, func(x ...float64) float64 { return math.Abs(x[0]) }),
	"sqrt":       elementwise(1, func(x ...float64) float64 { return math.Sqrt(x[0]) }),
	"log2":       elementwise(1, func(x ...float64) float64 { return math.Log2(x[0]) }),
	"all":        judgement(func(count, of int) value { return truth(count == of) }),
	"any":        judgement(func(count, of int) value { return truth(count > 0) }),
	"count":      judgement(func(count, of int) value { return number(float64(count)) }),
	"where":      {2, 2, 1, where},
}

// register adds a closed-form model of n numbers that expressions can call;
// the files of the models do so from init. It works element by element.
func register(name string, n int, f func(x ...float64) float64) {
	if _, taken := functions[name]; taken {
		panic(fmt.Sprintf("function %s registered twice", name))
	}
	functions[name] = elementwise(n, f)
}

func elementwise(n int, f func(x ...float64) float64) function {
	return function{n, n, 0, func(args []value) (value, error) { return each(f, args...) }}
}

// vector is a function of one vector.
func vector(truths int, f func(x []float64) value) function {
	return function{1, 1, truths, func(args []value) (value, error) {
		if len(args[0].x) == 0 {
			return value{}, errEmpty
		}
		return f(args[0].x), nil
	}}
}

var errEmpty = fmt.Errorf("no point is left: where() chose none")

// reduction is a function from a vector to a number.
func reduction(f func(x []float64) float64) function {
	return vector(0, func(x []float64) value { return number(f(x)) })
}

// question tells whether a relation holds between all neighbouring elements of a vector.
func question(holds func(before, after float64) bool) function {
	return vector(0, func(x []float64) value {
		for i := 1; i < len(x); i++ {
			if !holds(x[i-1], x[i]) {
				return truth(false)
			}
		}
		return truth(true)
	})
}

// judgement counts the truths of a vector.
func judgement(f func(count, of int) value) function {
	return vector(1, func(x []float64) value { return f(int(sum(x)), len(x)) })
}

// extreme works on the elements of one argument, or element by element on several.
func extreme(f func(x []float64) float64) func(args []value) (value, error) {
	return func(args []value) (value, error) {
		if len(args) > 1 {
			return each(func(x ...float64) float64 { return f(x) }, args...)
		}
		return reduction(f).apply(args)
	}
}

// list makes a vector of numbers.
func list(args []value) (value, error) {
	made := value{vector: true}
	for _, a := range args {
		if a.vector {
			return value{}, fmt.Errorf("must be single numbers, got %s", a.is())
		}
		made.x = append(made.x, a.x[0])
	}
	return made, nil
}

// where keeps the elements of the second argument at which the first is true.
func where(args []value) (value, error) {
	kept := value{vector: true}
	chosen, err := each(func(x ...float64) float64 { return x[0] }, args[0], args[1])
	if err != nil {
		return value{}, err
	}
	for i, yes := range chosen.x {
		if yes == 1 {
			kept.x = append(kept.x, args[1].at(i))
		}
	}
	return kept, nil
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

func mean(x []float64) float64 { return sum(x) / float64(len(x)) }
