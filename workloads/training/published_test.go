package training

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// Models are found as people write their names.
func TestNamesOfModels(t *testing.T) {
	for written, want := range map[string]string{"gpt-3-175b": "gpt-175b", "GPT3-175B": "gpt-175b", "gpt-175b": "gpt-175b", "llama3-8b": "llama-3-8b",
		"Llama-3.1-405B": "llama-3-405b", "llama-2-70b": "llama-70b", "mixtral-8x7b": "mixtral-8x7b", "llama-7": ""} {
		got := ""
		if m := Model(written); m != nil {
			got = m.Name
		}
		if got != want {
			t.Errorf("%s is %q, want %q", written, got, want)
		}
	}
	for plain, name := range called {
		if Model(name) == nil || Model(plain) != Model(name) {
			t.Errorf("%s: no model is called %s", plain, name)
		}
	}
	if NoModel("deepseek-v3") == "" || NoModel("gpt-3") != "" {
		t.Error("DeepSeek has a reason, others none")
	}
}

// The shapes give the parameters that were published: matrices and tables of words, two of these where they are not tied.
func TestPublishedParameters(t *testing.T) {
	published := map[string]float64{
		"gpt-2-xl": 1.558, "gpt-175b": 174.6, "llama-7b": 6.738, "llama-13b": 13.016, "llama-70b": 68.98, "llama-3-8b": 8.030,
		"llama-3-70b": 70.55, "llama-3-405b": 405.9, "mixtral-8x7b": 46.70, "qwen3-30b-a3b": 30.53,
	}
	for _, m := range Models {
		k := map[string]float64{}
		for _, pair := range strings.Split(m.Shape, ", ") {
			key, value, _ := strings.Cut(pair, ": ")
			k[key], _ = strconv.ParseFloat(value, 64)
		}
		or := func(key string, other float64) float64 {
			if k[key] == 0 {
				return other
			}
			return k[key]
		}
		h, matrices := k["hidden"], 2.0
		if strings.Contains(m.Shape, "gated: true") {
			matrices = 3
		}
		head := or("head_size", h/k["heads"])
		layer := 2*h*k["heads"]*head + 2*h*or("kv_heads", k["heads"])*head
		if experts := k["experts"]; experts > 0 {
			layer += experts*matrices*h*k["expert_ffn"] + h*experts
		} else {
			layer += matrices * h * or("ffn", 4*h)
		}
		tables := 1.0
		if strings.Contains(m.Shape, "tied: false") {
			tables = 2
		}
		want := published[m.Name]
		if got := (k["layers"]*layer + tables*k["vocabulary"]*h) / 1e9; math.Abs(got/want-1) > 2e-3 {
			t.Errorf("%s has %.4g billion parameters, published %.4g", m.Name, got, want)
		}
	}
}
