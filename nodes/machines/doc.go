// Package machines describes a cluster as a run needs it: its nodes and network in plain numbers,
// its kernels, and its communication library. Package scenarios knows where the numbers of a file
// come from.
package machines
