// Package backlog is the cheapest fabric in which messages contend: every link
// is a server that works off what it has been promised, and all it knows is
// when it will be done.
//
// # Rules
//
// A node has one injection FIFO for each link that leaves its router, and one
// for messages to nodes of the same router. A message waits in that of the
// first link of its route, first in first out; one message of a FIFO is under
// way at a time. When it begins, at t, every link of its route takes its bytes
// on: the link will be done at
//
//	done = max(done, t) + the message's time on a link
//
// The message has been sent when the last of its links is done with it, and
// arrives its latency later.
//
// # What that means
//
// The bytes load all links of a route from the start, as those of a cut-through
// message do whose buffers are small, and a FIFO waits for its message, as it
// does where the network pushes back. No link idles while something is promised
// to it, none carries more than its bandwidth, and a message takes at least its
// time on its worst link. What is left out is order: a link does not care
// whether a message could have reached it, and nothing that is blocked elsewhere
// stands in a message's way (head-of-line blocking).
// So the fabric is exact for one message, and for many that have one busy link
// in common; it comes close to package flow where all links of a kind are
// loaded alike, as by an all-to-all; and like flow it is too hopeful where a
// torus with small buffers blocks (docs/packet.md).
//
// # Complexity
//
// A message costs its hops and two events, whatever else is under way; memory
// is 8 bytes for a link, 24 for a FIFO and 32 for a message under way or
// waiting.
package backlog
