// Package potential asks what overlap could make of a run. It runs the scenario again with its
// communication moved (as far as possible at worst and at best), with a communication library that
// does more, and with both, and says which time each step saves.
package potential
