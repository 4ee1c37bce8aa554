package validation

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// classes are rows of collectives of GPUs with the median error that is to be kept, those of all machines together.
var classes = []struct {
	name string
	of   func(gpu, algorithm string, nodes int, bytes float64) bool
	most float64
}{
	{"one domain, except V100, from 16 MiB", func(gpu, _ string, nodes int, bytes float64) bool {
		return gpu != "V100" && nodes == 1 && bytes >= 16*mib
	}, 0.03},
	{"one domain, except V100, 1 to 16 MiB", func(gpu, _ string, nodes int, bytes float64) bool {
		return gpu != "V100" && nodes == 1 && bytes >= mib && bytes < 16*mib
	}, 0.08},
	{"V100", func(gpu, _ string, _ int, _ float64) bool { return gpu == "V100" }, 0.05},
	{"NVLS, from 1 GiB", func(_, algorithm string, _ int, bytes float64) bool {
		return strings.HasPrefix(algorithm, "NVLS") && bytes >= 1024*mib
	}, 0.03},
	{"several nodes, from 1 GiB", func(_, _ string, nodes int, bytes float64) bool { return nodes > 1 && bytes >= 1024*mib }, 0.05},
	{"several nodes, below 16 MiB", func(_, _ string, nodes int, bytes float64) bool { return nodes > 1 && bytes < 16*mib }, 0.2},
}

// The classes of docs/reference/gpus.md keep their goals.
func TestClassesOfCollectives(t *testing.T) {
	errs := make([][]float64, len(classes))
	for _, name := range []string{"nccl", "nccl-vtrain", "nccl-mlperf"} {
		set := must.Get(Load(name))(t)
		for _, one := range validate(t, Request{Set: set}).Rows {
			cell := func(column string) string {
				if one.table.column(column) < 0 {
					return ""
				}
				return one.table.text(one.line, column)
			}
			bytes := must.Get(strconv.ParseFloat(cell("bytes"), 64))(t)
			nodes := 1
			if n, err := strconv.Atoi(cell("nodes")); err == nil && cell("gpus") != "72" { // a rack of 72 is a domain
				nodes = n
			}
			for i, c := range classes {
				if c.of(cell("gpu"), cell("algorithm"), nodes, bytes) {
					errs[i] = append(errs[i], math.Abs(one.Predicted/one.Measured-1))
				}
			}
		}
	}
	for i, c := range classes {
		slices.Sort(errs[i])
		median := quantile(errs[i], 0.5)
		t.Logf("%s: %d rows, median %.2f %%, goal %.0f %%", c.name, len(errs[i]), 100*median, 100*c.most)
		if !(median <= c.most) {
			t.Errorf("%s: the median error of %d rows is %.3f, the goal %.3f", c.name, len(errs[i]), median, c.most)
		}
	}
}
