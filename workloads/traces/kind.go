package traces

import (
	"slices"

	"overlapsim/workloads/collectives"
)

// CallKind is what a call does.
type CallKind uint8

// The kinds. For a collective, collectives.Operation says what Bytes are: the bytes of a vector, or
// of the blocks of all members together.
const (
	End      CallKind = iota // nothing follows: Before is the last computation of the rank
	Send                     // MPI_Send and its modes
	Recv                     // MPI_Recv
	Isend                    // MPI_Isend in all modes, MPI_Start of such a request
	Irecv                    // MPI_Irecv, MPI_Start of such a request
	Sendrecv                 // MPI_Sendrecv
	Probe                    // MPI_Probe, or MPI_Iprobe that found a message: from Peer with Tag
	Wait                     // MPI_Wait, MPI_Waitall: waits for all Requests
	WaitAny                  // MPI_Waitany: Requests has the one that was complete first
	WaitSome                 // MPI_Waitsome: Requests are those that were complete
	Test                     // MPI_Test and its like, MPI_Iprobe that found nothing: Requests are those that were complete
	Free                     // MPI_Request_free: nothing waits for Requests any more
	Make                     // a communicator is made by all members of Comm
	Barrier
	Broadcast
	Reduce
	Allreduce
	ReduceScatter
	Allgather
	Alltoall
	Gather
	Scatter
	Scan
	NeighbourGather
	NeighbourExchange
	Put      // MPI_Put and its like: what is written into the memory of Peer
	Get      // MPI_Get and its like: what is read from it
	Psend    // MPI_Start of MPI_Psend_init: Among partitions of Bytes
	Precv    // MPI_Start of MPI_Precv_init, by the partitions of the receiver
	Pready   // MPI_Pready and its like: Among partitions of Request are ready, from number Tag on
	Parrived // MPI_Parrived that found partition Tag of Request
	kinds    // how many
)

// kindTable has what is known of each kind.
var kindTable = [kinds]struct {
	name   string
	of     string // functions of MPI
	fields []field
	does   *collectives.Operation // nil: no collective
}{
	End:      {name: "end", of: "nothing"},
	Send:     {name: "send", of: "MPI_Send in all modes", fields: messageFields},
	Recv:     {name: "recv", of: "MPI_Recv", fields: messageFields},
	Isend:    {name: "isend", of: "MPI_Isend in all modes, MPI_Start", fields: requestFields},
	Irecv:    {name: "irecv", of: "MPI_Irecv, MPI_Start", fields: requestFields},
	Sendrecv: {name: "sendrecv", of: "MPI_Sendrecv", fields: exchangeFields},
	Probe:    {name: "probe", of: "MPI_Probe, MPI_Iprobe that found a message", fields: messageFields},
	Wait:     {name: "wait", of: "MPI_Wait, MPI_Waitall", fields: []field{fieldRequests}},
	WaitAny:  {name: "waitany", of: "MPI_Waitany", fields: []field{fieldRequests, fieldAmong}},
	WaitSome: {name: "waitsome", of: "MPI_Waitsome", fields: []field{fieldRequests, fieldAmong}},
	Test: {name: "test", of: "MPI_Test, MPI_Testall, MPI_Testany, MPI_Testsome; MPI_Iprobe that found nothing",
		fields: testFields},
	Free:          {name: "free", of: "MPI_Request_free", fields: []field{fieldRequests}},
	Make:          {name: "make", of: "MPI_Comm_dup, MPI_Comm_split and others"},
	Barrier:       {"barrier", "MPI_Barrier, also non-blocking", collectiveFields, collectives.Barrier},
	Broadcast:     {"bcast", "MPI_Bcast, also non-blocking", rootedFields, collectives.Broadcast},
	Reduce:        {"reduce", "MPI_Reduce, also non-blocking", rootedFields, collectives.Reduce},
	Allreduce:     {"allreduce", "MPI_Allreduce, also non-blocking", collectiveFields, collectives.Allreduce},
	ReduceScatter: {"reduce-scatter", "MPI_Reduce_scatter, MPI_Reduce_scatter_block, also non-blocking", blockFields, collectives.ReduceScatter},
	Allgather:     {"allgather", "MPI_Allgather, MPI_Allgatherv, also non-blocking", blockFields, collectives.Allgather},
	Alltoall:      {"alltoall", "MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw, also non-blocking", blockFields, collectives.Alltoall},
	Gather:        {"gather", "MPI_Gather, MPI_Gatherv, also non-blocking", rootBlockFields, collectives.Gather},
	Scatter:       {"scatter", "MPI_Scatter, MPI_Scatterv, also non-blocking", rootBlockFields, collectives.Scatter},
	Scan:          {"scan", "MPI_Scan, MPI_Exscan, also non-blocking", collectiveFields, collectives.Scan},
	NeighbourGather: {"neighbour-allgather", "MPI_Neighbor_allgather, MPI_Neighbor_allgatherv, also non-blocking",
		nearbyFields, collectives.NeighbourGather},
	NeighbourExchange: {"neighbour-alltoall", "MPI_Neighbor_alltoall, MPI_Neighbor_alltoallv, also non-blocking",
		nearbyFields, collectives.NeighbourExchange},
	Put:      {name: "put", of: "MPI_Put, MPI_Accumulate, also with requests", fields: remoteFields},
	Get:      {name: "get", of: "MPI_Get, MPI_Get_accumulate, MPI_Fetch_and_op, MPI_Compare_and_swap, also with requests", fields: remoteFields},
	Psend:    {name: "psend", of: "MPI_Start of MPI_Psend_init", fields: partitionedFields},
	Precv:    {name: "precv", of: "MPI_Start of MPI_Precv_init", fields: partitionedFields},
	Pready:   {name: "pready", of: "MPI_Pready, MPI_Pready_range, MPI_Pready_list", fields: []field{fieldRequest, fieldTag, fieldAmong}},
	Parrived: {name: "parrived", of: "MPI_Parrived that found the partition", fields: []field{fieldRequest, fieldTag, fieldTries}},
}

func (k CallKind) String() string {
	if k >= kinds {
		return "unknown"
	}
	return kindTable[k].name
}

// Collective returns the operation that a kind does; nil: it is no collective.
func (k CallKind) Collective() *collectives.Operation {
	if k >= kinds {
		return nil
	}
	return kindTable[k].does
}

// uses tells whether calls of a kind have a field.
func (k CallKind) uses(f field) bool { return slices.Contains(kindTable[k].fields, f) }
