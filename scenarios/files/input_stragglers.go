//go:build !js

package files

import "overlapsim/workloads/stragglers"

// Pages of traced jobs have no simulator, so that the one for pages is smaller without them.
func init() {
	inputKinds = append(inputKinds, input{what: "a table of the operations of a training job", workload: "straggler-trace", machine: ofGPU,
		is: func(s *sight) bool { return stragglers.Begins(s.path, s.begin) }})
}
