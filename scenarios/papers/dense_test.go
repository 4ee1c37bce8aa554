package papers

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/sim/must"
	"overlapsim/workloads/dense"
)

const rerunDense = "run 'go run ./cmd/dev/fit-papers cray'"

// Every cell that the fit used has the value in its result file.
func TestDenseFitIsCurrent(t *testing.T) {
	f := denseFitResult(t)
	p := must.Get(Load("cray"))(t)
	used := 0
	for _, c := range p.Claims {
		if strings.HasPrefix(c.ID, "table") && c.Fit == f.Fit {
			used++
		}
	}
	if used != len(f.Residuals) || used != f.Cells {
		t.Fatalf("the fit used %d cells, cray.yaml marks %d; %s", len(f.Residuals), used, rerunDense)
	}
	for _, r := range f.Residuals {
		c := p.Claim(r.ID)
		if c == nil || c.Published != r.Published {
			t.Fatalf("%s is not in cray.yaml with %g; %s", r.ID, r.Published, rerunDense)
		}
		got, err := p.eval(&c.Metric, c.cell, Results{c.run().key(): numbers(t, c.run())})
		if err != nil || math.Abs(got-r.Computed) > 0.006 || math.Abs(r.Computed-r.Published-r.Residual) > 0.011 {
			t.Errorf("%s gives %.4f (%v), the result file says %g; %s", r.ID, got, err, r.Computed, rerunDense)
		}
	}
}

// run is the run of a cell of a table.
func (c *Claim) run() *Run { return c.cell.experiment.run(c.cell.variant, c.cell.points[0]) }

func numbers(t *testing.T, r *Run) map[string]float64 {
	t.Helper()
	return must.Get(Numbers(r))(t)
}

func denseFitResult(t *testing.T) *DenseFit {
	t.Helper()
	return must.Get(readDenseFit(hopperResult))(t)
}

// The machine and the calibration hopper-models are the results of the fit, so that
// simulations and models have the same machine.
func TestHopperModelsIsTheFit(t *testing.T) {
	f := denseFitResult(t)
	study := must.Get(scenarios.Load("dense-hopper", nil))(t)
	m := study.Runs[0].Machine
	close := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 2e-4*want {
			t.Errorf("%s is %g, the fit found %g", what, got, want)
		}
	}
	close("the latency", m.Network.Latency.Seconds(), f.Machine.Latency)
	close("the bandwidth", 1e12/m.Network.Transfer[0].PerByte, f.Machine.Bandwidth)
	peak := f.Machine.Peak * float64(f.Machine.Threads)
	close("the peak", m.Peak, peak)
	for name, e := range map[string]dense.Efficiency{"dgemm": f.Machine.Gemm, "dtrsm": f.Machine.Trsm, "dpotrf": f.Machine.Potrf} {
		for _, p := range e {
			close(name, m.Kernels[name].At(float64(p.Size)), peak*p.Efficiency)
		}
	}
	want := must.Get(f.Machine.Calibrated())(t)
	got := fittedCalibration(t)
	for d := 1; d <= 1<<15; d *= 2 {
		close("C_avg", got.Average(d), want.Average(d))
		for p := 64; p <= 1<<16; p *= 4 {
			close("C_max", got.Maximum(p, d), want.Maximum(p, d))
		}
	}
}

var everySize = flag.Bool("every-size", false, "run the dense programs on 24,576 cores, too")

// The sixteen programs take the time of their closed forms, within 2 %, on the machine and
// the calibration of the fit, with four layers in 2.5D.
func TestDenseProgramsAgreeOnHopper(t *testing.T) {
	must.Long(t)
	models, table := hopper()
	sizes := []int{1536}
	if *everyClaim {
		sizes = append(sizes, 6144)
	}
	if *everySize {
		sizes = append(sizes, 24576)
	}
	for i := range dense.Algorithms {
		a := &dense.Algorithms[i]
		for _, v := range dense.Variants {
			for _, cores := range sizes {
				t.Run(fmt.Sprint(a.Name, "/", v, "/", cores), func(t *testing.T) {
					t.Parallel()
					const n = 32768
					want := table.Percent(models, a, v, n, cores)
					if got := simulatedPercent(t, a, v, n, cores); math.Abs(got/want-1) > 0.02 {
						t.Errorf("simulated %.4g %% of the peak, the model says %.4g %%: %+.1f %%", got, want, 100*(got/want-1))
					}
				})
			}
		}
	}
}

// simulatedPercent returns the percentage of the peak that the program of a variant reaches.
func simulatedPercent(t *testing.T, a *dense.Algorithm, v dense.Variant, n, cores int) float64 {
	t.Helper()
	_, table := hopper()
	ranks, layers := cores/table.Threads, 1
	blocked := table.blocked(a, v, n, ranks)
	if v.Replicated {
		layers = table.Layers
	}
	settings := []string{"workload.name=" + a.Name, fmt.Sprint("workload.size=", n), fmt.Sprint("workload.layers=", layers),
		fmt.Sprint("workload.overlap=", v.Overlap)}
	if a.Blocks > 1 {
		settings = append(settings, fmt.Sprint("workload.blocks=", blocked.Blocks))
	}
	if v.Overlap && a.Name != "cannon" {
		ranks *= 2
	}
	study := must.Get(scenarios.Load("dense-hopper", append(settings, fmt.Sprint("ranks=", ranks))))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	for _, metric := range o.Metrics {
		if metric.Name == "percent_of_peak" {
			return metric.Value
		}
	}
	return math.NaN()
}

// fittedCalibration reads the library's calibration.
func fittedCalibration(t *testing.T) *dense.Machine {
	t.Helper()
	text := must.Get(os.ReadFile("../files/calibrations/hopper-models.yaml"))(t)
	var m DenseMachine
	must.Do(t, yaml.Unmarshal(text, &m))
	return must.Get(m.Calibrated())(t)
}

// A missing or damaged machine file is noticed.
func TestReadDenseFitMistakes(t *testing.T) {
	for text, want := range map[string]string{"": "c_avg", "fit: [": "yaml", "machine: {c_avg: {distances: [1], factors: [0]}}": "factors"} {
		must.Refuse(readDenseFit([]byte(text)))(t, want)
	}
}

// Cells have names in the records, and cells that a fit leaves out are not part of it.
func TestCells(t *testing.T) {
	p := must.Get(Load("cray"))(t)
	cells := 0
	for _, c := range p.Claims {
		if c.Cell == nil || !strings.HasPrefix(c.ID, "table") {
			continue
		}
		cells++
		if withheld := c.Judged == Withheld; withheld && c.Fit != "" || !withheld && c.Known == "" && c.Fit != "cray" {
			t.Errorf("%s: used in the fit %q", c.ID, c.Fit)
		}
	}
	if cells != 160 {
		t.Errorf("%d cells, want 160", cells)
	}
	got := p.Claim("table3/replicated_overlap/6144x65536").Cell
	want := map[string]any{"table": "III", "cores": int64(6144), "n": int64(65536), "variant": "2.5D_overlap"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
