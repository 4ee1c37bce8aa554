package validation

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"overlapsim/sim/must"
)

// kernelFits are numbers of gpu_kernels, the data set they were fitted to, and those that its
// rows hardly determine. products of dgx-a100-megatron is at its bound: more would fit better.
var kernelFits = []struct {
	machine, set string
	numbers      map[string]string // values with units
	loose        []string
}{
	{"dgx-a100-megatron", "vtrain-single", map[string]string{"moves": "0.9", "start": "16us", "launch": "68us", "join": "45us"},
		[]string{"moves", "join", "start"}},
}

// The fitted rates of kernels are the best for the rows of their data set: none that is 25 %
// smaller or larger fits clearly better, and the rows tell both from it.
func TestKernelsAreFitted(t *testing.T) {
	must.Long(t)
	for _, f := range kernelFits {
		set := must.Get(Load(f.set))(t)
		found := meanError(t, set, f.machine)
		for name := range f.numbers {
			least, most := math.Inf(1), 0.0
			for _, factor := range []string{"x0.75", "x1.25"} {
				file := filepath.Join(t.TempDir(), "other.yaml")
				text := fmt.Sprintf("base: %s\ngpu_kernels.%s: %s\n", f.machine, name, factor)
				must.Do(t, os.WriteFile(file, []byte(text), 0o666))
				other := meanError(t, set, file)
				least, most = min(least, other), max(most, other)
			}
			t.Logf("%s: %.4f; %.4f to %.4f", name, found, least, most)
			if least < 0.93*found || most < 1.02*found && !slices.Contains(f.loose, name) {
				t.Errorf("%s of %s is not what fits best: the mean error is %.4f, and %.4f to %.4f with 25 %% less and more",
					name, f.machine, found, least, most)
			}
		}
	}
}

// meanError is the mean error of the rows of a data set on a machine.
func meanError(t *testing.T, set *Set, machine string) float64 {
	r := validate(t, Request{Set: set, Machine: machine})
	sum := 0.0
	for _, row := range r.Rows {
		sum += math.Abs(row.Predicted/row.Measured - 1)
	}
	return sum / float64(len(r.Rows))
}
