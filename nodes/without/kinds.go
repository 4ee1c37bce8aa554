package without

import (
	"slices"
	"strings"

	"overlapsim/nodes/gpus/streams"
)

// kinds are the kinds of communication of a step of training, as its graph calls them.
var kinds = []string{"tensor_parallel", "pipeline", "data_parallel", "expert_parallel", "context_parallel"}

// OfKind returns the name of the cause that is one kind of communication; "": the kind is none, or another one.
func OfKind(kind string) string {
	if !slices.Contains(kinds, kind) {
		return ""
	}
	return strings.ReplaceAll(kind, "_", "-")
}

// ofOneKind is the cause that is one kind of communication.
func ofOneKind(kind string) cause {
	name := OfKind(kind)
	return cause{Name: name, NotProcesses: onlyGPUs + "communication by kind", GPUs: onGPUs{
		Doc: name + " operations take no time, no SMs and no time of hosts, and still begin with their last arrival",
		has: func(g graph) bool { return g.anyOp(g.isOf(kind)) }, Lacks: "there is no " + name + " communication",
		take: func(g graph) { g.kindFree(kind) }}}
}

// isOf tells of an operation whether it is communication of a kind.
func (g graph) isOf(kind string) func(o *streams.Op) bool {
	n := slices.Index(g.Kinds, kind)
	return func(o *streams.Op) bool { return o.Collective > 0 && int(o.Kind) == n }
}

// kindFree lets the communication of a kind take no time beyond what its members compute.
func (g graph) kindFree(kind string) {
	is := g.isOf(kind)
	g.Members(func(o *streams.Op, collective *int32) {
		if is(o) {
			c := &g.Collectives[*collective-1]
			c.Latency, c.Transfer, c.Flows, o.Launch = 0, c.Compute, nil, 0
		}
	})
}
