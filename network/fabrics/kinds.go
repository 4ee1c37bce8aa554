// Package fabrics has the kinds of fabrics that a scenario may choose. It is the one place that
// knows them. A kind is a struct whose fields are the keys of a machine file that it reads. The
// kind makes its fabric from these keys, the machine's NIC and the topology.
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
	// Examples are small examples, written as the keys next to kind in a scenario: "calibration:
	// hopper". Users see them, and the tests run every workload on the examples of this package.
	Examples []string
	// PerLink is the smallest memory in bytes for each link of the topology. Runs that are too
	// large are refused by it.
	PerLink int64
	// PerNode is the smallest memory in bytes for each node of the topology; nil if it is too
	// small to count.
	PerNode func(topology.Topology) int64
	// Payload is the most bytes of a message that go in one packet; nil: messages are not cut.
	Payload func(Keys) int64
	// PassesPerSecond is how often messages, or the packets into which they are cut, pass a link in a second of a run, as
	// measured; 0: messages do not contend.
	PassesPerSecond float64
	New             func() Keys // with the defaults filled in
}

// Keys are the keys of a machine file that a fabric reads: the exported fields of the
// implementing struct that carry a `key` tag, with the units of workloads.Workload. Kinds that
// read the same key describe it in the same way. A tag `for:"requests"` or `for:"answers"` marks
// a key that acts only on the requests of gets, or only on their answers.
type Keys interface {
	// Maker returns the maker of the fabric for a machine with this NIC; nil if messages do not
	// contend on this kind. The error holds all mistakes.
	Maker(nic *network.LogGOPS, shape topology.Topology) (network.Maker, error)
	// Reads returns the keys that have an effect in a run on such a machine, given the
	// values of the other keys. They include those keys of the NIC that only contended
	// fabrics read.
	Reads(nic *network.LogGOPS, shape topology.Topology) []string
}

// The values of the tag `for`: the only transfers on which a key acts.
const (
	ForRequests = "requests" // network.Request
	ForAnswers  = "answers"  // network.Answer
)

var registered = kinds.Table[Kind]{Family: "fabric"}

// The first kind is the default of a scenario that names none.
func init() {
	for _, k := range []Kind{ideal, flowing, packets, calibrated, backlogs} {
		Register(k)
	}
}

// Register adds a fabric. Another module calls it from init, as this package does. It panics if
// the kind is incomplete, if its name is taken or if its name is not valid.
func Register(k Kind) {
	if k.Doc == "" || k.New == nil {
		panic(fmt.Sprintf("fabric %q needs a Doc and a New", k.Name))
	}
	registered.Register(k.Name, k)
}

// Kinds returns all registered fabrics.
func Kinds() []Kind { return registered.All() }

// Names returns their names.
func Names() []string { return registered.Names() }

// Doc describes each kind in one line.
func Doc() string { return registered.Doc(func(k Kind) string { return k.Doc }) }

// Lookup returns the fabric with a name.
func Lookup(name string) (Kind, error) { return registered.Find(name) }

// quiet are the keys of fabrics on which messages do not contend: there are none.
type quiet struct{}

// Maker implements Keys.
func (*quiet) Maker(*network.LogGOPS, topology.Topology) (network.Maker, error) { return nil, nil }

// Reads implements Keys.
func (*quiet) Reads(*network.LogGOPS, topology.Topology) []string { return nil }

var ideal = Kind{
	Name: "ideal", Doc: "no contention, LogGP between end points, for bounds and small runs", Examples: []string{""}, New: func() Keys { return new(quiet) },
}

var calibrated = Kind{
	Name: "calibrated", Doc: "no contention, but every message takes longer by a measured factor",
	Calibrated: true, Examples: []string{"calibration: hopper"}, New: func() Keys { return new(quiet) },
}
