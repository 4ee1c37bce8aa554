//go:build !unix

package goal

import "time"

var began = time.Now()

// cpuTime returns the seconds since the start, on systems that do not give the CPU time
// of the process.
func cpuTime() float64 { return time.Since(began).Seconds() }
