package sim

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Total is an exact sum of times over ranks, links or runs. The sum may exceed the range
// of Time. It has 128 bits, so that it cannot wrap before 2^64 times are added. The zero
// Total is 0.
type Total struct {
	high int64 // two's complement
	low  uint64
}

// TotalOf returns the sum of some times.
func TotalOf(times ...Time) (sum Total) {
	for _, t := range times {
		sum.Add(t)
	}
	return sum
}

// Add adds a time.
func (s *Total) Add(t Time) { s.Join(Total{int64(t) >> 63, uint64(t)}) }

// Join adds another total.
func (s *Total) Join(u Total) {
	low, carry := bits.Add64(s.low, u.low, 0)
	s.high, s.low = s.high+u.high+int64(carry), low
}

// Minus returns the difference of two totals.
func (s Total) Minus(u Total) Total {
	low, borrow := bits.Sub64(s.low, u.low, 0)
	return Total{s.high - u.high - int64(borrow), low}
}

// Times returns the sum of n equal totals.
func (s Total) Times(n int) Total {
	high, low := bits.Mul64(s.low, uint64(n))
	return Total{s.high*int64(n) + int64(high), low}
}

// Seconds returns the sum in seconds. A sum that fits a Time is converted as Time.Seconds
// does; a larger one is first rounded to the nearest number of picoseconds that a float64
// holds.
func (s Total) Seconds() float64 {
	if s.high == int64(s.low)>>63 {
		return Time(s.low).Seconds()
	}
	float, _ := new(big.Float).SetInt(s.Picoseconds()).Float64()
	return float / 1e12
}

// Picoseconds returns the sum as a number of picoseconds.
func (s Total) Picoseconds() *big.Int {
	ps := new(big.Int).Lsh(big.NewInt(s.high), 64)
	return ps.Add(ps, new(big.Int).SetUint64(s.low))
}

// String returns the sum as a Time is written, or in seconds.
func (s Total) String() string {
	if s.high == int64(s.low)>>63 {
		return Time(s.low).String()
	}
	return fmt.Sprintf("%gs", s.Seconds())
}

// Mean returns the sum divided by n, in seconds; 0 if n is 0.
func (s Total) Mean(n int) float64 {
	if n == 0 {
		return 0
	}
	return s.Seconds() / float64(n)
}

// Zero tells whether the sum is 0.
func (s Total) Zero() bool { return s == Total{} }
