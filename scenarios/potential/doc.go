// Package potential asks what overlap could make of a run: it runs the scenario again with
// its communication moved, as far as at worst and at best it could be, with a library that
// does more, and with all of this, and says where the time went that each step saves.
package potential
