// Package allprof reads the text traces of liballprof, the recorder of LogGOPSim's toolchain, which LLAMP and ATLAHS use too: a folder
// with a file for each rank.
//
// # The format
//
// A line is a call: its name, when it began, its arguments in the order of C, and when it ended, with colons between. Times are microseconds;
// the beginning of MPI_Init is "-". A buffer, a status or a request is its address. A datatype is number,bytes,extent, and a communicator
// number,rank,size. Some counts and displacements of v-variants are an address and then a list; others are an address only. Lines that begin
// with # are comments. The last call is MPI_Finalize.
//
// # What it means for a run
//
// Computation is the time between two calls that communicate. A communicator with as many members as there are ranks, of which the rank is the
// member with its own number, is the communicator of all ranks: copies of it cannot be told apart, and need not be. The
// members of another one are known if
// MPI_Comm_split of all ranks made it, by the rank's number and the size. A request is the place where it is kept. What a receive from any source
// got and what a test found is not in the trace. If a request is started again in the same place, a test must have completed the one before; it is
// found by a test there.
//
// MPI_ANY_SOURCE is -1 and MPI_PROC_NULL -2, as in Open MPI. If the trace has MPICH's number of MPI_COMM_WORLD, or sends to -1, they are -2 and -1.
// Requests in arrays are 8 bytes apart, or 4 if one of them is not at a multiple of 8.
//
// # Source
//
// The facts are from spcl/LogGOPSim: src/liballprof/gencode.py, template.c and mpi.h_mpich, and src/Schedgen/process_trace.cpp.
package allprof
