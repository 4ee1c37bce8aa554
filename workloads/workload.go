// Package workloads holds the programs that overlapsim can run: one file per family of
// algorithms, with its closed-form model in a file next to it.
package workloads

import (
	"fmt"
	"slices"

	"overlapsim/network"
	"overlapsim/network/kinds"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Workload is a family of programs with its parameters. The parameters are
// the exported fields of the implementing struct that carry a `key` tag:
//
//	Rows int64 `key:"rows" unit:"count" doc:"rows N of the local array"`
//
// unit is one of count (below 2^31), times (a count of how often something is done, at
// least once), large (a count without that limit), offset (may be negative), number, bytes, time, text, flag; the value that New gives a
// field is its default.
type Workload interface {
	// Program returns the program for the given number of ranks on the machine. An error
	// about a parameter is a *KeyError; several are joined with errors.Join.
	Program(m *machines.Machine, ranks int) (programs.Program, error)
	// Metrics returns the results of this workload: times, rates and ratios of the run.
	// If all times of machine and run are twice as long, a time is twice as long, a rate
	// is half as high, and a ratio is the same; tests check this.
	Metrics(m *machines.Machine, r *results.Result) Metrics
}

// Compared is a workload whose metrics compare the run with others that it makes: on a machine with a token bucket on
// the fabric of the run, which has the bucket.
type Compared interface {
	MetricsOn(m *machines.Machine, fabric network.Maker, r *results.Result) Metrics
}

// Paired is a workload whose metrics compare the run with a run of another program, where and as its own runs.
type Paired interface {
	Workload
	Other(m *machines.Machine, ranks int) (programs.Program, error)
	MetricsWith(r, other *results.Result) Metrics
}

// Unblocked is a workload whose blocking collectives can have the algorithms that its library has for non-blocking ones. Barriers, and what
// makes a communicator, keep theirs.
type Unblocked interface {
	Unblock()
}

// Ranged is a workload that knows which values of a parameter make sense for a number of
// ranks. Range returns them as a list or a range such as 1..256 or 1..64*2, or "" if it
// knows none for this parameter.
type Ranged interface {
	Range(key string, ranks int) string
}

// Neighbored is a workload that knows which values of a parameter are close to its own and
// leave the result of its work the same: those first that promise most.
type Neighbored interface {
	Near(key string, m *machines.Machine, ranks int) []string
}

// Overridden is a workload of which one key may replace others.
type Overridden interface {
	// Overridden are the keys that have no effect, and the key that gives their values; nil: there are none.
	Overridden() (keys []string, by string)
}

// Batched is a step of training, which may leave open of how many sequences it is (key global_batch).
type Batched interface {
	// Batch is how many a step of all ranks has; open: no key gives their number.
	Batch(ranks int) (sequences int64, open bool)
}

// Modeled is a workload with a closed-form model of its makespan, when perNode processes
// share a node. ok is false if the model does not cover these parameters.
type Modeled interface {
	Model(m *machines.Machine, ranks, perNode int) (name string, makespan sim.Time, ok bool)
}

// Remarked is a workload that chooses what it runs for a machine and a number of ranks, or does not run all that it was
// given as it is, and says so, a line each.
type Remarked interface {
	Workload
	Remarks(m *machines.Machine, ranks int) []string
}

// Recorded is a workload whose file says what runs, so that keys of another kind of workload, which describes it, have no place in it.
type Recorded interface {
	Workload
	// Description is that kind, and what to do instead of giving its keys here.
	Description() (kind, instead string)
	// Others says how to run what was recorded on other numbers of ranks of a machine.
	Others(m *machines.Machine, ranks int) string
}

// OwnTimes is a workload that may have all its times from a recording, so that the machine does not matter.
type OwnTimes interface {
	Workload
	// OwnTimes is the reason why the machine does not matter, and what would take times of it; "" if it matters.
	OwnTimes() string
}

// Besides is a workload whose metrics need a second run next to the run of its program.
type Besides interface {
	Workload
	// Beside returns what that run uses of a machine.
	Beside(m *machines.Machine) results.Uses
}

// Tuned is a workload some of whose parameters may be left open. Their values are found by trying, as on a real machine.
type Tuned interface {
	Workload
	// Tune returns the program with the values that it found; try runs a program where and as the run does. It tries nothing if no
	// parameter is open.
	Tune(m *machines.Machine, ranks int, try func(programs.Program) (*results.Result, error)) (programs.Program, error)
}

// Chosen is a workload whose messages may be the choice of the machine's library.
type Chosen interface {
	Workload
	ByLibrary() bool
}

// Paused is a workload that was recorded, maybe with pauses of ranks.
type Paused interface {
	Workload
	Away() float64 // the part of the time between calls in which ranks did not run
}

// Adaptive is a workload that may compute for as long as what it measures takes.
type Adaptive interface {
	Workload
	Adapts() bool
}

// Condensable is a workload that can simulate a few ranks for all. Then all pairs of nodes
// must be alike: with one process each, on one switch.
type Condensable interface {
	Workload
	Condensed() bool
}

// KeyError says what is wrong with the value of one parameter.
type KeyError struct{ Key, Message string }

func (e *KeyError) Error() string { return e.Key + ": " + e.Message }

// KeysError is a KeyError that other keys have a part in: if the user gives one of them and not its key, that one is named, with what is
// said there.
type KeysError struct {
	KeyError
	Others []string
	There  string
}

// Unwrap returns the error of its key.
func (e *KeysError) Unwrap() error { return &e.KeyError }

// Kind is a registered workload.
type Kind struct {
	Name  string
	Title string          // one line
	New   func() Workload // with the defaults filled in
}

var registered = kinds.Table[Kind]{Family: "workload"}

// Register adds a workload. Each file of this package calls it from init; another module
// does the same. It panics if the kind is not complete, or if its name is taken or is not
// a valid name.
func Register(k Kind) {
	if k.Title == "" || k.New == nil {
		panic(fmt.Sprintf("workload %q needs a Title and a New", k.Name))
	}
	registered.Register(k.Name, k)
}

// Names returns the names of all workloads, sorted.
func Names() []string {
	names := registered.Names()
	slices.Sort(names)
	return names
}

// Lookup finds a workload by name.
func Lookup(name string) (Kind, bool) { return registered.Lookup(name) }

// Title says in a line what the workload of a name is.
func Title(name string) string {
	kind, _ := Lookup(name)
	return kind.Title
}

// phaseMetrics are the times of the phases in seconds, under the given names in the order
// of the phases, and their sum, total_s. All are means over the ranks.
func phaseMetrics(r *results.Result, names ...string) (m Metrics) {
	total := 0.0
	for i, name := range names {
		mean := 0.0
		for _, phases := range r.Ledgers {
			mean += phases[i].Sum().Seconds() / float64(r.Ranks)
		}
		m.Add(name, mean)
		total += mean
	}
	m.Add("total_s", total)
	return m
}
