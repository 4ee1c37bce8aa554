// Package flow lets messages share the links of a network as fluids. At every moment the flows
// have their max-min fair rates: a flow could get more only if another flow with no higher rate
// got less (Bertsekas and Gallager, Data Networks, section 6.5.2). A flow has one bottleneck: a
// full link on its route on which no flow is faster.
//
// A Fabric takes the routes of a topology; a Network has routes given with its
// flows; a Case is a network with flows, read from a file.
//
// # Algorithm
//
// The textbook algorithm raises one level on all links together. A link that becomes full stops
// its flows there, at its level: it holds them. When flows come or go, package flow repeats this
// only where something changes. Each link keeps the number of flows that it holds, and the
// capacity that the flows held by other links leave over, so that one division gives a bound on
// its level. The level rises again from below, and skips all links that no change has reached. A
// link that is reached
//
//   - frees its flows at its old level if it may give them more than before; their other
//     links are then reached;
//   - finds its level from its flows if it is full. It then holds those that are free or
//     faster than that level, and their other links are reached.
//
// A link that is not reached keeps its level, because nothing on it has changed below
// that level, and it has no flow above it: a flow that is freed at some level passes no
// link of a lower level. Therefore changes travel only up the bottleneck structure, from a link
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
// Flows that are alone on links of one capacity get it without raising a level.
//
// A round lasts from one idle network to the next. A round that goes like an earlier one is
// replayed from memory, without the algorithm above.
//
// # Complexity
//
// A change costs O(u + h + m log m), with u flows on the links that are settled, h hops of the
// flows that get a new rate, and m links that are reached. On a lightly loaded network these are
// a few links. The cost is never more than the cost of solving from scratch. Changes in the same
// picosecond are solved once. A step of a replayed round costs O(h). Memory is 64 bytes per flow,
// 16 per hop of a flow, and some 150 per link. Nothing is allocated once the largest number of
// flows has been in flight.
//
// # Numerics
//
// Rates are float64. Two levels within 1e-12 of each other count as the same. Each end is rounded
// to the nearest picosecond on its own. No sum contains a product that a compiler may fuse, so
// results are the same on every machine.
package flow
