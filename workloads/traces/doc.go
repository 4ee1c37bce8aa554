// Package traces holds recorded MPI programs: what each rank called, and how long it
// computed in between. A trace is read as one stream of calls for each rank, so that its
// length needs no memory. Look reads it once; what it returns makes it a program of any
// machine.
//
// Formats register themselves: Open tells them apart by content.
package traces
