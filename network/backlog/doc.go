// Package backlog is the cheapest fabric in which messages contend: every link
// is a server that works off what it has been promised, and all it knows is
// when it will be done.
//
// # Rules
//
// A node has one injection FIFO for each link that leaves its router. A message
// waits in that of the first link of its route, first in first out; so many
// messages of a FIFO, the window, are under way at a time. When it begins, at t,
// every link of its route takes its bytes on: the link will be done at
//
//	done = max(done, t) + the message's time on that link
//
// and so will the injection of the node that sends and the ejection of the one that
// receives, where they are limited. The message has been sent when the last of these
// is done with it, but not before the NIC has had its own time for the bytes, and
// arrives its latency later. A message between nodes of one router passes no link of
// the topology and no FIFO.
//
// Bytes may travel in packets of one size: a message takes whole packets, and one
// that fits into a single packet does not wait on links, since those under way let
// it in between; it is a load all the same. On a ring that a message enters from
// another dimension it takes longer by a factor, the turn.
//
// # What that means
//
// The bytes load all links of a route from the start, as those of a cut-through
// message do whose buffers are small, and a FIFO waits for its message, as it
// does where the network pushes back. No link idles while something is promised
// to it, none carries more than its bandwidth, and a message takes at least its
// time on its worst link and in its NIC. What is left out is order: a link does
// not care whether a message could have reached it, and nothing that is blocked
// elsewhere stands in a message's way (head-of-line blocking).
// So the fabric is exact for one message, and for many that have one busy link
// in common; it comes close to package flow where all links of a kind are
// loaded alike, as by an all-to-all; and like flow it is too hopeful where a
// torus with small buffers blocks (docs/packet.md).
//
// # Complexity
//
// A message costs its hops and two events, whatever else is under way; memory is 40
// bytes for a link, 12 for a FIFO and 48 for a message under way or waiting.
package backlog
