package training

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// Operations with times and collectives on streams of GPUs, for what is no transformer.
func init() {
	workloads.Register(workloads.Kind{Name: "graph",
		Title: "operations on streams of GPUs: kernels and collectives, and what comes after what",
		New:   func() workloads.Workload { return &graph{Repeat: 1, Precision: gpus.BF16.String()} }})
}

type graph struct {
	experiments.NoProgram
	Buckets
	Operations []operation `key:"operations" unit:"list" needs:"required" doc:"kernels and collectives, in the order in which hosts launch them"`
	Streams    []streamKey `key:"streams" unit:"list" doc:"streams with a priority, and their order; the time breakdown is of the first, if omitted: of the first kernel"`
	Repeat     int64       `key:"repeat" unit:"times" doc:"how often the operations are launched, one round after the other"`
	Bucket     int64       `key:"bucket" unit:"bytes" in:"not negative" doc:"all-reduces or reduce-scatters that follow each other are joined up to it; 0: as listed"`
	Precision  string      `key:"precision" unit:"text" doc:"of flops and products: fp16, bf16, fp8, fp32 or tf32"`
}

// operation is an entry of the list. It is a kernel, or with a collective a member of it.
type operation struct {
	Name   string `key:"name" unit:"text" needs:"required" doc:"letters, digits, - and _; after names it"`
	Stream string `key:"stream" unit:"text" doc:"that runs it, one operation after the other; if omitted: compute"`
	Kind   string `key:"kind" unit:"text" doc:"phase of the time breakdown; if omitted: kernel, or the name of the collective"`
	GPUs   []int  `key:"gpus" unit:"count" doc:"that do it; if omitted: all"`

	After     []string `key:"after" unit:"text" doc:"operations on the same GPU that end before it starts"`
	HostAfter []string `key:"host_after" unit:"text" doc:"operations on the same GPU that end before the host launches it"`

	Time    sim.Time  `key:"time" unit:"time" doc:"the time alone on the GPU, or of the collective; with blocks it takes SMs"`
	Blocks  int64     `key:"blocks" unit:"count" doc:"blocks of the kernel, each on an SM; if omitted: of flops and bytes one for each SM"`
	Flops   float64   `key:"flops" unit:"number" in:"not negative" doc:"arithmetic of the kernel, at gpu_kernels.products of the peak"`
	Bytes   int64     `key:"bytes" unit:"bytes" doc:"bytes that the kernel moves in memory; of a collective: its largest buffer"`
	Product []float64 `key:"product" unit:"number" doc:"rows, columns and depth of a matrix product, which gives blocks, time and bytes"`

	Collective string `key:"collective" unit:"text" doc:"all-reduce, all-gather, reduce-scatter, broadcast, reduce, all-to-all or send-receive"`
	Group      int64  `key:"group" unit:"count" doc:"of a collective: GPUs of each group, if not all do it together"`
	Apart      int64  `key:"apart" unit:"count" doc:"of a group: numbers between its GPUs; if omitted: 1"`
	Algorithm  string `key:"algorithm" unit:"text" doc:"of a collective: ring, tree, nvls, nvls-tree, pairs or rails; if omitted: as NCCL chooses"`
	Protocol   string `key:"protocol" unit:"text" doc:"of a collective: LL, LL128 or Simple; if omitted: the one that takes least"`
	Channels   int64  `key:"channels" unit:"count" doc:"of a collective: blocks on SMs; if omitted: the machine's; with time: none"`
}

type streamKey struct {
	Name     string `key:"name" unit:"text" needs:"required" doc:"of the stream"`
	Priority int64  `key:"priority" unit:"offset" doc:"of its blocks that wait for SMs; the highest comes first"`
}

// at is the key of an entry.
func at(i int, key string) string { return fmt.Sprintf("operations[%d].%s", i, key) }

// graphForm is what names of operations, streams and kinds look like.
var graphForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`) })

// Most of a graph.
const (
	mostKinds   = 200
	mostStreams = 64
	mostOps     = 4e6
	mostSent    = 1e18 // bytes

	mostPriority  = 1000
	launchesAhead = 1000 // that a host may be ahead of a stream
)

// CheckGPUs implements experiments.OnGPUs.
func (w *graph) CheckGPUs(m *machines.Machine, place experiments.Place) error {
	_, err := w.checked(m.GPUs, place)
	return err
}

// RunGPUs implements experiments.OnGPUs. The phases are the kinds of operations: what the first
// stream spends on them, or waits for them.
func (w *graph) RunGPUs(m *machines.Machine, place experiments.Place) (*results.Result, error) {
	g, err := w.write(m.GPUs, place)
	if err != nil {
		return nil, err
	}
	run, err := place.Run(g.graph)
	if err != nil {
		return nil, err
	}
	all := newOutcome(run, g.graph.Kinds, place, int64(g.bytes()))
	if g.folded {
		all.spread(0, upTo(place.Ranks))
	} else {
		for device := range place.Ranks {
			all.spread(device, []int{device})
		}
	}
	return all.finished(place), nil
}

// Metrics are the time of all rounds, and by kind what the first streams spend on operations or wait
// for them.
func (w *graph) Metrics(_ *machines.Machine, r *results.Result) (all workloads.Metrics) {
	all.Add("step_s", r.Makespan().Seconds()/float64(w.Repeat))
	for i, name := range r.Phases {
		all.Add(strings.ReplaceAll(name, "-", "_")+"_s", r.Spent(i).Mean(r.Ranks)/float64(w.Repeat))
	}
	return all
}

// Channels implements experiments.Channeled.
func (w *graph) Channels() map[string]int64 {
	all := map[string]int64{}
	for i, o := range w.Operations {
		if o.Channels > 0 && o.Time == 0 {
			all[fmt.Sprintf("operations.%d.channels", i)] = o.Channels
		}
	}
	return all
}
