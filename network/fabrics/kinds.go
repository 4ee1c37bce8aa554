// Package fabrics has the kinds of fabrics that a scenario may choose, and is the one
// place that knows them. A kind is a struct. Its fields are the keys of a machine file
// that it reads. It makes its fabric from them, the machine's NIC and the topology.
package fabrics

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/network/kinds"
	"overlapsim/network/topology"
)

// Kind is a fabric that a scenario may choose.
type Kind struct {
	Name string
	Doc  string
	// Places: the results depend on which nodes of the topology the ranks are.
	Places bool
	// Calibrated: messages are slowed down by the factors of a calibration.
	Calibrated bool
	// Examples are small ones, as the keys beside kind in a scenario: "calibration: hopper".
	// Users see them; the tests run every workload on those of this package.
	Examples []string
	// PerLink is the least memory in bytes for each link of the topology, by which a run that
	// is too large is refused.
	PerLink int64
	// PerNode is that of each node of the topology; nil: nothing that counts.
	PerNode func(topology.Topology) int64
	New     func() Keys // with the defaults filled in
}

// Keys are what a fabric reads of a machine file: the exported fields of the
// implementing struct that carry a `key` tag, with the units of workloads.Workload.
// Kinds that read the same key describe it alike. A tag `for:"requests"`, or answers, is
// of a key that acts on the requests of gets alone, or on what answers them.
type Keys interface {
	// Maker returns the maker of the fabric for a machine with this NIC; nil if messages do
	// not contend on this kind. The error holds all mistakes.
	Maker(nic *network.LogGOPS, shape topology.Topology) (network.Maker, error)
	// Reads returns the keys that have an effect in a run on such a machine, given the
	// values of the other keys. They include those keys of the NIC that only contended
	// fabrics read.
	Reads(nic *network.LogGOPS, shape topology.Topology) []string
}

// What a key may be for alone.
const (
	ForRequests = "requests" // network.Request
	ForAnswers  = "answers"  // network.Answer
)

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

// Doc describes each of them.
func Doc() string { return registered.Doc(func(k Kind) string { return k.Doc }) }

// Lookup returns the fabric with a name.
func Lookup(name string) (Kind, error) { return registered.Find(name) }

// quiet are the keys of fabrics on which messages do not contend: none.
type quiet struct{}

// Maker implements Keys.
func (*quiet) Maker(*network.LogGOPS, topology.Topology) (network.Maker, error) { return nil, nil }

// Reads implements Keys.
func (*quiet) Reads(*network.LogGOPS, topology.Topology) []string { return nil }

var ideal = Kind{
	Name: "ideal", Doc: "no contention, LogGP between end points", Examples: []string{""}, New: func() Keys { return new(quiet) },
}

var calibrated = Kind{
	Name: "calibrated", Doc: "no contention, but every message takes longer by a measured factor",
	Calibrated: true, Examples: []string{"calibration: hopper"}, New: func() Keys { return new(quiet) },
}
