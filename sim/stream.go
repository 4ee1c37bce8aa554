package sim

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// Stream is a seeded sequence of random numbers; its state is 16 bytes. The
// generator is PCG-DXSM (O'Neill 2014, as in math/rand/v2). Everything on top
// of it uses only comparisons and correctly rounded single operations, so a
// stream gives the same values on every machine.
type Stream struct {
	pcg rand.PCG
}

// NewStream returns the stream of the given seed and identity, for example
// (seed, rank) or (seed, rank, purpose). Streams of different identity are
// independent starting points in one sequence of period 2^128.
func NewStream(seed uint64, id ...uint64) *Stream {
	hi, lo := mix(seed), mix(^seed)
	for _, x := range id {
		hi = mix(hi ^ x)
		lo = mix(lo + x)
	}
	s := new(Stream)
	s.pcg.Seed(hi, lo)
	return s
}

// mix is the output function of SplitMix64 (Steele, Lea, Flood 2014, figure
// 18), a bijection in which every input bit reaches every output bit.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Uint64 returns 64 uniform bits.
func (s *Stream) Uint64() uint64 { return s.pcg.Uint64() }

// Float64 returns a uniform multiple of 2^-53 in [0, 1).
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) / (1 << 53) }

// Intn returns a uniform integer in [0, n). It panics if n <= 0.
//
// Source: Lemire, "Fast random integer generation in an interval", 2019.
func (s *Stream) Intn(n int) int {
	if n <= 0 {
		panic(fmt.Sprintf("sim: Intn(%d): no integer to choose from", n))
	}
	m := uint64(n)
	hi, lo := bits.Mul64(s.Uint64(), m)
	if lo < m { // rare for small m: only then is the division worth it
		for biased := -m % m; lo < biased; {
			hi, lo = bits.Mul64(s.Uint64(), m)
		}
	}
	return int(hi)
}

// Exp returns an exponentially distributed duration of the given mean,
// rounded to the nearest picosecond.
func (s *Stream) Exp(mean Time) Time { return round(float64(mean) * s.exp()) }

// exp returns a standard exponential variate by von Neumann's comparison
// method ("Various techniques used in connection with random digits", 1951):
// a uniform x is accepted if the descent x > u1 > u2 > ... first breaks at an
// odd place; each rejection adds 1. It takes 4.3 uniforms on average.
func (s *Stream) exp() float64 {
	for whole := 0.0; ; whole++ {
		x := s.Float64()
		odd := true
		for last, u := x, s.Float64(); u < last; last, u = u, s.Float64() {
			odd = !odd
		}
		if odd {
			return whole + x
		}
	}
}

// Norm returns a standard normal variate (mean 0, standard deviation 1), by
// rejection from the exponential: x is half normal if (x-1)²/2 does not
// exceed a second exponential (Kahn 1956; Devroye 1986, section II.3.2).
func (s *Stream) Norm() float64 {
	for {
		x, y := s.exp(), s.exp()
		if d := x - 1; d*d > 2*y {
			continue
		}
		if s.Uint64()>>63 == 1 {
			return -x
		}
		return x
	}
}
