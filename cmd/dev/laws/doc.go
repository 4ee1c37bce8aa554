// Package laws tries the whole program on random small scenarios: it draws scenario files
// from the key tables, runs them as a user would, and checks laws that every run obeys. A
// scenario that breaks a law is made as small as possible, as long as it breaks the same
// law in the same way.
//
// A case is a number: the same number draws the same scenario, so that a long run can
// continue where it was stopped, and a fault can be reproduced.
//
// A new machine, library, workload, fabric, topology, key or choice is drawn
// without a change here. A new law is a function and a row of Laws.
package laws
