package sim

import "math"

// Rate is a bandwidth in bytes per second. This file is the one place that converts
// between bandwidths and picoseconds.
type Rate float64

// perSecond is the number of picoseconds in a second.
const perSecond = float64(Second)

// RateOf returns the rate of a number of bytes in a time.
func RateOf(bytes int64, t Time) Rate { return Rate(float64(bytes) / t.Seconds()) }

// RateOfGap returns the rate of a gap per byte in ps: G of LogGP. A gap of 0 is an
// infinite rate.
func RateOfGap(psPerByte float64) Rate { return Rate(perSecond / psPerByte) }

// Gap returns the time per byte in ps.
func (r Rate) Gap() float64 { return perSecond / float64(r) }

// Time returns how long bytes take, rounded once to the nearest ps.
func (r Rate) Time(bytes int64) Time { return PerByte(bytes, r.Gap()) }

// PerPicosecond returns the rate in bytes per picosecond.
func (r Rate) PerPicosecond() float64 { return float64(r) / perSecond }

// Positive tells whether the rate and its gap are finite and above 0.
func (r Rate) Positive() bool { return r > 0 && !math.IsInf(float64(r), 0) && !math.IsInf(r.Gap(), 0) }
