package training

import (
	"errors"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// The end of a step of data parallelism: gradients are summed up over all GPUs, and the optimizer applies them, after the all-reduce or
// within it (Jangda et al., ASPLOS 2022).
func init() {
	workloads.Register(workloads.Kind{Name: "gradient-update",
		Title: "an all-reduce of gradients and the optimizer that applies them, apart or fused",
		New: func() workloads.Workload {
			return &update{Numbers: 1 << 20, GradientBytes: 4, Optimizer: updates[0].name}
		}})
}

type update struct {
	experiments.NoProgram
	Numbers       int64  `key:"numbers" unit:"count" doc:"parameters, each with a gradient"`
	GradientBytes int64  `key:"gradient_bytes" unit:"times" doc:"bytes of a gradient that are sent: 2 or 4"`
	Optimizer     string `key:"optimizer" unit:"text" doc:"adam-fused (one kernel), adam (eight kernels, as in PyTorch of 2020), sgd (one kernel), or none"`
	Fused         bool   `key:"fused" unit:"flag" doc:"each GPU updates its part between the two halves of the all-reduce, in the kernel of the collective"`
	Algorithm     string `key:"algorithm" unit:"text" doc:"of the all-reduce: auto, as NCCL chooses, ring or tree"`
}

// kernels are what kernels of an optimizer move for a parameter: numbers of 4 bytes that are read or written.
type kernels struct {
	name  string
	moves []float64
}

func (k kernels) String() string { return k.name }

var updates = []kernels{
	{"adam-fused", []float64{7}},                // gradient, parameter and both moments; the last three are written too
	{"adam", []float64{2, 3, 2, 3, 2, 2, 2, 4}}, // mul, add, mul, addcmul; sqrt, div, add, addcdiv
	{"sgd", []float64{3}},
	{"none", nil},
}

// Kinds of operations.
const (
	updateSum = iota
	updateOptimizer
)

var updateKinds = []string{"data_parallel", "optimizer"}

// CheckGPUs implements experiments.OnGPUs.
func (w *update) CheckGPUs(m *machines.Machine, place experiments.Place) error {
	_, _, err := w.write(m, place)
	return err
}

// mostNumbers is how many parameters there may be.
const mostNumbers int64 = 1 << 40

// write returns the graph of a GPU and the bytes that it sends, or what is wrong with the keys.
func (w *update) write(m *machines.Machine, place experiments.Place) (*streams.Graph, float64, error) {
	var wrong mistakes
	wrong.within(mostNumbers, "numbers", w.Numbers)
	wrong.gradients(w.GradientBytes)
	moves := named(&wrong, updates, "optimizer", w.Optimizer).moves
	algorithm, err := w.algorithm()
	if err != nil {
		wrong = append(wrong, experiments.Keyed(err))
	}
	if m.GPUs.Kernels.Products == 0 {
		return nil, 0, errors.Join(append(wrong, noRates(m))...)
	}
	if wrong != nil {
		return nil, 0, errors.Join(wrong...)
	}
	group := gpus.First(m.GPUs, place.Ranks, place.PerNode)
	group.Algorithm = algorithm
	return w.graph(m.GPUs, group, moves, place)
}

var ofUpdates = []*gpus.Algorithm{gpus.Ring, gpus.Tree}

// Near implements workloads.Neighbored: the other algorithms of the all-reduce.
func (w *update) Near(key string, _ *machines.Machine, _ int) []string {
	if key != "algorithm" {
		return nil
	}
	return slices.DeleteFunc(names(ofUpdates), func(name string) bool { return name == w.Algorithm })
}

// algorithm is the algorithm of the all-reduce; nil: NCCL chooses.
func (w *update) algorithm() (*gpus.Algorithm, error) {
	if w.Algorithm == "" {
		return nil, nil
	}
	return gpus.Chosen(ofUpdates, "algorithm", w.Algorithm, "auto")
}

// graph writes the all-reduce and the kernels of the optimizer. If they are fused, a GPU updates its part of the
// numbers in memory before it sends them.
func (w *update) graph(m *gpus.Machine, group *gpus.Communicator, moves []float64, place experiments.Place) (*streams.Graph, float64, error) {
	c, err := group.Time(gpus.AllReduce, w.Numbers*w.GradientBytes)
	if err != nil {
		return nil, 0, err
	}
	g := oneGPU(m, updateKinds, streams.Stream{Name: "compute"})
	g.Beyond = c.Beyond
	transfer, compute := sim.Later(c.Bubble, c.Transfer), sim.Time(0)
	if w.Fused {
		for _, numbers := range moves {
			k := m.Move(4 * numbers * float64(w.Numbers) / float64(len(group.Members)))
			compute += k.Block.Times(int64(k.Blocks)/int64(m.GPU.SMs)) - m.Move(0).Block
		}
		moves = nil
	}
	op := streams.Op{Name: "gradients", Kind: updateSum, Launch: m.Kernels.Join}
	if transfer += compute; c.Total() > 0 || transfer > 0 {
		g.Collectives = []streams.Collective{{Latency: c.Before(), Transfer: max(1, transfer), Compute: compute, Flows: place.Flows(&c, group, 1)}}
		op.Collective, op.Blocks = 1, channelsOf(c, m)
	}
	g.Ops = append(g.Ops, op)
	for _, numbers := range moves {
		k := m.Move(4 * numbers * float64(w.Numbers))
		g.Ops = append(g.Ops, streams.Op{Name: "optimizer", Kind: updateOptimizer, Blocks: k.Blocks, Work: k.Block, Demand: k.Demand,
			Launch: m.Kernels.Launch})
	}
	return &g, c.Egress, nil
}

// RunGPUs implements experiments.OnGPUs: one GPU stands for all.
func (w *update) RunGPUs(m *machines.Machine, place experiments.Place) (*results.Result, error) {
	g, sent, err := w.write(m, place)
	if err != nil {
		return nil, err
	}
	return oneForAll(g, place, workloads.WholeBytes(sent*float64(place.Ranks)))
}

// Metrics are the time of both, and by kind what the compute stream spends on operations.
func (w *update) Metrics(_ *machines.Machine, r *results.Result) workloads.Metrics {
	return experiments.ByKind("time_s", r)
}
