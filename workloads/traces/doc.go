// Package traces holds recorded MPI programs: what each rank called, and how long it computed in
// between. A trace is read as one stream of calls for each rank, so memory does not grow with its
// length. Look reads it once. The result turns it into a program for any machine.
//
// Formats register themselves, and Open recognises them by content.
package traces
