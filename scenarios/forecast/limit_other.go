//go:build (!unix && !js) || openbsd

package forecast

// ulimit is not known.
func ulimit() Limit { return Limit{} }
