package topology

import (
	"fmt"

	"overlapsim/network/kinds"
)

// Kind is a family of topologies.
type Kind struct {
	Name string
	Doc  string // one line
	// Grows says that the topology has room for as many nodes as are asked for, unless one of the keys in Sizes is given. Others have a
	// fixed number.
	Grows bool
	Sizes []string
	// Examples are small examples, written as the keys next to kind in a file: "dims: [2, 2, 2]".
	// Users see them, and the tests run every workload on the examples of this package.
	Examples []string
	New      func() Keys // with the defaults filled in
}

// Keys are the keys of a topology in a machine file: the exported fields of the
// implementing struct that carry a `key` tag,
//
//	Sizes []int `key:"topology.dims" unit:"count" in:"positive" doc:"routers along each dimension"`
//
// with the units of workloads.Workload. Families may use the same key for different values: a machine has one
// family, whose keys apply. Those that mean the same describe it in the same way. A tag `instead` lists keys, separated by spaces, that say the same in another form. If a
// file sets this key, those keys of its base are dropped.
type Keys interface {
	// Build returns the topology. A topology that grows gets room for this number of nodes; others ignore
	// it.
	Build(nodes int) (Topology, error)
}

var registered = kinds.Table[Kind]{Family: "topology"}

// The first family is the default of a machine that names none.
func init() {
	for _, k := range []Kind{crossbars, Tori, fatTrees, dragonflies, dragonflyPluses, hyperXs, tofus} {
		Register(k)
	}
}

// Register adds a family. Another module calls it from init, as this package does. It panics if
// the kind is incomplete, if its name is taken or if its name is not valid.
func Register(k Kind) {
	if k.Doc == "" || k.New == nil {
		panic(fmt.Sprintf("topology %q needs a Doc and a New", k.Name))
	}
	registered.Register(k.Name, k)
}

// Kinds returns all registered families.
func Kinds() []Kind { return registered.All() }

// Names returns their names.
func Names() []string { return registered.Names() }

// Doc describes each family in one line.
func Doc() string { return registered.Doc(func(k Kind) string { return k.Doc }) }

// Lookup returns the family with a name.
func Lookup(name string) (Kind, error) { return registered.Find(name) }
