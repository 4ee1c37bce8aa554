// Package backlog is the cheapest fabric in which messages contend: every link is a
// server that works off the bytes promised to it, and its only state is the time at which
// it will be done.
//
// # Rules
//
// A node has one injection FIFO for each link that leaves its router. A message waits in
// the FIFO of the first link of its route, first in first out. The window is the number
// of messages of a FIFO that may be under way at the same time. When a message begins, at
// t, its bytes are promised to every link of its route: the link will be done at
//
//	done = max(done, t) + the message's time on that link
//
// The same holds for the injection of the sending node and the ejection of the receiving
// node, where they are limited. The message is sent when the last of these servers is
// done with it, but not before the NIC has had its own time for the bytes. It arrives its
// latency later. A message between nodes of one router passes no link of the topology and
// no FIFO.
//
// Bytes may travel in packets of one size: a message takes whole packets, and one that
// fits into a single packet does not wait on links, since it slips in between the packets
// of messages under way; it still counts as load. On a ring that a message enters from
// another dimension it takes longer by a factor, the turn.
//
// # What that means
//
// The bytes load all links of a route from the start, as in cut-through routing with
// small buffers, and a FIFO waits for its message, as it does under back pressure. No
// link idles while bytes are promised to it, none carries more than its bandwidth, and a
// message takes at least its time on its slowest link and in its NIC. The model leaves
// out order: a link serves a message even if the message could not have reached it yet,
// and a message is never held up by one that is blocked elsewhere (head-of-line
// blocking). So the fabric is exact for one message, and for many that have one busy link
// in common; it comes close to package flow where all links of a kind are loaded alike,
// as by an all-to-all; and like flow it is too hopeful where a torus with small buffers
// blocks (docs/packet.md).
//
// # Complexity
//
// A message costs its hops and two events, whatever else is under way; memory is 40
// bytes for a link, 12 for a FIFO and 48 for a message under way or waiting.
package backlog
