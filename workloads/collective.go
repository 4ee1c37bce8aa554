package workloads

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/workloads/collectives"
)

// One collective operation of all ranks, by a named algorithm or by that which a library
// takes.
func init() {
	const title = "a collective operation (broadcast, reduce, all-gather, ...) by an algorithm, or as a library chooses it"
	Register(Kind{"collective", title, func() Workload {
		return &oneCollective{Operation: "allreduce", collectiveKeys: collectiveKeys{Algorithm: auto, Bytes: 65536}, Repeat: 1}
	}})
}

// auto leaves the choice of the algorithm to the library.
const auto = "auto"

// collectiveKeys are the parameters of an operation.
type collectiveKeys struct {
	Algorithm string `key:"algorithm" unit:"text" doc:"its algorithm; auto: the one that the library takes"`
	Library   string `key:"library" unit:"text" doc:"auto: whose choice; if omitted: the library of the machine's runtime"`
	Bytes     int64  `key:"bytes" unit:"bytes" doc:"size of the largest buffer of a rank: the vector, or the blocks of all ranks together"`
	Block     int64  `key:"block" unit:"bytes" doc:"instead of bytes: size of the block of a rank, so that bytes grow with the ranks"`
	Segment   int64  `key:"segment" unit:"bytes" doc:"pieces in which an algorithm that can do so moves the bytes; if omitted: whole"`
	Radix     int64  `key:"radix" unit:"count" doc:"children of a tree node, or base of the distances; if omitted: the algorithm's"`
	Window    int64  `key:"window" unit:"count" doc:"messages of an all-to-all under way at a time; if omitted: the algorithm's"`
	Root      int64  `key:"root" unit:"count" doc:"root of the operation"`
	Node      int64  `key:"node" unit:"count" doc:"neighbouring ranks on a node, for hierarchical algorithms; if omitted: the machine's"`
	Socket    int64  `key:"socket" unit:"count" doc:"those of them on a socket; if omitted: there is none"`

	nonblocking bool // the library chooses as for non-blocking collectives
}

type oneCollective struct {
	Operation string `key:"operation" unit:"text" doc:"what is done; without a rate of the kernel combine, reductions combine in no time"`
	collectiveKeys
	Repeat int64 `key:"repeat" unit:"times" doc:"how many times, one after the other"`
	Alike  bool  `key:"alike" unit:"flag" doc:"where all ranks do the same, simulate four for all; all pairs of nodes must be alike"`
}

// Condensed implements Condensable.
func (w *oneCollective) Condensed() bool { return w.Alike }

// Unblock implements Unblocked.
func (w *oneCollective) Unblock() { w.nonblocking = w.Operation != collectives.Barrier.Name }

func (w *oneCollective) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	g, a, err := w.plan(w.Operation, m, ranks)
	if w.Repeat < 1 {
		err = errors.Join(err, &KeyError{"repeat", "must be at least 1"})
	}
	if err != nil {
		return nil, err
	}
	if w.Alike {
		a, g, _ = a.Condensed(g)
	}
	return &collectiveProgram{g, int(w.Repeat), a, a.Of.Name + " " + a.Name}, nil
}

// Remarks implements Remarked.
func (w *oneCollective) Remarks(m *machines.Machine, ranks int) []string {
	return w.remarks("algorithm auto", w.Operation, m, ranks)
}

// Near implements Neighbored.
func (w *oneCollective) Near(key string, m *machines.Machine, ranks int) []string {
	return w.near(w.Operation, key, m, ranks)
}

// near are other algorithms of an operation, and segments if an algorithm that can move its bytes in pieces does not.
func (k *collectiveKeys) near(operation, key string, m *machines.Machine, ranks int) (all []string) {
	of := collectives.Named(operation)
	if of == nil {
		return nil
	}
	switch a, known := of.Lookup(k.Algorithm); {
	case key == "algorithm":
		all = slices.DeleteFunc(k.inTurn(of, m, ranks), func(name string) bool { return name == k.Algorithm })
	case key == "segment" && known && a.Uses.Segment && k.Segment == 0:
		for _, pieces := range []int64{8, 64} {
			if k.Bytes/pieces > 0 {
				all = append(all, fmt.Sprintf("%dB", k.Bytes/pieces))
			}
		}
	}
	return all
}

// inTurn are the algorithms of an operation: in turn one that some library takes for so many ranks and bytes, and one of the others; the one
// that the run has comes last.
func (k *collectiveKeys) inTurn(of *collectives.Operation, m *machines.Machine, ranks int) (all []string) {
	g, own, err := k.plan(of.Name, m, ranks)
	if err != nil {
		return of.Names()
	}
	add := func(to []string, name string) []string {
		if name == own.Name || slices.Contains(to, name) {
			return to
		}
		return append(to, name)
	}
	var taken []string
	for _, library := range collectives.Libraries() {
		group := g // which a choice changes
		if a, err := collectives.LibraryNamed(library).Choose(of, &group); err == nil {
			taken = add(taken, a.Name)
		}
	}
	for i, name := range of.Names() {
		if i < len(taken) {
			all = add(all, taken[i])
		}
		all = add(all, name)
	}
	return append(all, own.Name)
}

func (w *oneCollective) Metrics(_ *machines.Machine, r *results.Result) (m Metrics) {
	m.Add("time_s", r.Makespan().Seconds()/float64(w.Repeat))
	m.Add("compute_s", computing(r)/float64(w.Repeat))
	return m
}

// computing is how long a rank combines, copies and touches memory, in seconds: the mean over
// the ranks.
func computing(r *results.Result) (mean float64) {
	for _, ledger := range r.Ledgers {
		mean += ledger[0][results.Compute].Seconds() / float64(r.Ranks)
	}
	return mean
}

// plan returns the group and the algorithm that the keys ask for.
func (k *collectiveKeys) plan(operation string, m *machines.Machine, ranks int) (g collectives.Group, a *collectives.Algorithm, err error) {
	of := collectives.Named(operation)
	if of == nil {
		return g, nil, &KeyError{"operation", fmt.Sprintf("no operation is called %q; use one of %s", operation, operationNames())}
	}
	all := k.bytes(of, ranks)
	g = collectives.Group{Ranks: ranks, Root: int(k.Root), Bytes: all, Segment: k.Segment, Radix: int(k.Radix), Window: int(k.Window),
		Levels: k.levels(m), Offload: switchesOf(m), Combine: taskOf(m, "combine", all), Copy: taskOf(m, "copy", all), Touch: taskOf(m, "touch", all)}
	if of == collectives.NeighbourGather || of == collectives.NeighbourExchange {
		dims := cubic(ranks)
		g.Dims = dims[:]
	}
	var errs []error
	if k.Root < 0 || k.Root >= int64(ranks) {
		errs = append(errs, &KeyError{"root", fmt.Sprintf("must be a rank, 0 to %d, got %d", ranks-1, k.Root)})
	}
	if k.Radix == 1 || k.Radix < 0 {
		errs = append(errs, &KeyError{"radix", "must be at least 2"})
	}
	if k.Bytes < 0 || k.Block < 0 || k.Segment < 0 {
		errs = append(errs, &KeyError{"bytes", "must not be negative"})
	}
	if err := errors.Join(errs...); err != nil {
		return g, nil, err
	}
	a, err = k.algorithm(of, &g, m)
	return g, a, err
}

func operationNames() string {
	var names []string
	for _, of := range collectives.Operations {
		names = append(names, of.Name)
	}
	return strings.Join(names, ", ")
}

// bytes are the bytes of the largest buffer.
func (k *collectiveKeys) bytes(of *collectives.Operation, ranks int) int64 {
	switch {
	case of == collectives.Barrier: // its messages are empty
		return 0
	case k.Block == 0:
		return k.Bytes
	case of.Blocks:
		return product(k.Block, int64(ranks))
	case of == collectives.NeighbourExchange: // on a grid of three dimensions, as cubic
		return product(k.Block, 6)
	}
	return k.Block
}

// levels are the ranks of a node and of a socket.
func (k *collectiveKeys) levels(m *machines.Machine) []int {
	levels := []int{max(1, int(k.Node))}
	if k.Node == 0 {
		levels[0] = max(1, m.Processes)
	}
	if k.Socket > 0 {
		levels = append(levels, int(k.Socket))
	}
	return levels
}

// algorithm is the one that is named, or that the library takes.
func (k *collectiveKeys) algorithm(of *collectives.Operation, g *collectives.Group, m *machines.Machine) (*collectives.Algorithm, error) {
	if k.Algorithm == auto {
		library, err := k.library(m)
		if err != nil {
			return nil, err
		}
		a, err := library.Choose(of, g)
		if err != nil {
			return nil, &KeyError{"algorithm", err.Error()}
		}
		return a, nil
	}
	a, ok := of.Lookup(k.Algorithm)
	if !ok {
		return nil, &KeyError{"algorithm",
			fmt.Sprintf("%s has no algorithm %q; use auto or one of %s", of.Name, k.Algorithm, strings.Join(of.Names(), ", "))}
	}
	if a.Needs != nil && a.Needs(g) != "" {
		return nil, &KeyError{"algorithm", fmt.Sprintf("%s %s; there are %d ranks", a.Name, a.Needs(g), g.Ranks)}
	}
	return a, nil
}

// remarks say which algorithm a library takes for an operation of that many ranks, if the choice is its own; what names the choice.
func (k *collectiveKeys) remarks(what, operation string, m *machines.Machine, ranks int) (said []string) {
	g, a, err := k.plan(operation, m, ranks)
	if err != nil {
		return nil
	}
	if library, err := k.library(m); k.Algorithm == auto && err == nil {
		said = append(said, fmt.Sprintf("%s: %s, the choice of %s%s", what, a.Name, library.Name, k.byDefault(m)))
	}
	if a.Of == collectives.Barrier {
		said = append(said, "messages of a barrier are empty: bytes have no effect")
	}
	if a.Of.Reduces && g.Combine == nil && g.Bytes >= largeVector {
		said = append(said, "assumed: reductions combine in no time: --set machine.kernels.combine.rates=10GB/s")
	}
	return said
}

// largeVector is a size in bytes from which on it takes longer to combine than to send a message: 6 us at 10 GB/s.
const largeVector = 64 << 10

// ByLibrary implements Chosen.
func (k *collectiveKeys) ByLibrary() bool { return k.Algorithm == auto && k.Library == "" }

// anyLibrary chooses for a machine whose runtime names no table.
const anyLibrary = "mpich-4"

// named is the library that is named, or the machine's; "": there is none.
func (k *collectiveKeys) named(m *machines.Machine) string {
	if k.Library == "" && m.Runtime != nil {
		return m.Runtime.Collectives
	}
	return k.Library
}

// byDefault says that nothing names the library, if so.
func (k *collectiveKeys) byDefault(m *machines.Machine) string {
	if k.named(m) == "" {
		return ", the default: no library is named"
	}
	return ""
}

// library is the one that is named, or the machine's.
func (k *collectiveKeys) library(m *machines.Machine) (*collectives.Library, error) {
	name := cmp.Or(k.named(m), anyLibrary)
	library := collectives.LibraryNamed(name)
	if library == nil {
		return nil, &KeyError{"library",
			fmt.Sprintf("no table of choices is called %q; use one of %s", name, strings.Join(collectives.Libraries(), ", "))}
	}
	if k.nonblocking {
		library = collectives.LibraryNamed(library.Nonblocking())
	}
	return library, nil
}

// switchesOf are the switches of a machine that combine; nil: it has none.
func switchesOf(m *machines.Machine) *machines.Combining {
	if m.Runtime == nil {
		return nil
	}
	return &m.Runtime.Offload
}

// taskOf returns the cost of a kernel by bytes, out of that many that the collective goes
// through, so that a cache holds the bytes only if it holds all; nil: the machine has no
// rate for the kernel.
func taskOf(m *machines.Machine, kernel string, all int64) func(bytes int64) machines.Task {
	cost := m.TasksOf(kernel)
	if cost == nil {
		return nil
	}
	return func(bytes int64) machines.Task { return cost(float64(bytes), max(1, float64(all)/float64(bytes))) }
}
