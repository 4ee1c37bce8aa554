package training

import (
	"fmt"
	"strings"
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

// needOf is the memory of a GPU of a stage: parameters in 2 bytes; a copy and two moments of Adam in
// 4 each, split over the data-parallel ranks if the optimizer is sharded; activations of the
// micro-batches under way (Korthikanti et al., arXiv 2205.05198, section 4); the scores of the words.
func (b *builder) needOf(stage int) need {
	b.stage = int32(stage)
	own := b.ownParameters()
	n := need{parameters: 2 * own, gradients: b.gradientBytes * own, optimizer: 12 * own}
	if b.sharded() {
		n.optimizer /= float64(b.dp)
	}
	layer := b.model.layer() / float64(b.tp)
	if b.everyPass() && b.zero >= 2 { // a layer on its way is whole
		n.gradients = b.gradientBytes * (own/float64(b.dp) + layer)
	}
	if b.everyPass() && b.gathers() {
		n.parameters = 2 * (own/float64(b.dp) + float64(b.prefetch+1)*layer + b.embeddingParameters())
	}
	layers := float64(b.layersOf() * b.chunks)
	n.activations = b.underWay(stage) * layers * b.kept()
	tokens := float64(b.micro) * b.model.sequence
	n.activations += b.recomputed() // those of the layer that is computed
	if stage == b.pp-1 {
		n.loss = 6 * tokens * b.vocabulary / float64(b.tp)
	}
	return n
}

// underWay is how many micro-batches a stage keeps activations of: those between the forward and
// the backward pass, by its schedule.
func (b *builder) underWay(stage int) float64 {
	now, most := 0, 0
	for _, t := range b.schedule.order(stage, b.pp, b.micros, b.chunks) {
		switch {
		case t.weights || t.back && !b.schedule.split:
			now--
		case !t.back:
			now++
		}
		most = max(most, now)
	}
	return float64(most) / float64(b.chunks)
}

// kept is what a layer keeps of a micro-batch.
func (b *builder) kept() float64 {
	keeps := b.recompute.keeps // its input, attention, and what both parts sum up
	if b.recompute.keepsInput {
		keeps = 2
	}
	if keeps > 0 {
		if b.plan.sequence {
			keeps /= float64(b.tp)
		}
		return keeps * float64(b.micro) * b.model.sequence * b.hidden
	}
	return b.activations(b.recompute.keepsScores && !b.flash)
}

// recomputed is what a layer keeps while it is computed again.
func (b *builder) recomputed() float64 {
	if b.recompute.keepsInput || b.recompute.keeps > 0 {
		return b.activations(!b.flash)
	}
	return 0
}

// activations are those of a layer: s b h (10 + 24/t) bytes, all of it split by t if sequences are;
// the scores are 5 a s^2 b / t.
func (b *builder) activations(scores bool) float64 {
	t, tokens := float64(b.tp), float64(b.micro)*b.model.sequence
	outside := 10.0
	if b.plan.sequence {
		outside /= t
	}
	all := tokens * b.hidden * (outside + 24/t)
	if scores {
		all += 5 * b.heads * b.model.sequence * tokens / t
	}
	return all
}
