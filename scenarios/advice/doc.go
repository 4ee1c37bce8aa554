// Package advice finds out what would shorten a run, by running the scenario again
// with changes that may: each of them says when it may help, by the ledger, the
// machine and the program of the first run. What is said to help has been run; a
// change that changes the work, or takes more nodes without saying so, is no help.
//
// Nothing depends on how fast the simulator is, nor on the number of processors: which
// re-runs there are, and how many events they may have, follows from the first run.
package advice
