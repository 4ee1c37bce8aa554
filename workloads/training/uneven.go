package training

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads/experiments"
)

// whole tells whether all GPUs are simulated, because the GPUs of a stage are not equal: some are slow, or share links
// with others.
func (w *transformer) whole(place experiments.Place) bool {
	return w.uneven() || w.Jobs > 1 || place.Fabric != nil
}

// uneven tells whether GPUs of a stage do not take equally long.
func (w *transformer) uneven() bool { return w.Slow > 1 || w.jitters() || w.Documents > 0 }

// Doubts implements experiments.Doubted.
func (w *transformer) Doubts(p experiments.Place) (all []string) {
	var none mistakes
	if b := w.laidOut(&none).plan(p.Ranks, &none); w.Slow > 1 && w.SlowGPU == 0 && b.pp > 1 {
		all = append(all, fmt.Sprintf("the slow GPU is number 0, of the first of %d stages; what it costs depends on its stage: "+
			"--set workload.slow_gpu=%d is one of the last, which has the output layer too", b.pp, b.stageGPUs(b.pp - 1)[0]))
	}
	if text := w.contextDoubt(); text != "" {
		all = append(all, text)
	}
	return all
}

// unevenKeys checks the keys of slow GPUs and of jitter.
func (w *transformer) unevenKeys(ranks int, wrong *mistakes) {
	switch {
	case w.Slow < 1 || w.Slow > mostSlow:
		wrong.add("slow", "must be 1 to %d times, got %v", mostSlow, w.Slow)
	case int(w.SlowGPU) >= ranks:
		wrong.add("slow_gpu", "must be one of the GPUs 0 to %d, got %d", ranks-1, w.SlowGPU)
	}
	if w.Jobs > mostSteps {
		wrong.add("jobs", "must be at most %d, got %d", mostSteps, w.Jobs)
	}
	for _, l := range jitters {
		if *l.of(w) > 1 {
			wrong.add(l.key, "must be at most 1, the whole time of a kernel, got %v", *l.of(w))
		}
	}
	if w.Documents > 0 && (!w.Flash || w.CP > 1) {
		wrong.add("documents", "needs flash, whose kernel can skip what is outside a document, and cp 1")
	}
	if least := max(1, w.Sequence/mostDocuments); w.Documents > 0 && (w.Documents < least || w.Documents > w.Sequence) {
		wrong.add("documents", "must be %d to the %d tokens of a sequence, got %d", least, w.Sequence, w.Documents)
	}
	if w.Steps > 1 && !w.jitters() && w.Documents == 0 {
		wrong.add("steps", "are all equal without jitter and documents; omit it, or give one of them")
	}
	if w.Steps > mostSteps {
		wrong.add("steps", "must be at most %d, got %d", mostSteps, w.Steps)
	}
	if w.uneven() && w.ExpertSkew > 1 {
		wrong.add("expert_skew", "must be 1 where GPUs are slow or have jitter or documents, got %v: the GPU with most tokens stands for all", w.ExpertSkew)
	}
}

// Bounds of what is uneven.
const (
	mostSlow  = 1000
	mostSteps = 10_000
	// mostDocuments is how many documents a sequence may have in the mean.
	mostDocuments = 10_000
)

// runWhole runs steps in which every GPU is simulated, and returns the result of the one of median length.
func (w *transformer) runWhole(b *builder, g *streams.Graph, place experiments.Place) (*results.Result, error) {
	type drawn struct {
		number int
		time   sim.Time
	}
	var steps []drawn
	events := uint64(0)
	for n := range int(w.Steps) {
		p := place
		if w.Steps == 1 {
			break
		}
		p.Timeline, p.Critical, p.Within = false, false, 0 // the step of median length counts
		run, err := p.Run(w.drawn(b, g, place.Seed, n))
		if err != nil {
			return nil, err
		}
		steps, events = append(steps, drawn{n, run.Makespan}), events+run.Events
	}
	slices.SortStableFunc(steps, func(a, b drawn) int { return int(min(1, max(-1, a.time-b.time))) })
	median := 0
	if len(steps) > 0 {
		median = steps[(len(steps)-1)/2].number
	}
	run, err := place.Run(w.drawn(b, g, place.Seed, median))
	if err != nil {
		return nil, err
	}
	all := newOutcome(run, kindNames, place, b.bytes())
	all.Events += events
	all.Scaled = w.fit.report()
	for gpu := range place.Ranks {
		all.spread(gpu, []int{gpu})
		all.Beside = append(all.Beside, run.Hidden(int32(gpu), computeStream, product, attend))
	}
	for _, s := range steps {
		all.Steps = append(all.Steps, s.time)
	}
	return all.finished(place), nil
}

// drawn is a graph, or if there are several steps a copy of it, in which the kernels of the slow GPU take longer, attention takes as long as the documents of its sequences
// need, and all take the time that is drawn for a step. It is the graph itself if GPUs take equally long.
func (w *transformer) drawn(b *builder, g *streams.Graph, seed uint64, step int) *streams.Graph {
	if !w.uneven() {
		return g
	}
	packed, drawn := map[[2]int]float64{}, w.draws(b, seed, step)
	c := *g
	if w.Steps > 1 { // which take the graph again
		c.Devices, c.Ops, c.Collectives = slices.Clone(g.Devices), slices.Clone(g.Ops), slices.Clone(g.Collectives)
	}
	for i := range c.Ops {
		o := &c.Ops[i]
		if o.Collective > 0 || o.Blocks == 0 {
			continue
		}
		time := float64(o.Work)
		if o.Device == int32(w.SlowGPU) {
			time *= w.Slow
		}
		if w.Documents > 0 && o.Kind == attend {
			at := [2]int{int(o.Device) % b.each() / b.tp, int(b.passOf[i] >> 1)}
			part, ok := packed[at]
			if !ok {
				part = w.packed(seed, step, at[0], at[1])
				packed[at] = part
			}
			time *= part
		}
		time *= drawn.factor(i, o.Device)
		o.Demand = int64(float64(o.Demand) * float64(o.Work) / time) // the same bytes
		o.Work = max(1, sim.Time(time+0.5))
	}
	return &c
}

// packed is the arithmetic of attention within the documents of the sequences of a micro-batch of a replica, as a part
// of the arithmetic of whole sequences. Documents are cut where a sequence is full.
func (w *transformer) packed(seed uint64, step, replica, micro int) float64 {
	const unit = 1000 // parts of a token, as draws are whole numbers
	sum, all := 0.0, float64(w.Sequence)
	for sequence := range w.MicroBatch {
		s := sim.NewStream(seed, uint64(step), uint64(replica), uint64(micro), uint64(sequence), documents)
		for left := all; left > 0; {
			length := min(left, float64(s.Exp(sim.Time(w.Documents*unit)))/unit)
			sum += length * length
			left -= length
		}
	}
	return sum / (all * all) / float64(w.MicroBatch)
}

// documents tells the draws of documents from others.
const documents = 0xd0c

// deal reads how many layers each chunk has.
func (w *transformer) deal(p *plan, wrong *mistakes) {
	var all []int
	sum := 0
	for one := range strings.SplitSeq(w.StageLayers, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(one))
		if err != nil || n < 1 {
			wrong.add("stage_layers", "must be numbers from 1 on with commas between them, such as 11,12,12,5; got %q", w.StageLayers)
			return
		}
		all, sum = append(all, n), sum+n
	}
	switch {
	case len(all) != p.pp*p.chunks:
		wrong.add("stage_layers", "must be of pp x chunks = %d, got %d numbers", p.pp*p.chunks, len(all))
	case sum != int(w.Layers):
		wrong.add("stage_layers", "must sum up to the %d layers, got %d", w.Layers, sum)
	case w.EndsCount:
		wrong.add("stage_layers", "says what each stage has, so ends_as_layers must be false")
	default:
		p.dealt = all
	}
}

// divided is the division of layers over chunks after which the longest stage computes least, with the ends of the model as long as their own
// kernels; none: the longest stage of the run computes no longer.
func (w *transformer) divided(b *builder) []string {
	layer, embedding, head := w.alone(b)
	n := b.pp * b.chunks
	stage := func(place int) int {
		if b.schedule.mirrored {
			return min(place, n-1-place)
		}
		return place % b.pp
	}
	now, loads, dealt := make([]float64, b.pp), make([]float64, b.pp), make([]int, n)
	give := func(place, layers int) {
		dealt[place] += layers
		loads[stage(place)] += float64(layers) * layer
	}
	for _, all := range [][]float64{now, loads} {
		all[stage(0)] += embedding
		all[stage(n-1)] += head
	}
	for place := range n {
		now[stage(place)] += float64(b.layersAt(int(b.layers), place)) * layer
		give(place, 1)
	}
	for range int(b.layers) - n {
		least := 0
		for place := range n { // of equals the last one, which keeps fewer micro-batches
			if cmp.Or(cmp.Compare(loads[stage(place)], loads[stage(least)]), cmp.Compare(dealt[place], dealt[least])) <= 0 {
				least = place
			}
		}
		give(least, 1)
	}
	if slices.Max(loads) >= slices.Max(now)*(1-1e-9) { // rounding
		return nil
	}
	return []string{strings.ReplaceAll(strings.Trim(fmt.Sprint(dealt), "[]"), " ", ",")}
}

// alone is how long the compute stream needs, with the GPU to itself, for both passes of a layer and of each end of the model.
func (w *transformer) alone(b *builder) (layer, embedding, head float64) {
	t := newBuilder(b.model, b.plan, b.machine)
	t.write()
	t.oneLayer([][]step{t.layer, t.again, t.back, t.weightsBack})
	ofLayer := len(t.graph.Ops)
	t.oneLayer([][]step{t.embedding, t.embeddingBack})
	ofEmbedding := len(t.graph.Ops)
	t.oneLayer([][]step{t.head, t.headBack, t.headWeights})
	w.fit.scale(t.graph)
	sum := func(ops []streams.Op) (sum float64) {
		for i := range ops {
			switch o := &ops[i]; {
			case o.Stream != computeStream:
			case o.Collective > 0:
				c := &t.graph.Collectives[o.Collective-1]
				sum += (c.Latency + c.Transfer).Seconds()
			default:
				sum += t.alone(o)
			}
		}
		return sum
	}
	return sum(t.graph.Ops[:ofLayer]), sum(t.graph.Ops[ofLayer:ofEmbedding]), sum(t.graph.Ops[ofEmbedding:])
}
