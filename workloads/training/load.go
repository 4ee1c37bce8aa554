package training

import (
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/workloads/experiments"
)

// loadOf is what a graph that is written is: a run of it simulates all of that.
func loadOf(g *streams.Graph, key string) experiments.Load {
	l := experiments.Load{Operations: float64(len(g.Ops)), Kinds: len(g.Kinds), Key: key}
	for i := range g.Devices {
		l.Streams += float64(len(g.Devices[i].Streams))
	}
	return l
}

// Load implements experiments.OnStreams. What holds memory is the number of micro-batches, and of layers.
func (w *transformer) Load(m *machines.Machine, place experiments.Place) experiments.Load {
	b, err := w.builder(m, place)
	if err != nil {
		return experiments.Load{}
	}
	return b.load()
}

// load is the load of the graph that build writes. Operations of layers are counted as they are written for one layer
// of the first stage, in a graph that is discarded. The few sums of gradients are not counted.
func (b *builder) load() experiments.Load {
	trial := newBuilder(b.model, b.plan, b.machine)
	trial.write()
	for _, steps := range [][][]step{{trial.layer}, {trial.again, trial.back, trial.weightsBack}} {
		trial.oneLayer(steps)
	}
	passes := float64(b.micros) * float64(b.pp*b.chunks)
	operations := float64(b.micros)*b.layers*float64(len(trial.graph.Ops)) + passes*passEnds
	each, written := 1.0, 1.0 // GPUs of a stage
	if b.whole {
		each = float64(b.jobs * b.each())
	}
	if !b.equal {
		written = each
	}
	return experiments.Load{Operations: operations * each, Written: operations * written, Streams: float64(b.pp*b.streams()) * each, Kinds: numKinds, Key: "global_batch"}
}

// passEnds is how many messages the passes of a micro-batch through a chunk of layers begin and end with.
const passEnds = 4

// oneLayer writes what a pass does for a layer.
func (b *builder) oneLayer(pass [][]step) {
	b.cursor, b.buckets = cursor{last: -1}, b.newBuckets()
	b.units = units{skip: !b.everyPass(), all: 2, gathered: 1, gathers: []int32{-1}}
	b.unshard()
	for _, steps := range pass {
		b.do(steps)
	}
}

// Load implements experiments.OnStreams.
func (w *ddp) Load(m *machines.Machine, place experiments.Place) experiments.Load {
	d, err := w.writer(m, place)
	if err != nil {
		return experiments.Load{}
	}
	return loadOf(&d.graph, "model")
}

// Load implements experiments.OnStreams.
func (w *gemm) Load(m *machines.Machine, place experiments.Place) experiments.Load {
	g, err := w.writer(m, place)
	if err != nil {
		return experiments.Load{}
	}
	return loadOf(&g.graph, "pieces")
}

// Load implements experiments.OnStreams.
func (w *update) Load(m *machines.Machine, place experiments.Place) experiments.Load {
	g, _, err := w.write(m, place)
	if err != nil {
		return experiments.Load{}
	}
	return loadOf(g, "optimizer")
}

// Load implements experiments.OnStreams.
func (w *graph) Load(m *machines.Machine, place experiments.Place) experiments.Load {
	g, err := w.checked(m.GPUs, place)
	if err != nil {
		return experiments.Load{}
	}
	return g.load()
}

// load is the load of the graph when it is written.
func (g *graphWriter) load() experiments.Load {
	return experiments.Load{Operations: g.operations(), Streams: float64(g.deviceCount() * len(g.streams)), Kinds: len(g.graph.Kinds), Key: "repeat"}
}
