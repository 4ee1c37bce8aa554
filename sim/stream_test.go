package sim

import (
	"math"
	"slices"
	"testing"
	"unsafe"
)

const samples = 200_000

// kolmogorov returns the Kolmogorov-Smirnov statistic times √n of a sample
// against a distribution function. For samples of it, 1.95 is exceeded once
// in 1000.
func kolmogorov(sample []float64, cdf func(float64) float64) float64 {
	slices.Sort(sample)
	worst := 0.0
	for i, x := range sample {
		p, n := cdf(x), float64(len(sample))
		worst = max(worst, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
	}
	return worst * math.Sqrt(float64(len(sample)))
}

func TestStreamDistributions(t *testing.T) {
	for _, c := range []struct {
		name string
		draw func(*Stream) float64
		cdf  func(float64) float64
	}{
		{"Float64", (*Stream).Float64, func(x float64) float64 { return x }},
		{"Exp", func(s *Stream) float64 { return s.Exp(Second).Seconds() }, func(x float64) float64 { return 1 - math.Exp(-x) }},
		{"Norm", (*Stream).Norm, func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }},
	} {
		s := NewStream(7)
		sample := make([]float64, samples)
		for i := range sample {
			sample[i] = c.draw(s)
		}
		if d := kolmogorov(sample, c.cdf); d > 1.95 {
			t.Errorf("%s: Kolmogorov-Smirnov %.3f, want at most 1.95", c.name, d)
		}
	}
}

func TestExpRounds(t *testing.T) {
	s := NewStream(1)
	sum := Time(0)
	for range samples {
		d := s.Exp(3)
		if d < 0 {
			t.Fatalf("duration %d", d)
		}
		sum += d
	}
	if mean := float64(sum) / samples; math.Abs(mean-3) > 5*3/math.Sqrt(samples) {
		t.Errorf("mean %.4f ps, want 3", mean)
	}
	if d := s.Exp(0); d != 0 {
		t.Errorf("Exp(0) is %d", d)
	}
}

// TestIntn compares frequencies with χ²; n near a power of two and far from
// one.
func TestIntn(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 64, 100} {
		s := NewStream(3, uint64(n))
		counts := make([]float64, n)
		for range samples {
			counts[s.Intn(n)]++
		}
		chi2, expected := 0.0, float64(samples)/float64(n)
		for _, c := range counts {
			chi2 += (c - expected) * (c - expected) / expected
		}
		// χ² has mean n-1 and variance 2(n-1).
		if limit := float64(n-1) + 5*math.Sqrt(2*float64(n-1)); chi2 > limit {
			t.Errorf("Intn(%d): χ² %.1f, want at most %.1f", n, chi2, limit)
		}
	}
	if got := panicOf(func() { NewStream(1).Intn(0) }); got != "sim: Intn(0): no integer to choose from" {
		t.Errorf("Intn(0) panics with %q", got)
	}
	const big = math.MaxInt/2 + 2 // 2^62 + 1: three of four 64-bit values must be accepted, without bias
	s, above := NewStream(5), 0
	for range samples {
		if s.Intn(big) > big/2 {
			above++
		}
	}
	if math.Abs(float64(above)-samples/2) > 5*math.Sqrt(samples)/2 {
		t.Errorf("Intn(2^62+1): %d of %d above the middle", above, samples)
	}
}

// TestStreamsAreIndependent: streams of neighbouring identities do not
// correlate, and every part of the identity counts.
func TestStreamsAreIndependent(t *testing.T) {
	ids := [][]uint64{nil, {0}, {1}, {2}, {0, 0}, {0, 1}, {1, 0}, {1 << 32}}
	for i, a := range ids {
		for _, b := range ids[:i] {
			sa, sb := NewStream(1, a...), NewStream(1, b...)
			product := 0.0
			for range 10_000 {
				product += (sa.Float64() - 0.5) * (sb.Float64() - 0.5)
			}
			// Each product has variance 1/144.
			if sigmas := product * 12 / math.Sqrt(10_000); math.Abs(sigmas) > 4 {
				t.Errorf("streams %v and %v: correlation of %.1f standard errors", a, b, sigmas)
			}
		}
	}
}

// TestStreamIsReproducible pins the values, on every machine and in every version: a
// result carries its seed and nothing else.
func TestStreamIsReproducible(t *testing.T) {
	s := NewStream(1, 2, 3)
	got := []any{s.Uint64(), s.Float64(), s.Intn(1000), s.Exp(Millisecond), s.Norm()}
	want := []any{uint64(0x56c0bf8b68331180), 0.3862847109735672, 475, 24334953 * Picosecond, -0.14936138642539976}
	if !slices.Equal(got, want) {
		t.Errorf("values %#v, want %#v", got, want)
	}
	if size := unsafe.Sizeof(Stream{}); size != 16 {
		t.Errorf("state of %d bytes, want 16", size)
	}
}

func BenchmarkStream(b *testing.B) {
	s := NewStream(1)
	b.Run("Uint64", func(b *testing.B) {
		for b.Loop() {
			s.Uint64()
		}
	})
	b.Run("Exp", func(b *testing.B) {
		for b.Loop() {
			s.Exp(Microsecond)
		}
	})
	b.Run("Norm", func(b *testing.B) {
		for b.Loop() {
			s.Norm()
		}
	})
}
