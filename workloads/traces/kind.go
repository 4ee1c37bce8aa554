package traces

import (
	"slices"

	"overlapsim/workloads/collectives"
)

// Kind is what a call does.
type Kind uint8

// The kinds. A collective's Bytes are those that collectives.Operation says: of a vector,
// or of the blocks of all members together.
const (
	End      Kind = iota // nothing follows: Before is the last computation of the rank
	Send                 // MPI_Send and its modes
	Recv                 // MPI_Recv
	Isend                // MPI_Isend and its modes, MPI_Start of such a request
	Irecv                // MPI_Irecv, MPI_Start of such a request
	Sendrecv             // MPI_Sendrecv
	Probe                // MPI_Probe, or MPI_Iprobe that found a message: from Peer with Tag
	Wait                 // MPI_Wait, MPI_Waitall: waits for all Requests
	WaitAny              // MPI_Waitany: Requests has the one that was complete first
	WaitSome             // MPI_Waitsome: Requests are those that were complete
	Test                 // MPI_Test and its like, MPI_Iprobe that found nothing: Requests are those that were complete
	Free                 // MPI_Request_free: nothing waits for Requests any more
	Make                 // a communicator is made by all members of Comm
	Mark                 // nothing: a phase begins
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
	kinds // how many
)

// kindTable has what is known of each kind.
var kindTable = [kinds]struct {
	name   string
	fields []field
	does   *collectives.Operation // nil: no collective
}{
	End:               {name: "end"},
	Send:              {name: "send", fields: messageFields},
	Recv:              {name: "recv", fields: messageFields},
	Isend:             {name: "isend", fields: requestFields},
	Irecv:             {name: "irecv", fields: requestFields},
	Sendrecv:          {name: "sendrecv", fields: []field{fieldPeer, fieldTag, fieldBytes, fieldModes, fieldFrom, fieldFromTag, fieldIn}},
	Probe:             {name: "probe", fields: messageFields},
	Wait:              {name: "wait", fields: []field{fieldRequests}},
	WaitAny:           {name: "waitany", fields: []field{fieldRequests, fieldAmong}},
	WaitSome:          {name: "waitsome", fields: []field{fieldRequests, fieldAmong}},
	Test:              {name: "test", fields: []field{fieldRequests, fieldAmong, fieldTries}},
	Free:              {name: "free", fields: []field{fieldRequests}},
	Make:              {name: "make"},
	Barrier:           {"barrier", collectiveFields, collectives.Barrier},
	Broadcast:         {"bcast", rootedFields, collectives.Broadcast},
	Reduce:            {"reduce", rootedFields, collectives.Reduce},
	Allreduce:         {"allreduce", collectiveFields, collectives.Allreduce},
	ReduceScatter:     {"reduce-scatter", blockFields, collectives.ReduceScatter},
	Allgather:         {"allgather", blockFields, collectives.Allgather},
	Alltoall:          {"alltoall", blockFields, collectives.Alltoall},
	Gather:            {"gather", rootBlockFields, collectives.Gather},
	Scatter:           {"scatter", rootBlockFields, collectives.Scatter},
	Scan:              {"scan", collectiveFields, collectives.Scan},
	NeighbourGather:   {"neighbour-allgather", nearbyFields, collectives.NeighbourGather},
	NeighbourExchange: {"neighbour-alltoall", nearbyFields, collectives.NeighbourExchange},
}

func (k Kind) String() string {
	if k >= kinds {
		return "unknown"
	}
	return kindTable[k].name
}

// Collective returns the operation that a kind does; nil: it is no collective.
func (k Kind) Collective() *collectives.Operation {
	if k >= kinds {
		return nil
	}
	return kindTable[k].does
}

// uses tells whether calls of a kind have a field.
func (k Kind) uses(f field) bool { return slices.Contains(kindTable[k].fields, f) }
