// Package results holds the results of a run as plain data: the ledgers of its ranks, the bound,
// the timeline, the critical path and the derivatives of the makespan. A result does not refer to
// the run.
package results
