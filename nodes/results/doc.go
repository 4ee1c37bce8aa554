// Package results holds what a run gives, as plain data: the ledgers of its ranks, the
// bound, the timeline, the critical path and the derivatives of the makespan. A result
// never reaches back into the run.
package results
