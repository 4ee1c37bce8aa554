package topology

import (
	"fmt"
	"strings"

	"overlapsim/network/kinds"
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

var registered = kinds.Table[Kind]{Family: "topology"}

// The first one is that of a machine that says nothing.
func init() {
	Register(Kind{"crossbar", true, func() Keys { return new(crossbarKeys) }})
	Register(Kind{"torus", false, func() Keys { return &TorusKeys{Wrap: []bool{true}, PerRouter: 1, Tie: ties[0]} }})
	Register(Kind{"fat-tree", false, func() Keys { return &fatTreeKeys{Taper: 1} }})
	Register(Kind{"dragonfly", false, func() Keys { return &dragonflyKeys{PerRouter: 1} }})
}

// Register adds a family; another module does it from init, as this package. It
// panics if New is missing, or if the name is taken or cannot be one.
func Register(k Kind) {
	if k.New == nil {
		panic(fmt.Sprintf("topology %q needs a New", k.Name))
	}
	registered.Register(k.Name, k)
}

// Kinds returns the families there are.
func Kinds() []Kind { return registered.All() }

// Names returns their names.
func Names() []string { return registered.Names() }

// Lookup returns the family with a name.
func Lookup(name string) (Kind, error) {
	if k, ok := registered.Lookup(name); ok {
		return k, nil
	}
	return Kind{}, fmt.Errorf("kind: must be one of %s, got %s", strings.Join(Names(), ", "), name)
}
