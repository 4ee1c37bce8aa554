// Package flow lets messages share the links of a network as fluids: at every moment the
// flows have their max-min fair rates: a flow could get more only if another flow with no
// higher rate got less (Bertsekas and Gallager, Data Networks, section 6.5.2). A flow has
// one bottleneck: a full link on its route on which no flow is faster.
//
// A Fabric takes the routes of a topology; a Network has routes given with its
// flows; a Case is a network with flows, read from a file.
//
// # Algorithm
//
// The textbook algorithm fills all links to one rising level. A link that is full stops
// its flows there, at its level: it holds them. When flows come or go, package flow
// repeats this only where something changes. Each link keeps the number of flows that it
// holds, and the capacity that the flows held by other links leave over, so that a bound
// on its level is one division. The level rises again from below, and passes by all links
// that no change has reached. Where a link is reached,
//
//   - and may give its flows more than before, they become free at its old level, and
//     their other links are reached;
//   - and is full, its level is found from its flows. It holds those that are free or
//     faster than that level, and their other links are reached.
//
// A link that is not reached keeps its level, because nothing on it has changed below
// that level, and it has no flow above it: a flow that is freed at some level passes no
// link of a lower level. So changes travel only up the bottleneck structure, from a link
// to the flows it holds and on to their links of higher levels (Ros-Giralt, Bohara,
// Yellamraju et al., On the Bottleneck Structure of Congestion-Controlled Networks,
// SIGMETRICS 2020), as incremental algorithms on graphs do (Ramalingam and Reps, J.
// Algorithms 21, 1996).
//
// The end of a flow is a mark on the clock of the link that holds it, which
// counts the bytes that each of its flows has sent: the virtual time of fair
// queueing (Demers, Keshav, Shenker, SIGCOMM 1989). A new level moves the ends
// of all flows that a link holds at once. An indexed heap of links, by the first
// end of each, feeds one kernel event.
//
// Rounds, from an idle network to an idle network, that go like earlier ones are followed in
// memory, without any of this.
//
// # Complexity
//
// A change costs O(u + h + m log m): u flows on the links that are settled, h hops of the
// flows that get a new rate, m links that are reached. On a lightly loaded network these
// are a few links; the cost is never more than that of solving from scratch. Changes in
// the same picosecond are solved once. A step of a round that is followed costs O(h). Memory is 64 bytes per flow and 16 per hop of it,
// some 150 per link; nothing is allocated after the largest number of flows was under
// way.
//
// # Numerics
//
// Rates are float64; two levels within 1e-12 of each other are the same. Each end is
// rounded to the nearest picosecond on its own. No sum contains a product that a compiler
// may fuse: results are the same on every machine.
package flow
