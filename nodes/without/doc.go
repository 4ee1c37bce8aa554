// Package without takes causes away from runs: what a machine, its network and a program are
// without latency, without noise and so on. What a cause costs in a run is what its absence saves.
//
// One table holds the causes. A row says what the absence of its cause changes for processes and
// for GPUs, or why it has no meaning there. To add a cause: a row, and its exact case in the test.
// A set of causes is taken away in the order of the table, so their order does not matter.
package without
