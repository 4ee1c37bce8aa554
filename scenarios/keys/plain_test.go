package keys

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// The fast reader gives the same value as the exact one, rounded once.
func TestPlainly(t *testing.T) {
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(Dimensions()).Draw(t, "dimension")
		units := append(append([]string{"", "xs"}, d.Units()...), Bandwidth.Units()...)
		number := rapid.StringMatching(`[+-]?[0-9]{0,9}\.{0,2}[0-9]{0,9}(e[0-9])? {0,2}`).Draw(t, "number")
		text := number + rapid.SampledFrom(units).Draw(t, "unit")
		quick, ok := plainly(d, text)
		if !ok {
			return
		}
		plain++
		want, err := parse(d, text)
		if err != nil || want.Cmp(big.NewRat(quick.over, quick.under)) != 0 {
			t.Fatalf("%s is %d/%d, want %v, %v", text, quick.over, quick.under, want, err)
		}
		if got, ok := quick.float(); ok {
			if want, _ := want.Float64(); got != want {
				t.Fatalf("%s is %g, want %g", text, got, want)
			}
		}
		if got, ok := quick.whole(); ok != want.IsInt() || ok && (!want.Num().IsInt64() || want.Num().Int64() != got) {
			t.Fatalf("%s is whole: %d, %t; want %v", text, got, ok, want)
		}
	})
	if plain == 0 {
		t.Error("nothing was plain")
	}
}
