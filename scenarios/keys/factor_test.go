package keys

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/sim"
)

// A scaled time is the nearest whole ps.
func TestFactorRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.Int64Range(0, 1e15).Draw(t, "ps")
		by := rapid.Int64Range(0, 1e6).Draw(t, "thousandths")
		text := decimal(big.NewRat(by, 1000))
		var problems Problems
		f := factor{text: "x" + text, by: big.NewRat(by, 1000)}
		got, err := ParseTime(f.scale(sim.Time(ps).String(), "latency", &problems))
		if err != nil || problems != nil {
			t.Fatal(err, problems)
		}
		exact := new(big.Int).Mul(big.NewInt(ps), big.NewInt(by))
		if off := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(int64(got)), big.NewInt(1000)), exact); off.CmpAbs(big.NewInt(500)) > 0 {
			t.Errorf("%d ps x %d/1000 gave %d ps", ps, by, got)
		}
	})
}
