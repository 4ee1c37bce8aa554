// Package flow lets messages share the links of a network as fluids: at every
// moment the flows have their max-min fair rates, in which no flow could get
// more without another, that has no more than it, getting less (Bertsekas and
// Gallager, Data Networks, section 6.5.2). A flow has one bottleneck: a full
// link on its route on which no flow is faster.
//
// A Fabric takes the routes of a topology; a Network has routes given with its
// flows; a Case is a network with flows, read from a file.
//
// # Algorithm
//
// The textbook fills all links at one level, which rises; a link that is full
// stops its flows there, at its level. When flows come or go, package flow
// repeats that only where something changes. Each link keeps what flows that
// other links hold leave of its capacity, and the number of its own, so that a
// bound on its level is one division. The level rises again from below, and
// passes by all links that no change has reached. Where a link is reached,
//
//   - that may give its flows more than before, they become free at its old
//     level, and their other links are reached;
//   - that is full, its level is found by a look at its flows; it holds those
//     that are free, or faster than that, whose other links are reached.
//
// A link that is not reached keeps its level, because below that level nothing
// on it has changed, and above it has no flow: a flow that is freed at some
// level has not passed a lower link. So changes travel only up the bottleneck
// structure, from a link to the flows it holds and on to their links of higher
// levels (Ros-Giralt, Bohara, Yellamraju et al., On the Bottleneck Structure of
// Congestion-Controlled Networks, SIGMETRICS 2020), as incremental algorithms
// on graphs do (Ramalingam and Reps, J. Algorithms 21, 1996).
//
// The end of a flow is a mark on the clock of the link that holds it, which
// counts the bytes that each of its flows has sent: the virtual time of fair
// queueing (Demers, Keshav, Shenker, SIGCOMM 1989). A new level moves the ends
// of all flows that a link holds at once. An indexed heap of links, by the first
// end of each, feeds one kernel event.
//
// # Complexity
//
// A change costs O(u + h + m log m): u flows on the links that are settled, h
// hops of the flows that get a new rate, m links that are reached. That is a few
// links where a network is lightly loaded; it is at most as much as solving from
// scratch. Changes of the same picosecond are solved once. Memory is 64 bytes
// per flow and 16 per hop of it, some 150 per link; nothing is allocated once as
// many flows have been under way as ever will be.
//
// # Numerics
//
// Rates are float64; two levels within 1e-12 of each other are the same. Ends
// are rounded to the nearest picosecond, each for itself. No sum contains a
// product that a compiler may fuse: results are the same on every machine.
package flow
