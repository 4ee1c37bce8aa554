package machines

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"

	"overlapsim/nodes/cores"
	"overlapsim/sim"
)

// Kernel is the cost model of one kind of computation: an amount of work that depends on the
// problem size n, at a rate that also depends on n.
type Kernel struct {
	Work    func(n float64) float64 // flop
	Bytes   bool                    // the work is counted in bytes; otherwise in flop
	Rate    []RatePoint             // sorted by N
	Profile cores.Profile           // load on its core; Blocked stands for FP
	Demand  []RatePoint             // bytes per second between memory and caches when alone, sorted by N; nil: none
}

// RatePoint says that problems of size N run at Rate (work per second).
type RatePoint struct {
	N    float64
	Rate float64
}

// StandardKernel is a kernel whose work a machine need not define.
type StandardKernel struct {
	Name, Doc string
	Work      func(n float64) float64
	Bytes     bool          // the work is counted in bytes; otherwise in flop
	Profile   cores.Profile // unless the machine says otherwise
}

// StandardKernels are the kernels that workloads of the library call by name.
var StandardKernels = []StandardKernel{
	{"advection2d", "a step of upwind advection on n cells of a plane, 5 n flop", linear(5), false, cores.FP},
	{"advection3d", "a step of upwind advection on n cells of a volume, 7 n flop", linear(7), false, cores.FP},
	{"combine", "n bytes combined with as many others, as a reduction does", linear(1), true, cores.FP},
	{"copy", "a copy of n bytes", linear(1), true, cores.Copy},
	{"dgemm", "a product of n x n matrices, 2 n^3 flop", func(n float64) float64 { return 2 * n * n * n }, false, cores.FP},
	{"dpotrf", "a Cholesky factorization of an n x n matrix, n^3/3 flop", func(n float64) float64 { return n * n * n / 3 }, false, cores.FP},
	{"dtrsm", "a triangular solve with n x n matrices, n^3 flop", func(n float64) float64 { return n * n * n }, false, cores.FP},
	{"fft", "an FFT of n complex elements, 5 n log2 n flop", FFTFlops, false, cores.FP},
	{"fft-strided", "an FFT of n complex elements that lie apart, 5 n log2 n flop", FFTFlops, false, cores.FP},
	{"spmv", "a sparse matrix times a vector that move n bytes from and to memory", linear(1), true, cores.FP},
	{"spmv-nonzero", "the loop over n nonzeros of a sparse matrix, 2 n flop, during the bytes of spmv; no time, where a machine has no rate for it",
		linear(2), false, cores.FP},
	{"spmv-row", "the loop over n rows of a sparse matrix, n flop, during the bytes of spmv; no time, where a machine has no rate for it",
		linear(1), false, cores.FP},
	{"touch", "n bytes of fresh memory touched for the first time", linear(1), true, cores.Memory},
	{"transpose", "n bytes of an array whose dimensions change places, as in packing; copy, where a machine has no rate for it",
		linear(1), true, cores.Copy},
}

// Standard returns the standard kernel of that name.
func Standard(name string) (StandardKernel, bool) {
	for _, k := range StandardKernels {
		if k.Name == name {
			return k, true
		}
	}
	return StandardKernel{}, false
}

func linear(factor float64) func(n float64) float64 {
	return func(n float64) float64 { return factor * n }
}

// PowerWork returns the work factor * n^power * log2(n)^logs of a run of size n.
func PowerWork(factor, power, logs float64) func(n float64) float64 {
	return func(n float64) float64 {
		work := factor * math.Pow(n, power)
		if logs > 0 {
			work *= math.Pow(max(0, math.Log2(n)), logs)
		}
		return work
	}
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

// Activity returns how a run of size n affects activities that share its core or memory.
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

// KernelNames returns the names of the machine's kernels by number. The first name is "", for a
// computation of which only the time is known.
func (m *Machine) KernelNames() []string {
	return append([]string{""}, slices.Sorted(maps.Keys(m.Kernels))...)
}

// KernelNumber returns the number of a kernel of the machine, or 0 if it has no kernel of that
// name.
func (m *Machine) KernelNumber(name string) (number int32) {
	if _, ok := m.Kernels[name]; !ok {
		return 0
	}
	for other := range m.Kernels {
		if other <= name {
			number++
		}
	}
	return number
}

// Unrated is the error of a kernel for which a machine has no rate.
type Unrated struct{ Machine, Kernel string }

// Error says so, and what to add to the machine.
func (u *Unrated) Error() string {
	is := "2GF/s"
	if k, _ := Standard(u.Kernel); k.Bytes {
		is = "8GB/s"
	}
	return fmt.Sprintf("machine %s has no rate for kernel %q; add to it kernels: {%s: {rates: %s}}", u.Machine, u.Kernel, u.Kernel, is)
}

// The rates that are assumed of a process where a machine has none: round numbers, of no
// measurement. With them a program can be studied on a network of which little is known; they
// do not say how fast a machine computes.
const (
	assumedFlops = 1e9 // flop/s
	assumedBytes = 4e9 // bytes/s
)

// Dense are the kernels that run close to the peak of a process: products of matrices, and what is made of them.
var Dense = []string{"dgemm", "dpotrf", "dtrsm"}

// Assumed returns a standard kernel at the rate that is assumed where the machine has none, and whether it is the machine's peak:
// that of dense kernels, if the machine gives one.
func (m *Machine) Assumed(name string) (k Kernel, peak, ok bool) {
	standard, ok := Standard(name)
	k = Kernel{Work: standard.Work, Bytes: standard.Bytes, Rate: []RatePoint{{1, assumedFlops}}, Profile: standard.Profile}
	switch {
	case k.Bytes:
		k.Rate[0].Rate = assumedBytes
	case m.Peak > 0 && slices.Contains(Dense, name):
		k.Rate[0].Rate, peak = m.Peak, true
	}
	return k, peak, ok
}

// Task is a piece of computation whose cost is known.
type Task struct {
	Time     sim.Time
	Work     float64        // flop or bytes
	Activity cores.Activity // by default floating point, in cache
	Kernel   int32          // number of its kernel on the machine; 0: none

	ByLibrary bool // a collective combines or copies: the process does not test as it does
}

// Rearranging names the kernel that exchanges the dimensions of an array: transpose, or copy on a
// machine that has no rate for transpose.
func (m *Machine) Rearranging() string {
	if _, ok := m.Kernels["transpose"]; ok {
		return "transpose"
	}
	return "copy"
}

// Task returns the cost of one run of the named kernel at size n.
func (m *Machine) Task(kernel string, n float64) (Task, error) { return m.TaskAmong(kernel, n, 1) }

// TaskAmong returns the cost of a run that shares its cache with other runs of the same size;
// among counts them all. It runs at the rate of a single run that is as large as all of them
// together.
func (m *Machine) TaskAmong(kernel string, n, among float64) (Task, error) {
	cost := m.TasksOf(kernel)
	if cost == nil {
		return Task{}, &Unrated{m.Name, kernel}
	}
	return cost(n, among), nil
}

// TasksOf returns TaskAmong of a kernel, which is looked up once; nil: the machine has no rate for it.
func (m *Machine) TasksOf(kernel string) func(n, among float64) Task {
	k, ok := m.Kernels[kernel]
	if !ok {
		return nil
	}
	number := m.KernelNumber(kernel)
	return func(n, among float64) Task {
		w := k.Work(n)
		if w == 0 {
			return Task{}
		}
		return Task{Time: sim.Seconds(w / k.At(n*among)), Work: w, Activity: k.Activity(n * among), Kernel: number}
	}
}
