// Package ti reads time-independent traces of SimGrid: text files in which each line is an action
// of a rank. They do not contain how long an action takes. Computation is given in floating-point
// operations, and messages in elements of a datatype.
//
// # The format
//
// A line is
//
//	rank action arguments
//
// with blanks between the words. A file holds the lines of all ranks, in any order between ranks,
// or the lines of one rank. Counts and flops may be written as 1e6. A datatype is a number
// (Datatypes). The default is BYTE after "init", and DOUBLE after "init" with an argument. All
// messages and operations use MPI_COMM_WORLD. A reduction does its flops when its messages are
// over.
//
// A request has no number. A wait names the source, the destination and the tag of a message,
// and means the oldest open request of the rank with these three. A test does not end a
// request.
//
// # Source
//
// The facts are from SimGrid's own reader (simgrid/simgrid, src/smpi/internals/smpi_replay.cpp
// and src/smpi/mpi/smpi_datatype.cpp). Older traces, whose messages have no tag, are refused.
package ti
