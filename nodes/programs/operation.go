package programs

import (
	"math"

	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// Op is one operation of a rank. Runs hold many of them. So what only a computation or a
// pattern needs is kept in the fields that only messages need; methods give it a name.
type Op struct {
	Kind    OpKind
	Phase   uint8         // OpPhase
	Strided bool          // OpSend: the bytes are not contiguous
	Profile cores.Profile // OpCompute: what it asks of its core; Blocked: FP
	Peer    int32         // rank, or AnySource
	Tag     int32         // or AnyTag
	Request int32         // chosen by the program, for OpWait and OpTest; -1: none
	Amount  int64         // bytes, or ps of computation
}

// demandUnit is the unit in which an operation holds a computation's demand, in bytes per
// second. The largest demand is 20 TB/s.
const demandUnit = 10_000

// taskOp returns the operation that computes a task for that long.
func taskOp(t machines.Task, amount sim.Time) Op {
	op := Op{Kind: OpCompute, Profile: t.Activity.Profile, Request: t.Kernel, Amount: int64(amount)}
	op.demand(float64(t.Activity.Demand) / demandUnit)
	return op
}

// demand sets what a computation moves through memory, in demandUnit.
func (op *Op) demand(units float64) { op.Peer = int32(min(units, math.MaxInt32)) }

// demands multiplies what a computation moves through memory.
func (op *Op) demands(times float64) { op.demand(math.Round(float64(op.Peer) * times)) }

// Kernel is the number of a computation's kernel on its machine.
func (op *Op) Kernel() int32 { return op.Request }

// Activity returns what a computation does to activities that share its core or memory.
func (op *Op) Activity() cores.Activity {
	a := cores.Activity{Profile: op.Profile, Demand: int64(op.Peer) * demandUnit, Tag: op.Kernel()}
	if a.Profile == cores.Blocked {
		a.Profile = cores.FP
	}
	return a
}

// Pattern is the communication pattern that a rank's messages are part of.
type Pattern struct {
	Distance     int32 // in ranks; 0: that of each message's own two ranks
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
