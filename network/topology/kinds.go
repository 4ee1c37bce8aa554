package topology

import (
	"fmt"

	"overlapsim/network/kinds"
)

// Kind is a family of topologies.
type Kind struct {
	Name string
	Doc  string // one line
	// Grows: it has as many nodes as are asked for. Others have a fixed number.
	Grows bool
	// Examples are small ones, as the keys beside kind in a file: "dims: [2, 2, 2]". Users
	// see them; the tests run every workload on those of this package.
	Examples []string
	New      func() Keys // with the defaults filled in
}

// Keys are the keys of a topology in a machine file: the exported fields of the
// implementing struct that carry a `key` tag,
//
//	Sizes []int `key:"topology.dims" unit:"count" in:"positive" doc:"routers along each dimension"`
//
// with the units of workloads.Workload. Families that read the same key describe it
// alike. A tag `instead` names keys, with spaces between them, that say the same in another
// way: over a base, they go where this key is given.
type Keys interface {
	// Build returns the topology. A topology that grows gets this number of nodes.
	Build(nodes int) (Topology, error)
}

var registered = kinds.Table[Kind]{Family: "topology"}

// The first one is that of a machine that says nothing.
func init() {
	for _, k := range []Kind{crossbars, Tori, fatTrees, dragonflies, dragonflyPluses, hyperXs, tofus} {
		Register(k)
	}
}

// Register adds a family; another module does it from init, as this package. It
// panics if the kind is not complete, or if its name is taken or cannot be one.
func Register(k Kind) {
	if k.Doc == "" || k.New == nil {
		panic(fmt.Sprintf("topology %q needs a Doc and a New", k.Name))
	}
	registered.Register(k.Name, k)
}

// Kinds returns the families there are.
func Kinds() []Kind { return registered.All() }

// Names returns their names.
func Names() []string { return registered.Names() }

// Doc says what each family is, in a line.
func Doc() string { return registered.Doc(func(k Kind) string { return k.Doc }) }

// Lookup returns the family with a name.
func Lookup(name string) (Kind, error) { return registered.Find(name) }
