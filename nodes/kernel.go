package nodes

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"

	"overlapsim/nodes/cores"
	"overlapsim/sim"
)

// Kernel is the cost model of one kind of computation: an amount of work that
// follows from the problem size n, at a rate that depends on n.
type Kernel struct {
	Work    func(n float64) float64 // flop, or bytes
	Rate    []RatePoint             // sorted by N
	Profile cores.Profile           // what it asks of its core; Blocked: FP
	Demand  []RatePoint             // bytes per second that it moves between memory and caches alone, sorted by N; nil: none
}

// RatePoint says that problems of size N run at Rate (work per second).
type RatePoint struct {
	N    float64
	Rate float64
}

// KernelWork holds the amount of work of every kernel a machine may give a
// rate for, by problem size n.
var KernelWork = map[string]func(n float64) float64{
	"fft":         func(n float64) float64 { return FFTFlops(n) },   // complex elements
	"fft-strided": func(n float64) float64 { return FFTFlops(n) },   // of elements that lie apart
	"copy":        func(n float64) float64 { return n },             // bytes
	"dgemm":       func(n float64) float64 { return 2 * n * n * n }, // n x n matrices
	"dtrsm":       func(n float64) float64 { return n * n * n },     // n x n matrices
	"dpotrf":      func(n float64) float64 { return n * n * n / 3 }, // an n x n matrix
	// A step of upwind advection on n cells, v = (1+a+b) v - a vx - b vy.
	"advection2d": func(n float64) float64 { return 5 * n },
	"advection3d": func(n float64) float64 { return 7 * n },
	"spmv":        func(n float64) float64 { return n }, // bytes from and to memory
}

// FFTFlops is the customary count 5 n log2 n of a complex FFT of n elements
// (FFTW's benchFFT convention, also Nishtala's).
func FFTFlops(n float64) float64 {
	if n <= 1 {
		return 0
	}
	return 5 * n * math.Log2(n)
}

// At returns the rate for size n: linear in log n between the points, constant
// outside them.
func (k Kernel) At(n float64) float64 { return rateAt(k.Rate, n) }

// Activity is what a run of size n does to those who share its core or memory.
func (k Kernel) Activity(n float64) cores.Activity {
	a := cores.Activity{Profile: k.Profile}
	if len(k.Demand) > 0 {
		a.Demand = int64(math.Round(rateAt(k.Demand, n)))
	}
	return a
}

func rateAt(rates []RatePoint, n float64) float64 {
	i := sort.Search(len(rates), func(i int) bool { return rates[i].N >= n })
	switch {
	case i == 0:
		return rates[0].Rate
	case i == len(rates):
		return rates[i-1].Rate
	}
	a, b := rates[i-1], rates[i]
	w := math.Log(n/a.N) / math.Log(b.N/a.N)
	return a.Rate + float64(w*(b.Rate-a.Rate))
}

// kernelNames numbers the kernels; 0 is none.
var kernelNames = append([]string{""}, slices.Sorted(maps.Keys(KernelWork))...)

// KernelName returns the kernel of that number; "" is a computation of which only
// the time is known.
func KernelName(number int) string { return kernelNames[number] }

func kernelNumber(name string) int32 { return int32(max(0, slices.Index(kernelNames, name))) }

// Task is a piece of computation whose cost is known.
type Task struct {
	Time     sim.Time
	Work     float64        // flop or bytes
	Activity cores.Activity // nobody says: floating point, in cache
	kernel   int32          // see KernelName
}

// Task returns the cost of one run of the named kernel at size n.
func (m *Machine) Task(kernel string, n float64) (Task, error) { return m.TaskAmong(kernel, n, 1) }

// TaskAmong returns that of a run whose cache is shared by so many of the same
// size: it runs as fast as one so many times as large.
func (m *Machine) TaskAmong(kernel string, n, among float64) (Task, error) {
	k, ok := m.Kernels[kernel]
	if !ok {
		return Task{}, fmt.Errorf("machine %s has no rate for kernel %q", m.Name, kernel)
	}
	w := k.Work(n)
	if w == 0 {
		return Task{}, nil
	}
	return Task{Time: sim.Seconds(w / k.At(n*among)), Work: w, Activity: k.Activity(n * among), kernel: kernelNumber(kernel)}, nil
}
