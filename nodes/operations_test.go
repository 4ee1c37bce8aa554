package nodes

import (
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// The operations, short for tables.

func compute(t sim.Time) programs.Op { return programs.Op{Kind: programs.OpCompute, Amount: int64(t)} }

// computationOf is a computation that asks for something.
func computationOf(t sim.Time, a cores.Activity) programs.Op {
	var do programs.Ops
	do.Compute(machines.Task{Time: t, Activity: a}, 1)
	return do.List()[0]
}

func put(to, bytes, request int32) programs.Op {
	return programs.Op{Kind: programs.OpPut, Peer: to, Amount: int64(bytes), Request: request}
}

func get(from, bytes, request int32) programs.Op {
	return programs.Op{Kind: programs.OpGet, Peer: from, Amount: int64(bytes), Request: request}
}

func signal(to, bytes, tag, request int32) programs.Op {
	return programs.Op{Kind: programs.OpSignal, Peer: to, Amount: int64(bytes), Tag: tag, Request: request}
}

func isend(to, bytes, tag, request int32) programs.Op {
	return programs.Op{Kind: programs.OpSend, Peer: to, Amount: int64(bytes), Tag: tag, Request: request}
}

func irecv(from, tag, request int32) programs.Op {
	return programs.Op{Kind: programs.OpReceive, Peer: from, Tag: tag, Request: request}
}

func wait(request int32) programs.Op { return programs.Op{Kind: programs.OpWait, Request: request} }

func test(request int32) programs.Op { return programs.Op{Kind: programs.OpTest, Request: request} }

func barrierOp() programs.Op { return programs.Op{Kind: programs.OpBarrier} }
