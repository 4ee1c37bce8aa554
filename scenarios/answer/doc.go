// Package answer says how much communication costs a run, how much of it hides behind computation, why the
// rest does not, and what would change that. It runs the scenario again: without communication, without
// computation, without each cause, with what happens at the same moment in another order, and with changes
// that attack what costs most. Therefore every number that it gives is the difference of two runs, and the settings
// of the second one are next to it.
//
// Nothing depends on the speed of the simulator or the number of processors: the choice of re-runs, and the
// number of events that they may have, follow from the runs before.
package answer
