// Package fabrics has the kinds of fabrics that a scenario may choose: the one place
// that knows them. A kind is a struct whose fields are the keys that it reads of a
// machine file, and that makes its fabric of them, of the machine's NIC and of the
// topology.
package fabrics

import (
	"fmt"
	"strings"

	"overlapsim/network"
	"overlapsim/network/kinds"
	"overlapsim/network/topology"
)

// Kind is a fabric that a scenario may choose.
type Kind struct {
	Name string
	Doc  string
	// Places: it matters on which nodes of the topology the ranks are.
	Places bool
	// Calibrated: messages take longer by the factors of a calibration.
	Calibrated bool
	New        func() Keys // with the defaults filled in
}

// Keys are what a fabric reads of a machine file: the exported fields of the
// implementing struct that carry a `key` tag, with the units of workloads.Workload.
// Kinds that read the same key describe it alike.
type Keys interface {
	// Maker returns what makes the fabric of a machine with this NIC; nil: on this
	// kind messages do not contend. The error holds all that is wrong.
	Maker(nic *network.LogGOPS, shape topology.Topology) (network.Maker, error)
	// Reads returns those of the keys, and of the NIC's that only contended fabrics
	// read, that act in a run on such a machine, as the others are given.
	Reads(nic *network.LogGOPS, shape topology.Topology) []string
}

var registered = kinds.Table[Kind]{Family: "fabric"}

// The first one is that of a scenario that says nothing.
func init() {
	for _, k := range []Kind{ideal, flowing, packets, calibrated, backlogs} {
		Register(k)
	}
}

// Register adds a fabric; another module does it from init, as this package. It
// panics if the kind is not complete, or if its name is taken or cannot be one.
func Register(k Kind) {
	if k.Doc == "" || k.New == nil {
		panic(fmt.Sprintf("fabric %q needs a Doc and a New", k.Name))
	}
	registered.Register(k.Name, k)
}

// Kinds returns the fabrics there are.
func Kinds() []Kind { return registered.All() }

// Names returns their names.
func Names() []string { return registered.Names() }

// Doc says what each of them is.
func Doc() string {
	var all []string
	for _, k := range Kinds() {
		all = append(all, k.Name+": "+k.Doc)
	}
	return strings.Join(all, "; ")
}

// Lookup returns the fabric of a name.
func Lookup(name string) (Kind, error) {
	if k, ok := registered.Lookup(name); ok {
		return k, nil
	}
	return Kind{}, fmt.Errorf("kind: must be one of %s, got %s", strings.Join(Names(), ", "), name)
}

// quiet are the keys of fabrics on which messages do not contend: none.
type quiet struct{}

// Maker implements Keys.
func (*quiet) Maker(*network.LogGOPS, topology.Topology) (network.Maker, error) { return nil, nil }

// Reads implements Keys.
func (*quiet) Reads(*network.LogGOPS, topology.Topology) []string { return nil }

var ideal = Kind{Name: "ideal", Doc: "no contention, LogGP between end points", New: func() Keys { return new(quiet) }}

var calibrated = Kind{
	Name: "calibrated", Doc: "no contention, but every message takes longer by a measured factor",
	Calibrated: true, New: func() Keys { return new(quiet) },
}
