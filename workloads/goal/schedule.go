package goal

import (
	"fmt"
	"math"
	"sort"

	"overlapsim/sim"
)

// OperationKind is the kind of an operation. The numbers are the same as in the binary form; in
// ascending order they are LogGOPSim's order of operations released at once.
type OperationKind uint8

// The three kinds of operations.
const (
	Send OperationKind = 1
	Recv OperationKind = 2
	Calc OperationKind = 3
)

var kindNames = [...]string{Send: "send", Recv: "recv", Calc: "calc"}

func (k OperationKind) String() string {
	if k < Send || k > Calc {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindNames[k]
}

// AnySource and AnyTag, "-1" in the text, match every rank and every tag.
const (
	AnySource uint32 = math.MaxUint32
	AnyTag    uint32 = math.MaxUint32
)

// Op is one operation of a rank.
type Op struct {
	Size uint64 // bytes of a Send or Recv, ns of a Calc
	Peer uint32 // the other rank, or AnySource
	Tag  uint32 // the tag, or AnyTag
	Kind OperationKind
	CPU  uint8
	NIC  uint8

	starts bool   // some dependants wait for its start
	first  uint32 // index of the first dependant
}

// duration is the time that a Calc takes, at most sim.Forever.
func (op *Op) duration() sim.Time {
	const most = uint64(sim.Forever / sim.Nanosecond)
	return sim.Time(min(op.Size, most)) * sim.Nanosecond
}

// Schedule holds the operations of all ranks, in compressed rows: 24 bytes for an
// operation, 4 for its line and 4 for each dependency, without pointers.
//
// Operations are numbered through all ranks, in the order of the file; the operations of rank r
// are ranks[r] to ranks[r+1]-1. The dependants of operation i are
// dependants[ops[i].first:ops[i+1].first]: first those that wait for its start (with the
// bit onStart), then those that wait for its end, each group in the order of their lines
// in the file.
type Schedule struct {
	ops        []Op // and one more, which ends the last row
	ranks      []uint32
	dependants []uint32
	lines      []uint32 // of the text; empty if the schedule has none
	cpus, nics int
	twice      Problems // repeated definitions of a label in a rank
}

// onStart marks a dependant that waits for the start of an operation only.
const onStart = 1 << 31

// maxOps keeps the running numbers of operations and of their messages, at most four for
// each operation, within 32 bits.
const maxOps = 1<<30 - 1

// Ambiguous returns the labels that are defined twice in a rank, which our rules count as
// a mistake; nil: there are none.
func (s *Schedule) Ambiguous() error {
	if s.twice == nil {
		return nil
	}
	return s.twice
}

// Ranks returns the number of ranks.
func (s *Schedule) Ranks() int { return len(s.ranks) - 1 }

// Ops returns the operations of all ranks, rank by rank in the order of the
// file. The slice is the schedule's own; it must not be changed.
func (s *Schedule) Ops() []Op { return s.ops[:len(s.ops)-1] }

// Rank returns the operations of rank r, which are Ops()[first:first+len].
func (s *Schedule) Rank(r int) (ops []Op, first int) {
	first = int(s.ranks[r])
	return s.ops[first:s.ranks[r+1]], first
}

// CPUs and NICs return the number of CPUs and of NICs of every host: one more than the
// highest index in use.
func (s *Schedule) CPUs() int { return s.cpus }
func (s *Schedule) NICs() int { return s.nics }

// Dependencies returns the number of dependencies.
func (s *Schedule) Dependencies() int { return len(s.dependants) }

// Messages returns the number of sends.
func (s *Schedule) Messages() int {
	n := 0
	for i := range s.Ops() {
		if s.ops[i].Kind == Send {
			n++
		}
	}
	return n
}

// after returns the dependants of an operation.
func (s *Schedule) after(op uint32) []uint32 {
	return s.dependants[s.ops[op].first:s.ops[op+1].first]
}

// rankOf returns the rank an operation belongs to. Often all ranks have as many operations.
func (s *Schedule) rankOf(op uint32) int {
	if r := int(uint64(op) * uint64(s.Ranks()) / uint64(len(s.Ops()))); s.ranks[r] <= op && op < s.ranks[r+1] {
		return r
	}
	return sort.Search(s.Ranks(), func(r int) bool { return s.ranks[r+1] > op })
}

// place names an operation in error messages: its line, or its number in its rank.
func (s *Schedule) place(op uint32) string {
	if int(op) < len(s.lines) {
		return fmt.Sprintf("line %d", s.lines[op])
	}
	return fmt.Sprintf("operation %d", op-s.ranks[s.rankOf(op)])
}

// openCounts returns for each operation the number of dependencies that it waits for.
func (s *Schedule) openCounts() []uint32 {
	open := make([]uint32, len(s.ops)-1)
	for _, d := range s.dependants {
		open[d&^onStart]++
	}
	return open
}
