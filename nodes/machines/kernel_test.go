package machines

import (
	"math"
	"testing"

	"overlapsim/nodes/cores"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

func TestKernelRate(t *testing.T) {
	k := Kernel{Rate: []RatePoint{{N: 1 << 4, Rate: 100}, {N: 1 << 8, Rate: 300}, {N: 1 << 9, Rate: 50}}}
	for _, c := range []struct {
		name    string
		n, want float64
	}{
		{"below the first point", 1, 100},
		{"at the first point", 1 << 4, 100},
		{"a quarter of the way in log n", 1 << 5, 150},
		{"half of the way in log n", 1 << 6, 200},
		{"at a point", 1 << 8, 300},
		{"half of the way down", math.Sqrt2 * (1 << 8), 175},
		{"at the last point", 1 << 9, 50},
		{"above it", 1 << 20, 50},
	} {
		if got := k.At(c.n); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s: rate %g, want %g", c.name, got, c.want)
		}
	}
}

func TestFFTFlops(t *testing.T) {
	for n, want := range map[float64]float64{0: 0, 0.5: 0, 1: 0, 2: 10, 8: 120, 1024: 51200} {
		if got := FFTFlops(n); got != want {
			t.Errorf("FFT of %g: %g flop, want %g", n, got, want)
		}
	}
}

func TestTask(t *testing.T) {
	m := &Machine{Name: "m", Kernels: map[string]Kernel{
		"fft":  {Work: FFTFlops, Rate: []RatePoint{{N: 1, Rate: 1e9}}},
		"copy": {Work: linear(1), Rate: []RatePoint{{N: 1, Rate: 2e9}}},
	}}
	for _, c := range []struct {
		kernel string
		n      float64
		want   Task
	}{
		{"fft", 1024, Task{Time: 51200 * sim.Nanosecond, Work: 51200, Kernel: 2}},
		{"fft", 1, Task{}},
		{"copy", 4096, Task{Time: 2048 * sim.Nanosecond, Work: 4096, Kernel: 1}},
		{"copy", 0, Task{}},
	} {
		if got, err := m.Task(c.kernel, c.n); err != nil || got != c.want {
			t.Errorf("%s of %g: %+v, %v, want %+v", c.kernel, c.n, got, err, c.want)
		}
	}
	must.Refuse(m.Task("spmv", 8))(t, `machine m has no rate for kernel "spmv"`)
}

// A computation that shares a cache with another of its size has the rate of one twice as large.
func TestTaskAmong(t *testing.T) {
	k := Kernel{Work: linear(5), Rate: []RatePoint{{N: 100, Rate: 1e9}, {N: 200, Rate: 5e8}},
		Demand: []RatePoint{{N: 100, Rate: 1e6}, {N: 200, Rate: 2e9}}}
	m := &Machine{Name: "m", Kernels: map[string]Kernel{"advection2d": k}}
	for among, want := range map[float64]Task{
		1: {Time: 500 * sim.Nanosecond, Work: 500, Activity: cores.Activity{Demand: 1e6}, Kernel: 1},
		2: {Time: 1000 * sim.Nanosecond, Work: 500, Activity: cores.Activity{Demand: 2e9}, Kernel: 1},
	} {
		if got, err := m.TaskAmong("advection2d", 100, among); err != nil || got != want {
			t.Errorf("among %g: %+v, %v, want %+v", among, got, err, want)
		}
	}
}
