package topology

import (
	"fmt"
	"strings"
)

// Kind is a family of topologies.
type Kind struct {
	Name string
	// Grows: it has as many nodes as are asked for. Others have a fixed number.
	Grows bool
	New   func() Keys // with the defaults filled in
}

// Keys are the keys of a topology in a machine file: the exported fields of the
// implementing struct that carry a `key` tag,
//
//	Sizes []int `key:"topology.dims" unit:"count" in:"positive" doc:"routers along each dimension"`
//
// with the units of workloads.Workload. Families that read the same key describe it
// alike.
type Keys interface {
	// Build returns the topology. A topology that grows gets this number of nodes.
	Build(nodes int) (Topology, error)
}

// kinds are all families; the first one is the default.
var kinds = []Kind{
	{"crossbar", true, func() Keys { return new(crossbarKeys) }},
	{"torus", false, func() Keys { return &TorusKeys{Wrap: []bool{true}, PerRouter: 1, Tie: ties[0]} }},
	{"fat-tree", false, func() Keys { return &fatTreeKeys{Taper: 1} }},
	{"dragonfly", false, func() Keys { return &dragonflyKeys{PerRouter: 1} }},
}

// Kinds returns all families.
func Kinds() []Kind { return kinds }

// Lookup returns the family with a name.
func Lookup(name string) (Kind, error) {
	var names []string
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("kind: must be one of %s, got %s", strings.Join(names, ", "), name)
}
