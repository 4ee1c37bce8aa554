package collectives

import (
	"strings"

	"overlapsim/network/kinds"
)

// Operation is what a collective does. Its Bytes are those of a member's vector, of the blocks of all members together, or
// of all blocks that a member sends.
type Operation struct {
	Name       string
	Reduces    bool // it combines data
	Blocks     bool // Bytes are the blocks of all members together
	algorithms kinds.Table[*Algorithm]
}

// The operations.
var (
	Barrier           = &Operation{Name: "barrier"} // Bytes: of each of its messages
	Broadcast         = &Operation{Name: "broadcast"}
	Reduce            = &Operation{Name: "reduce", Reduces: true}
	Allreduce         = &Operation{Name: "allreduce", Reduces: true}
	ReduceScatter     = &Operation{Name: "reduce-scatter", Reduces: true, Blocks: true}
	Allgather         = &Operation{Name: "allgather", Blocks: true}
	Alltoall          = &Operation{Name: "alltoall", Blocks: true}
	Gather            = &Operation{Name: "gather", Blocks: true}
	Scatter           = &Operation{Name: "scatter", Blocks: true}
	Scan              = &Operation{Name: "scan", Reduces: true}
	NeighbourGather   = &Operation{Name: "neighbour-allgather"} // each gets the vectors of its neighbours in a grid
	NeighbourExchange = &Operation{Name: "neighbour-alltoall"}  // each exchanges a block with each neighbour in a grid
)

// Operations are all operations.
var Operations = []*Operation{Barrier, Broadcast, Reduce, Allreduce, ReduceScatter, Allgather, Alltoall, Gather, Scatter, Scan,
	NeighbourGather, NeighbourExchange}

// Named returns the operation of that name; nil: there is none.
func Named(name string) *Operation {
	for _, o := range Operations {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// Names returns the names of the operation's algorithms.
func (o *Operation) Names() []string { return o.algorithms.Names() }

// Algorithms returns the operation's algorithms.
func (o *Operation) Algorithms() []*Algorithm { return o.algorithms.All() }

// Lookup returns an algorithm by its name.
func (o *Operation) Lookup(name string) (*Algorithm, bool) { return o.algorithms.Lookup(name) }

// Algorithm is a way to do an operation, with all that is known of it.
type Algorithm struct {
	Of     *Operation
	Name   string
	How    string // what its members do, for the reference
	Source string // where it is described
	Schedule
	// Needs returns what is wrong with a group, "" if nothing is. nil: the algorithm serves every
	// group.
	Needs func(g *Group) string
	// Uses says which parameters of a group the algorithm reads.
	Uses Uses
	// Hops is the closed form of the time if no message waits for another one: this number of
	// consecutive hops of a message of this size. nil: no closed form is known.
	Hops func(g *Group) (hops, bytes int64)
	// Alike returns the number of equal parts that Bytes must have for all members to do the same at
	// the same time; 0 if they do not. nil: members differ.
	Alike func(g *Group) (parts int)
	// Symmetry is how the algorithm looks from its members; the zero value: not the same from all.
	Symmetry Symmetry
	// Allocates returns how many bytes a call allocates. nil: the same as other algorithms of its
	// operation.
	Allocates func(g *Group) int64
}

// Uses are the parameters of a group that only some algorithms read.
type Uses struct{ Segment, Radix, Window, Levels bool }

// String names the keys that the parameters have in a scenario.
func (u Uses) String() string {
	var names []string
	for _, one := range []struct {
		name string
		used bool
	}{{"segment", u.Segment}, {"radix", u.Radix}, {"window", u.Window}, {"node, socket", u.Levels}} {
		if one.used {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, ", ")
}

// Schedule is a number of rounds and what the caller does in each. Members may have
// different numbers of rounds.
type Schedule struct {
	Rounds func(g *Group) int
	Round  func(g *Group, round int, r *Round)
}

// Register adds algorithms to the algorithms of their operations, for choices by name. Another module does the
// same. It panics if something is missing, or if a name is taken or is not a valid name.
func Register(algorithms ...*Algorithm) {
	for _, a := range algorithms {
		if a.Of == nil || a.Name == "" || a.How == "" || a.Source == "" || a.Rounds == nil || a.Round == nil {
			panic("collectives: algorithm " + a.Name + " needs Of, How, Source, Rounds and Round")
		}
		a.Of.algorithms.Family = a.Of.Name + " algorithm"
		a.Of.algorithms.Register(a.Name, a)
	}
}

// sequence runs several schedules one after the other.
func sequence(parts ...Schedule) Schedule {
	return Schedule{
		Rounds: func(g *Group) (n int) {
			for _, p := range parts {
				n += p.Rounds(g)
			}
			return n
		},
		Round: func(g *Group, round int, r *Round) {
			for _, p := range parts {
				n := p.Rounds(g)
				if round < n {
					p.Round(g, round, r)
					return
				}
				round -= n
			}
		},
	}
}

// powerOfTwo is a Needs: the number of members is a power of two.
func powerOfTwo(g *Group) string {
	if g.Ranks&(g.Ranks-1) != 0 {
		return "needs a power of two of ranks"
	}
	return ""
}

// even is a Needs: the number of members is even.
func even(g *Group) string {
	if g.Ranks%2 != 0 && g.Ranks > 1 {
		return "needs an even number of ranks"
	}
	return ""
}
