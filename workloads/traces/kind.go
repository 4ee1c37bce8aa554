package traces

import "overlapsim/workloads/collectives"

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
	name string
	does *collectives.Operation // nil: no collective
}{
	End: {name: "end"}, Send: {name: "send"}, Recv: {name: "recv"}, Isend: {name: "isend"}, Irecv: {name: "irecv"},
	Sendrecv: {name: "sendrecv"}, Probe: {name: "probe"}, Wait: {name: "wait"}, WaitAny: {name: "waitany"},
	WaitSome: {name: "waitsome"}, Test: {name: "test"}, Free: {name: "free"}, Make: {name: "make"},
	Barrier:           {"barrier", collectives.Barrier},
	Broadcast:         {"bcast", collectives.Broadcast},
	Reduce:            {"reduce", collectives.Reduce},
	Allreduce:         {"allreduce", collectives.Allreduce},
	ReduceScatter:     {"reduce-scatter", collectives.ReduceScatter},
	Allgather:         {"allgather", collectives.Allgather},
	Alltoall:          {"alltoall", collectives.Alltoall},
	Gather:            {"gather", collectives.Gather},
	Scatter:           {"scatter", collectives.Scatter},
	Scan:              {"scan", collectives.Scan},
	NeighbourGather:   {"neighbour-allgather", collectives.NeighbourGather},
	NeighbourExchange: {"neighbour-alltoall", collectives.NeighbourExchange},
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
