//go:build !linux

package goal

// large makes a list of zeros.
func large[T any](n int) []T { return make([]T, n) }
