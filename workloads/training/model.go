package training

import (
	"math"

	"overlapsim/nodes/gpus"
)

// model is a transformer, in numbers.
type model struct {
	layers, hidden, heads, groups, ffn, vocabulary, sequence float64
	headSize                                                 float64 // 0: hidden / heads
	scoreBytes                                               float64 // in memory, of the score of a word
	documents                                                float64 // mean tokens of a document; 0: sequences are whole
	moe                                                      mixture
	gated                                                    bool // the feed-forward network has three matrices (SwiGLU), else two
	flash                                                    bool // attention keeps no matrix of scores
	tied                                                     bool // one table of words serves the input and the output
	precision                                                gpus.Precision
}

// attention and forward are parameters of a layer: of its attention, of a feed-forward network of some width.
func (m *model) attention() float64 { return m.hidden*m.qkv() + m.inner()*m.hidden }

// size is the size of a head, inner the width of all heads together.
func (m *model) size() float64 {
	if m.headSize > 0 {
		return m.headSize
	}
	return m.hidden / m.heads
}

func (m *model) inner() float64 { return m.heads * m.size() }

// qkv is the width of queries, keys and values together.
func (m *model) qkv() float64 { return m.inner() + 2*m.groups*m.size() }

func (m *model) forward(width float64) float64 {
	if m.gated {
		return 3 * m.hidden * width
	}
	return 2 * m.hidden * width
}

// dense is the number of parameters of a layer without its experts, shared ones included; 4 h of them are norms and biases.
func (m *model) dense() float64 { return m.attention() + m.common() + 4*m.hidden }

// common are the parameters after attention that all tokens use: a feed-forward network, or the router and the shared
// experts.
func (m *model) common() float64 {
	if m.mixed() {
		return m.hidden*m.moe.experts + m.forward(m.moe.shared)
	}
	return m.forward(m.ffn)
}

// active is the number of parameters of a layer that a token uses.
func (m *model) active() float64 {
	all := m.attention() + m.common()
	if m.mixed() {
		all += m.moe.topK * m.matrices()
	}
	return all
}

// embedding is the number of parameters of a table of words.
func (m *model) embedding() float64 { return m.vocabulary * m.hidden }

// flops is the arithmetic of a step with the given sequences, without recomputation: three times that
// of the forward pass.
func (m *model) flops(sequences float64) float64 {
	tokens := sequences * m.sequence
	products := 2 * tokens * (m.layers*m.active() + m.embedding())
	scores := 4 * tokens * m.sequence * m.inner() * m.layers
	if m.flash {
		scores /= 2 // only what comes before a word
	}
	if m.documents > 0 {
		scores *= withinDocuments(m.sequence / m.documents)
	}
	return 3 * (products + scores)
}

// withinDocuments is the arithmetic of attention within documents as a part of the arithmetic of whole sequences, with
// that many documents in a sequence on average. Their lengths are exponential, so that their ends are a Poisson process.
func withinDocuments(n float64) float64 { return 2 * (n - 1 + math.Exp(-n)) / n / n }
