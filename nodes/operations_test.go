package nodes

import "overlapsim/sim"

// The operations, short for tables.

func compute(t sim.Time) Op { return Op{Kind: OpCompute, Amount: int64(t)} }

func put(to, bytes, request int32) Op {
	return Op{Kind: OpPut, Peer: to, Amount: int64(bytes), Request: request}
}

func get(from, bytes, request int32) Op {
	return Op{Kind: OpGet, Peer: from, Amount: int64(bytes), Request: request}
}

func signal(to, bytes, tag, request int32) Op {
	return Op{Kind: OpSignal, Peer: to, Amount: int64(bytes), Tag: tag, Request: request}
}

func isend(to, bytes, tag, request int32) Op {
	return Op{Kind: OpSend, Peer: to, Amount: int64(bytes), Tag: tag, Request: request}
}

func irecv(from, tag, request int32) Op {
	return Op{Kind: OpReceive, Peer: from, Tag: tag, Request: request}
}

func wait(request int32) Op { return Op{Kind: OpWait, Request: request} }

func test(request int32) Op { return Op{Kind: OpTest, Request: request} }

func barrierOp() Op { return Op{Kind: OpBarrier} }
