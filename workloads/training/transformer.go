package training

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

func init() {
	workloads.Register(workloads.Kind{Name: "transformer",
		Title: "a step of training a transformer (GPT, an LLM) on GPUs: tensor, pipeline and data parallel",
		New: func() workloads.Workload {
			return &transformer{Layers: 24, Hidden: 1024, Heads: 16, Sequence: 1024, Vocabulary: 51200, Tied: true, ScoreBytes: 6, Precision: gpus.BF16.String(),
				Recompute: "none", TP: 1, PP: 1, MicroBatch: 1, Schedule: "1f1b", Chunks: 1, GradientBytes: 2, Prefetch: 1, TopK: 2, CP: 1, EP: 1,
				ContextBy: contextWays[0].name, Dispatcher: dispatchers[0].name, DispatchSMs: 24, ExpertSkew: 1,
				Slow: 1, JitterAs: "normal", Jobs: 1, Steps: 1}
		}})
}

// transformer is the workload: a decoder of equal layers, as GPT and Llama are.
type transformer struct {
	experiments.NoProgram
	Layers     int64  `key:"layers" unit:"times" doc:"layers"`
	Hidden     int64  `key:"hidden" unit:"count" doc:"width of the model"`
	Heads      int64  `key:"heads" unit:"count" doc:"heads of attention"`
	KVHeads    int64  `key:"kv_heads" unit:"count" doc:"heads of keys and values; 0: as many as heads"`
	FFN        int64  `key:"ffn" unit:"count" doc:"width of the feed-forward network; 0: four times hidden"`
	Gated      bool   `key:"gated" unit:"flag" doc:"the feed-forward network has three matrices (SwiGLU), not two"`
	Flash      bool   `key:"flash" unit:"flag" doc:"FlashAttention: one fused kernel, scores not stored, causal mask skipped"`
	Vocabulary int64  `key:"vocabulary" unit:"count" doc:"words"`
	Tied       bool   `key:"tied" unit:"flag" doc:"one table of words serves the input and the output (GPT; tie_word_embeddings in the configuration of a model); with pp of 2 or more the first and the last stage have it, and sum up its gradients. false: two tables (Llama, Mixtral)"`
	ScoreBytes int64  `key:"score_bytes" unit:"times" doc:"memory: bytes of the score of a word with its gradient. 6 if one kernel computes the loss; PyTorch without compilation has 14: the score in 2 and in 4 bytes, its logarithm and its gradient in 4"`
	Sequence   int64  `key:"sequence" unit:"count" doc:"tokens of a sequence"`
	Precision  string `key:"precision" unit:"text" doc:"of matrix products: fp16, bf16, fp8, fp32 or tf32; attention has 16 bits at least"`

	HeadSize  int64   `key:"head_size" unit:"count" doc:"width of a head; 0: hidden / heads"`
	Experts   int64   `key:"experts" unit:"count" doc:"experts of each layer, in place of the feed-forward network; 0: none"`
	TopK      int64   `key:"top_k" unit:"times" doc:"experts that a token goes to"`
	ExpertFFN int64   `key:"expert_ffn" unit:"count" doc:"width of an expert; 0: ffn"`
	SharedFFN int64   `key:"shared_ffn" unit:"count" doc:"width of the shared experts, to which all tokens go, together; 0: none"`
	Capacity  float64 `key:"capacity" unit:"number" in:"not negative" doc:"tokens that an expert computes, padded, divided by an even share; 0: the tokens that come, the same number for each"`

	TP               int64 `key:"tp" unit:"times" doc:"tensor parallel: GPUs that split each layer"`
	PP               int64 `key:"pp" unit:"times" doc:"pipeline parallel: stages"`
	DP               int64 `key:"dp" unit:"count" doc:"data parallel: replicas; 0: ranks / (tp cp pp)"`
	CP               int64 `key:"cp" unit:"times" doc:"context parallel: GPUs that split each sequence"`
	EP               int64 `key:"ep" unit:"times" doc:"expert parallel: neighbouring GPUs of a stage that share the experts; divides tp x cp x dp"`
	SequenceParallel bool  `key:"sequence_parallel" unit:"flag" doc:"the parts between tensor-parallel ones are split too: all-gather and reduce-scatter"`

	ContextBy   string  `key:"context_by" unit:"text" choices:"ring,all-to-all,all-gather,all-gather-repeated" doc:"cp: keys and values go round a ring, or each GPU gets some heads, or the keys and values of all GPUs are gathered before attention, as for Llama 3; or they are repeated for each head first, gathered during attention, and its parts merged, as in PyTorch; no measured step was compared with ring or all-to-all"`
	Dispatcher  string  `key:"dispatcher" unit:"text" choices:"all-to-all,two-stage,direct" doc:"ep: how tokens reach their experts: all-to-all of NCCL, or two-stage or direct, the kernels of the workload expert-exchange"`
	DispatchSMs int64   `key:"dispatch_sms" unit:"count" doc:"ep: SMs that a two-stage exchange holds; 0: none, at the speed of the links"`
	Nodes       int64   `key:"token_domains" unit:"count" doc:"ep: domains that a token may go to, if not all-to-all; 0: any number"`
	HostCounts  bool    `key:"host_counts" unit:"flag" doc:"ep: before the forward pass sends tokens, all GPUs tell the others where theirs go, and the host waits until it knows how many come"`
	ExpertSkew  float64 `key:"expert_skew" unit:"number" doc:"ep: tokens of the GPU that gets most, divided by an even share; that GPU is simulated, and the others wait for it"`
	EPOverlap   bool    `key:"ep_overlap" unit:"flag" doc:"ep: a forward pass is computed together with the backward pass of another micro-batch"`

	Layout string `key:"layout" unit:"text" doc:"in place of tp, pp, dp, chunks and micro_batch, which then have no effect, and of schedule if it names one: tp8-pp2-mb4, tp8-pp2-x3-mb4 with 3 chunks, tp8-pp2-mb4-zero-bubble"`

	MicroBatch  int64  `key:"micro_batch" unit:"times" doc:"sequences of a pass"`
	GlobalBatch int64  `key:"global_batch" unit:"count" doc:"sequences of a step, over all replicas; 0: a micro-batch each"`
	Schedule    string `key:"schedule" unit:"text" doc:"of the pipeline: gpipe, 1f1b, zero-bubble (ZB-H1), interleaved or dualpipe"`
	Chunks      int64  `key:"chunks" unit:"times" doc:"interleaved: chunks of layers of a stage"`
	EndsCount   bool   `key:"ends_as_layers" unit:"flag" doc:"the table of words and the head each count as a layer of their stage: the first and the last chunk have one layer less"`
	StageLayers string `key:"stage_layers" unit:"text" doc:"layers of each stage, such as 11,12,12,5; with chunks, of each chunk in the order of chunks; without them all have as many"`
	Recompute   string `key:"recompute" unit:"text" doc:"what of the forward pass is computed again: none, selective (attention), alternate (without attention and every second product) or full"`

	Bucket        int64 `key:"bucket" unit:"bytes" doc:"gradients are summed up during the last backward pass, layers together up to this size, one layer at least; 0B: all after it"`
	GradientBytes int64 `key:"gradient_bytes" unit:"times" doc:"bytes of a gradient that are sent: 2 or 4"`
	ZeRO          int64 `key:"zero" unit:"count" doc:"replicas split the optimizer's state (1), gradients too (2), parameters too (3, FSDP: a layer is a bucket); with pp of 2 or more, gradients and parameters of a stage are whole during a step, as torchtitan's default has it (reshard_after_forward)"`
	Prefetch      int64 `key:"prefetch" unit:"count" doc:"zero 3: layers whose parameters are gathered ahead"`

	AsyncTP    bool    `key:"async_tp" unit:"flag" doc:"tensor-parallel collectives are cut into pieces, which run during pieces of the product that needs them"`
	BatchFirst bool    `key:"batch_first" unit:"flag" doc:"activations have the batch before the sequence, as in PyTorch: what sequence_parallel gathers or scatters of several sequences is copied once"`
	Slow       float64 `key:"slow" unit:"number" doc:"kernels of the GPU slow_gpu take that many times as long; then all GPUs are simulated"`
	SlowGPU    int64   `key:"slow_gpu" unit:"count" doc:"slow: the number of the slow GPU"`
	Jitter     float64 `key:"jitter" unit:"number" in:"not negative" doc:"spread of the time of each kernel, as a part of it (standard deviation); then all GPUs are simulated"`
	JitterPass float64 `key:"pass_jitter" unit:"number" in:"not negative" doc:"as jitter, but all kernels of a forward or backward pass of a GPU take the same number of times as long"`
	JitterMB   float64 `key:"micro_batch_jitter" unit:"number" in:"not negative" doc:"the same of all passes of a micro-batch, on all stages: its sequences are longer or shorter"`
	JitterGPU  float64 `key:"gpu_jitter" unit:"number" in:"not negative" doc:"the same of all that a GPU computes in a step"`
	JitterStep float64 `key:"step_jitter" unit:"number" in:"not negative" doc:"the same of all that all GPUs compute in a step"`
	JitterAs   string  `key:"jitter_as" unit:"text" choices:"normal,exponential" doc:"keys of jitter: normal (at least half the time), or a part that is exponential, with the same mean"`
	Jobs       int64   `key:"jobs" unit:"times" doc:"equal jobs that run at the same time, each on ranks / jobs GPUs; they have the domains of GPUs in turn, and share the fabric"`
	Documents  int64   `key:"documents" unit:"count" doc:"mean tokens of a document: sequences are packed with documents of exponential lengths, and attention (flash) stays within each; then all GPUs are simulated; 0: whole sequences"`
	Steps      int64   `key:"steps" unit:"times" doc:"keys of jitter, documents: steps that are drawn; the results are those of the step of median length"`

	Traced         string   `key:"traced" unit:"text" doc:"a trace of the PyTorch profiler of steps of this model on other GPUs, next to the scenario, or a folder with one of each rank: its kernels say how much longer kernels take than gpu_kernels says"`
	MeasuredStep   sim.Time `key:"measured_step" unit:"time" doc:"the time of a step of this model on other GPUs: all kernels and launches take as many times as long, so that the model meets it"`
	MeasuredRanks  int64    `key:"measured_ranks" unit:"count" doc:"GPUs on which traced or measured_step was measured; 0: as many as the trace says"`
	MeasuredLayout string   `key:"measured_layout" unit:"text" doc:"their layout, as layout: tp1-pp1-mb2; if omitted: that of the file, or of the flags before the measurement"`
	MeasuredBatch  int64    `key:"measured_batch" unit:"count" doc:"sequences of the measured step; 0: global_batch of the file, or of the flags before the measurement; without it a micro-batch for each replica"`

	steps     []experiments.Steps // of the trace
	fit, base *scaling            // of a measurement, when it is checked; of what was measured, where more keys were changed since

	DynamicScaling bool `key:"dynamic_scaling" unit:"flag" doc:"fp8: a separate kernel scales and casts the inputs of each product"`
}

// mistakes collects errors at keys.
type mistakes []error

func (m *mistakes) add(key, format string, args ...any) {
	*m = append(*m, &workloads.KeyError{Key: key, Message: fmt.Sprintf(format, args...)})
}

// among adds a mistake that other keys have a part in.
func (m *mistakes) among(key string, others []string, there, message string) {
	*m = append(*m, &workloads.KeysError{KeyError: workloads.KeyError{Key: key, Message: message}, Others: others, There: there})
}

// within adds a number that is not 1 to the most.
func (m *mistakes) within(most int64, key string, n int64) {
	if n < 1 || n > most {
		m.add(key, "must be 1 to %d, got %d", most, n)
	}
}

// gradients adds bytes of a gradient that no library sends.
func (m *mistakes) gradients(bytes int64) {
	if bytes != 2 && bytes != 4 {
		m.add("gradient_bytes", "must be 2 or 4, got %d", bytes)
	}
}

// model returns the model that the keys describe.
func (w *transformer) model(wrong *mistakes) model {
	m := model{layers: float64(w.Layers), hidden: float64(w.Hidden), heads: float64(w.Heads), groups: float64(w.KVHeads), ffn: float64(w.FFN),
		gated: w.Gated, flash: w.Flash, vocabulary: float64(w.Vocabulary), tied: w.Tied, sequence: float64(w.Sequence), headSize: float64(w.HeadSize), documents: float64(w.Documents),
		scoreBytes: float64(w.ScoreBytes),
		moe: mixture{experts: float64(w.Experts), topK: float64(w.TopK), width: float64(w.ExpertFFN), shared: float64(w.SharedFFN),
			capacity: w.Capacity, skew: w.ExpertSkew}}
	if m.groups == 0 {
		m.groups = m.heads
	}
	if m.ffn == 0 {
		m.ffn = 4 * m.hidden
	}
	if m.moe.width == 0 {
		m.moe.width = m.ffn
	}
	wrong.within(mostWidth, "hidden", w.Hidden)
	wrong.within(mostWidth, "heads", w.Heads)
	wrong.within(mostWidth, "vocabulary", w.Vocabulary)
	wrong.within(mostWidth, "sequence", w.Sequence)
	m.precision = named(wrong, precisions, "precision", w.Precision)
	return m
}

// mostWidth is the largest width of a model: products of widths then fit into an int64.
const mostWidth = 1 << 24

// precisions are the precisions of training.
var precisions = []gpus.Precision{gpus.FP16, gpus.BF16, gpus.FP8, gpus.FP32, gpus.TF32}

// plan returns how the keys spread the model over the GPUs.
func (w *transformer) plan(ranks int, wrong *mistakes) plan {
	p := plan{tp: int(w.TP), pp: int(w.PP), dp: int(w.DP), chunks: int(w.Chunks), endsCount: w.EndsCount, micro: int(w.MicroBatch),
		sequence: w.SequenceParallel, bucket: w.Bucket, gradientBytes: float64(w.GradientBytes), zero: int(w.ZeRO), prefetch: int(w.Prefetch),
		async: w.AsyncTP, scaling: w.DynamicScaling,
		schedule: named(wrong, schedules, "schedule", w.Schedule), recompute: named(wrong, recomputes, "recompute", w.Recompute), cp: int(w.CP), ep: int(w.EP), sms: int(w.DispatchSMs), domains: int(w.Nodes),
		jobs: int(w.Jobs), counts: w.HostCounts, together: w.EPOverlap, batchFirst: w.BatchFirst,
		context: chosenOf(contextWays, w.ContextBy), dispatch: chosenOf(dispatchers, w.Dispatcher)}
	if p.dp == 0 {
		p.dp = max(1, ranks/max(1, p.jobs*p.tp*p.cp*p.pp))
	}
	wrong.gradients(w.GradientBytes)
	w.sharding(&p, wrong)
	w.mixing(&p, wrong)
	global := int(w.GlobalBatch)
	if global == 0 {
		global = p.dp * p.micro
	}
	p.micros = global / max(1, p.dp*p.micro)
	return p
}

// sharding checks the keys of what replicas split, and of pieces.
func (w *transformer) sharding(p *plan, wrong *mistakes) {
	if p.zero > 3 {
		wrong.add("zero", "must be 0 to 3, got %d", p.zero)
	}
	if p.zero == 3 && p.bucket > 0 {
		wrong.add("bucket", "must be 0B with zero 3, where a layer is a bucket; got %d", p.bucket)
	}
	if p.prefetch > int(w.Layers) {
		wrong.add("prefetch", "must be at most the %d layers, got %d", w.Layers, p.prefetch)
	}
	if p.async && (p.tp == 1 || !p.sequence) {
		wrong.add("async_tp", "needs tp of 2 or more, and sequence_parallel, whose collectives have pieces")
	}
}

// products checks that numbers divide each other.
func (w *transformer) products(m *model, p *plan, ranks int, wrong *mistakes) {
	if p.jobs*p.each()*p.pp != ranks {
		text := fmt.Sprintf("%s = %d GPUs, and the run has %d ranks", p.product(), p.jobs*p.each()*p.pp, ranks)
		if w.DP > 0 {
			text += fmt.Sprintf("; --set ranks=%d has as many, and without dp the ranks give it", p.jobs*p.each()*p.pp)
		}
		wrong.among("tp", []string{"layout", "pp", "cp", "dp", "jobs"}, text, text)
	}
	divides := func(key string, of int64, what string, by int64) {
		if by < 1 || of%by != 0 {
			text := fmt.Sprintf("%d is not a multiple of %s = %d", of, what, by)
			names, _, _ := strings.Cut(what, ",")
			wrong.among(key, append(strings.Split(names, " x "), "layout"), key+": "+text, text)
		}
	}
	if w.StageLayers != "" {
		w.deal(p, wrong)
	} else if w.EndsCount {
		divides("layers", w.Layers+2, "pp x chunks, with both ends,", w.PP*w.Chunks)
	} else {
		divides("layers", w.Layers, "pp x chunks", w.PP*w.Chunks)
	}
	divides("heads", w.Heads, "tp", w.TP)
	if w.HeadSize == 0 {
		divides("hidden", w.Hidden, "heads", w.Heads)
	}
	w.splits(p, divides, wrong)
	divides("heads", w.Heads, "kv_heads", int64(m.groups))
	divides("ffn", int64(m.ffn), "tp", w.TP)
	divides("vocabulary", w.Vocabulary, "tp", w.TP)
	if w.GlobalBatch > 0 {
		divides("global_batch", w.GlobalBatch, "dp x micro_batch", int64(p.dp)*w.MicroBatch)
	}
	if p.schedule.mirrored && (p.pp < 2 || p.pp%2 != 0 || p.micros%2 != 0 || p.micros < 2*p.pp) {
		wrong.add("schedule", "dualpipe needs an even number of stages and of micro-batches, at least twice as many; there are pp = %d and %d", p.pp,
			p.micros)
	}
	if p.schedule.mirrored && p.zero > 1 {
		wrong.add("zero", "must be 0 or 1 with schedule dualpipe, got %d", p.zero)
	}
	if p.chunks > 1 && !p.schedule.chunked {
		wrong.add("chunks", "must be 1 with schedule %s; interleaved has several, got %d", p.schedule.name, p.chunks)
	}
	if p.chunks > 1 && (p.pp < 2 || p.micros%p.pp != 0) {
		wrong.add("chunks", "interleaving needs micro-batches that are a multiple of pp = %d, at least 2; there are %d", p.pp, p.micros)
	}
}

// builder returns the builder of what the keys ask for, or what is wrong with them.
func (w *transformer) builder(m *machines.Machine, place experiments.Place) (*builder, error) {
	var wrong mistakes
	w = w.laidOut(&wrong)
	model := w.model(&wrong)
	p := w.plan(place.Ranks, &wrong)
	w.products(&model, &p, place.Ranks, &wrong)
	w.unevenKeys(place.Ranks, &wrong)
	g := m.GPUs
	if g.Kernels.Products == 0 {
		return nil, noRates(m)
	}
	if place.PerNode != g.Node.GPUs && place.Ranks > place.PerNode {
		wrong.add("tp", "the run has %d processes a node; it must be the %d GPUs of a node: give processes_per_node=%d, or if NVLink joins "+
			"GPUs of several nodes, machine.gpu.domain instead of machine.gpu.per_node", place.PerNode, g.Node.GPUs, g.Node.GPUs)
	}
	if g.GPU.Peak[model.precision] == 0 {
		wrong.add("precision", "the speed of %s is not known for %s (gpu.peak)", model.precision, g.GPU.Title)
	}
	if one := p.each() * p.pp; p.jobs > 1 && wrong == nil && one%g.Node.Domain != 0 {
		wrong.add("jobs", "each has %d GPUs; that must be a multiple of the %d GPUs of a domain, which the jobs have in turn", one, g.Node.Domain)
	}
	if wrong == nil {
		p.alike(g, &wrong)
	}
	if wrong != nil {
		return nil, errors.Join(wrong...)
	}
	b := newBuilder(model, p, g)
	b.whole, b.equal, b.place = w.whole(place), !w.uneven(), place
	return b, b.small()
}

// small refuses graphs that are too large for the numbers of their operations.
func (b *builder) small() error {
	n := b.load().Operations
	if n <= mostOperations {
		return nil
	}
	if b.whole {
		return &workloads.KeyError{Key: "global_batch", Message: fmt.Sprintf("slow, jitter, jobs or a fabric: all %d GPUs are simulated, and they "+
			"have about %.0f operations; the most is %d", b.jobs*b.each()*b.pp, n, int(mostOperations))}
	}
	return &workloads.KeyError{Key: "global_batch", Message: fmt.Sprintf("a step has about %.0f operations, the most is %d; there are %.0f layers "+
		"and %d micro-batches", n, int(mostOperations), b.layers, b.micros)}
}

// mostOperations is how many operations a graph may have.
const mostOperations = 5e7

// CheckGPUs implements experiments.OnGPUs.
func (w *transformer) CheckGPUs(m *machines.Machine, place experiments.Place) error {
	b, err := w.builder(m, place)
	if err != nil {
		return err
	}
	if stage, n := b.needs(); n.sum() > float64(m.GPUs.GPU.Memory) {
		text, relief := fmt.Sprintf("stage %d is out of memory: %s, a GPU has %.1f GB", stage, &n, float64(m.GPUs.GPU.Memory)/1e9), b.relief(&n)
		there := text + "; most is spared by " + relief
		if setting := w.fitting(m, place); setting != "" {
			text += "; it fits with " + setting
			relief, _, _ = strings.Cut(setting, "=")
			there = text
		}
		return &workloads.KeysError{KeyError: workloads.KeyError{Key: relief, Message: text}, Others: filling, There: there}
	}
	b.write()
	if err := b.communicates(); err != nil {
		return err
	}
	return w.fitted(m, place)
}

// RunGPUs implements experiments.OnGPUs. The phases are the kinds of operations: what the compute
// stream spends on them, or waits for them.
func (w *transformer) RunGPUs(m *machines.Machine, place experiments.Place) (*results.Result, error) {
	equal := without.Imbalance.In(place.Without) && w.ExpertSkew > 1
	if equal {
		even := *w
		even.ExpertSkew = 1
		w = &even
	}
	b, err := w.builder(m, place)
	if err != nil {
		return nil, err
	}
	if equal && b.pp == 1 {
		place.Without = place.Without.Less(without.Imbalance)
	}
	g, err := b.build()
	if err != nil {
		return nil, err
	}
	w.fit.scale(g)
	if b.whole {
		return w.runWhole(b, g, place)
	}
	run, err := place.Run(g)
	if err != nil {
		return nil, err
	}
	all := newOutcome(run, kindNames, place, b.bytes())
	all.Scaled = w.fit.report()
	for stage := range b.pp {
		all.spread(stage, b.stageGPUs(stage))
		beside := run.Hidden(int32(stage), computeStream, product, attend)
		all.Beside = append(all.Beside, slices.Repeat([]sim.Time{beside}, len(b.stageGPUs(stage)))...)
	}
	return all.finished(place), nil
}

// atPeak is the time of all arithmetic at the peak, with what recompute full does again, and with the bubble that the schedule has with equal
// stages, where gradients of inputs and of weights take as long as a forward pass. A multiple of it is the simplest model of a step.
func (w *transformer) atPeak(m *model, p *plan, peak float64, gpus int) float64 {
	flops := m.flops(float64(p.micros * p.micro * p.dp))
	back := 2.0
	if p.recompute.keepsInput {
		flops *= 4.0 / 3
		back++
	}
	bubble := float64(p.pp - 1)
	if p.schedule.bubble != nil {
		bubble = p.schedule.bubble(float64(p.pp), 1, back, 1) / (1 + back)
	}
	return flops / peak / float64(gpus) * (1 + bubble/float64(p.micros*p.chunks))
}

// Metrics are the time of a step, the arithmetic of the model (without recomputation) as a part of the peak, the memory of a GPU of
// the stage that needs most, the time of the arithmetic at the peak with the pipeline's bubble, the communication hidden alongside
// products and attention, and by kind the time that the compute streams spend on operations or wait for them.
func (w *transformer) Metrics(m *machines.Machine, r *results.Result) (all workloads.Metrics) {
	step := r.Makespan().Seconds()
	all.Add("step_s", step)
	if n := len(r.Steps); n > 0 {
		all.Add("step_99_in_100_s", r.Steps[(99*n+99)/100-1].Seconds())
	}
	var wrong mistakes
	w = w.laidOut(&wrong)
	model, p := w.model(&wrong), w.plan(r.Ranks, &wrong)
	sequences := float64(p.jobs * p.micros * p.micro * p.dp)
	const noTime = "it takes no time"
	all.AddOr("mfu", model.flops(sequences)/step/m.GPUs.GPU.Peak[model.precision]/float64(r.Ranks), noTime)
	_, n := newBuilder(model, p, m.GPUs).needs()
	all.Add("memory_GB", n.sum()/1e9)
	all.Add("at_peak_s", w.atPeak(&model, &p, m.GPUs.GPU.Peak[model.precision], r.Ranks/p.jobs))
	all.AddOr("tokens_per_s_per_gpu", sequences*model.sequence/step/float64(r.Ranks), noTime)
	all.Add("hidden_beside_products_s", sim.TotalOf(r.Beside...).Mean(r.Ranks))
	for i, name := range r.Phases {
		if i == expertComm && p.ep == 1 || i == contextComm && p.cp == 1 {
			continue
		}
		all.Add(name+"_s", r.Spent(i).Mean(r.Ranks))
	}
	return all
}
