//go:build !unix

package goal

import "time"

var began = time.Now()

// cpuTime returns the seconds since the start, where those of the process are not known.
func cpuTime() float64 { return time.Since(began).Seconds() }
