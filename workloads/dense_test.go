package workloads

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/dense"
)

// crowded is a machine of six threads, for the models and for simulations. It is as the
// models assume, with factors that grow with the distance and the number of processes.
func crowded(t testing.TB) (*dense.Machine, *machines.Machine, *calibrated.Calibration) {
	t.Helper()
	average := calibrated.Curve{Distances: []int{1, 16, 256}, Factors: []float64{1, 6, 9}}
	c := must.Get(calibrated.New(average, []calibrated.Row{
		{Processes: 64, Curve: calibrated.Curve{Distances: []int{1, 8, 32}, Factors: []float64{2, 7, 9}}},
		{Processes: 256, Curve: calibrated.Curve{Distances: []int{1, 16, 128}, Factors: []float64{3, 11, 14}}},
	}, 1))(t)
	rate := func(e dense.Efficiency) (points []machines.RatePoint) {
		for _, p := range e {
			points = append(points, machines.RatePoint{N: float64(p.Size), Rate: 6 * 8e9 * p.Efficiency})
		}
		return points
	}
	model := &dense.Machine{
		Peak: 8e9, Threads: 6, Latency: 2e-6, PerByte: 0.25e-9, Contention: c,
		Gemm: dense.Efficiency{{Size: 64, Efficiency: 0.2}, {Size: 1024, Efficiency: 0.8}},
		Trsm: dense.Efficiency{{Size: 64, Efficiency: 0.1}, {Size: 1024, Efficiency: 0.5}}, Potrf: dense.Efficiency{{Size: 64, Efficiency: 0.05}},
	}
	kernels := map[string]machines.Kernel{}
	for name, e := range map[string]dense.Efficiency{"dgemm": model.Gemm, "dtrsm": model.Trsm, "dpotrf": model.Potrf} {
		kernels[name] = machines.Kernel{Work: work(name), Rate: rate(e)}
	}
	return model, &machines.Machine{
		Name: "crowded", Cores: 24, Processes: 4, Peak: 6 * 8e9, Kernels: kernels,
		Network: network.LogGOPS{Latency: 2 * sim.Microsecond, Transfer: network.PerByte(250)},
	}, c
}

// On a calibrated fabric the programs take the time of the closed forms: within 2 % if
// nothing happens that the models leave out.
func TestDenseProgramsAgreeWithModels(t *testing.T) {
	must.Long(t)
	model, machine, c := crowded(t)
	for i := range dense.Algorithms {
		a := &dense.Algorithms[i]
		for _, v := range dense.Variants {
			for _, size := range []int{16384, 65536} {
				layers, processes := 1, 64
				if v.Replicated {
					layers, processes = 2, 128
				}
				t.Run(fmt.Sprint(a.Name, "/", v, "/", size), func(t *testing.T) {
					g := must.Get(dense.NewGrid(a, v, size, processes, layers))(t)
					want := model.Time(a, v, g)
					w := &denseWorkload{Size: int64(size), Layers: int64(layers), Overlap: v.Overlap, Threads: 6, algorithm: a}
					got := runDense(t, w, machine, processes, nodes.Options{Calibration: c})
					if math.Abs(got/want-1) > 0.02 {
						t.Errorf("simulated %.6g s, the model says %.6g s: %+.1f %%", got, want, 100*(got/want-1))
					}
				})
			}
		}
	}
}

// runDense returns the time that the processes take.
func runDense(t testing.TB, w *denseWorkload, m *machines.Machine, processes int, o nodes.Options) float64 {
	t.Helper()
	ranks := processes * w.ranksPerProcess()
	r := simulate(t, w, m, ranks, 4*w.ranksPerProcess(), o)
	for _, metric := range list(w.Metrics(m, r)) {
		if metric.Name == "total_s" {
			return metric.Value
		}
	}
	return math.NaN()
}

// The size of a block gives the number of them; only one of the two is taken.
func TestDenseBlock(t *testing.T) {
	_, machine, _ := crowded(t)
	for _, c := range []struct {
		w    denseWorkload
		want string
	}{
		{denseWorkload{Size: 8192, Layers: 1, Threads: 6, Block: 256, algorithm: &dense.Algorithms[2]}, ""},
		{denseWorkload{Size: 8192, Layers: 1, Threads: 6, Block: 256, Blocks: 4, algorithm: &dense.Algorithms[2]}, "block"},
		{denseWorkload{Size: 8192, Layers: 1, Threads: 6, Block: -1, algorithm: &dense.Algorithms[3]}, "block"},
		{denseWorkload{Size: 8192, Layers: 1, Threads: 6, Block: 256, algorithm: &dense.Algorithms[0]}, "block"},
	} {
		p, err := c.w.Program(machine, 64)
		var key *KeyError
		switch {
		case c.want == "" && (err != nil || p.(*denseProgram).Blocks != 4):
			t.Errorf("%+v: %v, want 4 blocks", c.w, err)
		case c.want != "" && (!errors.As(err, &key) || key.Key != c.want):
			t.Errorf("%+v: %v, want a mistake of %s", c.w, err, c.want)
		}
	}
}
