package training

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/workloads/experiments"
)

// layoutForm is a product: tensor-parallel GPUs, stages, chunks of a stage, sequences of a pass, schedule.
var layoutForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^tp(\d{1,6})-pp(\d{1,6})(?:-x(\d{1,6}))?-mb(\d{1,6})(?:-(` + strings.Join(names(schedules), "|") + `))?$`)
})

// laidOut returns the keys, with those that the layout gives in place of their values.
func (w *transformer) laidOut(wrong *mistakes) *transformer {
	if w.Layout == "" {
		return w
	}
	m := layoutForm().FindStringSubmatch(w.Layout)
	if m == nil {
		wrong.add("layout", "must look like tp8-pp2-mb4, tp8-pp2-x3-mb4 with 3 chunks of a stage, or tp8-pp2-mb4-zero-bubble with a schedule; got %q",
			w.Layout)
		return w
	}
	l := *w
	for i, to := range []*int64{&l.TP, &l.PP, &l.Chunks, &l.MicroBatch} {
		*to = 1
		if m[i+1] != "" {
			*to, _ = strconv.ParseInt(m[i+1], 10, 64) // at most six digits
		}
	}
	l.DP = 0
	switch {
	case m[5] != "":
		l.Schedule = m[5]
	case l.Chunks > 1:
		l.Schedule = "interleaved"
	case chosenOf(schedules, l.Schedule).chunked:
		l.Schedule = "1f1b"
	}
	for _, v := range []int64{l.TP, l.PP, l.Chunks, l.MicroBatch} {
		if v < 1 {
			wrong.add("layout", "must have numbers from 1 on, got %q", w.Layout)
			return w
		}
	}
	return &l
}

// inLayout are the keys that every layout gives.
var inLayout = []string{"tp", "pp", "dp", "chunks", "micro_batch"}

// LaidOut tells whether every layout gives the value of a key.
func LaidOut(key string) bool { return slices.Contains(inLayout, key) }

// Overridden implements workloads.Overridden: what a layout gives.
func (w *transformer) Overridden() (keys []string, by string) {
	if w.Layout == "" {
		return nil, ""
	}
	keys = slices.Clone(inLayout)
	one, other := *w, *w
	one.Schedule, other.Schedule = "1f1b", "zero-bubble"
	if one.laidOut(new(mistakes)).Schedule == other.laidOut(new(mistakes)).Schedule {
		keys = append(keys, "schedule")
	}
	return keys, "layout"
}

// Buckets is the part of a workload that knows sizes of its buckets of gradients.
type Buckets struct{}

const bucketRange = "1MB..256MB*2"

// Range implements workloads.Ranged.
func (Buckets) Range(key string, _ int) string {
	if !strings.HasSuffix(key, "bucket") {
		return ""
	}
	return bucketRange
}

// Range implements workloads.Ranged: buckets, what replicas split, names, and the layouts and numbers of GPUs that share a replica or
// its experts whose numbers divide each other.
func (w *transformer) Range(key string, ranks int) string {
	switch key {
	case "layout":
	case "tp", "cp", "pp", "ep":
		return w.divisors(key, ranks)
	case "bucket":
		return bucketRange
	case "zero":
		return "0..3"
	case "recompute":
		return strings.Join(names(recomputes), ",")
	case "schedule":
		return strings.Join(names(schedules), ",")
	default:
		return ""
	}
	var all []string
	for tp := int64(1); tp <= mostTensor; tp *= 2 {
		for pp := int64(1); pp <= min(w.Layers, int64(ranks)/tp); pp++ {
			for chunks := int64(1); chunks <= 2; chunks++ {
				for micro := int64(1); micro <= mostMicro; micro *= 2 {
					all = append(all, w.scheduled(layout(tp, pp, chunks, micro), ranks)...)
				}
			}
		}
	}
	return strings.Join(all, ",")
}

// divisors lists the numbers of GPUs with which the run's numbers divide each other, for the batch of the run; "": a layout gives them.
func (w *transformer) divisors(key string, ranks int) string {
	if w.Layout != "" && LaidOut(key) {
		return ""
	}
	var all []string
	try := *w.laidOut(new(mistakes))
	try.Layout = ""
	try.GlobalBatch, _ = w.Batch(ranks)
	of := map[string]*int64{"tp": &try.TP, "cp": &try.CP, "pp": &try.PP, "ep": &try.EP}[key]
	for *of = 1; *of <= int64(ranks); *of++ {
		if try.works(ranks) {
			all = append(all, strconv.FormatInt(*of, 10))
		}
	}
	return strings.Join(all, ",")
}

// scheduled returns a layout and, if it is a pipeline without chunks, the same with each other schedule that fits.
func (w *transformer) scheduled(text string, ranks int) (all []string) {
	if w.divides(text, ranks) {
		all = append(all, text)
	}
	var wrong mistakes
	try := *w
	try.Layout = text
	l := try.laidOut(&wrong)
	if l.PP == 1 || l.Chunks > 1 {
		return all
	}
	for _, s := range schedules {
		if other := text + "-" + s.name; s.name != l.Schedule && !s.chunked && w.divides(other, ranks) {
			all = append(all, other)
		}
	}
	return all
}

// The most tensor-parallel GPUs, and sequences of a pass, that layouts try.
const (
	mostTensor = 8
	mostMicro  = 8
)

func layout(tp, pp, chunks, micro int64) string {
	if chunks > 1 {
		return fmt.Sprintf("tp%d-pp%d-x%d-mb%d", tp, pp, chunks, micro)
	}
	return fmt.Sprintf("tp%d-pp%d-mb%d", tp, pp, micro)
}

// Near implements workloads.Neighbored: the schedules of a pipeline, the division of layers after which its stages compute for about as long,
// half, twice and a quarter as many GPUs that share experts, and the layouts in which a number, or tp and pp against each other, differ by a
// factor of 2, for the batch of the run.
func (w *transformer) Near(key string, m *machines.Machine, ranks int) (all []string) {
	var wrong mistakes
	l := w.laidOut(&wrong)
	switch key {
	case "schedule":
		for _, name := range names(schedules) {
			if l.PP > 1 && name != l.Schedule {
				all = append(all, name)
			}
		}
	case "layout":
		for _, by := range [][4]float64{{0.5, 2, 1, 1}, {2, 0.5, 1, 1}, {0.5, 1, 1, 1}, {1, 0.5, 1, 1}, {1, 1, 1, 2}, {1, 1, 1, 0.5},
			{1, 1, 2, 1},
			{2, 1, 1, 1}, {1, 2, 1, 1}, {0.5, 1, 1, 0.5}, {1, 0.5, 1, 0.5}} {
			of := *w
			of.GlobalBatch, _ = w.Batch(ranks)
			if near := l.times(by); near != "" && of.divides(near, ranks) {
				all = append(all, near)
			}
		}
	case "ep":
		try := *l
		try.Layout = ""
		try.GlobalBatch, _ = w.Batch(ranks)
		for _, ep := range []int64{w.EP / 2, 2 * w.EP, w.EP / 4} {
			if try.EP = ep; ep > 1 && w.Experts > 0 && try.works(ranks) {
				all = append(all, strconv.FormatInt(ep, 10))
			}
		}
	case "stage_layers":
		b, err := w.builder(m, experiments.Place{Ranks: ranks, PerNode: m.GPUs.Node.GPUs})
		if err == nil && b.pp > 1 {
			all = w.divided(b)
		}
	}
	return all
}

// Batch implements workloads.Batched.
func (w *transformer) Batch(ranks int) (sequences int64, open bool) {
	if w.GlobalBatch > 0 {
		return w.GlobalBatch, false
	}
	var none mistakes
	p := w.laidOut(&none).plan(ranks, &none)
	return int64(p.dp * p.micro), true
}

// times is the layout with tp, pp, chunks and micro-batch multiplied by factors; "" if the result is not a whole
// number.
func (w *transformer) times(by [4]float64) string {
	var to [4]int64
	for i, n := range []int64{w.TP, w.PP, w.Chunks, w.MicroBatch} {
		x := float64(n) * by[i]
		if to[i] = int64(x); float64(to[i]) != x || x < 1 {
			return ""
		}
	}
	return layout(to[0], to[1], to[2], to[3])
}

// Described implements experiments.Described: the layout, what replicas split, and how fast products are.
func (w *transformer) Described(m *machines.Machine, p experiments.Place) []string {
	var none mistakes
	l := w.laidOut(&none)
	replicas := "1 replica"
	if dp := l.plan(p.Ranks, &none).dp; dp > 1 {
		replicas = fmt.Sprintf("%d replicas", dp)
	}
	says := []string{"layout " + l.laid(), replicas, fmt.Sprintf("zero %d", l.ZeRO)}
	if l.ZeRO > 1 && l.PP > 1 {
		says[2] += " (each stage whole during a step)"
	}
	if l.PP > 1 {
		says = append(says, "schedule "+l.Schedule)
	}
	if w.Traced == "" && w.MeasuredStep == 0 { // otherwise kernels are scaled
		says = append(says, fmt.Sprintf("products at most at %.0f %% of the peak", 100*m.GPUs.Kernels.Products))
	}
	if w.Precision != gpus.BF16.String() {
		says = append(says, w.Precision)
	}
	if w.Slow > 1 {
		says = append(says, fmt.Sprintf("kernels of GPU %d %v times as long", w.SlowGPU, w.Slow))
	}
	for _, j := range jitters {
		if spread := *j.of(w); spread > 0 {
			says = append(says, fmt.Sprintf("%s %v", j.key, spread))
		}
	}
	if l.Jobs > 1 {
		says = slices.Insert(says, 0, fmt.Sprintf("%d jobs of %d GPUs", l.Jobs, p.Ranks/int(l.Jobs)))
	}
	return says
}

// divides tells whether the numbers of a layout divide the numbers of the model, the batch and the run.
func (w *transformer) divides(text string, ranks int) bool {
	try := *w
	try.Layout = text
	return try.works(ranks)
}

// works tells whether the numbers of the layout divide the others.
func (w *transformer) works(ranks int) bool {
	var wrong mistakes
	l := w.laidOut(&wrong)
	m, p := l.model(&wrong), l.plan(ranks, &wrong)
	l.products(&m, &p, ranks, &wrong)
	return wrong == nil
}
