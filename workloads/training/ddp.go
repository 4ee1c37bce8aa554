package training

import (
	"cmp"
	"errors"
	"fmt"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// A step of data-parallel training as PyTorch's DistributedDataParallel does it (Li et al., VLDB 2020).
func init() {
	workloads.Register(workloads.Kind{Name: "ddp", Title: "a step of training a residual network with PyTorch's DistributedDataParallel",
		New: func() workloads.Workload {
			return &ddp{Model: resnets[0].name, Alone: 100 * sim.Millisecond, Wrapped: true, Bucket: 25 << 20, FirstBucket: 1 << 20,
				GradientBytes: 4}
		}})
}

type ddp struct {
	experiments.NoProgram
	Buckets
	Model         string   `key:"model" unit:"text" doc:"resnet50, resnet101, resnet152, resnext50_32x4d or resnext101_32x8d of torchvision"`
	Alone         sim.Time `key:"alone" unit:"time" in:"positive" doc:"a step on one GPU without DistributedDataParallel, as measured"`
	Wrapped       bool     `key:"wrapped" unit:"flag" doc:"the model is in DistributedDataParallel; false: it is not, which needs one GPU"`
	Bucket        int64    `key:"bucket" unit:"bytes" in:"positive" doc:"gradients that are summed up together"`
	FirstBucket   int64    `key:"first_bucket" unit:"bytes" in:"positive" doc:"size of the bucket with the parameters that are defined first; their gradients come last"`
	GradientBytes int64    `key:"gradient_bytes" unit:"times" doc:"bytes of a gradient: 2 or 4"`
	Spread        float64  `key:"spread" unit:"number" in:"not negative" doc:"how much longer the slowest of several GPUs takes, as a fraction from 0 to 1"`
}

// Kinds of operations of a step.
const (
	forwardPass = iota
	backwardPass
	gradientCopy
	gradientSum
	ddpKinds
)

var ddpKindNames = []string{"forward", "backward", "copy", "data_parallel"}

// ddpWaves is how many waves the blocks of a layer make. A kernel of many blocks yields SMs to others little by little.
const ddpWaves = 16

// CheckGPUs implements experiments.OnGPUs.
func (w *ddp) CheckGPUs(m *machines.Machine, place experiments.Place) error {
	_, err := w.writer(m, place)
	return err
}

// writer returns the writer of a step, or what is wrong with the keys.
func (w *ddp) writer(m *machines.Machine, place experiments.Place) (*ddpWriter, error) {
	var wrong mistakes
	model := named(&wrong, resnets, "model", w.Model)
	if w.Alone < sim.Millisecond || w.Alone > machines.Longest/16 {
		wrong.add("alone", "must be %v to %v, got %v", sim.Millisecond, machines.Longest/16, w.Alone)
	}
	wrong.gradients(w.GradientBytes)
	if w.Spread < 0 || w.Spread > 1 {
		wrong.add("spread", "must be 0 to 1, got %g", w.Spread)
	}
	if !w.Wrapped && place.Ranks > 1 {
		wrong.add("wrapped", "must be true where several GPUs train together; there are %d", place.Ranks)
	}
	if m.GPUs.Kernels.Products == 0 {
		return nil, errors.Join(append(wrong, noRates(m))...)
	}
	if wrong != nil {
		return nil, errors.Join(wrong...)
	}
	d := &ddpWriter{ddp: w, machine: m.GPUs, place: place, group: gpus.First(m.GPUs, place.Ranks, place.PerNode), tensors: model.tensors()}
	return d, d.write()
}

// noRates is the error for a machine without rates of kernels.
func noRates(m *machines.Machine) error {
	return fmt.Errorf("the machine %s has no speeds of kernels; give machine.gpu_kernels (docs/explanation/gpu-steps.md)", m.Name)
}

// RunGPUs implements experiments.OnGPUs: one GPU stands for all.
func (w *ddp) RunGPUs(m *machines.Machine, place experiments.Place) (*results.Result, error) {
	if without.Imbalance.In(place.Without) && w.Spread > 0 {
		equal := *w
		equal.Spread = 0
		w, place.Without = &equal, place.Without.Less(without.Imbalance)
	}
	d, err := w.writer(m, place)
	if err != nil {
		return nil, err
	}
	return oneForAll(&d.graph, place, place.Sent(d.sent))
}

// Metrics are the time of a step, and by kind what the compute stream spends on operations or waits for them.
func (w *ddp) Metrics(_ *machines.Machine, r *results.Result) workloads.Metrics {
	return experiments.ByKind("step_s", r)
}

// ddpWriter makes the graph of a step.
type ddpWriter struct {
	*ddp
	machine *gpus.Machine
	place   experiments.Place
	group   *gpus.Communicator
	tensors []tensor
	graph   streams.Graph
	sent    float64
	sums    []int32 // operations that sum up gradients
}

// write writes a step: forward pass, backward pass with the sums of buckets, and the gradients back to where the
// optimizer reads them. A third of the time alone is forward and two thirds are backward, divided among the layers by
// their arithmetic.
func (d *ddpWriter) write() error {
	d.graph = oneGPU(d.machine, ddpKindNames, streams.Stream{Name: "compute"}, streams.Stream{Name: "gradients", Priority: 1})
	flops := 0.0
	for _, t := range d.tensors {
		flops += t.flops
	}
	share := d.Alone.Seconds() / flops / 3
	if len(d.group.Members) > 1 {
		share *= 1 + d.Spread
	}
	for _, t := range d.tensors {
		d.layer(forwardPass, t.flops*share)
	}
	if !d.Wrapped {
		d.backward(bucket{0, len(d.tensors)}, share)
		return nil
	}
	all := d.buckets()
	for i := len(all) - 1; i >= 0; i-- {
		d.backward(all[i], share)
		if err := d.sum(all[i]); err != nil {
			return err
		}
	}
	for i, b := range all {
		d.graph.Ops[d.back(b)].After = []int32{d.sums[len(all)-1-i]}
	}
	return nil
}

// bucket is a stretch of tensors in the order of their definition.
type bucket struct{ from, to int }

// buckets are those that the reducer makes: in the order of definition, each ends with the tensor that fills it.
func (d *ddpWriter) buckets() (all []bucket) {
	full, most := 0.0, float64(d.FirstBucket)
	from := 0
	for i := range d.tensors {
		if full += d.bytes(bucket{i, i + 1}); full >= most || i == len(d.tensors)-1 {
			all = append(all, bucket{from, i + 1})
			from, full, most = i+1, 0, float64(d.Bucket)
		}
	}
	return all
}

// bytes is the size of gradients.
func (d *ddpWriter) bytes(b bucket) (sum float64) {
	for _, t := range d.tensors[b.from:b.to] {
		sum += t.numbers * float64(d.GradientBytes)
	}
	return sum
}

// layer is a kernel of the network that takes the given seconds alone; a norm has no separate time.
func (d *ddpWriter) layer(kind uint8, seconds float64) {
	if seconds == 0 {
		return
	}
	block := max(1, sim.Seconds(seconds/ddpWaves))
	d.add(streams.Op{Name: ddpKindNames[kind], Kind: kind, Blocks: ddpWaves * int32(d.machine.GPU.SMs), Work: block})
}

// backward writes the layers of a bucket from the last to the first, and copies each gradient into it.
func (d *ddpWriter) backward(b bucket, share float64) {
	for i := b.to - 1; i >= b.from; i-- {
		d.layer(backwardPass, 2*d.tensors[i].flops*share)
		if d.Wrapped {
			d.move("copy into bucket", 2*d.bytes(bucket{i, i + 1}))
		}
	}
}

// sum divides a bucket by the number of GPUs, and sums it up over them.
func (d *ddpWriter) sum(b bucket) error {
	bytes := d.bytes(b)
	after := d.move("divide", 2*bytes)
	c, err := d.group.Time(gpus.AllReduce, int64(bytes))
	if err != nil {
		return err
	}
	op := streams.Op{Name: "gradients", Kind: gradientSum, Stream: dataStream, After: []int32{after}, Launch: d.machine.Kernels.Join}
	if c.Total() > 0 {
		d.graph.Beyond = cmp.Or(d.graph.Beyond, c.Beyond)
		d.graph.Collectives = append(d.graph.Collectives, streams.Collective{Latency: c.Before(), Transfer: c.Moving(),
			Flows: d.place.Flows(&c, d.group, 1)})
		op.Collective, op.Blocks = int32(len(d.graph.Collectives)), channelsOf(c, d.machine)
		op.Demand, op.Incoming = c.Demand(op.Blocks)
		d.sent += c.Egress
	}
	d.sums = append(d.sums, d.add(op))
	return nil
}

// back copies the gradients of a bucket to where the optimizer reads them. It returns the first copy.
func (d *ddpWriter) back(b bucket) int32 {
	first := int32(len(d.graph.Ops))
	for i := b.from; i < b.to; i++ {
		d.move("copy out of bucket", 2*d.bytes(bucket{i, i + 1}))
	}
	return first
}

// move is a kernel that moves bytes in memory.
func (d *ddpWriter) move(name string, bytes float64) int32 {
	w := d.machine.Move(bytes)
	return d.add(streams.Op{Name: name, Kind: gradientCopy, Blocks: w.Blocks, Work: w.Block, Demand: w.Demand})
}

// add writes an operation.
func (d *ddpWriter) add(o streams.Op) int32 {
	if o.Launch == 0 {
		o.Launch = d.machine.Kernels.Launch
	}
	d.graph.Ops = append(d.graph.Ops, o)
	return int32(len(d.graph.Ops) - 1)
}
