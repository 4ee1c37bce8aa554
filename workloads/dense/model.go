package dense

import (
	"fmt"
	"math/bits"
	"slices"
)

// Variant is a way to run an algorithm: two-dimensional or replicated, without or
// with overlap.
type Variant struct {
	Replicated bool // 2.5D
	Overlap    bool
}

// Variants are in the order of the columns of Tables II to V.
var Variants = [4]Variant{{false, false}, {false, true}, {true, false}, {true, true}}

func (v Variant) String() string {
	name := "2D"
	if v.Replicated {
		name = "2.5D"
	}
	if v.Overlap {
		name += "_overlap"
	}
	return name
}

// Algorithm is a model and its parameters.
type Algorithm struct {
	Name   string
	Flops  func(n float64) float64
	Blocks int // r: blocks of a process in each dimension
	time   func(m *Machine, g Grid, v Variant) float64

	matrices float64 // number of matrices that it keeps
	buffers  float64 // with overlap, for this number of rows of a process's blocks

	Kernels []string // that it calls
	lacks   lacks
}

// lacks are the routines that one thread fewer runs if there is overlap, in 2D and in 2.5D,
// because it communicates.
type lacks struct{ plain, replicated []string }

var (
	summaLacks    = lacks{[]string{"dgemm"}, []string{"dgemm"}}
	trsmLacks     = lacks{[]string{"dgemm", "dtrsm"}, nil} // by Table IV, see docs/validation/papers/cray.md
	choleskyLacks = lacks{[]string{"dgemm"}, []string{"dgemm"}}
)

// threads is the number of t threads that run a routine.
func (l lacks) threads(v Variant, kernel string, t int) int {
	names := l.plain
	if v.Replicated {
		names = l.replicated
	}
	if v.Overlap && slices.Contains(names, kernel) {
		return t - 1
	}
	return t
}

// Threads is the number of a process's t threads that run a routine.
func (a *Algorithm) Threads(v Variant, kernel string, t int) int {
	return a.lacks.threads(v, kernel, t)
}

// Algorithms are in the order of Tables II to V.
var Algorithms = [4]Algorithm{
	{"cannon", func(n float64) float64 { return 2 * n * n * n }, 1, (*Machine).cannon, 3, 2, []string{"dgemm"}, lacks{}},
	{"summa", func(n float64) float64 { return 2 * n * n * n }, 1, (*Machine).summa, 3, 2, []string{"dgemm"}, summaLacks},
	{"trsm", func(n float64) float64 { return n * n * n }, 4, (*Machine).trsm, 2, 1, []string{"dgemm", "dtrsm"}, trsmLacks},
	{"cholesky", func(n float64) float64 { return n * n * n / 3 }, 8, (*Machine).cholesky, 1, 1, []string{"dgemm", "dtrsm", "dpotrf"},
		choleskyLacks},
}

// Grid is the distribution of a matrix over processes. Process i of a layer is in row i /
// Side and column i mod Side; layer l begins with process l * Side^2.
type Grid struct {
	Processes, Layers int     // p, c
	Side              int     // processes in a row or column of a layer: sqrt(p/c)
	Blocks            int     // of a process in a row or column: r
	Block             float64 // words in a row or column of a block: b
}

// layer is the number of processes in a layer.
func (g Grid) layer() int { return g.Processes / g.Layers }

// words is the number of words of a block.
func (g Grid) words() float64 { return g.Block * g.Block }

// owned is the number of words of a matrix that a process of a layer has.
func (g Grid) owned() float64 { return float64(g.Blocks*g.Blocks) * g.words() }

// Mistake is why there is no grid, and what of it is wrong: the number of processes, the layers or the size.
type Mistake struct{ Of, Says string }

func (m *Mistake) Error() string { return m.Says }

// NewGrid distributes an n x n matrix over p processes, in c layers if the variant has
// them. Its error is a Mistake.
func NewGrid(a *Algorithm, v Variant, n, p, c int) (Grid, error) {
	if !v.Replicated {
		c = 1
	}
	side, ok := root(p / max(c, 1))
	wrong := func(of, format string, args ...any) (Grid, error) {
		return Grid{}, &Mistake{of, fmt.Sprintf(format, args...)}
	}
	switch {
	case c < 1 || p%c != 0 || !ok || side < 2:
		return wrong("processes", "%d processes in %s: a layer must be a square of at least 2 x 2, its side a power of two", p, layers(c))
	case v.Replicated && (c < 2 || c&(c-1) != 0 || side%c != 0):
		return wrong("layers", "%d layers: must be a power of two, at least 2 and at most the %d processes in a row", c, side)
	case n < 1 || n%(a.Blocks*side) != 0:
		return wrong("size", "size %d: must be a multiple of the %d blocks in a row", n, a.Blocks*side)
	}
	return Grid{p, c, side, a.Blocks, float64(n) / float64(a.Blocks*side)}, nil
}

func layers(c int) string {
	if c == 1 {
		return "1 layer"
	}
	return fmt.Sprintf("%d layers", c)
}

// BlocksOf returns r, the blocks of a process in each dimension of an n x n matrix if a
// block has the given number of rows: at least 1.
func (a *Algorithm) BlocksOf(v Variant, n, rows, p, c int) int {
	if !v.Replicated {
		c = 1
	}
	side, _ := root(p / max(c, 1))
	return max(1, n/max(1, rows*side))
}

// Time returns the time in seconds that an algorithm takes on a grid.
func (m *Machine) Time(a *Algorithm, v Variant, g Grid) float64 { return a.time(m, g, v) }

// root returns the square root of a power of four.
func root(n int) (int, bool) {
	if n < 1 || bits.OnesCount(uint(n)) != 1 || bits.TrailingZeros(uint(n))%2 != 0 {
		return 0, false
	}
	return 1 << (bits.TrailingZeros(uint(n)) / 2), true
}

// Percent returns the percentage of the machine's peak that a run of the given seconds
// reaches.
func (m *Machine) Percent(a *Algorithm, n, p int, seconds float64) float64 {
	return 100 * a.Flops(float64(n)) / (float64(p) * float64(m.Threads) * m.Peak * seconds)
}
