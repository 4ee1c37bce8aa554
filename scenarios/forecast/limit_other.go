//go:build !unix || openbsd

package forecast

// ulimit is not known.
func ulimit() Limit { return Limit{} }
