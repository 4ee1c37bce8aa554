package training

import "overlapsim/nodes/gpus"

// model is a transformer, in numbers.
type model struct {
	layers, hidden, heads, groups, ffn, vocabulary, sequence float64
	gated                                                    bool // the feed-forward network has three matrices (SwiGLU), else two
	flash                                                    bool // attention keeps no matrix of scores
	precision                                                gpus.Precision
}

// attention and forward are parameters of a layer: of its attention, of its feed-forward network.
func (m *model) attention() float64 { return m.hidden*m.qkv() + m.hidden*m.hidden }

// qkv is the width of queries, keys and values together.
func (m *model) qkv() float64 { return m.hidden + 2*m.hidden*m.groups/m.heads }

func (m *model) forward() float64 {
	if m.gated {
		return 3 * m.hidden * m.ffn
	}
	return 2 * m.hidden * m.ffn
}

// layer is the number of parameters of a layer; 4 h of them are norms and biases.
func (m *model) layer() float64 { return m.attention() + m.forward() + 4*m.hidden }

// embedding is that of the table of words.
func (m *model) embedding() float64 { return m.vocabulary * m.hidden }

// parameters is that of the whole model, with one table of words at each end.
func (m *model) parameters() float64 { return m.layers*m.layer() + 2*m.embedding() }

// flops is the arithmetic of a step with so many sequences, without recomputation: three times that
// of the forward pass.
func (m *model) flops(sequences float64) float64 {
	tokens := sequences * m.sequence
	products := 2 * tokens * (m.layers*(m.attention()+m.forward()) + m.embedding())
	scores := 4 * tokens * m.sequence * m.hidden * m.layers
	if m.flash {
		scores /= 2 // only what comes before a word
	}
	return 3 * (products + scores)
}
