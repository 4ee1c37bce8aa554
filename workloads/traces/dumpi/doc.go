// Package dumpi reads traces of DUMPI, the MPI profiling library of the SST simulators: a
// metafile, which is text, and a binary file for each rank.
//
// # The format
//
// Numbers are big-endian. A file of a rank begins with a magic number of eight bytes and two
// numbers of seconds, which are added to all CPU and wall times. Then come the calls, and then
// records whose offsets are in an index at the end of the file: header (versions), footer (counts
// of calls), keys and values, names of performance counters, names of functions, and sizes of
// datatypes. In older files the last ones have no index entries.
//
// A call is a function number, a mask of what follows, the thread, CPU and wall times of its
// beginning and end, performance counters, and its arguments. The file does not say how long the
// arguments are, so a reader must know the arguments of every function. This reader knows the functions of MPI-1,
// and stops at any other function.
//
// # What it means for a run
//
// Computation is the wall time between calls, and the time of local calls such as MPI_Type_commit.
// Each rank numbers communicators for itself. They are combined by the order in which their
// members made them: MPI_Comm_dup, MPI_Comm_split and MPI_Cart_create without reordering. A rank
// below 0 is MPI_PROC_NULL, except that -1 as a source is MPI_ANY_SOURCE.
//
// # Source
//
// The facts are from sstsimulator/sst-dumpi: docs/traceformat.dox, dumpi/common/io.c,
// iodefs.h, dumpiio.c and constants.h.
package dumpi
