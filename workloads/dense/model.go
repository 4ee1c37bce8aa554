package dense

import (
	"fmt"
	"math/bits"
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

// Algorithm is a model and what it needs to know.
type Algorithm struct {
	Name   string
	Flops  func(n float64) float64
	Blocks int // r: blocks of a process in each dimension
	time   func(m *Machine, g grid, v Variant) float64
}

// Algorithms are in the order of Tables II to V.
var Algorithms = [4]Algorithm{
	{"cannon", func(n float64) float64 { return 2 * n * n * n }, 1, (*Machine).cannon},
	{"summa", func(n float64) float64 { return 2 * n * n * n }, 1, (*Machine).summa},
	{"trsm", func(n float64) float64 { return n * n * n }, 4, (*Machine).trsm},
	{"cholesky", func(n float64) float64 { return n * n * n / 3 }, 8, (*Machine).cholesky},
}

// grid is how a matrix lies on the processes.
type grid struct {
	p, c   int     // processes, layers
	side   int     // processes in a row or column of a layer: sqrt(p/c)
	blocks int     // blocks of a process in a row or column: r
	b      float64 // words in a row or column of a block
}

func (g grid) words() float64 { return g.b * g.b }

// Time returns the seconds that an algorithm takes for an n x n matrix on p
// processes, in c layers if the variant has them.
func (m *Machine) Time(a *Algorithm, v Variant, n, p, c int) (float64, error) {
	if !v.Replicated {
		c = 1
	}
	side, ok := root(p / max(c, 1))
	if c < 1 || p%c != 0 || !ok {
		return 0, fmt.Errorf("%d processes in %d layers: each layer must be a square of a power of two", p, c)
	}
	if v.Replicated && (c < 2 || c&(c-1) != 0 || side%c != 0) {
		return 0, fmt.Errorf("%d layers: must be a power of two, at least 2 and at most the %d processes in a row", c, side)
	}
	return m.checked(a, v, n, grid{p: p, c: c, side: side, blocks: a.Blocks, b: float64(n) / float64(a.Blocks*side)})
}

func (m *Machine) checked(a *Algorithm, v Variant, n int, g grid) (float64, error) {
	if n%(g.blocks*g.side) != 0 || n < 1 {
		return 0, fmt.Errorf("size %d must be a multiple of %d blocks of %d processes", n, g.blocks, g.side)
	}
	if g.side < 2 {
		return 0, fmt.Errorf("%d processes: at least 4 in a layer", g.p)
	}
	return a.time(m, g, v), nil
}

// root returns the square root of a power of four.
func root(n int) (int, bool) {
	if n < 1 || bits.OnesCount(uint(n)) != 1 || bits.TrailingZeros(uint(n))%2 != 0 {
		return 0, false
	}
	return 1 << (bits.TrailingZeros(uint(n)) / 2), true
}

// Percent returns the percentage of the machine's peak that a run of so many seconds
// reaches.
func (m *Machine) Percent(a *Algorithm, n, p int, seconds float64) float64 {
	return 100 * a.Flops(float64(n)) / (float64(p) * float64(m.Threads) * m.Peak * seconds)
}
