package workloads

import "math"

// product multiplies counts that are not negative; a product above math.MaxInt64 becomes
// math.MaxInt64.
func product(counts ...int64) int64 {
	all := int64(1)
	for _, n := range counts {
		if n > 0 && all > math.MaxInt64/n {
			return math.MaxInt64
		}
		all *= n
	}
	return all
}

// WholeBytes rounds a size to whole bytes; a size above math.MaxInt64 becomes
// math.MaxInt64.
func WholeBytes(size float64) int64 {
	if size >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Round(size))
}
