package workloads

import (
	"fmt"
	"slices"

	"overlapsim/nodes/programs"
)

// call is a way in which the process of a microbenchmark sends or fetches bytes.
type call struct {
	name string
	// begin begins it; the request has the number of the message.
	begin func(do *programs.Ops, peer int, bytes int64, number int)
	// twoSided tells that the peer has to receive.
	twoSided bool
}

var calls = []call{
	{"put", (*programs.Ops).Put, false},
	{"get", (*programs.Ops).Get, false},
	{mpi, func(do *programs.Ops, peer int, bytes int64, number int) { do.Isend(peer, bytes, number, number) }, true},
}

// callOf returns the call of that name, or the mistake in the key call.
func callOf(name string) (call, error) {
	i := slices.IndexFunc(calls, func(c call) bool { return c.name == name })
	if i < 0 {
		return call{}, &KeyError{"call", fmt.Sprintf("must be put, get or mpi, got %q", name)}
	}
	return calls[i], nil
}
