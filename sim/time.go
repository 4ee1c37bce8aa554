package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Time is a simulated instant or duration in integer picoseconds. Its range
// is about 106 days.
type Time int64

// Units of Time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// Forever is the instant that never comes.
const Forever Time = math.MaxInt64

// Seconds returns the duration s given in seconds, rounded to the nearest
// picosecond (halves away from zero). Values outside the range of Time
// saturate; NaN panics.
func Seconds(s float64) Time {
	return round(s * 1e12)
}

// PerByte returns bytes * psPerByte, rounded once to the nearest picosecond:
// the time G·n of LogGP. The product is complete before it is rounded, so no
// compiler can fuse it into a sum and no two machines differ. Values outside
// the range of Time saturate; NaN panics.
func PerByte(bytes int64, psPerByte float64) Time {
	return round(float64(bytes) * psPerByte)
}

// round returns ps rounded to the nearest integer, saturated to the range of Time.
func round(ps float64) Time {
	switch {
	case ps >= 1<<63:
		return Forever
	case ps <= -1<<63:
		return math.MinInt64
	case ps != ps:
		panic(fmt.Sprintf("sim: %v ps is not a time", ps))
	}
	return Time(math.Round(ps))
}

// Times returns n times t, at most Forever, for t and n >= 0.
func (t Time) Times(n int64) Time {
	if n > 0 && t > Forever/Time(n) {
		return Forever
	}
	return t * Time(n)
}

// Later returns t + d for t >= 0, at most Forever.
func Later(t, d Time) Time {
	if d > Forever-t {
		return Forever
	}
	return t + d
}

// Seconds returns t in seconds.
func (t Time) Seconds() float64 { return float64(t) / 1e12 }

var units = [...]struct {
	size Time
	name string
}{
	{Second, "s"}, {Millisecond, "ms"}, {Microsecond, "us"}, {Nanosecond, "ns"}, {Picosecond, "ps"},
}

// String returns t exactly, in the largest unit of which it has at least one: "4.5us",
// "-1.25ms", "0s". Forever is "forever".
func (t Time) String() string {
	if t == Forever {
		return "forever"
	}
	for _, u := range units {
		if whole := t / u.size; whole != 0 {
			return decimal(t, u.size) + u.name
		}
	}
	return "0s"
}

// decimal returns t/size, exactly; size is a power of ten.
func decimal(t, size Time) string {
	whole := strconv.FormatInt(int64(t/size), 10)
	rest := t % size
	if rest == 0 {
		return whole
	}
	if rest < 0 {
		rest = -rest
	}
	// The leading 1 of size keeps the zeros after the point.
	digits := strconv.FormatInt(int64(size+rest), 10)[1:]
	return whole + "." + strings.TrimRight(digits, "0")
}
