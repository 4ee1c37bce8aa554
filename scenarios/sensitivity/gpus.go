package sensitivity

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"overlapsim/nodes"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/workloads/experiments"
)

// Keys is how the makespan in s of a run on GPUs depends on keys.
type Keys struct {
	Run
	Changes []Change `json:"keys"` // the largest elasticity first
	// Critical is the critical path of the run as it is, if it was asked for.
	Critical *outcomes.PathRecord `json:"critical_path,omitempty"`
}

// Change is the result of making a key about a tenth smaller, and larger.
type Change struct {
	Path       string  `json:"key"`
	Smaller    *Rerun  `json:"smaller"` // nil: that value is not possible
	Larger     *Rerun  `json:"larger"`
	Elasticity float64 `json:"elasticity"`            // per cent of today's makespan for each per cent, between both
	Below      bool    `json:"below_noise,omitempty"` // what both do is below the noise of the run
}

// Rerun is a value and the makespan with it.
type Rerun struct {
	Value    string  `json:"value"` // as a setting: x0.9 of a rate, else the number
	Makespan float64 `json:"makespan_s"`
}

// tenth is by which part rates are changed.
const tenth = 0.1

// gpuRates are the keys of machines with GPUs that a factor changes: links between GPUs, the network, memory, kernels, hosts, tokens. Hosts
// that send messages have more.
var gpuRates = []string{
	"gpu_calibration.ring", "gpu_calibration.in_switch", "gpu_calibration.start", "gpu_calibration.step", "gpu_calibration.send",
	"gpu_calibration.switch_start", "gpu_calibration.switch_step", "gpu.pcie.bandwidth", "gpu.nics.bandwidth", "gpu_calibration.far",
	"gpu.memory_bandwidth", "gpu_kernels.products", "gpu_kernels.start", "gpu_kernels.launch", "gpu_kernels.join", "gpu_exchange.links", "gpu_exchange.network",
	"gpu_exchange.start", "gpu_exchange.direct_start",
}

// ofTraces are the factors on the times of a trace, which no rate of the machine changes.
var ofTraces = []string{"compute", "communication", "host", "pauses"}

// OnGPUs returns how the makespan of a run on GPUs depends on its machine, on the channels of collectives, each of
// which holds an SM, and on its buckets, by re-runs. What changes nothing is omitted. It calls step before each
// run, from several goroutines.
func OnGPUs(o *outcomes.Outcome, load points.Load, step func(string), stopped func() bool) Keys {
	values := gpuValues(o)
	pool := &points.Pool{Load: load, Started: func(p *points.Point) { step(p.Says) }, Stopped: stopped}
	all := Keys{Run: newRun(o, points.NoiseOf(pool, o, nodes.Options{})), Changes: make([]Change, len(values))}
	if o.Result.Critical != nil {
		all.Critical = o.PathRecord()
	}
	var both []points.Point
	for i, v := range values {
		all.Changes[i].Path = v.path
		for _, value := range []string{v.smaller, v.larger} {
			both = append(both, points.Point{Says: v.path, Set: []string{v.path + "=" + value}})
		}
	}
	taken := points.Run(pool, both, points.Makespan)
	for i, v := range values {
		c := &all.Changes[i]
		c.Smaller, c.Larger = rerun(v.smaller, taken[2*i]), rerun(v.larger, taken[2*i+1])
		c.elasticity(all.Makespan, v.part, all.Noise.Part)
	}
	all.Changes = slices.DeleteFunc(all.Changes, func(c Change) bool { return c.Elasticity == 0 })
	slices.SortStableFunc(all.Changes, func(a, b Change) int { return cmp.Compare(math.Abs(b.Elasticity), math.Abs(a.Elasticity)) })
	return all
}

// StepsOnGPUs is the number of calls of step that OnGPUs makes.
func StepsOnGPUs(o *outcomes.Outcome) int { return 2*len(gpuValues(o)) + points.MostOrders }

// nearby are values of a key that are smaller and larger than today's by a part of it.
type nearby struct {
	path            string
	part            float64
	smaller, larger string
}

// elasticity compares both values. Where one is not possible, today's makespan is an end of the difference.
func (c *Change) elasticity(today, part float64, noise *float64) {
	least, most, span := today, today, 0.0
	if c.Smaller != nil {
		least, span = c.Smaller.Makespan, span+part
	}
	if c.Larger != nil {
		most, span = c.Larger.Makespan, span+part
	}
	if span > 0 {
		c.Elasticity = (most - least) / today / span
	}
	c.Below = report.BelowNoise((max(today, most, least)-min(today, most, least))/today, noise)
}

// rerun is a run with another value; nil: it is not possible.
func rerun(value string, t points.Taken[float64]) *Rerun {
	if t.Err != nil {
		return nil
	}
	return &Rerun{value, t.Value}
}

// gpuValues are the values of the keys that the machine states, and of the whole numbers of the run that are not 0.
func gpuValues(o *outcomes.Outcome) (all []nearby) {
	rates := gpuRates
	if w, ok := o.Workload.(experiments.Hosted); ok {
		rates = slices.Concat(rates, w.Hosted())
	}
	for _, key := range rates {
		if slices.ContainsFunc(o.Machine.Facts, func(f keys.Fact) bool { return strings.TrimPrefix(f.Path, "machine.") == key }) {
			all = append(all, nearby{"machine." + key, tenth, factor(1 - tenth), factor(1 + tenth)})
		}
	}
	for _, r := range files.WorkloadRows(o.Workload) {
		if by, ok := r.To.(*float64); ok && *by > 0 && slices.Contains(ofTraces, r.Path) {
			value := func(x float64) string { return strconv.FormatFloat(x**by, 'g', -1, 64) }
			all = append(all, nearby{"workload." + r.Path, tenth, value(1 - tenth), value(1 + tenth)})
		}
	}
	whole := wholeNumbers(o)
	for _, path := range slices.Sorted(maps.Keys(whole)) {
		if n := whole[path]; n > 0 {
			by := max(1, n/10)
			all = append(all, nearby{path, float64(by) / float64(n), number(path, n-by), number(path, n+by)})
		}
	}
	return all
}

// wholeNumbers are channels and buckets by their paths.
func wholeNumbers(o *outcomes.Outcome) map[string]int64 {
	fit := &o.Machine.GPUs.Fit
	all := map[string]int64{"machine.gpu_calibration.channels": int64(fit.Channels),
		"machine.gpu_calibration.switch_channels": int64(fit.SwitchBlocks)}
	if w, ok := o.Workload.(experiments.Channeled); ok {
		for key, n := range w.Channels() {
			all["workload."+key] = n
		}
	}
	for _, r := range files.WorkloadRows(o.Workload) {
		if n, ok := r.To.(*int64); ok && r.Path == bucket {
			all["workload."+bucket] = *n
		}
	}
	return all
}

// bucket is the key of a workload for the size of its buckets.
const bucket = "bucket"

func factor(by float64) string { return "x" + strconv.FormatFloat(by, 'g', -1, 64) }

// number is a whole number as a setting; for a bucket it is a size.
func number(path string, n int64) string {
	if path == "workload."+bucket {
		return keys.FormatBytes(n)
	}
	return strconv.FormatInt(n, 10)
}
