// Package backlog is the cheapest fabric in which messages contend: every link is a
// server that works off the bytes promised to it, and its only state is the time at which
// it will be done.
//
// # Rules
//
// A node has one injection FIFO for each link that leaves its router. A message waits in the FIFO
// of the first link of its route, first in, first out. At most a window of messages of a FIFO is
// in flight at the same time. When a message begins, at t, its bytes are promised to every link
// of its route. A link will be done at
//
//	done = max(done, t) + the message's time on that link
//
// The injection of the sending node and the ejection of the receiving node work in the same way
// where they have a limit. The message is sent when the last of these servers is done with it,
// but not before the NIC has spent its own time on the bytes. It arrives one latency later. A
// message between two nodes of one router uses no link of the topology and no FIFO.
//
// Bytes may travel in packets of one size. A message then takes whole packets. A message that
// fits into a single packet slips in between the packets of larger messages: on a link it waits
// for other messages of a single packet only. It counts as load for all that begin later. If a message enters a ring from another
// dimension, its time on that ring is longer by a factor, the turn.
//
// # What that means
//
// The bytes load all links of a route from the start, as in cut-through routing with small
// buffers. A FIFO waits for its message, as it does under back pressure. No link idles while
// bytes are promised to it. None carries more than its bandwidth, except that it can be ahead by
// what slipped past messages that are still in flight. A message takes at least its time on its
// slowest link and in its NIC.
//
// The model leaves out order. A link serves a message even if the message could not have reached
// it yet, and a message is never held up by one that is blocked elsewhere (head-of-line
// blocking). Therefore the fabric is exact for one message, and for many that have one busy link in
// common. It comes close to package flow where all links of a kind are loaded alike, as by an
// all-to-all of one process on a node; of four on a node it is 31 % slower on a tree, because the one message of a FIFO can wait for
// a link while others of its node could use another one. Like flow it is too optimistic where a torus with small buffers blocks
// (docs/explanation/network-models.md#packet).
//
// # Complexity
//
// A message costs work in proportion to its hops, and two events, regardless of what else is in flight.
// Memory is 48 bytes for a link, 12 for a FIFO and 48 for a message in flight or waiting.
package backlog
