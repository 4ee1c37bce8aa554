// Package advice finds changes that shorten a run, by running the scenario again with
// each of them. A table says when a change may help, given the ledger, the machine and
// the program of the first run. Every change that is recommended has been run. A change
// that alters the work, or takes more nodes without saying so, does not count.
//
// Nothing depends on the speed of the simulator or the number of processors: the choice
// of re-runs, and the number of events that they may have, follow from the first run.
package advice
