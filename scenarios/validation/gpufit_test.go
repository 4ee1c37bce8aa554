package validation

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlapsim/nodes/gpus"
	"overlapsim/scenarios/files"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// gpuFit says which rows of a data set numbers of gpu_calibration were fitted to, one after
// the other, and between how many GPUs.
type gpuFit struct {
	machine, set string
	rows         func(row map[string]string) bool
	numbers      []string
	loose        []string // of them: those that the rows hardly determine
}

// is tells whether a column has one of the values.
func is(column string, values ...string) func(row map[string]string) bool {
	return func(row map[string]string) bool { return slices.Contains(values, row[column]) }
}

func both(a, b func(row map[string]string) bool) func(row map[string]string) bool {
	return func(row map[string]string) bool { return a(row) && b(row) }
}

// sized tells whether a row has that many bytes, below most.
func sized(least, most float64) func(row map[string]string) bool {
	return func(row map[string]string) bool {
		bytes, _ := strconv.ParseFloat(row["bytes"], 64)
		return bytes >= least && bytes < most
	}
}

const mib = 1 << 20

var gpuFits = []gpuFit{
	{"dgx-a100", "nccl-vtrain", both(is("gpu", "A100"), is("gpus", "2", "3", "4", "5", "8")), []string{"start", "step", "ring", "low"}, nil},
	{"dgx-1v", "nccl-vtrain", both(is("gpu", "V100"), is("gpus", "2", "3", "4", "5")), []string{"start", "step", "ring", "low"},
		[]string{"low"}},
	{"dgx-a100-pytorch", "nccl-vidur", both(is("system", "a100_dgx"), both(is("collective", "all_reduce"), sized(0, 65*mib))),
		[]string{"start", "step", "ring"}, nil},
	{"dgx-a100-pytorch", "nccl-vidur", both(is("system", "a100_dgx"), is("collective", "send_recv")), []string{"send"}, nil},
	{"dgx-h100-pytorch", "nccl-vidur", both(is("system", "h100_dgx"), both(is("collective", "all_reduce"), is("gpus", "2", "4"))),
		[]string{"start", "step", "ring", "low"}, []string{"step", "low"}},
	{"dgx-h100-pytorch", "nccl-vidur", both(is("system", "h100_dgx"), both(is("collective", "all_reduce"), is("gpus", "8"))),
		[]string{"in_switch", "switch_start", "switch_step"}, nil},
	{"dgx-h100-pytorch", "nccl-vidur", both(is("system", "h100_dgx"), is("collective", "send_recv")), []string{"send"}, nil},
	{"dgx-h100", "nccl", both(is("table", "h100_1node_8gpu"), sized(0, mib)), []string{"start", "low"}, nil},
	{"dgx-h100", "nccl", both(is("table", "h100_1node_8gpu"), sized(2*mib, 1e15)), []string{"in_switch", "switch_start", "switch_step"}, nil},
	{"h200-pytorch", "nccl", both(is("table", "h200_8gpu_sweep"), sized(0, mib)), []string{"start"}, nil},
	{"h200-pytorch", "nccl", both(is("table", "h200_8gpu_sweep"), sized(2*mib, 1e15)), []string{"in_switch", "switch_start", "switch_step"}, nil},
	{"b200", "nccl", both(is("table", "b200_1node"), sized(0, mib)), []string{"start"}, nil},
	{"b200", "nccl", both(is("table", "b200_nvls_ramp"), is("algorithm", "Ring (NVLS off)", "Ring (chosen)")), []string{"ring"}, nil},
	{"b200", "nccl", both(is("table", "b200_nvls_ramp"), is("algorithm", "NVLS (chosen)")), []string{"in_switch"}, nil},
	{"b200", "nccl", both(is("table", "b200_1node"), sized(4*mib, 1e9)), []string{"switch_start", "switch_step"}, nil},
	{"gb200-nvl72", "nccl", is("table", "gb200_1rack_72gpu"), []string{"in_switch", "switch_start", "switch_step"}, []string{"switch_start"}},
	{"gb200-nvl72", "nccl", is("table", "gb200_1host_4gpu"), []string{"start", "step", "ring", "low"}, nil},
	{"mi300x", "nccl", is("table", "mi300x"), []string{"ring"}, nil},
	{"gpu-nodes-100g", "nccl", both(is("table", "unnamed_4node_32gpu"), sized(1<<30, 1e15)), []string{"network"}, nil},
	{"gpu-nodes-100g", "nccl", both(is("table", "unnamed_4node_32gpu"), sized(0, 16*mib)), []string{"far"}, nil},
}

// number returns a number of a calibration, in its own units.
func number(c *gpus.Calibration, name string) (get func() float64, set func(float64)) {
	timed := map[string]*sim.Time{"start": &c.Start, "step": &c.Step, "send": &c.Send, "switch_start": &c.SwitchStart,
		"switch_step": &c.SwitchStep}
	plain := map[string]*float64{"ring": &c.Ring, "low": &c.Low, "in_switch": &c.InSwitch, "network": &c.Network, "far": &c.Far}
	if to := timed[name]; to != nil {
		return func() float64 { return float64(*to) }, func(v float64) { *to = sim.Time(v) }
	}
	to := plain[name]
	return func() float64 { return *to }, func(v float64) { *to = v }
}

// rowsOf returns the rows of a data set that the fit is for.
func (f *gpuFit) rowsOf(t *testing.T) (rows []map[string]string) {
	file := must.Get(os.Open(f.set + ".csv"))(t)
	defer file.Close()
	lines := must.Get(csv.NewReader(file).ReadAll())(t)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		if f.rows(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// distance is the mean of |ln(predicted / measured)|.
func distance(t *testing.T, m *gpus.Machine, rows []map[string]string) float64 {
	sum := 0.0
	for _, row := range rows {
		n, _ := strconv.Atoi(row["gpus"])
		bytes, _ := strconv.ParseFloat(row["bytes"], 64)
		measured, _ := strconv.ParseFloat(row["time_us"]+row["out_of_place_us"]+row["median_us"], 64)
		group, operation := gpus.First(m, n, m.Node.GPUs), gpus.AllReduce
		if row["collective"] == "send_recv" {
			operation = gpus.SendReceive
		}
		if strings.HasPrefix(row["algorithm"], "Ring") {
			group.Algorithm = gpus.Ring
		}
		cost, err := group.Time(operation, int64(bytes))
		if err != nil {
			t.Fatal(err, row)
		}
		sum += math.Abs(math.Log(cost.Total().Seconds() * 1e6 / measured))
	}
	return sum / float64(len(rows))
}

// The fitted numbers of GPUs are the best for the rows that they name: none that is 15 % larger
// or smaller fits clearly better, and the rows tell both from it.
func TestGPUNumbersAreFitted(t *testing.T) {
	for _, f := range gpuFits {
		m := must.Get(files.LoadMachine(f.machine))(t)
		rows := f.rowsOf(t)
		found := distance(t, m.GPUs, rows)
		t.Logf("%s, %d rows of %s: %.3f", f.machine, len(rows), f.set, found)
		for _, name := range f.numbers {
			get, set := number(&m.GPUs.Fit, name)
			value, least, most := get(), math.Inf(1), 0.0
			for _, factor := range []float64{0.85, 1.15} {
				set(value * factor)
				other := distance(t, m.GPUs, rows)
				least, most = min(least, other), max(most, other)
			}
			set(value)
			t.Logf("  %s: %.3f to %.3f", name, least, most)
			if least < 0.9*found-0.001 || most < 1.02*found && !slices.Contains(f.loose, name) {
				t.Errorf("%s: %s is not what fits best: the mean error is %.3f, and %.3f to %.3f with 15 %% less and more",
					f.machine, name, found, least, most)
			}
		}
	}
}

// All numbers of gpu_calibration that are said to be fitted are fitted above; network and far
// come from the nodes that are not named.
func TestFittedNumbersOfGPUs(t *testing.T) {
	fitted := map[string]bool{}
	for _, f := range gpuFits {
		for _, name := range f.numbers {
			fitted[f.machine+" "+name] = true
		}
	}
	for _, name := range files.Machines() {
		m := must.Get(files.LoadMachine(name))(t)
		for _, fact := range m.Facts {
			number, ok := strings.CutPrefix(fact.Path, "gpu_calibration.")
			if !ok || fact.Origin != "fitted" || fact.Place.File != "machines/"+name+".yaml" {
				continue
			}
			if !fitted[name+" "+number] && !fitted["gpu-nodes-100g "+number] && !elsewhere[name+" "+number] {
				t.Errorf("%s: %s is said to be fitted (%s), and no fit is tested", name, fact.Path, fact.Source)
			}
		}
	}
}

// elsewhere are numbers that others were fitted with: dgx-h100 has the step of the rows of
// dgx-h100-pytorch, and a count of channels, which is no quantity to change by 15 %.
var elsewhere = map[string]bool{"dgx-h100 step": true, "dgx-h100 switch_channels": true}
