// Package gradient shows what the makespan of a run depends on: what its critical path is
// made of, its derivatives by parameters, how far those hold, and what there is to gain.
package gradient
