package sim

import "math"

// Rate is a bandwidth in bytes per second. This file is the one place that knows
// how bandwidths and picoseconds belong together.
type Rate float64

// picoseconds of a second.
const perSecond = float64(Second)

// RateOf returns the rate of so many bytes in a time.
func RateOf(bytes int64, t Time) Rate { return Rate(float64(bytes) / t.Seconds()) }

// RateOfGap returns the rate of a gap per byte in ps: G of LogGP. No gap is an
// infinite rate.
func RateOfGap(psPerByte float64) Rate { return Rate(perSecond / psPerByte) }

// Gap returns the time of a byte in ps.
func (r Rate) Gap() float64 { return perSecond / float64(r) }

// Time returns how long so many bytes take, rounded once to the nearest ps.
func (r Rate) Time(bytes int64) Time { return PerByte(bytes, r.Gap()) }

// PerPicosecond returns the bytes of a picosecond.
func (r Rate) PerPicosecond() float64 { return float64(r) / perSecond }

// Positive tells whether the rate is a number above 0 and not infinite, and its
// gap too.
func (r Rate) Positive() bool { return r > 0 && !math.IsInf(float64(r), 0) && !math.IsInf(r.Gap(), 0) }
