package keys

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// The fast reader gives the same value as the exact one, rounded once, and what it refuses is no
// quantity.
func TestPlainly(t *testing.T) {
	plain, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(Dimensions()).Draw(t, "dimension")
		units := append(append([]string{"", "xs"}, d.Units()...), Bandwidth.Units()...)
		number := rapid.OneOf(
			rapid.StringMatching(`[0-9]{1,9}(\.[0-9]{1,4})?`),
			rapid.StringMatching(`[+-]?[0-9]{0,9}\.{0,2}[0-9]{0,9}(e[0-9])? {0,2}`),
		).Draw(t, "number")
		text := number + rapid.SampledFrom(units).Draw(t, "unit")
		want, err := parse(d, text)
		if d.refuses(text) {
			refused++
			if err == nil {
				t.Fatalf("%s is refused, and is %v", text, want)
			}
		}
		checkIn(t, d, text, want)
		quick, ok := plainly(d, text)
		if !ok {
			return
		}
		plain++
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
	if (plain == 0 || refused == 0) && !testing.Short() { // which has few cases
		t.Errorf("%d texts were plain, %d refused", plain, refused)
	}
}

// checkIn reads a quantity, nil if the text is none, in multiples of some units.
func checkIn(t *rapid.T, d Dimension, text string, exact *big.Rat) {
	units := rapid.SampledFrom([]int64{1, 7, 1e6, 1e12}).Draw(t, "units")
	got, err := ParseIn(d, text, units)
	if exact == nil {
		if err == nil {
			t.Fatalf("%s is %g, and is no quantity", text, got)
		}
		return
	}
	if want, _ := new(big.Rat).Quo(exact, new(big.Rat).SetInt64(units)).Float64(); err != nil || got != want {
		t.Fatalf("%s is %g in units of %d, want %g, %v", text, got, units, want, err)
	}
}
