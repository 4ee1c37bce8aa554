package outcomes

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// Texts and numbers are appended as package json writes them.
func TestAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,3}`)).Draw(t, "text")
		if want, _ := json.Marshal(text); string(appendText(nil, text)) != string(want) {
			t.Fatalf("got %s, want %s", appendText(nil, text), want)
		}
		number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1e-5, 1e-5), rapid.Float64Range(-1e22, 1e22),
			rapid.SampledFrom([]float64{0, 1e-6, 1e-7, 1e-9, 2.5e-10, 1e20, 1e21, 1e-300})).Draw(t, "number")
		if want, _ := json.Marshal(number); string(appendNumber(nil, number)) != string(want) {
			t.Fatalf("got %s, want %s", appendNumber(nil, number), want)
		}
	})
}
