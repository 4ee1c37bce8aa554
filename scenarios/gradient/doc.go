// Package gradient shows what the makespan of a run depends on: what its critical
// path is made of, by which parameters it has which derivatives, how far those
// hold, and what there is to gain.
package gradient
