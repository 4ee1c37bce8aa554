package sim

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTimeString(t *testing.T) {
	for _, c := range []struct {
		time Time
		want string
	}{
		{0, "0s"}, {1, "1ps"}, {-1, "-1ps"}, {999, "999ps"}, {1000, "1ns"},
		{4500 * Nanosecond, "4.5us"}, {1250 * Microsecond, "1.25ms"}, {-1250 * Microsecond, "-1.25ms"},
		{Second, "1s"}, {90 * Second, "90s"}, {Second + 1, "1.000000000001s"}, {1001, "1.001ns"},
		{math.MinInt64, "-9223372.036854775808s"}, {Forever - 1, "9223372.036854775806s"}, {Forever, "forever"},
	} {
		if got := c.time.String(); got != c.want {
			t.Errorf("Time(%d) is %q, want %q", int64(c.time), got, c.want)
		}
	}
}

// TestTimeStringIsExact reads the string back, exactly.
func TestTimeStringIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := Time(rapid.Int64().Draw(t, "ps") >> rapid.IntRange(0, 63).Draw(t, "shift"))
		if ps == Forever { // is no number, see above
			return
		}
		s := ps.String()
		number := strings.TrimRight(s, "munps")
		size := map[string]Time{"s": Second, "ms": Millisecond, "us": Microsecond, "ns": Nanosecond, "ps": 1}[s[len(number):]]
		got, ok := new(big.Rat).SetString(number)
		if !ok {
			t.Fatalf("%q has no number", s)
		}
		if got.Mul(got, new(big.Rat).SetInt64(int64(size))).Cmp(new(big.Rat).SetInt64(int64(ps))) != 0 {
			t.Fatalf("Time(%d) is %q", int64(ps), s)
		}
	})
}

func TestSeconds(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		want    Time
	}{
		{0, 0}, {4.5e-6, 4500 * Nanosecond}, {-1e-12, -1}, {0.4e-12, 0}, {0.6e-12, 1}, {-0.6e-12, -1},
		{1, Second}, {3600, 3600 * Second}, {1e7, Forever}, {math.Inf(1), Forever},
		{-1e7, math.MinInt64}, {math.Inf(-1), math.MinInt64},
	} {
		if got := Seconds(c.seconds); got != c.want {
			t.Errorf("Seconds(%g) is %d, want %d", c.seconds, got, c.want)
		}
	}
	if message := panicOf(func() { Seconds(math.NaN()) }); !strings.Contains(message, "NaN") {
		t.Errorf("Seconds(NaN) panics with %q", message)
	}
}

// Seconds and back is exact below 2^51 ps, 37 minutes: each of the two roundings to 53 bits is then
// less than a quarter of a picosecond.
func TestSecondsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := Time(rapid.Int64Range(-1<<51, 1<<51).Draw(t, "ps"))
		if got := Seconds(ps.Seconds()); got != ps {
			t.Fatalf("%d ps becomes %d", ps, got)
		}
	})
}

// TestPerByte checks against exact rationals: the result is an integer nearest to the
// exact product, except for the product's own rounding to 53 bits.
func TestPerByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bytes := rapid.Int64Range(0, 1<<40).Draw(t, "bytes")
		rate := rapid.Float64Range(0, 1e4).Draw(t, "ps per byte")
		exact := new(big.Rat).SetFloat64(rate)
		exact.Mul(exact, new(big.Rat).SetInt64(bytes))
		off := new(big.Rat).Sub(exact, new(big.Rat).SetInt64(int64(PerByte(bytes, rate))))
		allowed := new(big.Rat).Mul(exact, big.NewRat(1, 1<<53))
		allowed.Add(allowed, big.NewRat(1, 2))
		if off.Abs(off).Cmp(allowed) > 0 {
			t.Fatalf("PerByte(%d, %g) is off by %s ps", bytes, rate, off.FloatString(3))
		}
	})
	if got := PerByte(64<<20, 1067.2); got != 71_618_579_661 { // exactly ...660.8
		t.Errorf("64 MiB at 1067.2 ps per byte take %d ps", got)
	}
	if got := PerByte(math.MaxInt64, 2); got != Forever {
		t.Errorf("2^63 bytes at 2 ps per byte take %d ps, want saturation", got)
	}
}
