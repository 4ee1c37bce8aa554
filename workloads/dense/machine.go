package dense

import (
	"math"
	"sort"
)

// Machine holds the parameters of a machine that the models use.
type Machine struct {
	Peak    float64 // of a thread, flop/s
	Threads int     // t, of a process
	Latency float64 // L, s
	PerByte float64 // beta, s/B
	Contention
	Gemm, Trsm, Potrf Efficiency
}

// Contention gives the calibration factors of Models, section IV.
type Contention interface {
	Average(distance int) float64            // C_avg(d)
	Maximum(processes, distance int) float64 // C_max(p, d)
}

// Efficiency is the fraction of the peak that a BLAS routine reaches, by the size of its
// square operands. Between the points it is linear in the logarithm of the size; outside
// it is the efficiency of the nearest point. It is the same for t and t-1 threads.
type Efficiency []Point

// Point is the efficiency at one size. Points are in ascending order of size.
type Point struct {
	Size       int     `yaml:"size"`
	Efficiency float64 `yaml:"efficiency"`
}

// At returns the efficiency at a size.
func (e Efficiency) At(size float64) float64 {
	i := sort.Search(len(e), func(i int) bool { return float64(e[i].Size) >= size })
	switch {
	case i == 0:
		return e[0].Efficiency
	case i == len(e):
		return e[i-1].Efficiency
	}
	a, b := e[i-1], e[i]
	w := math.Log(size/float64(a.Size)) / math.Log(float64(b.Size)/float64(a.Size))
	return a.Efficiency + float64(w*(b.Efficiency-a.Efficiency))
}

// dgemm is T_dgemm(b, t): C += A B of b x b blocks, 2 b^3 flop.
func (m *Machine) dgemm(b float64, threads int) float64 { return m.blas(m.Gemm, 2*b*b*b, b, threads) }

// dtrsm is T_dtrsm(b, t): X U = B of b x b blocks, b^3 flop.
func (m *Machine) dtrsm(b float64, threads int) float64 { return m.blas(m.Trsm, b*b*b, b, threads) }

// dpotrf is T_dpotrf(b, t): the Cholesky factor of a b x b block, b^3/3 flop.
func (m *Machine) dpotrf(b float64, threads int) float64 {
	return m.blas(m.Potrf, b*b*b/3, b, threads)
}

func (m *Machine) blas(e Efficiency, flops, b float64, threads int) float64 {
	return flops / (m.Peak * float64(threads) * e.At(b))
}
