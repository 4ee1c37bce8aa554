// Package network models the path between the memories of two nodes: the LogGOPS
// parameters of an interface (NIC), the pipeline that every message passes through it,
// and the fabrics that carry it to the other side.
//
// # The pipeline
//
// A message that a process posts passes, in this order,
//
//	overhead o     the process's CPU builds the descriptor
//	queue          the CPU hands the descriptor over; it blocks while the
//	               queue is full
//	insertion g    the NIC takes one descriptor at a time
//	transfer G     the bytes leave, one message at a time
//	fabric         latency L and what sharing adds
//
// and is then in the memory of the target. With a queue of one slot the CPU can hand over
// a descriptor only when the previous one is inserted. That is the max(o, g) of Nishtala,
// "Architectural Probes for Measuring Communication Overlap Potential", equations (5) and
// (6).
//
// LogGP: Alexandrov, Ionescu, Schauser, Scheiman, J. Parallel and Distributed
// Computing 44(1), 1997. LogGOPS: Hoefler, Schneider, Lumsdaine, LSAP 2010.
package network
