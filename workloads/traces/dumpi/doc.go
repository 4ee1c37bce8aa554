// Package dumpi reads traces of DUMPI, the MPI profiling library of the SST simulators: a
// metafile, which is text, and a binary file for each rank.
//
// # The format
//
// Numbers are big-endian. A file of a rank begins with a magic number of eight bytes and two
// numbers of seconds, to be added to all CPU and wall times. Then come the calls, and then
// records whose offsets an index at the end of the file has: header (versions), footer (counts
// of calls), keys and values, names of performance counters, names of functions, sizes of
// datatypes. Older files have no index entries for the last ones.
//
// A call is a function number, a mask of what follows, the thread, CPU and wall times of
// its beginning and end, performance counters, and its arguments. Nothing says how long the
// arguments are. So a reader must know those of every function, and this one knows those of
// MPI-1; at another function reading ends.
//
// # What it means for a run
//
// Computation is the wall time between calls, and that of calls which only this rank does,
// such as MPI_Type_commit. Communicators are numbered by each rank for itself. They are put
// together by the order in which their members made them: MPI_Comm_dup, MPI_Comm_split and
// MPI_Cart_create without reordering. A rank below 0 is MPI_PROC_NULL, except -1 as a source,
// which is MPI_ANY_SOURCE.
//
// # Source
//
// The facts are from sstsimulator/sst-dumpi: docs/traceformat.dox, dumpi/common/io.c,
// iodefs.h, dumpiio.c and constants.h.
package dumpi
