// Package machines says what a run needs to know about a cluster: its nodes and network in
// plain numbers, its kernels, and its communication library. Where the numbers of a file
// come from is known to package scenarios.
package machines
