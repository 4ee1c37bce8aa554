package workloads

import (
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/sim/must"
	"overlapsim/workloads/dense"
)

func metricsOf(t *testing.T, w *denseBest, ranks int) map[string]float64 {
	t.Helper()
	_, machine, c := crowded(t)
	w.Calibrate(c)
	r := simulate(t, w, machine, ranks, 4, nodes.Options{Calibration: c})
	m := map[string]float64{"makespan": r.Finish[0].Seconds()}
	for _, metric := range list(w.Metrics(machine, r)) {
		m[metric.Name] = metric.Value
	}
	return m
}

// The percentages are those of the models, the best variant has the largest one, and the ranks
// are busy for as long as it takes.
func TestDenseBest(t *testing.T) {
	model, _, _ := crowded(t)
	for i := range dense.Algorithms {
		a := &dense.Algorithms[i]
		m := metricsOf(t, &denseBest{Algorithm: a.Name, Size: 16384, Layers: 4, Threads: 6}, 256)
		most, number := 0.0, 0
		for j, v := range dense.Variants {
			g := must.Get(dense.NewGrid(a, v, 16384, 256, 4))(t)
			want := model.Percent(a, 16384, 256, model.Time(a, v, g))
			if got := m[metricNames[j]]; !agree(got, want) {
				t.Errorf("%s %v: %g %%, the model says %g", a.Name, v, got, want)
			}
			if want > most {
				most, number = want, j+1
			}
		}
		seconds := a.Flops(16384) / (256 * 48e9 * most / 100)
		if m["best"] != float64(number) || !agree(m["best_percent"], most) || !agree(m["makespan"], seconds) {
			t.Errorf("%s: got %v, want the variant %d of %g %% and %g s", a.Name, m, number, most, seconds)
		}
	}
}

func agree(a, b float64) bool { return a > b*(1-1e-6) && a < b*(1+1e-6) }

// A variant that needs more memory than there is cannot be best. Here these are four copies of
// three matrices of 16384^2 words on 256 processes; with overlap, blocks of two of the matrices
// also arrive at the same time.
func TestDenseBestMemory(t *testing.T) {
	const block = 8 * 16384 * 16384 / 256
	m := metricsOf(t, &denseBest{Algorithm: "cannon", Size: 16384, Layers: 4, Threads: 6, Memory: 4 * block}, 256)
	if m["memory_2d_bytes"] != 3*block || m["memory_25d_overlap_bytes"] != 4*5*block {
		t.Errorf("a process needs %v, want 3 and 20 blocks of %d", m, block)
	}
	if m["percent_2d"] == 0 || m["percent_2d_overlap"] != 0 || m["percent_25d"] != 0 || m["percent_25d_overlap"] != 0 || m["best"] != 1 {
		t.Errorf("only 2D without overlap fits 4 blocks: %v", m)
	}
	if m := metricsOf(t, &denseBest{Algorithm: "cannon", Size: 16384, Layers: 4, Threads: 6, Memory: block}, 256); m["best"] != 0 {
		t.Errorf("nothing fits one block: %v", m)
	}
}

func TestDenseMistakes(t *testing.T) {
	_, machine, _ := crowded(t)
	bare := *machine
	bare.Kernels = nil
	good := denseWorkload{Size: 4096, Layers: 1, Threads: 6, algorithm: &dense.Algorithms[2]}
	change := func(f func(w *denseWorkload)) *denseWorkload {
		w := good
		f(&w)
		return &w
	}
	for _, c := range []struct {
		w     Workload
		m     *machines.Machine
		ranks int
		want  string
	}{
		{&good, machine, 63, "ranks: 63 processes in 1 layer: a layer must be a square"},
		{change(func(w *denseWorkload) { w.Overlap = true }), machine, 63, "overlap: needs an even number"},
		{change(func(w *denseWorkload) { w.Overlap, w.Threads = true, 1 }), machine, 128, "threads: must be at least 2"},
		{change(func(w *denseWorkload) { w.Threads = 0 }), machine, 64, "threads: must be at least 1"},
		{change(func(w *denseWorkload) { w.Size = 4095 }), machine, 64, "size: size 4095: must be a multiple of the 32 blocks"},
		{change(func(w *denseWorkload) { w.Layers = 3 }), machine, 192, "3 layers: must be a power of two"},
		{&good, &bare, 64, "has no rate for kernel \"dgemm\""},
		{&denseBest{Algorithm: "canon", Size: 4096, Layers: 4, Threads: 6}, machine, 64, "algorithm: must be one of cannon, summa"},
		{&denseBest{Algorithm: "cannon", Size: 4096, Layers: 4, Threads: 1}, machine, 64, "threads: must be at least 2"},
		{&denseBest{Algorithm: "cannon", Size: 4096, Layers: 4, Threads: 6}, &bare, 64, "has no rate for kernel"},
	} {
		must.Refuse(c.w.Program(c.m, c.ranks))(t, c.want)
	}
}
