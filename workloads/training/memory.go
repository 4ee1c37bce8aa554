package training

import (
	"fmt"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/workloads/experiments"
)

// need is what a GPU of a stage keeps in memory, in bytes.
type need struct{ parameters, gradients, optimizer, activations, loss float64 }

func (n *need) sum() float64 {
	return n.parameters + n.gradients + n.optimizer + n.activations + n.loss
}

func (n *need) String() string {
	var parts []string
	for _, p := range []struct {
		name  string
		bytes float64
	}{{"parameters", n.parameters}, {"gradients", n.gradients}, {"optimizer", n.optimizer}, {"activations", n.activations}, {"loss", n.loss}} {
		if p.bytes > 0 {
			parts = append(parts, fmt.Sprintf("%s %.1f", p.name, p.bytes/1e9))
		}
	}
	return strings.Join(parts, " + ") + fmt.Sprintf(" = %.1f GB", n.sum()/1e9)
}

// filling are the keys that say how much a GPU keeps.
var filling = []string{"sequence", "micro_batch", "layers", "hidden", "ffn", "heads", "kv_heads", "head_size", "vocabulary", "tied", "experts", "expert_ffn",
	"shared_ffn", "capacity", "layout", "tp", "pp", "cp", "ep", "dp", "schedule", "chunks", "stage_layers", "recompute", "zero", "flash",
	"sequence_parallel", "score_bytes", "gradient_bytes", "global_batch"}

// relief is the key that splits, or leaves out, most of what a GPU keeps.
func (b *builder) relief(n *need) string {
	switch held := n.activations + n.loss; {
	case held < n.sum()/2 && b.sharers() > 1 && (b.zero == 0 || b.zero < 3 && b.pp == 1):
		return "zero"
	case held >= n.sum()/2 && b.micro > 1:
		return "micro_batch"
	case n.activations >= n.sum()/2 && b.recompute.name != "full":
		return "recompute"
	case b.tp < b.machine.Node.Domain:
		return "tp"
	}
	return "pp"
}

// fitting is the setting of one key with which a step fits into the memory of a GPU: the one that costs least, or the smallest
// number of GPUs that share a replica; "": there is none.
func (w *transformer) fitting(m *machines.Machine, place experiments.Place) (setting string) {
	laid := w.laidOut(new(mistakes))
	fits := func(key string, value any, change func(*transformer)) bool {
		l, key, value := *laid, key, value
		if change(&l); w.Layout != "" && LaidOut(key) {
			key, value = "layout", layout(l.TP, l.PP, l.Chunks, l.MicroBatch)
		}
		l.Layout = ""
		b, err := l.builder(m, place)
		if err != nil {
			return false
		}
		_, n := b.needs()
		setting = fmt.Sprintf("%s=%v", key, value)
		return n.sum() <= float64(m.GPUs.GPU.Memory)
	}
	for micro := laid.MicroBatch / 2; micro >= 1; micro /= 2 {
		if fits("micro_batch", micro, func(l *transformer) { l.MicroBatch = micro }) {
			return setting
		}
	}
	for zero := laid.ZeRO + 1; zero <= 3; zero++ {
		if fits("zero", zero, func(l *transformer) { l.ZeRO = zero }) {
			return setting
		}
	}
	for _, name := range names(recomputes) {
		if fits("recompute", name, func(l *transformer) { l.Recompute = name }) {
			return setting
		}
	}
	for by := int64(2); by <= int64(place.Ranks); by *= 2 {
		if laid.TP*by <= int64(m.GPUs.Node.Domain) && fits("tp", laid.TP*by, func(l *transformer) { l.TP *= by }) ||
			fits("cp", laid.CP*by, func(l *transformer) { l.CP *= by }) || fits("pp", laid.PP*by, func(l *transformer) { l.PP *= by }) {
			return setting
		}
	}
	return ""
}

// needs is the memory of a GPU of the stage that needs most.
func (b *builder) needs() (most int, n need) {
	for stage := range b.pp {
		if one := b.needOf(stage); one.sum() > n.sum() {
			most, n = stage, one
		}
	}
	return most, n
}

// needOf is the memory of a GPU of a stage: parameters in 2 bytes; a copy and two moments of Adam in
// 4 each, split over the data-parallel ranks if the optimizer is sharded; activations of the
// micro-batches under way (Korthikanti et al., arXiv 2205.05198, section 4); the scores of the words, or the
// activations of a layer that is computed again, which come later. With zero 3, as in FSDP, only parameters that
// are gathered have 2 bytes: the copy is all that a GPU keeps of the others.
func (b *builder) needOf(stage int) need {
	b.stage = int32(stage)
	shared, experts := b.ownParameters(), b.ownExperts()
	own := shared + experts
	n := need{parameters: 2 * own, gradients: b.gradientBytes * own, optimizer: 12 * own}
	if b.sharded() {
		n.optimizer = 12 * (shared/float64(b.sharers()) + experts/float64(b.expertSharers()))
	}
	layer := b.layerParameters()
	if b.everyPass() && b.zero >= 2 { // a layer on its way is whole
		n.gradients = b.gradientBytes * (shared/float64(b.replicas()) + experts/float64(b.expertReplicas()) + layer)
	}
	if b.everyPass() && b.gathers() {
		n.parameters = 2 * (float64(b.prefetch+1)*layer + b.tables()*b.embeddingParameters())
	}
	n.activations = float64(b.underWay(stage)) * b.kept()
	again := b.recomputed()
	if stage == b.pp-1 || stage == 0 && b.schedule.mirrored {
		n.loss = b.scoreBytes * b.tokens() * b.vocabulary / float64(b.tp)
	}
	if n.loss < again {
		n.loss, n.activations = 0, n.activations+again
	}
	return n
}

// underWay is the number of layers whose activations a stage keeps, counted once for each micro-batch that is between
// its forward and its backward pass, by the schedule.
func (b *builder) underWay(stage int) int {
	now, most := 0, 0
	order := b.order(stage)
	for i, t := range order {
		if b.pairs(order, i) || i > 0 && b.pairs(order, i-1) {
			continue // what the forward pass keeps takes the place of what the backward pass gives back, layer by layer
		}
		switch {
		case b.completes(t):
			now -= b.layersOf(t)
		case !t.back:
			now += b.layersOf(t)
		}
		most = max(most, now)
	}
	return most
}

// kept is what a layer keeps of a micro-batch.
func (b *builder) kept() float64 {
	switch {
	case b.recompute.keeps != nil:
		return b.recompute.keeps(b) * b.tokens()
	case b.recompute.keepsInput:
		return 2 * b.tokens() * b.hidden / b.splits()
	}
	return b.activations(b.recompute.keepsScores && !b.flash)
}

// splits is how many GPUs split what lies between tensor-parallel parts.
func (b *builder) splits() float64 {
	if b.plan.sequence {
		return float64(b.tp)
	}
	return 1
}

// alternate is what forwardAlternate does not compute again, in bytes of a token: the input of the layer; queries and values, the
// results of attention and a number of 4 bytes for each head, the first product up; the product down before it is summed up, if it is
// the seventh product, and both sums, if several GPUs have parts of them.
func (b *builder) alternate() float64 {
	t := float64(b.tp)
	own := 2*b.hidden/b.splits() + (2*(b.size()*(b.heads+b.model.groups)+b.inner()+b.ffn)+4*b.heads)/t
	if b.gated {
		own += 2 * b.hidden
	}
	if b.tp > 1 {
		own += 4 * b.hidden / b.splits()
	}
	return own
}

// recomputed is what a layer keeps while it is computed again.
func (b *builder) recomputed() float64 {
	if b.recompute.keepsInput || b.recompute.keeps != nil {
		return b.activations(!b.flash)
	}
	return 0
}

// activations are the activations of a layer, in bytes: s b (10 h + (2 (q + i) + 2 (u + f))/t), all of it split by t if sequences are,
// where q is the width of queries, keys and values together, i that of all heads, f that of the feed-forward network and u that of
// what goes into its activation function. With q = 3 h, i = h and u = f = 4 h this is s b h (10 + 24/t) (Korthikanti et al.,
// arXiv:2205.05198, section 4.1). The scores are 5 a s^2 b / t. With experts, their inputs, products and outputs replace those of the
// feed-forward network; shared experts add their products.
func (b *builder) activations(scores bool) float64 {
	t, tokens := float64(b.tp), b.tokens()
	attention := b.hidden*10/b.splits() + 2*(b.qkv()+b.inner())/t
	all := tokens * (attention + 2*(b.up(b.ffn)+b.ffn)/t)
	if b.mixed() {
		p := &pass{model: &b.model, spread: &b.plan, tp: t, sequence: b.plan.sequence && b.tp > 1, tokens: tokens}
		all = tokens*attention + p.rows()*(4*b.hidden+2*b.up(b.moe.width)+2*b.moe.width) +
			tokens/t*2*(b.up(b.moe.shared)+b.moe.shared)
	}
	if scores {
		all += 5 * b.heads * b.model.sequence * tokens / t
	}
	return all
}
