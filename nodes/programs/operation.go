package programs

import (
	"math"

	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// Op is one operation of a rank. Runs hold many of them, so it is small.
type Op struct {
	Kind    OpKind
	Phase   uint8         // OpPhase: the phase; other operations: whether InCollective or ByLibrary
	Strided bool          // OpSend: the bytes are not contiguous
	Profile cores.Profile // OpCompute: load on its core; Blocked stands for FP
	Kernel  int32         // OpCompute: number of its kernel on the machine; OpPut: the first of the ranks that it is combined of
	demand  int32         // OpCompute: what it moves through memory, in units of demandUnit; OpPut: how many ranks it is combined of
	Peer    int32         // rank, or AnySource; OpPattern: how many it synchronises
	Tag     int32         // or AnyTag; OpPattern: 1 if synchronised
	Request int32         // chosen by the program, for OpWait and OpTest; -1: none
	Amount  int64         // bytes, or ps of computation, or ranks of distance
}

// The Phase of an operation of a blocking collective, and of any other one that the library does.
const (
	inCollective = 1
	byLibrary    = 2
)

// ByLibrary tells whether the library does the operation, in a call: a computation of it has no tests.
func (op *Op) ByLibrary() bool { return op.Kind != OpPhase && op.Phase != 0 }

// InCollective tells whether the operation is part of a blocking collective.
func (op *Op) InCollective() bool { return op.Kind != OpPhase && op.Phase == inCollective }

// Combined returns of how many ranks the switches of the network combine the data of a put, and the first of these ranks;
// 0: they do not.
func (op *Op) Combined() (ranks, first int32) {
	if op.Kind != OpPut {
		return 0, 0
	}
	return op.demand, op.Kernel
}

// demandUnit is the unit in which an operation holds a computation's demand, in bytes per
// second. The largest demand is 20 TB/s.
const demandUnit = 10_000

// taskOp returns the operation that computes a task for that long.
func taskOp(t machines.Task, amount sim.Time) Op {
	op := Op{Kind: OpCompute, Profile: t.Activity.Profile, Kernel: t.Kernel, Amount: int64(amount),
		demand: demandOf(float64(t.Activity.Demand) / demandUnit)}
	if t.ByLibrary {
		op.Phase = byLibrary
	}
	return op
}

// demandOf returns the nearest demand that an operation can hold.
func demandOf(units float64) int32 { return int32(min(units, math.MaxInt32)) }

// demands multiplies the memory demand of a computation.
func (op *Op) demands(times float64) { op.demand = demandOf(math.Round(float64(op.demand) * times)) }

// Activity returns how a computation affects activities that share its core or memory.
func (op *Op) Activity() cores.Activity {
	a := cores.Activity{Profile: op.Profile, Demand: int64(op.demand) * demandUnit, Tag: op.Kernel}
	if a.Profile == cores.Blocked {
		a.Profile = cores.FP
	}
	return a
}

// Pattern is the communication pattern that a rank's messages are part of.
type Pattern struct {
	Distance     int32 // in ranks; 0: the distance of the two ranks of each message
	Processes    int32 // how many it synchronises; 0: all ranks
	Synchronised bool
}

// op returns the operation that begins the pattern.
func (p Pattern) op() Op {
	op := Op{Kind: OpPattern, Peer: p.Processes, Amount: int64(p.Distance)}
	if p.Synchronised {
		op.Tag = 1
	}
	return op
}

// Pattern returns the pattern that an operation begins.
func (op *Op) Pattern() Pattern { return Pattern{int32(op.Amount), op.Peer, op.Tag != 0} }
