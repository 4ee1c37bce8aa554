package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/nodes/gpus"
	"overlapsim/scenarios/files"
	"overlapsim/sim/must"
)

// printGPUs writes the output of all_reduce_perf on the GPUs of a machine, from a size on, with
// that much noise.
func printGPUs(t *testing.T, m *files.Machine, n int, from int64, noise float64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(3, uint64(n)))
	var out strings.Builder
	fmt.Fprintf(&out, "# Collective test starting: all_reduce_perf\n#  Rank %2d Group  0 Pid 1 on n0 device  7 [0x19] GPU\n", n-1)
	fmt.Fprintln(&out, "#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong")
	for b := from; b <= 1<<33; b *= 2 {
		cost := must.Get(gpus.First(m.GPUs, n, 8).Time(gpus.AllReduce, b))(t)
		us := cost.Total().Seconds() * 1e6 * math.Exp(noise*random.NormFloat64())
		rate := float64(b) / us / 1e3
		bus := rate * gpus.AllReduce.Bus(n)
		fmt.Fprintf(&out, "%d %d float sum -1 %.6f %.6f %.6f 0 %.6f %.6f %.6f 0\n", b, b/4, us, rate, bus, us, rate, bus)
	}
	name := filepath.Join(t.TempDir(), "nccl.txt")
	must.Do(t, os.WriteFile(name, []byte(out.String()), 0o666))
	return name
}

// The calibration of a machine is recovered from the output of its GPUs: exactly without noise,
// and with 1 % of noise inside its intervals, or nearly so.
func TestGPUsComeBack(t *testing.T) {
	for _, c := range []struct {
		machine string
		gpus    int
		key     string
		want    func(c *gpus.Calibration) [3]float64
	}{
		{"dgx-a100", 8, "ring", func(c *gpus.Calibration) [3]float64 { return [3]float64{c.Start.Seconds(), c.Step.Seconds(), c.Ring} }},
		{"dgx-1v", 4, "ring", func(c *gpus.Calibration) [3]float64 { return [3]float64{c.Start.Seconds(), c.Step.Seconds(), c.Ring} }},
		{"h200", 8, "in_switch", func(c *gpus.Calibration) [3]float64 {
			return [3]float64{c.SwitchStart.Seconds(), c.SwitchStep.Seconds(), c.InSwitch}
		}},
	} {
		m := must.Get(files.LoadMachine(c.machine))(t)
		want := c.want(&m.GPUs.Fit)
		for _, noise := range []float64{0, 0.01} {
			data := must.Get(Read([]string{printGPUs(t, m, c.gpus, 1<<16, noise)}))(t)
			f := must.Get(data.FitGPUs(c.machine))(t)
			if len(f.Parameters) != 3 || f.Parameters[2].Name != c.key {
				t.Fatalf("%s: %+v", c.machine, f.Parameters)
			}
			for i, p := range f.Parameters {
				around := 1.5 * (p.High - p.Low)
				if noise == 0 {
					around = 1e-3 * want[i]
				}
				if math.Abs(p.Value-want[i]) > around {
					t.Errorf("%s, noise %g: %s is %g, want %g", c.machine, noise, p.Name, p.Value, want[i])
				}
			}
		}
	}
}

// Large sizes alone do not separate the time of a step from the start: the error says what would.
func TestGPUsOfLargeSizes(t *testing.T) {
	m, err := files.LoadMachine("h200")
	if err != nil {
		t.Fatal(err)
	}
	data, err := Read([]string{printGPUs(t, m, 8, 1<<28, 0)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = data.FitGPUs("h200")
	want := "do not determine switch_start, switch_step and in_switch: they are too large or too alike; measure all from 1 MiB to 1 GiB"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want one that ends in %q", err, want)
	}
}
