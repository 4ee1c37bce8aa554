package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"overlapsim/sim/must"
)

// A request and its reply are found wherever they set in among the sizes, in exact times as they are printed and in times with noise;
// where times only bend, as where copies change or a cache ends, there are none, and no noise is taken for one.
func TestStepOfOneWayTimes(t *testing.T) {
	way := func(latency, from, more float64) func(float64) float64 {
		return func(b float64) float64 {
			if b >= from {
				latency := latency + more
				return latency + b*8e-5
			}
			return latency + b*8e-5
		}
	}
	for name, c := range map[string]struct {
		first, last, factor float64
		us                  func(bytes float64) float64
		from                int64 // of the rendezvous; 0: none
	}{
		"clear":           {1, 4 << 20, 2, way(2, 16384, 1.5), 16384},
		"two sizes above": {1, 64 << 10, 2, way(2, 32768, 4), 32768},
		"three above":     {1, 64 << 10, 2, way(2, 16384, 1.5), 16384},
		"two below":       {1024, 1 << 20, 2, way(2, 4096, 3), 4096},
		"three below":     {1024, 1 << 20, 2, way(2, 8192, 3), 8192},
		"a few":           {4096, 128 << 10, 2, way(2, 16384, 6), 16384},
		"among large":     {1, 4 << 20, 2, way(2, 65536, 3), 65536},
		"slow network":    {1, 4 << 20, 2, way(20, 1<<20, 60), 1 << 20},
		"sizes far apart": {1, 4 << 20, 4, way(2, 16384, 4), 16384},
		"sizes near":      {1, 4 << 20, 1.1, way(2, 65536, 3), 70528},
		"copied below": {1, 4 << 20, 2, func(b float64) float64 {
			if b >= 8192 {
				return 5.5 + b*8e-5
			}
			return 2 + b*2.8e-4
		}, 8192},
		"straight":       {1, 4 << 20, 2, way(2, 16384, 0), 0},
		"less":           {1, 4 << 20, 2, way(2, 16384, 0.8), 0},
		"bends up":       {1, 4 << 20, 2, func(b float64) float64 { return 2 + b*8e-5 + max(0, b-256<<10)*4e-5 }, 0},
		"bends down":     {1, 4 << 20, 2, func(b float64) float64 { return 2 + min(b, 8192)*5e-4 + max(0, b-8192)*8e-5 }, 0},
		"leaves a cache": {1, 4 << 20, 2, func(b float64) float64 { return 2 + b*8e-5*(1+min(1, max(0, math.Log2(b/3e5)/2))) }, 0},
		"leaves it at once": {1, 4 << 20, 2, func(b float64) float64 {
			if b > 3e5 {
				return 2 + b*12e-5
			}
			return 2 + b*8e-5
		}, 0},
	} {
		for seed := range uint64(10) {
			r, noise := rand.New(rand.NewPCG(seed, 11)), 0.01
			if seed == 0 {
				noise = 0
			}
			text := "# OSU MPI Latency Test v7.1\n# Size       Avg Latency(us)\n"
			for b := c.first; b <= c.last; b = max(math.Floor(b*c.factor), b+1) {
				text += fmt.Sprintf("%.0f %.2f\n", b, c.us(b)*math.Exp(noise*r.NormFloat64()))
			}
			t.Chdir(t.TempDir())
			must.Do(t, os.WriteFile("f", []byte(text), 0o666))
			f := must.Get(newFit(must.Get(Read([]string{"f"}))(t), "step", ""))(t)
			if f.Above != c.from {
				t.Errorf("%s, noise %g, seed %d: from %d B, want %d; %+v", name, noise, seed, f.Above, c.from, f.Step)
			}
		}
	}
}
