package training

import (
	"slices"
	"strings"
)

// Published is a model whose shape was published, and how it is spread over GPUs unless a user says otherwise.
type Published struct {
	Name, Title, Source string
	Shape               string // keys of transformer, as YAML
	Spread              string // the same
	Ranks               int
}

const (
	byShards  = "flash: true, zero: 3"
	byTensor  = "flash: true, zero: 3, tp: 8, sequence_parallel: true, recompute: full"
	byStages  = "flash: true, zero: 1, tp: 8, pp: 4, sequence_parallel: true, global_batch: 128"
	byExperts = byShards + ", ep: 8"
)

// Models are the published models, the smallest of a family first. Tables of words are as large as the libraries make them; tied is
// tie_word_embeddings in the configuration (config.json) that the makers published, for GPT the code of GPT-2, whose architecture GPT-3 has.
var Models = []Published{
	{"gpt-2-xl", "GPT-2, 1.5 billion parameters", "Radford et al., Language Models are Unsupervised Multitask Learners, 2019, table 2",
		"layers: 48, hidden: 1600, heads: 25, vocabulary: 50257, sequence: 1024", byShards, 8},
	{"gpt-175b", "GPT-3, 175 billion parameters", "arXiv 2005.14165, table 2.1",
		"layers: 96, hidden: 12288, heads: 96, vocabulary: 51200, sequence: 2048",
		"flash: true, zero: 1, tp: 8, pp: 8, sequence_parallel: true, global_batch: 256", 256},
	{"llama-7b", "LLaMA and Llama 2, 7 billion parameters", "arXiv 2302.13971, table 2; 2307.09288",
		"layers: 32, hidden: 4096, heads: 32, ffn: 11008, gated: true, vocabulary: 32000, tied: false, sequence: 4096", byShards, 64},
	{"llama-13b", "LLaMA and Llama 2, 13 billion parameters", "arXiv 2302.13971, table 2; 2307.09288",
		"layers: 40, hidden: 5120, heads: 40, ffn: 13824, gated: true, vocabulary: 32000, tied: false, sequence: 4096", byShards, 64},
	{"llama-70b", "Llama 2, 70 billion parameters", "arXiv 2307.09288, table 1",
		"layers: 80, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672, gated: true, vocabulary: 32000, tied: false, sequence: 4096", byStages, 64},
	{"llama-3-8b", "Llama 3, 8 billion parameters", "arXiv 2407.21783, table 3",
		"layers: 32, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, gated: true, vocabulary: 128256, tied: false, sequence: 8192", byShards, 64},
	{"llama-3-70b", "Llama 3, 70 billion parameters", "arXiv 2407.21783, table 3",
		"layers: 80, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672, gated: true, vocabulary: 128256, tied: false, sequence: 8192", byStages, 64},
	{"llama-3-405b", "Llama 3, 405 billion parameters", "arXiv 2407.21783, table 3",
		"layers: 126, hidden: 16384, heads: 128, kv_heads: 8, ffn: 53248, gated: true, vocabulary: 128256, tied: false, sequence: 8192", byTensor, 512},
	{"mixtral-8x7b", "Mixtral, 8 experts of which a token has 2", "arXiv 2401.04088, table 1",
		"layers: 32, hidden: 4096, heads: 32, kv_heads: 8, gated: true, vocabulary: 32000, tied: false, sequence: 4096, " +
			"experts: 8, top_k: 2, expert_ffn: 14336", byExperts, 64},
	{"qwen3-30b-a3b", "Qwen3, 128 experts of which a token has 8", "arXiv 2505.09388, table 2",
		"layers: 48, hidden: 2048, heads: 32, kv_heads: 4, head_size: 128, gated: true, vocabulary: 151936, tied: false, sequence: 4096, " +
			"experts: 128, top_k: 8, expert_ffn: 768", byExperts, 64},
}

// called are other names of models, as their makers and libraries write them, without the signs between words.
var called = map[string]string{
	"gpt2xl": "gpt-2-xl", "gpt3": "gpt-175b", "gpt3175b": "gpt-175b", "gpt175b": "gpt-175b", "llama7b": "llama-7b", "llama8b": "llama-3-8b", "llama405b": "llama-3-405b", "llama13b": "llama-13b", "llama70b": "llama-70b",
	"llama27b": "llama-7b", "llama213b": "llama-13b", "llama270b": "llama-70b", "llama38b": "llama-3-8b", "llama370b": "llama-3-70b",
	"llama3405b": "llama-3-405b", "llama318b": "llama-3-8b", "llama3170b": "llama-3-70b", "llama31405b": "llama-3-405b", "mixtral8x7b": "mixtral-8x7b",
	"qwen330ba3b": "qwen3-30b-a3b",
}

// NoModel says why a model that readers ask for has no shape here; "": it is not known.
func NoModel(name string) string {
	if strings.HasPrefix(plain(name), "deepseek") {
		return "has latent attention (MLA), which transformer does not model; mixtral-8x7b and qwen3-30b-a3b are built-in models with experts"
	}
	return ""
}

// plain is a name in small letters, without the signs between words.
func plain(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
}

// Model returns the published model of a name, however it is written; nil: none has it.
func Model(name string) *Published {
	if own, ok := called[plain(name)]; ok {
		name = own
	}
	if i := slices.IndexFunc(Models, func(m Published) bool { return m.Name == name }); i >= 0 {
		return &Models[i]
	}
	return nil
}

// ModelNames returns the names of the published models, in their order.
func ModelNames() (names []string) {
	for i := range Models {
		names = append(names, Models[i].Name)
	}
	return names
}
